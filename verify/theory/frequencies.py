"""Frequencies of rotary and sinusoidal encodings, exact: products of radicals, or rationals.

A schedule has K frequencies, K = d/2 for d columns; k runs over 0..K-1 everywhere.
"""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import Final

from verify.kernel import Expression, enclose, expression, number
from verify.theory import numbers

_PRECISE: Final = decimal.Context(prec=60)


def geometric(count: int, base: Fraction) -> tuple[Expression, ...]:
    """theta_k = base**(-k/K).

    Vaswani et al., Attention Is All You Need, 2017, section 3.5 (10000**(-2k/d)); Su et al.,
    RoFormer, 2021, section 3.2.2.
    """
    return tuple(numbers.radical(base, Fraction(-k, count)) for k in range(count))


def interpolated(count: int, base: Fraction, factor: Fraction) -> tuple[Expression, ...]:
    """theta_k / factor: position i becomes i / factor.

    Chen et al., Extending Context Window of Large Language Models via Positional Interpolation,
    2023, equation 3.
    """
    return tuple(numbers.times(theta, 1 / factor) for theta in geometric(count, base))


def ntk(count: int, base: Fraction, factor: Fraction) -> tuple[Expression, ...]:
    """The base becomes base * factor**(d/(d-2)), so theta_k = base**(-k/K) * factor**(-k/(K-1)).

    NTK-aware scaling, as written down by Peng et al., YaRN, 2023, definition 1. The lowest
    frequency is interpolated by the factor, the highest is kept.
    """
    if count < 2:
        raise ValueError("scaling=ntk needs two frequencies at least")
    return tuple(
        theta * numbers.radical(factor, Fraction(-k, count - 1))
        for k, theta in enumerate(geometric(count, base))
    )


def yarn(
    count: int, base: Fraction, factor: Fraction, original: int, fast: Fraction, slow: Fraction
) -> tuple[Expression, ...]:
    """A ramp from theta_k (fast) to theta_k / factor (slow) between two indices.

    Peng et al., YaRN: Efficient Context Window Extension of Large Language Models, 2023, section
    3.2, with the ramp over the index k that the authors' code has used since: from
    floor(k(fast)) to ceil(k(slow)), kept within 0..d-1, where k(r) is the real index whose
    frequency turns r times in `original` positions, base**(k(r)/K) = original / (2 pi r). Both ends
    are integers, so every frequency is a rational multiple of a radical. The ends coincide only if
    the ramp is a step; the code then adds 0.001 to the upper end, and so do we.
    """
    low = max(_index(count, base, Fraction(original) / fast), 0)
    high = min(_index(count, base, Fraction(original) / slow) + 1, 2 * count - 1)
    width = Fraction(high - low) if high != low else Fraction(1, 1000)
    found = []
    for k, theta in enumerate(geometric(count, base)):
        ramp = min(max((k - low) / width, Fraction(0)), Fraction(1))
        found.append(numbers.times(theta, ramp / factor + 1 - ramp))
    return tuple(found)


def _index(count: int, base: Fraction, turns: Fraction) -> int:
    """floor(x) for base**(x/K) = turns / (2 pi): the largest m with base**m <= (turns/(2 pi))**K.

    The base is at least 2. x is never an integer, because pi is transcendental, so an enclosure of
    pi ends the search.
    """
    guess = math.floor(count * math.log(turns / Fraction(2 * math.pi)) / math.log(base))
    while not _below(guess, count, base, turns):
        guess -= 1
    while _below(guess + 1, count, base, turns):
        guess += 1
    return guess


def _below(m: int, count: int, base: Fraction, turns: Fraction) -> bool:
    bits = 128
    while True:
        ends = [Fraction(end, 1 << bits) for end in enclose(expression("2*pi"), bits)]
        low, high = ((turns / end) ** count for end in reversed(ends))
        if base**m <= low or base**m > high:
            return base**m <= low
        bits *= 2


def temperature(factor: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the positive factor of all logits under YaRN: (0.1 ln(factor) + 1)**2.

    Peng et al. 2023, equation 22 (sqrt(1/t) = 0.1 ln(s) + 1, on queries and keys alike). It moves
    margins and never a decision.
    """
    quotient = _PRECISE.divide(
        decimal.Decimal(factor.numerator), decimal.Decimal(factor.denominator)
    )
    middle = (Fraction(_PRECISE.ln(quotient)) / 10 + 1) ** 2
    error = Fraction(middle) / 10**40
    return middle - error, middle + error


def llama3(
    count: int, base: Fraction, factor: Fraction, original: int, low: Fraction, high: Fraction
) -> tuple[Expression, ...]:
    """The float32 buffer of Llama 3.1's scaled frequencies, as exact rationals.

    Grattafiori et al., The Llama 3 Herd of Models, 2024, and `apply_scaling` of the released code:
    wavelengths above original/low are stretched by the factor, those below original/high are
    kept, with a linear blend in original/wavelength between them. The formula contains 1/pi, which
    is outside the exact zero test's theorem, so these are the numbers that the code multiplies
    positions by: every operation in float32, each correctly rounded (theta = float32 of a rational
    is exact for us). A library whose float32 power is not correctly rounded can differ in the last
    place; give its own buffer with `theta=[...]` then.
    """
    found = []
    whole = _float32(2 * Fraction(math.pi))
    for k in range(count):
        power = _float32(_real_power(base, _float32(Fraction(k, count))))
        theta = _float32(1 / power)
        wavelength = _float32(whole / theta)
        if wavelength > _float32(original / low):
            theta = _float32(theta / _float32(factor))
        elif wavelength >= _float32(original / high):
            smooth = _float32(_float32(original / wavelength) - _float32(low))
            smooth = _float32(smooth / _float32(high - low))
            slow = _float32(_float32(_float32(1 - smooth) * theta) / _float32(factor))
            theta = _float32(slow + _float32(smooth * theta))
        found.append(number(theta))
    return tuple(found)


def _real_power(base: Fraction, exponent: Fraction) -> Fraction:
    """base**exponent to about 50 digits, far beyond what rounding to float32 can depend on."""
    top, bottom = (_PRECISE.ln(decimal.Decimal(n)) for n in (base.numerator, base.denominator))
    ratio = _PRECISE.divide(
        decimal.Decimal(exponent.numerator), decimal.Decimal(exponent.denominator)
    )
    return Fraction(_PRECISE.exp(_PRECISE.multiply(_PRECISE.subtract(top, bottom), ratio)))


def _float32(x: Fraction) -> Fraction:
    """The nearest float32 of a non-zero number in its normal range, ties to even."""
    if x == 0:
        return x
    scale = 24 - (abs(x.numerator).bit_length() - x.denominator.bit_length())
    if abs(x) * Fraction(2) ** scale >= 1 << 24:
        scale -= 1
    unit = Fraction(2) ** scale
    return Fraction(round(x * unit)) / unit
