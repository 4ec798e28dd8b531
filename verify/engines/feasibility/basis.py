"""Exact solutions with a square integer matrix whose rows are exchanged one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, prod
from typing import Protocol

from flint import fmpz, fmpz_mat, nmod_mat

from .integers import PRIME, solve

# Below this order a fraction-free elimination from scratch is as fast as an update.
SMALL = 96


class Basis(Protocol):
    """An invertible matrix B."""

    def solve(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """`X, d` with `B X = d right`, `d > 0`. Raises ZeroDivisionError for a singular B."""

    def solve_transposed(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """`X, d` with `B^T X = d right`, `d > 0`. Raises ZeroDivisionError for a singular B."""

    def exchange(self, position: int, row: Sequence[fmpz]) -> Basis:
        """The basis whose row at `position` is `row`."""


def make_basis(rows: Sequence[Sequence[fmpz]]) -> Basis:
    """The basis with the given rows."""
    matrix = fmpz_mat([list(r) for r in rows])
    if matrix.nrows() > SMALL:
        try:
            return LiftedBasis(matrix, nmod_mat(matrix, PRIME).inv())
        except ZeroDivisionError:  # PRIME divides the determinant
            pass
    return EliminatedBasis(matrix)


class EliminatedBasis:
    """The Basis that eliminates at each call."""

    def __init__(self, matrix: fmpz_mat) -> None:
        self._matrix = matrix

    def solve(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """See Basis."""
        return solve(self._matrix, right)

    def solve_transposed(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """See Basis."""
        return solve(self._matrix.transpose(), right)

    def exchange(self, position: int, row: Sequence[fmpz]) -> EliminatedBasis:
        """See Basis."""
        return EliminatedBasis(_with_row(self._matrix, position, row))


class LiftedBasis:
    """The Basis that lifts p-adically (Dixon 1982) from an inverse modulo p, which it updates."""

    def __init__(self, matrix: fmpz_mat, inverse: nmod_mat) -> None:
        self._matrix = matrix
        self._inverse = inverse

    def solve(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """See Basis."""
        return _lift(self._matrix, self._inverse, right)

    def solve_transposed(self, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
        """See Basis."""
        return _lift(self._matrix.transpose(), self._inverse.transpose(), right)

    def exchange(self, position: int, row: Sequence[fmpz]) -> Basis:
        """See Basis."""
        order = self._matrix.nrows()
        matrix = _with_row(self._matrix, position, row)
        # Sherman and Morrison: only row `position` of B changes, by `row - B[position]`.
        product = nmod_mat(fmpz_mat(1, order, list(row)), PRIME) * self._inverse
        entries = [int(x) for x in product.entries()]
        pivot = entries[position]
        if pivot == 0:
            return EliminatedBasis(matrix)
        entries[position] -= 1
        scale = pow(pivot, -1, PRIME)
        column = nmod_mat(order, 1, [int(self._inverse[r, position]) for r in range(order)], PRIME)
        change = nmod_mat(1, order, [x * scale % PRIME for x in entries], PRIME)
        return LiftedBasis(matrix, self._inverse - column * change)


def _with_row(matrix: fmpz_mat, position: int, row: Sequence[fmpz]) -> fmpz_mat:
    changed = fmpz_mat(matrix)
    for c, x in enumerate(row):
        changed[position, c] = x
    return changed


def _lift(matrix: fmpz_mat, inverse: nmod_mat, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
    order, columns = matrix.nrows(), right.ncols()
    # Cramer's rule and Hadamard's bound: numerators and denominator stay below these.
    squares = [sum(x * x for x in r) for r in matrix.transpose().tolist()]
    lower = isqrt(int(prod(squares))) + 1
    longest = max(int(sum(x * x for x in r)) for r in right.transpose().tolist())
    upper = lower * (isqrt(longest) + 1)
    digits, modulus = [], 1
    residual = right
    while modulus <= 2 * lower * upper:
        digit = fmpz_mat(
            order, columns, [int(x) for x in (inverse * nmod_mat(residual, PRIME)).entries()]
        )
        digits.append(digit)
        residual = (residual - matrix * digit) / PRIME
        modulus *= PRIME
    total = _horner(digits)
    return _reconstruct(total, modulus, lower)


def _horner(digits: list[fmpz_mat]) -> fmpz_mat:
    """`sum digits[i] PRIME^i`, by halves."""
    step = fmpz(PRIME)
    while len(digits) > 1:
        pairs = [digits[i] + digits[i + 1] * step for i in range(0, len(digits) - 1, 2)]
        digits = pairs + digits[len(pairs) * 2 :]
        step = step * step
    return digits[0]


def _reconstruct(total: fmpz_mat, modulus: int, bound: int) -> tuple[fmpz_mat, fmpz]:
    """Rational entries with one denominator (at most `bound`) from their residues."""
    residues = [int(x) for x in total.entries()]
    denominator = 1
    for x in residues:
        y = x * denominator % modulus
        if min(y, modulus - y) * 2 * bound >= modulus:
            denominator *= _denominator(y, modulus, bound)
    entries = []
    for x in residues:
        y = x * denominator % modulus
        entries.append(y if 2 * y < modulus else y - modulus)
    return fmpz_mat(total.nrows(), total.ncols(), entries), fmpz(denominator)


def _denominator(residue: int, modulus: int, bound: int) -> int:
    """Denominator of the fraction with that residue (continued fraction of residue / modulus)."""
    a, b, u, v = fmpz(modulus), fmpz(residue), fmpz(0), fmpz(1)
    limit = fmpz(modulus) // (2 * bound)
    while b >= limit:
        q = a // b
        a, b = b, a - q * b
        u, v = v, u - q * v
    return abs(int(v))
