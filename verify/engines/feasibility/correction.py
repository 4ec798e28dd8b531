"""An exact refutation from a float one.

Given float weights `y > 0` with `A^T y ~ 0`, round them to dyadics Y, compute the residual `R = A^T
Y` exactly, and solve `A_B^T z = -R` exactly on a basis B of constraints with large weights: z is
tiny there, so `Y + z >= 0` refutes the system.

For the bilinear structure the solution splits. If the queries `q_i` of some rows are a basis and
the key differences of each of these rows span all differences, then `R = sum q_i (x) v_i` is one
solve of the order of the queries, and each `-v_i = sum z_ij (k_t - k_j)` one of the order of the
keys: d + 1 systems of order d instead of one of order d^2, with denominators of d numbers instead
of d^2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from flint import fmpz, fmpz_mat

from .conditioning import Floats
from .floats import FloatSystem
from .integers import Problem, Weights, solve
from .simplex import Frame, independent_constraints

# Bits of the largest rounded weight, tried in turn: small numbers first.
BITS = (24, 40, 56)
# Work (constraints x N^2) up to which the constraints are written out to choose a basis.
WRITTEN_OUT = 10**9


def corrected(problem: Problem, system: FloatSystem, weights: Floats) -> Weights | None:
    """Positive exact weights that cancel, near the float `weights` of unit vectors.

    None if the correction spoils a sign.
    """
    scales = system.scales()
    split = _split_basis(problem, system, weights * scales)
    if split is not None:
        change = partial(_solve_split, problem, split)
    else:
        change = partial(_solve_whole, problem, _whole_basis(problem, system, weights))
    # Integer vectors are unit vectors divided by their scale, which is mantissa 2^exponent.
    mantissas, exponents = np.frexp(scales)
    weighted = weights * mantissas
    weighted /= weighted.max()
    shifts = [int(e) for e in exponents - exponents.min()]
    for bits in BITS:
        rounded = np.rint(weighted * 2.0**bits)
        positive = [
            (k, int(y) << e) for k, (y, e) in enumerate(zip(rounded, shifts, strict=True)) if y
        ]
        residual = problem.combination(positive)
        try:
            changes = change(residual)
        except ZeroDivisionError:
            return None
        exact: dict[int, int | Fraction] = dict(positive)
        for k, z in changes:
            exact[k] = exact.get(k, 0) + z
        if min(exact.values()) >= 0:
            return [(k, y) for k, y in exact.items() if y]
    return None


SplitBasis = list[tuple[int, int, list[int]]]


def _split_basis(problem: Problem, system: FloatSystem, weights: Floats) -> SplitBasis | None:
    """Queries (block, q) that are a basis, each with constraints whose differences are a basis.

    Constraints and queries with large weights are preferred, by pivoted QR of the weighted vectors.
    """
    from scipy.linalg import qr

    rows, columns = problem.width
    groups: dict[tuple[int, int], list[int]] = {}
    for k, c in enumerate(problem.constraints):
        if weights[k] > 0:
            groups.setdefault((c.block, c.q), []).append(k)
    full = [g for g, members in groups.items() if len(members) >= columns]
    full.sort(key=lambda g: -float(np.partition(weights[groups[g]], -columns)[-columns]))
    found: list[tuple[float, tuple[int, int], list[int]]] = []
    for block, q in full[: 4 * rows + 8]:
        members = groups[block, q]
        keys = system.blocks[block].keys
        wins = np.array([problem.constraints[k].t for k in members])
        loses = np.array([problem.constraints[k].j for k in members])
        weighted = (keys[wins] - keys[loses]) * weights[members][:, None]
        triangle, pivots = qr(weighted.T, mode="r", pivoting=True)
        quality = abs(float(triangle[columns - 1, columns - 1]))
        if quality > abs(float(triangle[0, 0])) * 1e-12:
            found.append((quality, (block, q), [members[p] for p in pivots[:columns]]))
    if len(found) < rows:
        return None
    directions = np.array([system.blocks[b].queries[q] * quality for quality, (b, q), _ in found])
    triangle, pivots = qr(directions.T, mode="r", pivoting=True)
    if abs(float(triangle[rows - 1, rows - 1])) <= abs(float(triangle[0, 0])) * 1e-12:
        return None
    return [(*found[p][1], found[p][2]) for p in pivots[:rows]]


def _solve_split(problem: Problem, split: SplitBasis, residual: fmpz_mat) -> Weights:
    queries = fmpz_mat([_row(problem.blocks[b].queries, q) for b, q, _ in split])
    parts, denominator = solve(queries.transpose(), residual)
    changes: Weights = []
    for i, (b, _, members) in enumerate(split):
        keys = problem.blocks[b].keys
        differences = fmpz_mat([_difference(problem, keys, k) for k in members])
        right = fmpz_mat([_row(parts, i)]).transpose()
        solution, inner = solve(differences.transpose(), right)
        scale = int(denominator) * int(inner)
        changes += [
            (k, Fraction(-int(z), scale))
            for k, z in zip(members, solution.entries(), strict=True)
            if z
        ]
    return changes


def _whole_basis(problem: Problem, system: FloatSystem, weights: Floats) -> Frame:
    """Independent constraints with large weights, by pivoted QR if they can be written out."""
    from scipy.linalg import qr

    size = problem.width[0] * problem.width[1]
    if system.count * size * size <= WRITTEN_OUT:
        vectors = system.vectors(np.arange(system.count)) * weights[:, None]
        _, order = qr(vectors.T, mode="r", pivoting=True)
    else:
        order = np.argsort(-weights, kind="stable")
    return independent_constraints(problem, [int(k) for k in order])


def _solve_whole(problem: Problem, basis: Frame, residual: fmpz_mat) -> Weights:
    vectors = [problem.vector(k) for k in basis.chosen]
    matrix = fmpz_mat([[vector[c] for c in basis.columns] for vector in vectors])
    entries = residual.entries()
    right = fmpz_mat([[entries[c] for c in basis.columns]]).transpose()
    solution, denominator = solve(matrix.transpose(), right)
    return [
        (k, Fraction(-int(z), int(denominator)))
        for k, z in zip(basis.chosen, solution.entries(), strict=True)
        if z
    ]


def _row(matrix: fmpz_mat, row: int) -> list[fmpz]:
    return [matrix[row, c] for c in range(matrix.ncols())]


def _difference(problem: Problem, keys: fmpz_mat, k: int) -> list[fmpz]:
    c = problem.constraints[k]
    return [keys[c.t, b] - keys[c.j, b] for b in range(keys.ncols())]
