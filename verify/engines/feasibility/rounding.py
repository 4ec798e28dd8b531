"""Witnesses of small numbers, near one that is known to be inside the cone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm

from flint import fmpz_mat

from .integers import Problem
from .system import Matrix

# (largest integer, significant bits): uniform rounding to small integers, and rounding of each
# entry to a few bits for parameters whose entries differ in scale; smaller numbers first.
LEVELS = (
    (1, 0),
    (2, 0),
    (3, 0),
    (0, 1),
    (5, 0),
    (0, 2),
    (10, 0),
    (0, 3),
    (20, 0),
    (50, 0),
    (0, 4),
    (100, 0),
    (0, 6),
    (1000, 0),
    (0, 9),
    (0, 13),
    (10**5, 0),
    (0, 20),
    (0, 30),
    (0, 45),
    (0, 70),
    (0, 110),
)
# The rounds that are tried when one exact evaluation is expensive.
FEW_LEVELS = ((2, 0), (5, 0), (0, 3), (20, 0), (0, 6), (1000, 0), (0, 13), (0, 30), (0, 60))
EXPENSIVE = 100_000


def small_witness(problem: Problem, inside: fmpz_mat) -> Matrix | None:
    """A parameter of small rationals that satisfies every constraint, in the user's coordinates.

    `inside` is a parameter of the reduced shape; it is itself the last candidate. None if even that
    fails.
    """
    exact = problem.parameter(inside)
    columns = len(exact[0])
    entries = [x for row in exact for x in row]
    common = lcm(*(x.denominator for x in entries))
    whole = [x.numerator * (common // x.denominator) for x in entries]
    largest = max(map(abs, whole))
    if not largest:
        return None
    effort = sum(b.queries.nrows() * b.keys.nrows() for b in problem.blocks)
    levels = LEVELS if effort < EXPENSIVE else FEW_LEVELS
    factors = problem.factors()
    for candidate, shift in _candidates(whole, largest, levels):
        if problem.satisfied_by(candidate, factors):
            small = [Fraction(x, 1 << shift) for x in candidate]
            return tuple(tuple(small[k : k + columns]) for k in range(0, len(small), columns))
    return exact if problem.satisfied_by(whole, factors) else None


def _candidates(
    entries: list[int], largest: int, levels: tuple[tuple[int, int], ...]
) -> Iterator[tuple[list[int], int]]:
    """Integers and a shift: roundings of entries / largest are the integers / 2^shift."""
    sizes = [_size(x, largest) for x in entries]
    for whole, bits in levels:
        if whole:
            rounded, top = [_nearest(x * whole, largest) for x in entries], 0
        else:
            # The nearest numbers of so many significant bits.
            shifts = [bits - size for size in sizes]
            top = max(shifts)
            rounded = [
                _nearest(x << shift, largest) << top - shift if x else 0
                for x, shift in zip(entries, shifts, strict=True)
            ]
        if any(rounded):
            yield rounded, top


def _size(x: int, largest: int) -> int:
    """Bits of the numerator less bits of the denominator of x / largest; at most 0."""
    common = gcd(x, largest)
    return (abs(x) // common).bit_length() - (largest // common).bit_length()


def _nearest(x: int, by: int) -> int:
    """The integer nearest to x / by, an even one at ties."""
    whole, rest = divmod(x, by)
    return whole + (2 * rest > by or (2 * rest == by and whole & 1))
