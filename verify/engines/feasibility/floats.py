"""The constraints in floats: unit vectors in well-conditioned coordinates, kept factored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from .conditioning import Coordinates, Floats, coordinates_of
from .integers import Problem

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class FloatBlock:
    """Coordinates of one grid and, for each of its constraints, flat indices into the logits.

    `gaps` are the scaled key differences of the constraints, and `lines` those of each query.
    """

    queries: Floats
    keys: Floats
    wins: Indices
    loses: Indices
    scale: Floats
    gaps: Floats
    lines: tuple[tuple[int, Indices], ...]


@dataclass(frozen=True, slots=True, eq=False)
class FloatSystem:
    """Unit constraint vectors `scale queries[q] (x) (keys[t] - keys[j])`, in the order of the
    problem.

    `left` and `right` are the coordinates of queries and keys: a parameter `V` here is the matrix
    `left V right^T` of the reduced problem.
    """

    blocks: tuple[FloatBlock, ...]
    parts: tuple[Indices, ...]
    left: Coordinates
    right: Coordinates
    count: int
    width: tuple[int, int]

    def margins(self, parameter: Floats) -> Floats:
        """`<a_k, parameter>` of the unit vectors; `parameter` has shape `width`."""
        out = np.empty(self.count)
        for block, part in zip(self.blocks, self.parts, strict=True):
            logits = (block.queries @ parameter @ block.keys.T).ravel()
            out[part] = (logits[block.wins] - logits[block.loses]) * block.scale
        return out

    def combination(self, weights: Floats) -> Floats:
        """`sum weights_k a_k` of the unit vectors, of shape `width`."""
        total = np.zeros(self.width)
        for block, part in zip(self.blocks, self.parts, strict=True):
            shape = (len(block.queries), len(block.keys))
            scaled = weights[part] * block.scale
            size = shape[0] * shape[1]
            sums = np.bincount(block.wins, scaled, size) - np.bincount(block.loses, scaled, size)
            total += block.queries.T @ (sums.reshape(shape) @ block.keys)
        return total

    def second_moment(self, weights: Floats) -> Floats:
        """`sum weights_k a_k a_k^T` of the unit vectors, of order N.

        The constraints of a query share it, so this is a sum of Kronecker products.
        """
        rows, columns = self.width
        total = np.zeros((rows * rows, columns * columns))
        for block, part in zip(self.blocks, self.parts, strict=True):
            mine = weights[part]
            outer, inner = [], []
            for q, members in block.lines:
                gaps = block.gaps[members]
                inner.append((gaps.T @ (gaps * mine[members, None])).ravel())
                query = block.queries[q]
                outer.append(np.outer(query, query).ravel())
            if outer:
                total += np.array(outer).T @ np.array(inner)
        shaped = total.reshape(rows, rows, columns, columns).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(shaped).reshape(rows * columns, rows * columns)

    def scales(self) -> Floats:
        """Factors from the integer constraint vectors, in these coordinates, to the unit ones."""
        out = np.empty(self.count)
        for block, part in zip(self.blocks, self.parts, strict=True):
            out[part] = block.scale
        return out

    def vectors(self, chosen: Indices) -> Floats:
        """The unit vectors of some constraints, one a row."""
        out = np.empty((len(chosen), self.width[0] * self.width[1]))
        for block, part in zip(self.blocks, self.parts, strict=True):
            at = np.full(self.count, -1)
            at[part] = np.arange(len(part))
            mine = np.flatnonzero(at[chosen] >= 0)
            local = at[chosen][mine]
            queries = block.queries[block.wins[local] // len(block.keys)]
            products = np.einsum("ka,kb->kab", queries, block.gaps[local])
            out[mine] = products.reshape(len(mine), out.shape[1])
        return out

    def lift(self, parameter: Floats) -> fmpz_mat:
        """A parameter as integers (to a positive factor) in the reduced columns of the problem.

        Raises ArithmeticError when it is beyond the range of floats.
        """
        inner = self.left.finish @ parameter @ self.right.finish.T
        if not np.isfinite(inner).all():
            raise ArithmeticError("the parameter is beyond the range of floats")
        top = int(np.frexp(np.abs(inner).max())[1])
        rows, columns = self.left.exponents, self.right.exponents
        highest = max(rows) + max(columns)
        mantissas, exponents = np.frexp(np.ldexp(inner, -top))
        entries = []
        for a, row in enumerate(mantissas):
            for b, x in enumerate(row):
                shift = int(exponents[a, b]) - rows[a] - columns[b] + highest + 53
                whole = int(x * 2.0**53)
                entries.append(whole << shift if shift >= 0 else whole >> -shift)
        lifted = fmpz_mat(len(rows), len(columns), entries)
        if self.left.exact is not None:
            lifted = self.left.exact * lifted
        if self.right.exact is not None:
            lifted = lifted * self.right.exact.transpose()
        return lifted


def float_system(problem: Problem) -> FloatSystem:
    """Floats of an integer problem. Raises ArithmeticError when no coordinates can be found."""
    centred = [_centred(block.keys) for block in problem.blocks]
    left = coordinates_of(_stacked([block.queries for block in problem.blocks]))
    right = coordinates_of(_stacked(centred))
    where: list[list[tuple[int, int, int, int]]] = [[] for _ in problem.blocks]
    for k, c in enumerate(problem.constraints):
        where[c.block].append((k, c.q, c.t, c.j))
    blocks: list[FloatBlock] = []
    parts: list[Indices] = []
    for block, table, places in zip(problem.blocks, centred, where, strict=True):
        queries = left.apply(block.queries)
        keys = right.apply(table) / table.nrows()
        part, q, t, j = np.array(places, dtype=np.intp).reshape(-1, 4).T
        gaps = keys[t] - keys[j]
        norms = np.linalg.norm(queries, axis=1)[q] * np.sqrt(np.einsum("kb,kb->k", gaps, gaps))
        scale = 1.0 / np.maximum(norms, 1e-300)
        stride = len(keys)
        order = np.argsort(q, kind="stable")
        starts = np.flatnonzero(np.diff(q[order], prepend=-1))
        members = np.split(order, starts[1:]) if len(order) else []
        lines = tuple(zip(q[order][starts].tolist(), members, strict=True))
        wins, loses = q * stride + t, q * stride + j
        blocks.append(FloatBlock(queries, keys, wins, loses, scale, gaps * scale[:, None], lines))
        parts.append(part)
    return FloatSystem(
        tuple(blocks), tuple(parts), left, right, len(problem.constraints), problem.width
    )


def _centred(keys: fmpz_mat) -> fmpz_mat:
    """Keys minus their mean, times their number: only differences of keys matter."""
    count = keys.nrows()
    ones = fmpz_mat(count, count, [1] * (count * count))
    return keys * count - ones * keys


def _stacked(tables: list[fmpz_mat]) -> fmpz_mat:
    if len(tables) == 1:
        return tables[0]
    return fmpz_mat([row for table in tables for row in table.tolist()])
