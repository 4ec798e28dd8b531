"""A strict system as integer tables, and the exact evaluations that every answer must pass.

Every constraint is `q (x) (k_t - k_j)` for a query vector `q` and key vectors `k`; a linear system
has the one query vector `[1]` and its offsets as keys. Columns are scaled to coprime integers
(undone in the parameter; multipliers are not affected). Columns that depend on others are left out:
they add nothing to the span of the score features, so the parameter is zero there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import gcd, lcm
from typing import NamedTuple

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat

from .system import BilinearGrid, LinearGrid, Matrix, Multiplier, StrictSystem

# Ranks are taken modulo the first prime after pi 2^60 (not one near a power of two, of which
# features are often made). A rank that drops there costs an answer of the engine in use, never a
# wrong one: answers are checked over the integers.
PRIME = 3622009729038561437

# Weights by constraint index.
Weights = list[tuple[int, int | Fraction]]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One grid: distinct query and key vectors, whole and reduced to independent columns."""

    whole_queries: fmpz_mat
    whole_keys: fmpz_mat
    queries: fmpz_mat
    keys: fmpz_mat


class Constraint(NamedTuple):
    """`queries[q] (x) (keys[t] - keys[j])` of a block, standing for key `key` of row `row`."""

    block: int
    q: int
    t: int
    j: int
    row: int
    key: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Integer data of a system; `constraints` are distinct.

    `width` is the reduced (columns of queries, columns of keys); `scales` are the factors that
    turned each column into integers, `kept` the columns that were kept, both for queries and keys.
    """

    blocks: tuple[Block, ...]
    constraints: tuple[Constraint, ...]
    scales: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
    kept: tuple[tuple[int, ...], tuple[int, ...]]
    bilinear: bool

    @property
    def width(self) -> tuple[int, int]:
        """Reduced numbers of query and key columns; their product is the number of unknowns N."""
        return len(self.kept[0]), len(self.kept[1])

    def subset(self, chosen: Sequence[int]) -> Problem:
        """The problem with the chosen constraints only."""
        return replace(self, constraints=tuple(self.constraints[k] for k in chosen))

    def vector(self, k: int) -> list[fmpz]:
        """Constraint vector of length N, in reduced columns."""
        c = self.constraints[k]
        block = self.blocks[c.block]
        columns = range(block.keys.ncols())
        difference = [block.keys[c.t, b] - block.keys[c.j, b] for b in columns]
        return [block.queries[c.q, a] * x for a in range(block.queries.ncols()) for x in difference]

    def values(self, parameter: fmpz_mat) -> list[fmpz]:
        """`<a_k, parameter>` of every constraint; `parameter` has the reduced shape."""
        return self._values(parameter, reduced=True)

    def _values(self, parameter: fmpz_mat, reduced: bool) -> list[fmpz]:
        logits, strides = [], []
        for block in self.blocks:
            queries = block.queries if reduced else block.whole_queries
            keys = block.keys if reduced else block.whole_keys
            logits.append((queries * parameter * keys.transpose()).entries())
            strides.append(keys.nrows())
        if len(logits) == 1:
            p, n = logits[0], strides[0]
            return [p[c.q * n + c.t] - p[c.q * n + c.j] for c in self.constraints]
        return [
            logits[c.block][c.q * strides[c.block] + c.t]
            - logits[c.block][c.q * strides[c.block] + c.j]
            for c in self.constraints
        ]

    def combination(self, weights: Sequence[tuple[int, int]]) -> fmpz_mat:
        """`sum y_k a_k` for integer weights `(k, y_k)`, in reduced columns and shape."""
        rows, columns = self.width
        total = fmpz_mat(rows, columns)
        for b, sums in enumerate(self._gathered(weights)):
            block = self.blocks[b]
            total += block.queries.transpose() * (sums * block.keys)
        return total

    def cancels(self, weights: Weights) -> bool:
        """Whether weights `(k, y_k)` are positive and `sum y_k a_k = 0`, in the whole columns."""
        if not weights or any(y <= 0 for _, y in weights):
            return False
        # One denominator a query: those of different queries share no factor, their lcm is huge.
        common: dict[tuple[int, int], int] = {}
        for k, y in weights:
            if y.denominator != 1:
                at = self.constraints[k].block, self.constraints[k].q
                common[at] = lcm(common.get(at, 1), y.denominator)
        cleared = []
        for k, y in weights:
            scale = common.get((self.constraints[k].block, self.constraints[k].q), 1)
            cleared.append((k, y.numerator * (scale // y.denominator)))
        first = self.blocks[0]
        total = fmpq_mat(first.whole_queries.ncols(), first.whole_keys.ncols())
        for b, sums in enumerate(self._gathered(cleared)):
            block = self.blocks[b]
            products = sums * block.whole_keys
            fractional = sorted(q for at, q in common if at == b)
            if not fractional:
                total += fmpq_mat(block.whole_queries.transpose() * products)
                continue
            table = products.tolist()
            wanted = set(fractional)
            plain = [q for q in range(len(table)) if q not in wanted]
            queries = block.whole_queries.tolist()
            if plain:
                left = fmpz_mat([queries[q] for q in plain]).transpose()
                total += fmpq_mat(left * fmpz_mat([table[q] for q in plain]))
            right = [[fmpq(x, common[b, q]) for x in table[q]] for q in fractional]
            left = fmpz_mat([queries[q] for q in fractional]).transpose()
            total += fmpq_mat(left) * fmpq_mat(
                len(right), len(right[0]), list(chain.from_iterable(right))
            )
        return not any(total.entries())

    def _gathered(self, weights: Sequence[tuple[int, int]]) -> list[fmpz_mat]:
        """For each block, sums of the weights by (query, key): plus at targets, minus at keys."""
        sums = [[0] * (b.queries.nrows() * b.keys.nrows()) for b in self.blocks]
        for k, y in weights:
            c = self.constraints[k]
            flat, stride = sums[c.block], self.blocks[c.block].keys.nrows()
            flat[c.q * stride + c.t] += y
            flat[c.q * stride + c.j] -= y
        return [
            fmpz_mat(b.queries.nrows(), b.keys.nrows(), flat)
            for b, flat in zip(self.blocks, sums, strict=True)
        ]

    def satisfied(self, parameter: Matrix) -> bool:
        """Whether a parameter in the user's coordinates (d_q x d_k) satisfies every constraint."""
        entries = list(chain.from_iterable(parameter))
        denominator = lcm(*(x.denominator for x in entries))
        return self.satisfied_by(
            [x.numerator * (denominator // x.denominator) for x in entries], self.factors()
        )

    def satisfied_by(self, entries: Sequence[int], factors: Sequence[int]) -> bool:
        """The same for integers proportional to a parameter, row by row, and `factors()`."""
        (left, right) = self.scales
        scaled = [x * f for x, f in zip(entries, factors, strict=True)]
        matrix = fmpz_mat(len(left), len(right), scaled)
        return all(x > 0 for x in self._values(matrix, reduced=False))

    def factors(self) -> list[int]:
        """What turns parameters in the user's coordinates into those of the integer columns.

        Positive integers for the entries row by row: the inverse scales up to a common factor.
        """
        inverse = []
        for scales in self.scales:
            common = lcm(*(s.numerator for s in scales))
            inverse.append([s.denominator * (common // s.numerator) for s in scales])
        return [a * b for a in inverse[0] for b in inverse[1]]

    def parameter(self, reduced: fmpz_mat) -> Matrix:
        """A parameter of the reduced shape, in the user's coordinates."""
        (left, right), (rows, columns) = self.scales, self.kept
        full = [[Fraction(0)] * len(right) for _ in left]
        for a, row in enumerate(rows):
            for b, column in enumerate(columns):
                full[row][column] = int(reduced[a, b]) * left[row] * right[column]
        return tuple(map(tuple, full))

    def labelled(self, weights: Weights) -> tuple[Multiplier, ...]:
        """Weights by constraint as multipliers by row and key."""
        return tuple((self.constraints[k].row, self.constraints[k].key, y) for k, y in weights)


@dataclass(frozen=True, slots=True)
class ZeroConstraint:
    """A constraint whose vector is zero: the system is infeasible by itself."""

    row: int
    key: int


def compile_system(system: StrictSystem) -> Problem | ZeroConstraint:
    """Integer data of `system`, or a constraint that is zero."""
    query_tables, key_tables = [], []
    for grid in system.grids:
        if isinstance(grid, LinearGrid):
            key_tables.append(grid.vectors)
        else:
            key_tables.append(grid.keys)
            query_tables.append(grid.keys if grid.queries is None else grid.queries)
    keys, key_scales = _integer_columns(key_tables)
    if query_tables:
        shared = all(isinstance(g, BilinearGrid) and g.queries is None for g in system.grids)
        queries, query_scales = (keys, key_scales) if shared else _integer_columns(query_tables)
    else:
        queries, query_scales = [[(1,)]] * len(keys), (Fraction(1),)
    found = _constraints(system, queries, keys)
    if isinstance(found, ZeroConstraint):
        return found
    constraints, used = found
    kept_queries = _exactly_independent_columns(fmpz_mat(list(chain(*(u[0] for u in used)))))
    differences = [
        [x - y for x, y in zip(vector, u[1][0], strict=True)] for u in used for vector in u[1][1:]
    ]
    kept_keys = _exactly_independent_columns(fmpz_mat(differences))
    blocks = tuple(
        Block(
            fmpz_mat(q),
            fmpz_mat(k),
            _columns(q, kept_queries),
            _columns(k, kept_keys),
        )
        for q, k in used
    )
    return Problem(
        blocks,
        constraints,
        (query_scales, key_scales),
        (kept_queries, kept_keys),
        bool(query_tables),
    )


IntVector = tuple[int, ...]
IntTable = list[IntVector]


def _constraints(
    system: StrictSystem, queries: list[IntTable], keys: list[IntTable]
) -> ZeroConstraint | tuple[tuple[Constraint, ...], list[tuple[IntTable, IntTable]]]:
    """Distinct constraints, and the distinct query and key vectors of each used grid."""
    linear = not system.bilinear
    block_of: dict[int, int] = {}
    query_ids: list[dict[IntVector, int]] = []
    key_ids: list[dict[IntVector, int]] = []
    found: dict[tuple[int, int, int, int], tuple[int, int]] = {}
    for r, row in enumerate(system.rows):
        competitors = system.competitors(row)
        if not competitors:
            continue
        g, i, target = row.grid, row.query, row.target
        b = block_of.get(g)
        if b is None:
            b = block_of[g] = len(query_ids)
            query_ids.append({})
            key_ids.append({})
        ids, table = key_ids[b], keys[g]
        query = queries[g][0] if linear else queries[g][i]
        grid = system.grids[g]
        shift = i - grid.first if isinstance(grid, LinearGrid) else 0
        if not any(query):
            return ZeroConstraint(r, competitors[0])
        q = query_ids[b].setdefault(query, len(query_ids[b]))
        t = ids.setdefault(table[shift - target if linear else target], len(ids))
        for key in competitors:
            j = ids.setdefault(table[shift - key if linear else key], len(ids))
            if j == t:
                return ZeroConstraint(r, key)
            found.setdefault((b, q, t, j), (r, key))
    constraints = tuple(Constraint(*at, *label) for at, label in found.items())
    used = [(list(q), list(k)) for q, k in zip(query_ids, key_ids, strict=True)]
    return constraints, used


def _integer_columns(
    tables: Sequence[Sequence[Sequence[object]]],
) -> tuple[list[IntTable], tuple[Fraction, ...]]:
    """Tables with each column scaled to coprime integers, and the scales (integer / entry)."""
    columns, scales = [], []
    for column in zip(*chain.from_iterable(tables), strict=True):
        denominator = lcm(*{x.denominator for x in column})
        numerators = (
            column
            if denominator == 1
            else [x.numerator * (denominator // x.denominator) for x in column]
        )
        numerators = [int(x) for x in numerators]
        content = gcd(*numerators) or 1
        columns.append(numerators if content == 1 else [x // content for x in numerators])
        scales.append(Fraction(denominator, content))
    rows = list(zip(*columns, strict=True))
    parts, start = [], 0
    for table in tables:
        parts.append(rows[start : start + len(table)])
        start += len(table)
    return parts, tuple(scales)


def solve(matrix: fmpz_mat, right: fmpz_mat) -> tuple[fmpz_mat, fmpz]:
    """`X, d` with `matrix X = d right`, `d > 0`. Raises ZeroDivisionError for a singular matrix."""
    solution = matrix.solve(right)
    assert isinstance(solution, fmpq_mat)
    return solution.numer_denom()


def independent_columns(matrix: fmpz_mat) -> tuple[int, ...]:
    """Positions of the first independent columns (modulo PRIME)."""
    reduced, rank = nmod_mat(matrix, PRIME).rref()
    return _pivots(reduced, rank)


def _exactly_independent_columns(matrix: fmpz_mat) -> tuple[int, ...]:
    """Positions of the first independent columns, also where PRIME divides a minor."""
    columns = independent_columns(matrix)
    if len(columns) < min(matrix.nrows(), matrix.ncols()) and len(columns) < matrix.rank():
        reduced, _, rank = matrix.rref()
        return _pivots(reduced, rank)
    return columns


def _pivots(reduced: fmpz_mat | nmod_mat, rank: int) -> tuple[int, ...]:
    columns = reduced.ncols()
    if rank == columns:
        return tuple(range(columns))
    pivots = []
    column = 0
    for row in range(rank):
        while not reduced[row, column]:
            column += 1
        pivots.append(column)
        column += 1
    return tuple(pivots)


def _columns(table: IntTable, kept: tuple[int, ...]) -> fmpz_mat:
    return fmpz_mat([[vector[c] for c in kept] for vector in table])
