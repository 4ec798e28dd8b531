"""Parameters as float64 numbers near 1 with an exponent, and the error terms of matrix products.

Scaling by powers of two is exact, so it changes no decision; it keeps overflow and underflow out of
the error analysis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.engines.floats.features import UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TINY: Final = 2.0**-960  # above anything that underflow can do to numbers scaled to 1
EXACT: Final = 2.0**52  # integers below this, and differences of two of them, are exact in float64


@dataclass(frozen=True, slots=True)
class Weights:
    """A parameter for scaled features: exact value = (values, up to relative errors) * 2**exponent.

    values: (d, d) or (m,), largest magnitude below 1; relative: of the rounding to float64, 0 if
    there was none.
    """

    values: Floats
    exponent: int
    relative: float


def weights(parameter: Any, k: NDArray[np.intp]) -> Weights:
    """Scale a parameter (float64 array, or nested sequences of Fractions) to scaled features.

    k: (d,), the exponents of the features: these carry 2**-k[a], so entry (a, b) is multiplied by
    2**(k[a] + k[b]).
    """
    if isinstance(parameter, np.ndarray):
        mantissas, powers = np.frexp(parameter)
        powers, relative = powers.astype(np.int64), 0.0
    else:
        mantissas, powers, relative = _split(parameter)
    powers = powers + (k if mantissas.ndim == 1 else k[:, None] + k[None, :])
    used = mantissas != 0
    top = int(powers[used].max()) if used.any() else 0
    shift = np.where(used, np.maximum(powers - top, -2000), 0).astype(np.intc)
    if int(shift.min()) < -1000:  # what becomes subnormal is off by less than TINY, and not exact
        relative = UNIT
    return Weights(np.ldexp(mantissas, shift), top, relative)


def _split(parameter: Sequence[Any]) -> tuple[Floats, NDArray[np.int64], float]:
    shape = np.shape(parameter[0]) if isinstance(parameter[0], Sequence) else ()
    flat = [x for row in parameter for x in row] if shape else list(parameter)
    pairs, exact = [], True
    for x in map(Fraction, flat):
        power = x.numerator.bit_length() - x.denominator.bit_length()
        scaled = x / Fraction(2) ** power
        rounded = float(scaled)
        exact &= Fraction(rounded) == scaled
        mantissa, more = math.frexp(rounded)
        pairs.append((mantissa, power + more))
    size = (len(parameter), *shape)
    mantissas = np.array([m for m, _ in pairs], dtype=np.float64).reshape(size)
    powers = np.array([p for _, p in pairs], dtype=np.int64).reshape(size)
    return mantissas, powers, 0.0 if exact else UNIT


def gamma(k: int) -> float:
    """k u / (1 - k u): |fl(AB) - AB| <= gamma(k) |A||B| in any order of summation, fused or not.

    k: the inner dimension. For conventional products, as every BLAS computes by default, not for
    Strassen-like ones. Higham, Accuracy and Stability of Numerical Algorithms, 2002,
    sections 3.1 and 3.5. Rounded up.
    """
    return 1.01 * k * UNIT


def upward(bound: Floats, operations: int) -> Floats:
    """A bound that was computed by sums and products of non-negative floats, rounded up.

    operations: how many roundings can have entered one number.
    """
    return np.asarray(bound * (1 + 2.02 * (operations + 2) * UNIT) + TINY)


def units(values: Floats, axis: int | None = None) -> Floats:
    """The power of two of the lowest set bit of all entries (along an axis): a common unit.

    Zeros have none and are skipped; without entries the unit is infinite.
    """
    mantissas, powers = np.frexp(values)
    whole = np.abs(np.ldexp(mantissas, 53)).astype(np.int64)
    lowest = np.ldexp((whole & -whole).astype(np.float64), powers.astype(np.intc) - 53)
    return np.asarray(np.where(values == 0, np.inf, lowest).min(axis=axis))
