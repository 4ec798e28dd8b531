"""Witnesses of small numbers, near one that is known to be inside the cone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

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
    largest = max(abs(x) for row in exact for x in row)
    if not largest:
        return None
    relative = [[x / largest for x in row] for row in exact]
    effort = sum(b.queries.nrows() * b.keys.nrows() for b in problem.blocks)
    levels = LEVELS if effort < EXPENSIVE else FEW_LEVELS
    for candidate in _candidates(relative, levels):
        if problem.satisfied(candidate):
            return candidate
    return exact if problem.satisfied(exact) else None


def _candidates(
    relative: list[list[Fraction]], levels: tuple[tuple[int, int], ...]
) -> Iterator[Matrix]:
    for whole, bits in levels:
        if whole:
            rounded = [[Fraction(round(x * whole)) for x in row] for row in relative]
        else:
            rounded = [[_significant(x, bits) for x in row] for row in relative]
        if any(x for row in rounded for x in row):
            yield tuple(map(tuple, rounded))


def _significant(x: Fraction, bits: int) -> Fraction:
    """The nearest number of `bits` significant bits."""
    if not x:
        return x
    shift = bits - (abs(x.numerator).bit_length() - x.denominator.bit_length())
    whole = round(x * 2**shift)
    return Fraction(whole << -shift) if shift < 0 else Fraction(whole, 1 << shift)
