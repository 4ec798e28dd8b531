"""Enclosures of exact numbers by python-flint (arb) and mpmath (iv), independent of the kernel's.

A second opinion on signs that the kernel certifies with its own integers, fast sums of cosines over
many offsets, and the search for offsets at which all phases nearly return to a full turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from verify import kernel
from verify.kernel import Expression, Term

MAX_BITS = kernel.MAX_BITS


def enclose(expression: Expression, bits: int) -> tuple[Fraction, Fraction]:
    """An interval that contains a number, by arb at a working precision of so many bits.

    The ends are exact. ValueError if a name occurs, or if arb finds no finite ball.
    """
    with _precision(bits):
        return _ends(_arb(expression))


def enclose_mpmath(expression: Expression, bits: int) -> tuple[Fraction, Fraction]:
    """The same by mpmath's interval arithmetic."""
    import mpmath
    from mpmath.libmp import to_rational

    context = mpmath.iv
    before, context.prec = context.prec, bits
    try:
        total = _evaluate(expression, lambda q: context.mpf(q.numerator) / q.denominator, _iv_term)
        ends = [to_rational(end) for end in context.mpf(total)._mpi_]
    finally:
        context.prec = before
    low, high = (Fraction(int(p), int(q)) for p, q in ends)
    return low, high


def sign(expression: Expression) -> tuple[int, int]:
    """The sign of a number, and how many bits the kernel's `sign` rule needs to see it.

    The bits are a power of two from 8 on; they are 0 for a sign of 0, which formal cancellation
    shows. ValueError if MAX_BITS are not enough.
    """
    if kernel.is_zero(expression):
        return 0, 0
    bits = 8
    while bits <= MAX_BITS:
        low, high = kernel.enclose(expression, bits)
        if low > 0 or high < 0:
            return (1 if low > 0 else -1), bits
        bits *= 2
    raise ValueError(f"{MAX_BITS} bits do not show the sign of this number")


