"""Well-conditioned float coordinates for exact tables of any size and condition.

The columns of an integer table are scaled by powers of two and orthogonalized by float QR; as long
as the triangular factor is ill-conditioned its inverse is rounded to dyadics, applied exactly and
the step repeated (each gains the digits of one float).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Up to this condition number a float inverse is good enough to go back to the exact columns.
CONDITION = 1e5
ROUNDS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """`float(table exact) 2^-exponents finish` has orthonormal columns; `exact` None: identity."""

    exact: fmpz_mat | None
    exponents: tuple[int, ...]
    finish: Floats

    def apply(self, table: fmpz_mat) -> Floats:
        """Float coordinates of the rows of a table."""
        moved = table if self.exact is None else table * self.exact
        return to_floats(moved, self.exponents) @ self.finish


def coordinates_of(table: fmpz_mat) -> Coordinates:
    """Coordinates in which the columns of `table` (independent) are nearly orthonormal.

    Raises ArithmeticError when they are not found.
    """
    exact: fmpz_mat | None = None
    moved = table
    for _ in range(ROUNDS):
        exponents = column_exponents(moved)
        upper = np.asarray(np.linalg.qr(to_floats(moved, exponents), mode="r"))
        diagonal = np.abs(np.diagonal(upper))
        floor = diagonal.max() * 2.0**-44
        if diagonal.min() > floor and np.linalg.cond(upper) < CONDITION:
            return Coordinates(exact, exponents, np.linalg.inv(upper))
        # Beyond the reach of a float the triangle is noise: bound what one step may divide by.
        signs = np.where(np.diagonal(upper) < 0, -1.0, 1.0)
        np.fill_diagonal(upper, signs * np.maximum(diagonal, floor))
        step = _exact_step(np.linalg.inv(upper), exponents)
        exact = step if exact is None else exact * step
        moved = moved * step
    raise ArithmeticError("no well-conditioned coordinates were found")


def column_exponents(table: fmpz_mat) -> tuple[int, ...]:
    """For each column the least e with all |entries| < 2^e."""
    rows = table.tolist()
    return tuple(max(1, *(int(row[c]).bit_length() for row in rows)) for c in range(table.ncols()))


def to_floats(table: fmpz_mat, exponents: tuple[int, ...]) -> Floats:
    """The table with column c divided by 2^exponents[c], correctly rounded."""
    scales = [1 << e for e in exponents]
    return np.array(
        [[int(x) / s for x, s in zip(row, scales, strict=True)] for row in table.tolist()]
    )


def _exact_step(inverse: Floats, exponents: tuple[int, ...]) -> fmpz_mat:
    """Columns proportional to those of `diag(2^-exponents) inverse`, in units of 2^-40.

    The diagonal of the upper triangle is scaled to 1, so rounding leaves it invertible.
    """
    rounded = np.rint(np.ldexp(inverse / np.diagonal(inverse), 40))
    if not np.isfinite(rounded).all():
        raise ArithmeticError("the triangle is beyond the range of floats")
    highest = max(exponents)
    size = len(exponents)
    return fmpz_mat(
        size,
        size,
        [int(x) << (highest - e) for e, row in zip(exponents, rounded, strict=True) for x in row],
    )
