"""Which column of a subject is which function: the published layouts, permutations and signs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from verify.audit.dtypes import Floats

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layout:
    """Column c of the subject is factor * signs[c] * (column order[c] of the truth), about."""

    name: str
    order: Indices
    signs: Floats
    factor: float
    error: float  # mean absolute error of the match


def published(count: int, dimension: int) -> list[tuple[str, Indices]]:
    """The layouts in use for `count` cosines (0..count-1) and sines (count..2*count-1) in
    `dimension` columns, or twice as many."""
    cos, sin = np.arange(count), np.arange(count) + count
    short = cos[: dimension - count]  # an odd dimension has one cosine less

    def woven(a: Indices, b: Indices) -> Indices:
        result = np.empty(len(a) + len(b), np.int64)
        result[0::2], result[1::2] = a, b
        return result

    found = [
        ("sines then cosines", np.concatenate([sin, short])),
        ("interleaved sine, cosine", woven(sin, short)),
    ]
    if 2 * count == dimension:
        found = [
            ("cosines then sines", np.concatenate([cos, sin])),
            *found,
            ("interleaved cosine, sine", woven(cos, sin)),
            *(
                (f"{how} table, {first} then {second}", np.concatenate([twice(x), twice(y)]))
                for how, twice in (("half-split", _tiled), ("interleaved", _repeated))
                for first, second, x, y in (
                    ("cosines", "sines", cos, sin), ("sines", "cosines", sin, cos),
                )
            ),
        ]  # fmt: skip
    return found


def _tiled(order: Indices) -> Indices:
    return np.tile(order, 2)


def _repeated(order: Indices) -> Indices:
    return np.repeat(order, 2)


def _fit(observed: Floats, matched: Floats) -> tuple[float, float]:
    """The common factor and the mean error: 1, unless another one explains nearly all of it."""
    plain = float(np.abs(observed - matched).mean())
    large = np.abs(matched) > 0.5  # the median of the ratios there: faulty columns do not move it
    factor = float(np.median(observed[large] / matched[large])) if large.any() else 1.0
    error = float(np.abs(observed - factor * matched).mean())
    if factor <= 0 or abs(factor - 1) < 1e-3 or error > plain / 16:
        return 1.0, plain
    return factor, error


def recognise(observed: Floats, exact: Floats, dimension: int) -> Layout | None:
    """The layout of the observed columns, given the exact cosines and sines at the same positions
    (rows; at most a few hundred are needed). None if the number of columns fits no layout.

    The published layouts are tried first; an assignment of columns that matches much better than
    all of them is called a channel permutation.
    """
    count = exact.shape[1] // 2
    best: Layout | None = None
    for name, order in published(count, dimension):
        if len(order) == observed.shape[1]:
            factor, error = _fit(observed, exact[:, order])
            if best is None or error < best.error:
                best = Layout(name, order, np.ones(len(order)), factor, error)
    if observed.shape[1] != exact.shape[1]:
        return best
    both = np.hstack([exact, -exact])
    distance = np.stack([np.abs(column[:, None] - both).mean(axis=0) for column in observed.T])
    distance = np.nan_to_num(distance, nan=1e300, posinf=1e300)
    folded = np.minimum(distance[:, : exact.shape[1]], distance[:, exact.shape[1] :])
    _, order = linear_sum_assignment(folded)
    columns = np.arange(len(order))
    negative = distance[columns, order + exact.shape[1]] < distance[columns, order]
    signs = np.where(negative, -1.0, 1.0)
    factor, error = _fit(observed, signs * exact[:, order])
    if best is None or error < best.error / 4:
        name = "channel permutation" + (" with signs" if negative.any() else "")
        best = Layout(name, order, signs, factor, error)
    return best
