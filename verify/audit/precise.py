"""Exact numbers carried as pairs of float64, about 2**-100 apart from the truth; vectorised.

The seeds come from interval arithmetic (python-flint), so their error is proved; cosines at large
positions are then combined by the angle sum formula in double-double arithmetic (Dekker 1971,
Knuth TAOCP 4.2.2), whose error of some 2**-100 is far below what any audited type resolves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from verify.audit.dtypes import Floats
from verify.kernel import Expression, enclose

BITS: Final = 200
_BLOCK: Final = 1 << 10


@dataclass(frozen=True, slots=True)
class Double:
    """The unevaluated sum high + low of two float64 arrays."""

    high: Floats
    low: Floats

    def __add__(self, other: Double) -> Double:
        total = self.high + other.high
        part = total - self.high
        error = (self.high - (total - part)) + (other.high - part)
        return _quick(total, error + self.low + other.low)

    def __neg__(self) -> Double:
        return Double(-self.high, -self.low)

    def __sub__(self, other: Double) -> Double:
        return self + -other

    def __mul__(self, other: Double) -> Double:
        product, error = _product(self.high, other.high)
        return _quick(product, error + (self.high * other.low + self.low * other.high))

    def __getitem__(self, index: Any) -> Double:
        return Double(self.high[index], self.low[index])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both parts."""
        return self.high.shape

    def error_of(self, observed: npt.ArrayLike) -> Floats:
        """observed - self, to float64 accuracy even when they nearly agree."""
        difference = Double(np.asarray(observed, np.float64), np.zeros(1)) - self
        return difference.high + difference.low

    def fraction(self, *index: int) -> Fraction:
        """One element as a rational number."""
        return Fraction(float(self.high[index])) + Fraction(float(self.low[index]))


def _quick(a: Floats, b: Floats) -> Double:
    total = a + b
    return Double(total, b - (total - a))


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded product and its exact error (Dekker's splitting; no overflow below 2**996)."""
    product = a * b
    halves = []
    for x in (a, b):
        big = 134217729.0 * x
        high = big - (big - x)
        halves.append((high, x - high))
    (ah, al), (bh, bl) = halves
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def from_balls(balls: Sequence[arb]) -> Double:
    """The midpoints of balls as a one-dimensional Double."""
    high = np.array([float(ball.mid()) for ball in balls], np.float64)
    low = [float((ball - arb(h)).mid()) for ball, h in zip(balls, high.tolist(), strict=True)]
    return Double(high, np.array(low, np.float64))


def from_fractions(numbers: Sequence[Fraction]) -> Double:
    """Rationals as a one-dimensional Double."""
    high = [float(number) for number in numbers]
    low = [float(n - Fraction(h)) for n, h in zip(numbers, high, strict=True)]
    return Double(np.array(high, np.float64), np.array(low, np.float64))


def from_expressions(numbers: Sequence[Expression]) -> Double:
    """Numbers of the kernel as a one-dimensional Double."""
    exact = []
    for number in numbers:
        value = number.constant()
        exact.append(Fraction(sum(enclose(number, BITS)), 2 << BITS) if value is None else value)
    return from_fractions(exact)


def ball(number: Expression | Fraction | int) -> arb:
    """A ball that contains the number, with about 200 correct bits."""
    with _precision():
        if isinstance(number, Expression):
            value = number.constant()
            if value is None:
                low, high = enclose(number, BITS)
                scale = arb(2) ** BITS
                return (arb(low) / scale).union(arb(high) / scale)
            number = value
        return arb(Fraction(number).numerator) / arb(Fraction(number).denominator)


class _precision:
    """python-flint's working precision is a global: set it for a block and put it back."""

    def __enter__(self) -> None:
        self.before = ctx.prec
        ctx.prec = BITS + 32

    def __exit__(self, *problem: object) -> None:
        ctx.prec = self.before


precision = _precision


def waves(frequencies: Sequence[arb], positions: npt.NDArray[np.int64]) -> tuple[Double, Double]:
    """cos and sin of position * frequency, two (positions, frequencies) Doubles.

    Balls are evaluated for the multiples of 1024 and for the remainders; their angle sums give the
    rest.
    """
    coarse, inverse_coarse = np.unique(positions // _BLOCK, return_inverse=True)
    fine, inverse_fine = np.unique(positions % _BLOCK, return_inverse=True)
    (ca, sa), (cb, sb) = _table(frequencies, coarse * _BLOCK), _table(frequencies, fine)
    ca, sa, cb, sb = ca[inverse_coarse], sa[inverse_coarse], cb[inverse_fine], sb[inverse_fine]
    return ca * cb - sa * sb, sa * cb + ca * sb


def _table(frequencies: Sequence[arb], positions: npt.NDArray[np.int64]) -> tuple[Double, Double]:
    with _precision():
        pairs = [(f * p).sin_cos() for p in positions.tolist() for f in frequencies]
        shape = (len(positions), len(frequencies))
        sines, cosines = from_balls([s for s, _ in pairs]), from_balls([c for _, c in pairs])
    return (
        Double(cosines.high.reshape(shape), cosines.low.reshape(shape)),
        Double(sines.high.reshape(shape), sines.low.reshape(shape)),
    )