def cosine_sums(
    frequencies: Sequence[Expression], start: int, stop: int, bits: int = 128
) -> list[tuple[Fraction, Fraction]]:
    """Enclosures of sum_k cos(theta_k * m) for the integers m = start..stop-1.

    With m = a + b*B the addition formula makes the whole table one product of two matrices of
    about sqrt(stop - start) rows, so that only that many cosines are computed.
    """
    import flint

    if not (0 <= start < stop and frequencies):
        raise ValueError("cosine_sums needs frequencies and 0 <= start < stop")
    count = stop - start
    block = max(1, int(count**0.5))
    with _precision(bits + stop.bit_length()):
        angles = [_arb(theta) for theta in frequencies]
        near = [[(angle * (start + a)).sin_cos() for angle in angles] for a in range(block)]
        far = [
            [(angle * (b * block)).sin_cos() for angle in angles] for b in range(-(-count // block))
        ]
        left = flint.arb_mat([[x for s, c in row for x in (c, -s)] for row in near])
        right = flint.arb_mat([[x for s, c in row for x in (c, s)] for row in far])
        table = left * right.transpose()
        cells = (table[m % block, m // block] for m in range(count))
        return [_ends(cell) for cell in cells]


@dataclass(frozen=True, slots=True)
class NearReturn:
    """An offset m at which K - sum_k cos(theta_k * m) is small: a float, for choosing only."""

    offset: int
    margin: float


def near_returns(
    frequencies: Sequence[Expression], max_bits: int = 160, step: int = 4
) -> list[NearReturn]:
    """Positive integers at which all theta_k * m are near multiples of 2 pi, each a new record.

    Lattice reduction (LLL) of the columns theta_k and 2 pi, scaled by 2**s, against a weight on m,
    for s = step, 2 step, ..., max_bits: a short vector is a small m with small phases. Records are
    sorted by m, with falling margins. What LLL misses is not there, so gaps mean nothing.
    """
    import flint

    if not frequencies or max_bits < step or step < 1:
        raise ValueError("near_returns needs frequencies and 1 <= step <= max_bits")
    found: set[int] = set()
    count = len(frequencies)
    with _precision(2 * max_bits + 64):
        columns = [_arb(theta) for theta in frequencies]
        turn = 2 * flint.arb.pi()
        for scale in range(step, max_bits + 1, step):
            unit = flint.arb(2) ** scale
            first = [1, *(_nearest(angle * unit) for angle in columns)]
            turns = _nearest(turn * unit)
            rows = [first]
            for k in range(count):
                rows.append([turns if column == k + 1 else 0 for column in range(count + 1)])
            reduced = flint.fmpz_mat(rows).lll()
            found |= {abs(int(reduced[row, 0])) for row in range(count + 1)}
    return list(_records(frequencies, sorted(found - {0})))


def _records(frequencies: Sequence[Expression], offsets: Sequence[int]) -> Iterator[NearReturn]:
    best = float("inf")
    for m in offsets:
        # The margin may be as small as 1/m: twice the bits of m, and some.
        with _precision(4 * m.bit_length() + 128):
            total = sum(((_arb(theta) * m).cos() for theta in frequencies), start=_arb_number(0))
            margin = float((len(frequencies) - total).mid())
        if margin < best:
            best = margin
            yield NearReturn(m, margin)


# ------------------------------------------------------------ one evaluation for both libraries


def _evaluate(p: Expression, constant: Callable[[Fraction], Any], value: Callable[..., Any]) -> Any:
    """The polynomial, with `value(term, exponent, arguments)` for its terms."""
    total = constant(Fraction(0))
    for monomial, coefficient in p.terms:
        product = constant(coefficient)
        for term, exponent in monomial:
            inner = [_evaluate(a, constant, value) for a in term.args]
            product = product * value(term, exponent, inner)
        total = total + product
    return total


def _arb(p: Expression) -> Any:
    return _evaluate(p, _arb_number, _arb_term)


def _arb_number(value: Fraction | int) -> Any:
    import flint

    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _arb_term(term: Term, exponent: Fraction, arguments: Sequence[Any]) -> Any:
    import flint

    if term.head.isdigit():
        return flint.arb(int(term.head)).root(exponent.denominator) ** exponent.numerator
    known: dict[str, Callable[..., Any]] = {
        "pi": flint.arb.pi,
        "cos": flint.arb.cos,
        "sin": flint.arb.sin,
    }
    return _named(known, term)(*arguments) ** int(exponent)


def _iv_term(term: Term, exponent: Fraction, arguments: Sequence[Any]) -> Any:
    from mpmath import iv

    if term.head.isdigit():
        return iv.mpf(int(term.head)) ** (iv.mpf(exponent.numerator) / exponent.denominator)
    known = {"pi": lambda: +iv.pi, "cos": iv.cos, "sin": iv.sin}
    # A product, not a power: interval powers of what may be negative go through a logarithm.
    return reduce(lambda a, b: a * b, [_named(known, term)(*arguments)] * int(exponent))


def _named(known: dict[str, Callable[..., Any]], term: Term) -> Callable[..., Any]:
    if term.head not in known:
        raise ValueError(f"{term.head} has no numerical value")
    return known[term.head]


def _ends(ball: Any) -> tuple[Fraction, Fraction]:
    """The exact ends of a ball."""
    if not ball.is_finite():
        raise ValueError("arb found no finite ball")
    middle, radius = (_dyadic(part) for part in (ball.mid(), ball.rad()))
    return middle - radius, middle + radius


def _dyadic(exact: Any) -> Fraction:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _nearest(ball: Any) -> int:
    """The integer nearest to the middle of a ball."""
    return round(_dyadic(ball.mid()))


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    import flint

    if bits < 2:
        raise ValueError(f"bits must be at least 2, not {bits}")
    before, flint.ctx.prec = flint.ctx.prec, bits
    try:
        yield
    finally:
        flint.ctx.prec = before
