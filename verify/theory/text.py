"""Exact numbers out of the kernel's normal form: as text it parses back, and as a float."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from verify.kernel import Expression, Term, enclose

_MAX_DENOMINATOR: Final = 1 << 10  # of an exponent that the kernel reads
_MAX_POWER: Final = 64


def text(p: Expression) -> str:
    """The expression as the kernel's `expression` reads it: `expression(text(p)) == p`.

    Equal expressions have equal texts. ValueError if an exponent's denominator has a prime power
    above 1024, which the format cannot spell.
    """
    if not p.terms:
        return "0"
    parts: list[str] = []
    for monomial, coefficient in p.terms:
        factors = "*".join(_factor(term, exponent) for term, exponent in monomial)
        if not factors:
            part = str(coefficient)
        elif coefficient == 1:
            part = factors
        elif coefficient == -1:
            part = f"-{factors}"
        else:
            part = f"{coefficient}*{factors}"
        parts.append(part if part[0] == "-" or not parts else f"+{part}")
    return "".join(parts)


def _factor(term: Term, exponent: Fraction) -> str:
    if term.head.isdigit():
        return _radical(term.head, exponent)
    name = f"{term.head}({', '.join(map(text, term.args))})" if term.args else term.head
    if exponent == 1:
        return name
    whole, rest = divmod(int(exponent), _MAX_POWER)
    powers = [f"{name}**{_MAX_POWER}"] * whole + [f"{name}**{rest}"] * bool(rest)
    return "*".join(powers)


@lru_cache(maxsize=1 << 12)
def _radical(prime: str, exponent: Fraction) -> str:
    """A radical; an exponent with a large denominator as a sum of exponents with small ones."""
    pieces = []
    numerator, denominator = exponent.numerator, exponent.denominator
    while denominator > _MAX_DENOMINATOR:
        part = _prime_power(denominator)
        if part > _MAX_DENOMINATOR:
            raise ValueError(
                f"{prime}**({exponent}) cannot be written for the kernel: the denominator of an "
                f"exponent must be a product of prime powers up to {_MAX_DENOMINATOR}"
            )
        rest = denominator // part
        share = numerator * pow(rest, -1, part) % part  # a/(uv) = x/u + (a - xv)/(uv)
        pieces.append(f"{prime}**({share}/{part})")
        reduced = Fraction(numerator - share * rest, denominator)
        numerator, denominator = reduced.numerator, reduced.denominator
    return "*".join([*pieces, f"{prime}**({Fraction(numerator, denominator)})"])


def _prime_power(n: int) -> int:
    """The power of the smallest prime of n that divides n."""
    p = next((p for p in range(2, n) if p * p > n or n % p == 0), n)
    p = p if n % p == 0 else n
    power = p
    while n % (power * p) == 0:
        power *= p
    return power


def value(p: Expression) -> float:
    """The nearest float64 (correctly rounded, whatever the expression cost to evaluate).

    OverflowError beyond the range of float64; the kernel's Invalid if a name occurs.
    """
    exact = p.constant()
    if exact is not None:
        return float(exact)
    bits = 128
    while True:
        low, high = (float(Fraction(end, 1 << bits)) for end in enclose(p, bits))
        # Only a number that is secretly rational can sit on a rounding boundary for ever.
        if low == high or bits > 1 << 13:
            return low if low == high else float(Fraction(sum(enclose(p, bits)), 2 << bits))
        bits *= 2
