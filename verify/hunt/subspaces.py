"""Feature spaces up to change of basis: each linear span of some base functions once.

phi -> A phi with an invertible A changes the parameter and no answer, so an encoding counts as the
span of its features. A span has one reduced row echelon form over the rationals; with primitive
integer rows it is the canonical matrix used here. (Row scaling is no further symmetry of an
absolute encoding: the row of a position is also a key.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import gcd

from flint import fmpz_mat

Matrix = tuple[tuple[int, ...], ...]


def canonical(rows: Sequence[Sequence[int]]) -> Matrix:
    """The reduced row echelon form of integer rows, each made primitive; no zero rows."""
    reduced, _, rank = fmpz_mat([list(row) for row in rows]).rref()
    found = []
    for row in reduced.tolist()[:rank]:
        whole = [int(x) for x in row]
        content = gcd(*whole)
        if next(x for x in whole if x) < 0:
            content = -content
        found.append(tuple(x // content for x in whole))
    return tuple(found)


def rank(rows: Sequence[Sequence[int]]) -> int:
    """The rank over the rationals."""
    return int(fmpz_mat([list(row) for row in rows]).rank())


def subspaces(width: int, dimension: int, height: int) -> Iterator[Matrix]:
    """Every subspace of Q^width of this dimension whose canonical entries are at most `height`.

    Each exactly once, in order of height, then lexicographically by pivots and entries.
    """
    for largest in range(1, height + 1):
        for pivots in combinations(range(width), dimension):
            choices = [_rows(width, pivots, p, largest) for p in pivots]
            for rows in product(*choices):
                if any(abs(x) == largest for row in rows for x in row):
                    yield rows


def _rows(width: int, pivots: Sequence[int], pivot: int, height: int) -> list[tuple[int, ...]]:
    """Primitive rows with a positive pivot, zero before it and at the other pivots."""
    free = [c for c in range(pivot + 1, width) if c not in pivots]
    found = []
    for lead in range(1, height + 1):
        for values in product(range(-height, height + 1), repeat=len(free)):
            if gcd(lead, *values) == 1:
                row = [0] * width
                row[pivot] = lead
                for c, x in zip(free, values, strict=True):
                    row[c] = x
                found.append(tuple(row))
    return found
