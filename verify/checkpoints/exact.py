"""Exact logits of one head: integers, and two square roots where a layer norm divides.

A row of inputs is u / s + shift with u rational and s > 0 the root of a rational (1 without a
norm). With A = Wq u_i, B = Wq shift + b and C_j = Wk u_j the gap of two keys t and j is

    gap * s_i = (A + s_i B) . (C_t / s_t - C_j / s_j),

as what keys share cancels. Its sign is decided by squaring, so no row stays open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.engines.floats.scaling import units
from verify.escalation import ZERO, Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ONE: Final = Fraction(1)
BITS: Final = 128  # of the first enclosures of roots


@dataclass(frozen=True, slots=True)
class Vector:
    """Rational entries: integers times 2**-shift."""

    entries: Sequence[int]
    shift: int


@dataclass(frozen=True, slots=True)
class Row:
    """One row of inputs without its shift: u / sqrt(square)."""

    u: Vector
    square: Fraction


def integers(values: Floats) -> tuple[Any, int]:
    """Float64 numbers below 2**100, of any shape, as nested integers times 2**-shift, exactly."""
    unit = float(units(values)) if values.size else math.inf
    shift = 0 if math.isinf(unit) else 1 - math.frexp(unit)[1]
    flat = values.ravel().tolist()
    if shift < 900:  # below 2**100 nothing overflows
        scaled = [int(math.ldexp(x, shift)) for x in flat]
    else:
        ratios = [x.as_integer_ratio() for x in flat]
        scaled = [(numerator << shift) // denominator for numerator, denominator in ratios]
    if values.ndim == 1:
        return scaled, shift
    width = values.shape[1]
    return [scaled[k : k + width] for k in range(0, len(scaled), width)], shift


def sign(a: Fraction, b: Fraction, square: Fraction) -> int:
    """The sign of a + b sqrt(square), square >= 0."""
    left, right = (a > 0) - (a < 0), ((b > 0) - (b < 0)) * (square > 0)
    if left == right or not right:
        return left
    if not left:
        return right
    difference = a * a - b * b * square
    return left * ((difference > 0) - (difference < 0))


def root(square: Fraction, bits: int) -> Interval:
    """An enclosure of sqrt(square) of relative width 2**-bits or so; exact where it is rational."""
    unit = 1 << max(
        0, bits + (square.denominator.bit_length() - square.numerator.bit_length()) // 2
    )
    scaled = square.numerator * unit * unit
    floor = math.isqrt(scaled // square.denominator)
    ends = Fraction(floor, unit), Fraction(floor + 1, unit)
    return (ends[0], ends[0]) if ends[0] ** 2 == square else ends


@dataclass(frozen=True, slots=True)
class Exact:
    """One head, exactly. row(i): its inputs; matrices as (integers, shift) by `integers`.

    query_shift: Wq shift + b, rational, (width,). key_shift: Wk shift + b.
    """

    row: Callable[[int], Row]
    query: tuple[Any, int]
    key: tuple[Any, int]
    query_shift: tuple[Fraction, ...]
    key_shift: tuple[Fraction, ...]
    _known: dict[tuple[str, int], tuple[tuple[Fraction, ...], Fraction]] = field(
        default_factory=dict, repr=False
    )

    def project(self, which: str, i: int) -> tuple[tuple[Fraction, ...], Fraction]:
        """(W u_i, s_i squared) for the queries or the keys."""
        if (which, i) not in self._known:
            matrix, shift = self.query if which == "query" else self.key
            row = self.row(i)
            unit = 1 << (shift + row.u.shift) if shift + row.u.shift >= 0 else None
            sums = [sum(map(mul, line, row.u.entries)) for line in matrix]
            if unit is None:
                found = tuple(Fraction(s << -(shift + row.u.shift)) for s in sums)
            else:
                found = tuple(Fraction(s, unit) for s in sums)
            self._known[which, i] = found, row.square
        return self._known[which, i]

    def gap(self, i: int, t: int, j: int) -> Interval:
        """An enclosure of P[i, t] - P[i, j] that has a sign or is zero; a number without a norm."""
        a, si = self.project("query", i)
        ct, st = self.project("key", t)
        cj, sj = self.project("key", j)
        alpha, gamma = dot(a, ct), dot(self.query_shift, ct)
        beta, delta = dot(a, cj), dot(self.query_shift, cj)
        if si == st == sj == 1:
            value = alpha + gamma - beta - delta
            return value, value
        # X / s_t - Y / s_j with X = alpha + gamma s_i, Y = beta + delta s_i
        same = sign(alpha, gamma, si) == sign(beta, delta, si)
        squares = (
            (alpha**2 + gamma**2 * si) * sj - (beta**2 + delta**2 * si) * st,
            2 * (alpha * gamma * sj - beta * delta * st),
        )
        if same and sign(*squares, si) == 0:
            return ZERO
        bits = BITS
        while True:
            ri, rt, rj = (root(s, bits) for s in (si, st, sj))
            left = _divide(_add(_divide((alpha, alpha), ri), (gamma, gamma)), rt)
            right = _divide(_add(_divide((beta, beta), ri), (delta, delta)), rj)
            low, high = left[0] - right[1], left[1] - right[0]
            if low > 0 or high < 0:
                return low, high
            bits *= 2

    def margin(self, i: int, t: int, rivals: Iterable[int]) -> Interval:
        """An enclosure, with a sign or zero, of P[i, t] less the largest logit of the rivals."""
        gaps = [self.gap(i, t, j) for j in rivals]
        return min(low for low, _ in gaps), min(high for _, high in gaps)


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    """The product of two rational vectors."""
    return sum(map(mul, a, b), Fraction(0))


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _divide(a: Interval, positive: Interval) -> Interval:
    low, high = positive
    return a[0] / (high if a[0] > 0 else low), a[1] / (low if a[1] > 0 else high)
