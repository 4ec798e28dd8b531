"""Strict homogeneous systems of score constraints, and the answers to them.

A row of a task asks that the target beat every other visible key. With score features
`s(i, j)` that is `<parameter, s(i, t) - s(i, j)> > 0` for every visible key `j != t`, where
`s(i, j) = phi_q(i) (x) phi_k(j)` (bilinear, parameter d_q x d_k) or `s(i, j) = psi(i - j)` (linear,
parameter of length m).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import NamedTuple

Vector = tuple[Rational | int, ...]
Matrix = tuple[tuple[Fraction, ...], ...]
Multiplier = tuple[int, int, int | Fraction]


class Row(NamedTuple):
    """A scored row: query `query` of grid `grid` must prefer key `target`.

    Competitors are the visible keys, or those of `only` when given (a constraint is negated by
    exchanging its target and its key).
    """

    grid: int
    query: int
    target: int
    only: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class BilinearGrid:
    """Features of one length n: `keys[j]` (d_k entries) and `queries[i]` (d_q entries, default
    `keys`).

    Entries are exact rationals (int or Fraction).
    """

    keys: tuple[Vector, ...]
    queries: tuple[Vector, ...] | None = None

    def __post_init__(self) -> None:
        _check_table("keys", self.keys)
        if self.queries is not None:
            _check_table("queries", self.queries)
            if len(self.queries) != len(self.keys):
                raise ValueError(
                    f"queries: {len(self.queries)} rows for {len(self.keys)} keys; "
                    "one row for each position is needed"
                )

    @property
    def length(self) -> int:
        """Number of positions."""
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class LinearGrid:
    """Features of one length by offset: `vectors[o - first]` (m entries) belongs to offset `o = i -
    j`.

    Entries are exact rationals (int or Fraction). Causal systems need offsets 0..n-1.
    """

    vectors: tuple[Vector, ...]
    length: int
    first: int = 0

    def __post_init__(self) -> None:
        _check_table("vectors", self.vectors)


@dataclass(frozen=True, slots=True)
class StrictSystem:
    """The strict constraints of `rows`, whose grids share one parameter space.

    `causal` rows see the keys 0..i, other rows all keys. Raises ValueError when the grids do not
    fit together, when a row leaves its grid, and when there is no constraint at all.
    """

    grids: tuple[BilinearGrid, ...] | tuple[LinearGrid, ...]
    rows: tuple[Row, ...]
    causal: bool = True

    def __post_init__(self) -> None:
        if not self.grids:
            raise ValueError("grids: empty; at least one feature table is needed")
        shapes = [_shape(grid) for grid in self.grids]
        for g, shape in enumerate(shapes):
            if shape != shapes[0]:
                raise ValueError(
                    f"grids: grid {g} has features of shape {shape} and grid 0 of {shapes[0]}; "
                    "all grids need the same feature space"
                )
        if not sum(len(self.competitors(row)) for row in self.rows):
            raise ValueError("rows: no row with a competing key; at least one constraint is needed")

    @property
    def bilinear(self) -> bool:
        """Whether the parameter is a matrix (else a vector)."""
        return isinstance(self.grids[0], BilinearGrid)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameter: (d_q, d_k) or (m,)."""
        return _shape(self.grids[0])

    def visible(self, grid: int, query: int) -> range:
        """Keys that a query sees."""
        return range(query + 1) if self.causal else range(self.grids[grid].length)

    def competitors(self, row: Row) -> Sequence[int]:
        """Keys that the target of `row` must beat. Raises ValueError for an impossible row."""
        if not 0 <= row.grid < len(self.grids):
            raise ValueError(f"rows: {row} names grid {row.grid} of {len(self.grids)}")
        length = self.grids[row.grid].length
        keys = self.visible(row.grid, row.query)
        if not 0 <= row.query < length:
            raise ValueError(f"rows: {row} has its query outside 0..{length - 1}")
        if row.target not in keys:
            raise ValueError(f"rows: {row} has a target that its query does not see")
        chosen: Iterable[int] = keys
        if row.only is not None:
            if any(j not in keys for j in row.only):
                raise ValueError(f"rows: {row} names a key that its query does not see")
            chosen = row.only
        grid = self.grids[row.grid]
        if isinstance(grid, LinearGrid):
            low, high = row.query - keys[-1] - grid.first, row.query - grid.first
            if low < 0 or high >= len(grid.vectors):
                raise ValueError(
                    f"rows: {row} needs offsets {low + grid.first}..{high + grid.first}; "
                    f"its grid has {grid.first}..{grid.first + len(grid.vectors) - 1}"
                )
        return [j for j in chosen if j != row.target]


@dataclass(frozen=True, slots=True)
class Witness:
    """A parameter that satisfies every constraint: a d_q x d_k matrix, or a vector of length m."""

    parameter: Matrix | tuple[Fraction, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Refutation:
    """Positive multipliers `(row, key, y)` with `sum y (s(i, t) - s(i, key)) = 0`: no parameter."""

    multipliers: tuple[Multiplier, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Combination:
    """Positive multipliers `(row, key, y)` that combine to the constraint asked about."""

    multipliers: tuple[Multiplier, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer, and why."""

    reason: str


def _shape(grid: BilinearGrid | LinearGrid) -> tuple[int, ...]:
    if isinstance(grid, LinearGrid):
        return (len(grid.vectors[0]),)
    queries = grid.keys if grid.queries is None else grid.queries
    return len(queries[0]), len(grid.keys[0])


def _check_table(name: str, table: tuple[Vector, ...]) -> None:
    if not table or not table[0]:
        raise ValueError(f"{name}: empty; at least one feature vector with one entry is needed")
    width = len(table[0])
    for i, vector in enumerate(table):
        if len(vector) != width:
            raise ValueError(f"{name}: row {i} has {len(vector)} entries and row 0 has {width}")
        for x in vector:
            if type(x) is not int and not isinstance(x, Rational):
                raise ValueError(
                    f"{name}: row {i} holds {x!r} of type {type(x).__name__}; "
                    "exact rationals (int or Fraction) are needed"
                )
