"""What one parameter does on each row: hit, miss or tie, certified, whatever the encoding.

In this order: identical features (equal logits for every parameter), float64 with a proved error,
balls of rising precision (plain exact arithmetic if features are rational), the formal zero test,
balls without limit. The zero test is complete (Lindemann-Weierstrass), so no row stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from verify import escalation
from verify.engines.floats import absolute, relative
from verify.engines.floats.features import features
from verify.engines.floats.gaps import Gaps, Rows
from verify.engines.floats.scaling import weights
from verify.escalation import Interval
from verify.parameters import Parameter
from verify.theory import tasks
from verify.theory.encodings import Encoding
from verify.theory.visibility import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Progress = Callable[[int, int], None]

HIT, MISS, TIE, OPEN = b"hmt?"  # codes of outcomes, one byte each


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Every row of one length, decided.

    outcomes: (r,) of the codes HIT, MISS, TIE; low, high: (r,), the margin's enclosure in units of
    2**exponent, but `exact` for the rows that floats could not settle; float_hits: what rounded
    float64 logits say. stages: how many rows were settled by "float", "balls", "formal".
    """

    length: int
    rows: Rows
    outcomes: NDArray[np.uint8]
    low: Floats
    high: Floats
    exponent: int
    exact: Mapping[int, Interval]
    float_hits: NDArray[np.bool_]
    stages: Mapping[str, int]
    temperature: Interval = field(default=(Fraction(1), Fraction(1)))

    def text(self) -> str:
        """One letter for each row."""
        return self.outcomes.tobytes().decode("ascii")

    def count(self, outcome: int) -> int:
        """How many rows are HIT, MISS or TIE."""
        return int(np.count_nonzero(self.outcomes == outcome))

    def margin(self, k: int) -> Interval:
        """The enclosure of the margin of the k-th row."""
        found = self.exact.get(k) or (self._scaled(self.low[k]), self._scaled(self.high[k]))
        return self._warm(found)

    def smallest(self, outcome: int | None = None) -> Interval:
        """An enclosure of the smallest margin of all rows (of one outcome, if given).

        ValueError if there is no such row.
        """
        chosen = np.ones(len(self.outcomes), bool) if outcome is None else self.outcomes == outcome
        plain = chosen.copy()
        plain[list(self.exact)] = False
        found = [self.exact[k] for k in self.exact if chosen[k]]
        if plain.any():
            found.append(
                (self._scaled(self.low[plain].min()), self._scaled(self.high[plain].min()))
            )
        if not found:
            raise ValueError("no row has this outcome")
        return self._warm((min(low for low, _ in found), min(high for _, high in found)))

    def _scaled(self, x: float) -> Fraction:
        return Fraction(float(x)) * Fraction(2) ** self.exponent

    def _warm(self, margin: Interval) -> Interval:
        least, most = self.temperature
        low, high = margin
        return low * (least if low > 0 else most), high * (most if high > 0 else least)


def region(task: tasks.Task, n: int, visibility: str = "causal", start: int = 0) -> Rows:
    """The query region Q_n, rows `start` and later; may be empty. As `tasks.rows`, in arrays."""
    known = task.affine(n)
    if known is None:
        pairs = [(i, t) for i, t in tasks.rows(task, n, visibility) if i >= start]
        rows, targets = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        first, last = _visible(rows, n, visibility)
        return Rows(rows, targets, first, last)
    rows = np.arange(max(start, 0), n)
    targets = known[0] * rows + known[1]
    first, last = _visible(rows, n, visibility)
    kept = (targets >= first) & (targets < last) & (last - first > 1)
    return Rows(rows[kept], targets[kept], first[kept], last[kept])


def _visible(rows: NDArray[np.intp], n: int, visibility: str) -> tuple[NDArray[np.intp], ...]:
    """start and stop of the visible keys of consecutive rows, by the ends: both are linear."""
    ends = []
    for pick in ("start", "stop"):
        if not len(rows):
            ends.append(rows)
            continue
        a, b = (getattr(visible(int(i), n, visibility), pick) for i in (rows[0], rows[-1]))
        slope = (b - a) // max(int(rows[-1] - rows[0]), 1)
        ends.append(a + slope * (rows - rows[0]))
    return tuple(ends)


def decide(
    encoding: Encoding,
    parameter: Parameter,
    n: int,
    rows: Rows,
    visibility: str = "causal",
    progress: Progress | None = None,
) -> Decisions:
    """Decide every row of length n. ValueError if there is none, or the encoding is not defined."""
    if not len(rows.rows):
        raise ValueError(f"there is no row to decide at length {n}")
    if encoding.relative:
        kernel = relative.kernel(encoding, parameter.data, n, visibility)
        found = relative.gaps(kernel, rows)

        def rivals(k: int) -> list[int]:
            i, t = int(rows.rows[k]), int(rows.targets[k])
            return relative.rivals(kernel, i, t, int(rows.start[k]), int(rows.stop[k]))
    else:
        table = features(encoding, n, visibility)
        found, where = absolute.gaps(
            table, weights(parameter.data, table.exponents), rows, progress
        )

        def rivals(k: int) -> list[int]:
            return [int(j) for j in absolute.rivals(where, float(found.error[k]), k)]

    outcomes, low, high = settle(found)
    exact: dict[int, Interval] = {}
    stages = {"float": int(np.count_nonzero(outcomes != OPEN)), "balls": 0, "formal": 0}
    left = np.flatnonzero(outcomes == OPEN)
    if len(left):
        head = escalation.head(encoding, parameter, n)
        known: dict[tuple[int, ...], tuple[Interval, bool]] = {}  # relative: by offsets
        for done, k in enumerate(left.tolist()):
            i, t, twin = int(rows.rows[k]), int(rows.targets[k]), bool(found.twin[k])
            keys = rivals(k)
            offsets = (i - t, int(twin), *(i - j for j in keys))
            if not encoding.relative or offsets not in known:
                known[offsets] = escalation.margin(head, i, t, keys, twin)
            exact[k], formal = known[offsets]
            outcomes[k] = HIT if exact[k][0] > 0 else MISS if exact[k][1] < 0 else TIE
            stages["formal" if formal else "balls"] += 1
            if progress is not None:
                progress(done + 1, len(left))
    return Decisions(
        n, rows, outcomes, low, high, found.exponent, exact, found.hits(), stages,
        getattr(encoding, "temperature", (Fraction(1), Fraction(1))),
    )  # fmt: skip


def settle(found: Gaps) -> tuple[NDArray[np.uint8], Floats, Floats]:
    """What floats prove: codes (OPEN where they do not), and the margins' enclosures."""
    exact = found.error == 0
    low = np.where(exact, found.gap, np.nextafter(found.gap - found.error, -np.inf))
    high = np.where(exact, found.gap, np.nextafter(found.gap + found.error, np.inf))
    low = np.where(found.twin, np.minimum(low, 0), low)
    high = np.where(found.twin, np.minimum(high, 0), high)
    outcomes = np.full(len(low), OPEN, dtype=np.uint8)
    outcomes[low > 0] = HIT
    outcomes[high < 0] = MISS
    outcomes[(low == 0) & (high == 0)] = TIE
    return outcomes, low, high
