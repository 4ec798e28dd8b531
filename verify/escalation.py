"""Rows that floats leave open: integers at rising precision, then the formal zero test.

For rational features the first evaluation is exact. For others the zero test is complete
(Lindemann-Weierstrass), so refinement ends: what is not formally zero has a sign at some precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from verify.kernel import enclose, is_zero
from verify.parameters import Parameter
from verify.theory.encodings import Encoding
from verify.theory.heads import Parameter as Exact
from verify.theory.heads import logit

BITS: Final = 128  # of the first balls
FORMAL: Final = 256  # where the formal zero test is tried
Interval = tuple[Fraction, Fraction]
ZERO: Final[Interval] = (Fraction(0), Fraction(0))
_KEPT: Final = 1 << 12  # vectors


@dataclass(frozen=True, slots=True)
class Ball:
    """A vector of numbers times `scale`: integers, each at most `error` below the exact number."""

    entries: list[int]
    error: int
    scale: int


@dataclass(frozen=True, slots=True)
class Head:
    """A parameter as integers over one denominator, with the feature vectors it has met.

    matrix: W, or w as its only row; size: the sum of all magnitudes.
    """

    encoding: Encoding
    exact: Exact
    length: int
    matrix: list[list[int]]
    denominator: int
    size: int
    vectors: dict[tuple[int, int], Ball] = field(default_factory=dict, repr=False)


def head(encoding: Encoding, parameter: Parameter, length: int) -> Head:
    """Prepare the rows of one length."""
    exact = parameter.exact
    rows = [row if isinstance(row, tuple) else (row,) for row in exact]
    denominator = math.lcm(*(x.denominator for row in rows for x in row))
    matrix = [[int(x * denominator) for x in row] for row in rows]
    if encoding.relative:
        matrix = [[x for (x,) in matrix]]
    size = sum(abs(x) for row in matrix for x in row)
    return Head(encoding, exact, length, matrix, denominator, size)


def vector(where: Head, position: int, bits: int) -> Ball:
    """The features of a position (or offset); exact and of any scale if they are rational."""
    known = where.vectors.get((position, bits))
    if known is not None:
        return known
    found = where.encoding.features(position, where.length)
    constants = [c for e in found if (c := e.constant()) is not None]
    if len(constants) == len(found):
        scale = math.lcm(*(c.denominator for c in constants))
        ball = Ball([int(c * scale) for c in constants], 0, scale)
    else:
        ends = [enclose(e, bits) for e in found]
        ball = Ball([low for low, _ in ends], max(high - low for low, high in ends), 1 << bits)
    if len(where.vectors) >= _KEPT:
        where.vectors.clear()
    where.vectors[position, bits] = ball
    return ball


def gap(where: Head, i: int, t: int, j: int, bits: int) -> Interval:
    """An enclosure of P[i, t] - P[i, j]; a single number if the features are rational."""
    relative = where.encoding.relative
    query = Ball([1], 0, 1) if relative else vector(where, i, bits)
    target, key = (vector(where, i - k if relative else k, bits) for k in (t, j))
    common = math.lcm(target.scale, key.scale)
    a, b = common // target.scale, common // key.scale
    difference = [x * a - y * b for x, y in zip(target.entries, key.entries, strict=True)]
    middle = 0
    for q, row in zip(query.entries, where.matrix, strict=True):
        if q:
            middle += q * sum(map(int.__mul__, row, difference))
    # |q d - q' d'| <= |q'| e_d + e_q (|d'| + e_d) in every entry, weighted with |W|
    wide = target.error * a + key.error * b
    top = max(map(abs, query.entries))
    slack = where.size * (top * wide + query.error * (max(map(abs, difference)) + wide))
    unit = where.denominator * query.scale * common
    return Fraction(middle - slack, unit), Fraction(middle + slack, unit)


def vanishes(where: Head, i: int, t: int, j: int) -> bool:
    """Whether P[i, t] = P[i, j], by formal cancellation."""
    target, key = (logit(where.encoding, where.exact, i, k, where.length) for k in (t, j))
    return is_zero(target - key)


def margin(where: Head, i: int, t: int, keys: Sequence[int], twin: bool) -> tuple[Interval, bool]:
    """An enclosure of row i's margin that has a sign or is zero, and whether zero was formal.

    keys: the competitors that can be best. twin: some other key certainly equals the target, for
    every parameter.
    """
    gaps = {j: gap(where, i, t, j, BITS) for j in keys}
    formal, bits = False, BITS
    while True:
        low, high = min(low for low, _ in gaps.values()), min(high for _, high in gaps.values())
        unclear = [j for j, (a, b) in gaps.items() if a <= 0 <= b and a < b]
        if high < 0 or not unclear:
            break
        if bits == FORMAL:
            zero = [j for j in unclear if vanishes(where, i, t, j)]
            gaps.update(dict.fromkeys(zero, ZERO))
            unclear = [j for j in unclear if j not in zero]
            formal |= bool(zero)
        bits *= 2
        gaps.update({j: gap(where, i, t, j, bits) for j in unclear})
    return ((min(low, ZERO[0]), min(high, ZERO[0])) if twin else (low, high)), formal
