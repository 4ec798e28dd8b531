"""Answers that have passed their exact check."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from flint import fmpz_mat

from .integers import Problem, Weights
from .rounding import small_witness
from .system import Matrix, Refutation, Witness

# Up to this many weights a common denominator stays readable.
FEW = 64


def checked(
    problem: Problem, found: fmpz_mat | Weights | None, method: str
) -> Witness | Refutation | None:
    """The answer that an engine found, or None if it is none or fails the exact check."""
    if found is None:
        return None
    if isinstance(found, list):
        if not problem.cancels(found):
            return None
        return Refutation(problem.labelled(_coprime(found)), method)
    parameter = small_witness(problem, found)
    if parameter is None:
        return None
    return Witness(parameter if problem.bilinear else parameter[0], method)


def as_matrix(parameter: Matrix | tuple[Fraction, ...]) -> Matrix:
    """A parameter as a matrix (a vector is one row)."""
    rows = [x for x in parameter if isinstance(x, tuple)]
    return tuple(rows) if rows else (tuple(x for x in parameter if not isinstance(x, tuple)),)


def _coprime(weights: Weights) -> Weights:
    """Proportional weights with coprime numerators; integers if there are few."""
    common = lcm(*{y.denominator for _, y in weights}) if len(weights) < FEW else 1
    content = gcd(*(y.numerator for _, y in weights))
    return [
        (k, y * common / content if isinstance(y, Fraction) else y * common // content)
        for k, y in weights
    ]
