"""Rows of one head of a learned-absolute model: float64 with a proved bound, then integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from verify.checkpoints.channels import UNDERFLOW, Table
from verify.checkpoints.exact import Exact
from verify.decisions import HIT, MISS, OPEN, TIE, Decisions, settle
from verify.engines.floats.features import UNIT
from verify.engines.floats.gaps import Gaps, Rows
from verify.engines.floats.products import product
from verify.engines.floats.scaling import gamma

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from verify.escalation import Interval

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

BLOCK: Final = 512  # rows whose logits are held at a time


@dataclass(frozen=True, slots=True, eq=False)
class Peaks:
    """Of every row 0..n-1, over the keys it sees: the best key, its logit, the second logit."""

    key: Ints
    best: Floats
    second: Floats


def peaks(queries: Floats, keys: Floats, visibility: str) -> Peaks:
    """The first of the best keys of every row in float64; second is -inf if there is one key."""
    n = len(queries)
    key = np.empty(n, dtype=np.intp)
    best, second = np.empty(n), np.empty(n)
    across = np.ascontiguousarray(keys.T)
    for low in range(0, n, BLOCK):
        rows = np.arange(low, min(low + BLOCK, n))
        logits = product(queries[rows], across)
        if visibility == "causal":
            logits[np.arange(n) > rows[:, None]] = -np.inf
        here = np.arange(len(rows))
        key[rows] = logits.argmax(axis=1)
        best[rows] = logits[here, key[rows]]
        logits[here, key[rows]] = -np.inf
        second[rows] = logits.max(axis=1)
    return Peaks(key, best, second)


def gaps(queries: Table, keys: Table, found: Peaks, rows: Rows) -> Gaps:
    """Target less best other logit in float64, and a bound on the error of that difference.

    A logit is off by at most |q| e_k + e_q (|k| + e_k) + gamma(width) |q| |k|, with the largest
    |k| and e_k of all keys.
    """
    i, t = rows.rows, rows.targets
    target = np.einsum("rd,rd->r", queries.values[i], keys.values[t])
    gap = np.where(found.key[i] == t, target - found.second[i], target - found.best[i])
    size, error = float(keys.size.max()), float(keys.error.max())
    width = queries.values.shape[1]
    one = queries.size[i] * (error + 1.01 * gamma(width) * size)
    one += queries.error[i] * (size + error)
    whole = (2 * one + 2 * UNIT * np.abs(gap)) * (1 + 1e-9) + UNDERFLOW
    return Gaps(gap, whole, np.zeros(len(i), dtype=bool), 0)


def rivals(queries: Table, keys: Table, rows: Rows, k: int, error: float) -> list[int]:
    """The keys of the k-th row whose logit may be the best besides the target's.

    error: that of the row's gap. Every other key is certainly below one of them.
    """
    i, t = int(rows.rows[k]), int(rows.targets[k])
    start, stop = int(rows.start[k]), int(rows.stop[k])
    logits = keys.values[start:stop] @ queries.values[i]
    logits[t - start] = -np.inf
    return [int(j) + start for j in np.flatnonzero(logits >= logits.max() - 2 * error)]


def decide(
    queries: Table, keys: Table, found: Peaks, rows: Rows, exact: Callable[[], Exact]
) -> Decisions:
    """Decide every row: hit, miss or tie. exact: makes the rational head, where it is needed."""
    measured = gaps(queries, keys, found, rows)
    outcomes, low, high = settle(measured)
    left = np.flatnonzero(outcomes == OPEN)
    stages = {"float": len(outcomes) - len(left), "balls": len(left), "formal": 0}
    known: dict[int, Interval] = {}
    if len(left):
        rational = exact()
        for k in left.tolist():
            others = rivals(queries, keys, rows, k, float(measured.error[k]))
            low_k, high_k = rational.margin(int(rows.rows[k]), int(rows.targets[k]), others)
            known[k] = low_k, high_k
            outcomes[k] = HIT if low_k > 0 else MISS if high_k < 0 else TIE
    n = len(queries.values)
    return Decisions(n, rows, outcomes, low, high, 0, known, measured.hits(), stages)
