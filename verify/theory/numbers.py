"""Operations on exact numbers that the kernel does not need: radicals, signs, floors.

A number is a kernel expression without names: a rational combination of products of radicals,
cosines and sines of such numbers without cosines and sines. Its zero test is complete: positive
radical monomials with different reduced exponents are linearly independent over Q (Besicovitch
1940), and by Lindemann-Weierstrass a sum of c * cos(b) and s * sin(b) over distinct algebraic b > 0
with algebraic coefficients vanishes only if all coefficients do. So every sign is decided.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

from verify.kernel import Expression, Term, enclose, is_zero, number

MAX_PRIME: Final = 1 << 20  # radicals of larger primes are outside the kernel's format
_MAX_BITS: Final = 1 << 17


@lru_cache(maxsize=1 << 10)
def _factors(n: int) -> tuple[tuple[int, int], ...]:
    """The primes below 2**20 of n >= 1 with their exponents, and what is left, as one factor."""
    found, p = [], 2
    while p * p <= n and p < MAX_PRIME:
        power = 0
        while n % p == 0:
            n, power = n // p, power + 1
        if power:
            found.append((p, power))
        p += 1 if p == 2 else 2
    if n > 1:
        found.append((n, 1))
    return tuple(found)


def radical(base: Fraction | int, exponent: Fraction | int) -> Expression:
    """base ** exponent exactly, in radicals of primes: (1/10)**(1/4) = 2**(3/4)*5**(3/4)/10.

    ValueError if the base is negative, or zero with an exponent that is not positive, or has a
    prime above 2**20 to a fractional power (the kernel reads radicals of smaller primes only).
    """
    base, exponent = Fraction(base), Fraction(exponent)
    if exponent.denominator == 1 and (base or exponent > 0):
        return number(base**exponent.numerator)
    if base < 0 or (base == 0 and exponent <= 0):
        raise ValueError(
            f"{base} to the power {exponent} is not a real number; take roots of positive numbers"
        )
    if base == 0:
        return number(0)
    powers: dict[int, Fraction] = {}
    for n, sign in ((base.numerator, 1), (base.denominator, -1)):
        for p, k in _factors(n):
            powers[p] = exponent * k * sign
    monomial, coefficient = [], Fraction(1)
    for p, power in powers.items():
        whole, part = divmod(power, 1)
        coefficient *= Fraction(p) ** int(whole)
        if part and p >= MAX_PRIME:
            raise ValueError(
                f"{base} to the power {exponent} needs a root of {p}; "
                f"roots are taken of numbers whose prime factors are below 2**20"
            )
        if part:
            monomial.append((Term(str(p), ()), part))
    return Expression(((tuple(sorted(monomial)), coefficient),))


def times(p: Expression, factor: Fraction | int) -> Expression:
    """A rational multiple; quicker than the general product."""
    return Expression(tuple((m, c * factor) for m, c in p.terms) if factor else ())


def sign(p: Expression) -> int:
    """-1, 0 or 1: enclosures of rising precision, then the formal zero test, then without limit."""
    exact = p.constant()
    if exact is not None:
        return (exact > 0) - (exact < 0)
    bits = 64
    while True:
        low, high = enclose(p, bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if bits == 256 and is_zero(p):
            return 0
        bits *= 2
        if bits > _MAX_BITS:
            raise ValueError(f"the sign of a number stays open at {_MAX_BITS} bits")


def floor(p: Expression) -> int:
    """The largest integer that is at most p."""
    exact = p.constant()
    if exact is not None:
        return math.floor(exact)
    bits = 64
    low, high = enclose(p, bits)
    while (high - low) >> bits:  # large coefficients widen an enclosure
        bits *= 2
        low, high = enclose(p, bits)
    # The ends are less than 1 apart, so at most the larger one's floor is between them.
    nearest = high >> bits
    return nearest if low >> bits == nearest else nearest - (sign(p - number(nearest)) < 0)
