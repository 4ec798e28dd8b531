"""Relative encodings: one kernel value for each offset, running maxima over the visible ones.

A row sees the offsets low..high around 0. Its best competitor is the largest or, where that is the
target's own, the second largest kernel value of the prefix: O(L) for all rows together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from verify.engines.floats.features import (
    UNIT,
    features,
    split,
    turns,
)
from verify.engines.floats.gaps import Gaps, Rows, twins
from verify.engines.floats.products import product
from verify.engines.floats.scaling import EXACT, gamma, units, upward, weights
from verify.theory.encodings import Encoding, Rope, Sinusoidal

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kernel:
    """kappa(o) for o = first, first + 1, ...: values and error bounds in units of 2**exponent.

    index: for each offset the number of its features, None if no two offsets share them.
    """

    values: Floats
    error: Floats
    index: Ints | None
    first: int
    exponent: int


def kernel(encoding: Encoding, parameter: Any, length: int, visibility: str) -> Kernel:
    """The kernel of a parameter at all offsets of a grid of this length, with proved errors."""
    if isinstance(encoding, Rope | Sinusoidal):
        return _waves(encoding, parameter, length, visibility)
    table = features(encoding, length, visibility)
    scaled = weights(parameter, table.exponents)
    used = scaled.values != 0
    used[0] |= not used.any()  # w = 0: one column keeps the shapes
    basis, w = table.values[:, used], scaled.values[used]
    values = product(basis, w[:, None])[:, 0]
    r, e, rounding = table.relative[used], table.absolute[used], scaled.relative
    share = (1 + r) * (1 + rounding) - 1 + 4 * UNIT * (r + rounding > 0) + 1.01 * gamma(len(w))
    size = product(np.abs(basis), np.abs(w)[:, None])[:, 0]
    bound = product(np.abs(basis), (np.abs(w) * share)[:, None])[:, 0]
    bound += (1 + rounding) * (e * np.abs(w)).sum()
    error = upward(bound, 2 * len(w) + 20)
    if not w.any():
        error[:] = 0
    elif not (r.any() or e.any() or rounding):
        unit = (units(basis, axis=0) * units(w[:, None], axis=1)).min()
        error[size < EXACT * unit] = 0
    if table.index is not None:
        values, error = values[table.index], error[table.index]
    return Kernel(values, error, table.index, table.first, scaled.exponent)


def _waves(encoding: Rope | Sinusoidal, parameter: Any, length: int, visibility: str) -> Kernel:
    """kappa(aB + b) = C_a . cos(b theta) + S_a . sin(b theta), one small matrix product.

    With c, s the weights of cosines and sines: C_a = c cos(aB theta) + s sin(aB theta) and
    S_a = s cos(aB theta) - c sin(aB theta). Errors in units of |c| + |s|: 4 u of C and S together
    with ENTRY of the fine table stay below 8 u, beside the product's gamma.
    """
    scaled = weights(parameter, np.zeros(encoding.dimension, dtype=np.intp))
    count = len(encoding.frequencies)
    cos, sin = np.zeros(count), np.zeros(count)
    for column, (name, k) in enumerate(encoding.columns):
        (cos if name == "cos" else sin)[k] = scaled.values[column]
    fine, coarse = split(length)
    near, far = turns(encoding.frequencies, 1, fine), turns(encoding.frequencies, fine, coarse)
    basis = np.hstack([near.cos, near.sin]).T

    def half(sine: Floats) -> Floats:
        left = [cos * far.cos + sine * far.sin, sine * far.cos - cos * far.sin]
        return np.asarray(product(np.hstack(left), basis).reshape(-1)[:length])

    values = half(sin)
    if visibility == "full":  # kappa(-o) has the opposite sines
        values = np.concatenate([half(-sin)[:0:-1], values])
    size = float(np.abs(scaled.values).sum())
    share = 1.01 * gamma(2 * count) + 8 * UNIT + 1.01 * scaled.relative
    error = upward(np.full(len(values), share * size), 2 * count + 20)
    if not size:
        error[:] = 0
    first = -(length - 1) if visibility == "full" else 0
    return Kernel(values, error, None, first, scaled.exponent)


# ------------------------------------------------------------ running maxima


@dataclass(frozen=True, slots=True)
class _Prefix:
    """Of each prefix of one side: the largest value, where it is, the second largest, the error."""

    best: Floats
    at: Ints
    second: Floats
    error: Floats


def _prefix(values: Floats, error: Floats, index: Ints | None) -> _Prefix:
    """Offsets whose features occurred before on this side do not count twice."""
    if index is not None:
        repeated = np.ones(len(index), dtype=bool)
        repeated[np.unique(index, return_index=True)[1]] = False
        values = np.where(repeated, -np.inf, values)
    best = np.maximum.accumulate(values)
    before = np.concatenate([[-np.inf], best[:-1]])
    record = values > before
    at = np.maximum.accumulate(np.where(record, np.arange(len(values)), 0))
    second = np.maximum.accumulate(np.where(record, before, values))
    return _Prefix(best, at, second, np.maximum.accumulate(error))


def gaps(found: Kernel, rows: Rows) -> Gaps:
    """The gap of every row, with the errors of the two kernel values it is the difference of."""
    zero = -found.first
    offset = rows.rows - rows.targets + zero
    low, high = rows.rows - rows.stop + 1 + zero, rows.rows - rows.start + zero
    index = np.arange(len(found.values)) if found.index is None else found.index
    wanted = index[offset]
    shared = None if found.index is None else found.index
    sides = [(_half(found, shared, slice(zero, None, 1)), index[zero:], high - zero)]
    if zero:
        back = slice(zero - 1, None, -1)
        sides.append((_half(found, shared, back), index[back], zero - 1 - low))
    best = np.full(len(offset), -np.inf)
    error = np.zeros(len(offset))
    for prefix, names, end in sides:
        seen = np.flatnonzero(end >= 0)
        k = end[seen]
        other = np.where(names[prefix.at[k]] == wanted[seen], prefix.second[k], prefix.best[k])
        best[seen] = np.maximum(best[seen], other)
        error[seen] = np.maximum(error[seen], prefix.error[k])
    gap = found.values[offset] - best
    whole = found.error[offset] + error
    whole = np.where(whole == 0, 0, whole + 2.02 * UNIT * np.where(np.isinf(gap), 0, np.abs(gap)))
    same = (
        np.zeros(len(offset), dtype=bool)
        if found.index is None
        else twins(found.index, offset, low, high + 1)
    )
    return Gaps(gap, whole, same, found.exponent)


def _half(found: Kernel, index: Ints | None, side: slice) -> _Prefix:
    return _prefix(found.values[side], found.error[side], None if index is None else index[side])


def rivals(found: Kernel, row: int, target: int, start: int, stop: int) -> list[int]:
    """The keys whose logit may be the best among those with other features than the target's.

    Every other key is certainly below one of them. One key stands for all with its features.
    """
    offsets = np.arange(row - stop + 1, row - start + 1) - found.first
    index = offsets if found.index is None else found.index[offsets]
    wanted = row - target - found.first
    _, first = np.unique(index, return_index=True)
    first = first[index[first] != (wanted if found.index is None else found.index[wanted])]
    values, error = found.values[offsets[first]], found.error[offsets[first]] * (1 + 4 * UNIT)
    floor = (values - error).max(initial=-np.inf)
    kept = values + error >= floor - 4 * UNIT * abs(floor)
    return [row - (int(o) + found.first) for o in offsets[first[kept]]]
