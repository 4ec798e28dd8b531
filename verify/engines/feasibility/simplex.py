"""Exact simplex that always ends, with a witness or a refutation.

With any basis B of independent constraints, `c = B^T r` for positive `r` and positive goals `g`,
take

    minimize <c, w> subject to <a_k, w> >= g_k,
    and its dual: maximize <g, y> subject to A^T y = c, y >= 0.

The dual starts feasible at `y_B = r`, so any list of constraints that a float solver thought
binding is a warm start. The basic solution is `w = B^-1 g_B`; if all `<a_k, w> > 0` it is a
witness. Otherwise a violated constraint enters; if its coordinates `u` (`B^T u = a_k`) are all <= 0
then `a_k - sum u_b a_b = 0` refutes the system. The lexicographic rule (Dantzig, Orden, Wolfe 1955)
chooses what leaves, so no basis returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from flint import fmpz, fmpz_mat, nmod_mat

from .basis import Basis, make_basis
from .clock import Clock
from .integers import PRIME, Problem, Weights, independent_columns


@dataclass(frozen=True, slots=True)
class Frame:
    """Independent constraints, and columns in which they are an invertible matrix."""

    chosen: list[int]
    columns: tuple[int, ...]


def exact_simplex(
    problem: Problem, hint: Sequence[int], clock: Clock, pivots: int | None = None
) -> fmpz_mat | Weights | None:
    """A parameter (reduced shape) that satisfies all, or positive weights that cancel.

    `hint` lists constraints, those expected in the final basis first. None after `pivots`
    exchanges.
    """
    rows, columns = problem.width
    frame = independent_constraints(problem, hint)
    chosen = list(frame.chosen)
    originals = [_restricted(problem, k, frame) for k in chosen]
    basis = make_basis(originals)
    order = len(chosen)
    price = [1 + 7919 * p % 1009 for p in range(order)]
    cost = fmpz_mat(1, order, price) * fmpz_mat(originals)
    scales = _sizes(problem)
    steps = 0
    while True:
        clock.check()
        goals = fmpz_mat(order, 1, [scales[k] for k in chosen])
        solution, _ = basis.solve(goals)
        parameter: list[int | fmpz] = [0] * (rows * columns)
        for position, x in zip(frame.columns, solution.entries(), strict=True):
            parameter[position] = x
        matrix = fmpz_mat(rows, columns, parameter)
        entering = _most_violated(problem.values(matrix), scales)
        if entering is None:
            return matrix
        if pivots is not None and steps >= pivots:
            return None
        steps += 1
        vector = _restricted(problem, entering, frame)
        both = fmpz_mat([vector, cost.entries()]).transpose()
        pair, denominator = basis.solve_transposed(both)
        table = pair.entries()
        direction, values = table[0::2], table[1::2]
        candidates = [p for p in range(order) if direction[p] > 0]
        if not candidates:
            weights: Weights = [(entering, int(denominator))]
            weights += [(k, -int(u)) for k, u in zip(chosen, direction, strict=True) if u]
            return weights
        leaving = _lexicographic(candidates, direction, values, basis, originals)
        basis = basis.exchange(leaving, vector)
        chosen[leaving] = entering


def independent_constraints(problem: Problem, hint: Sequence[int]) -> Frame:
    """Independent constraints that span all, those of `hint` first."""
    rows, columns = problem.width
    size = rows * columns
    # Each constraint at its first place, those that are not named last.
    order = list(dict.fromkeys((*hint, *range(len(problem.constraints)))))
    rank = {k: place for place, k in enumerate(order)}
    chosen: list[int] = []
    while True:
        # Enough for a full basis in most cases, without writing out thousands of constraints.
        tried = chosen + order[: size + 32]
        matrix = fmpz_mat([problem.vector(k) for k in tried])
        chosen = [tried[p] for p in independent_columns(matrix.transpose())]
        if len(chosen) == size:
            return Frame(chosen, tuple(range(size)))
        matrix = fmpz_mat([problem.vector(k) for k in chosen])
        missing = _outside_span(problem, matrix)
        if not missing:
            return Frame(chosen, independent_columns(matrix))
        order = sorted(missing, key=rank.__getitem__)


def _outside_span(problem: Problem, matrix: fmpz_mat) -> list[int]:
    """Constraints not orthogonal to a pseudo-random vector that is, to all rows (modulo PRIME)."""
    basis, nullity = nmod_mat(matrix, PRIME).nullspace()
    if not nullity:
        return []
    rows, columns = problem.width
    size = rows * columns
    mix = [pow(3, 5 * c + 1, PRIME) if c < nullity else 0 for c in range(basis.ncols())]
    vector = basis * nmod_mat(basis.ncols(), 1, mix, PRIME)
    parameter = fmpz_mat(rows, columns, [int(vector[r, 0]) for r in range(size)])
    values = problem.values(parameter)
    return [k for k, x in enumerate(values) if x % PRIME]


def _restricted(problem: Problem, k: int, frame: Frame) -> list[fmpz]:
    vector = problem.vector(k)
    if len(frame.columns) == len(vector):
        return vector
    return [vector[c] for c in frame.columns]


def _sizes(problem: Problem) -> list[int]:
    """Positive integers near the norm of each constraint: goals of comparable distance."""
    sizes = []
    cache: list[tuple[list[int], list[list[fmpz]]]] = []
    for block in problem.blocks:
        norms = [isqrt(int(sum(x * x for x in v))) + 1 for v in block.queries.tolist()]
        cache.append((norms, block.keys.tolist()))
    for c in problem.constraints:
        norms, keys = cache[c.block]
        square = sum((x - y) ** 2 for x, y in zip(keys[c.t], keys[c.j], strict=True))
        sizes.append(norms[c.q] * (isqrt(int(square)) + 1))
    return sizes


def _most_violated(values: Sequence[fmpz], scales: Sequence[int]) -> int | None:
    """The constraint with value <= 0 farthest from its half-space; None if there is none."""
    worst, entering = None, None
    for k, x in enumerate(values):
        if x <= 0:
            distance = -int(x) // scales[k]
            if worst is None or distance > worst:
                worst, entering = distance, k
    return entering


def _lexicographic(
    candidates: list[int],
    direction: Sequence[fmpz],
    values: Sequence[fmpz],
    basis: Basis,
    originals: Sequence[Sequence[fmpz]],
) -> int:
    """Position of the least ratio values / direction, costs perturbed by B0^T (e, e^2, ...)."""
    candidates = _least(candidates, direction, values)
    for row in originals:
        if len(candidates) == 1:
            break
        column = fmpz_mat([list(row)]).transpose()
        perturbation, _ = basis.solve_transposed(column)
        candidates = _least(candidates, direction, perturbation.entries())
    return candidates[0]


def _least(candidates: list[int], direction: Sequence[fmpz], values: Sequence[fmpz]) -> list[int]:
    best: list[int] = []
    for p in candidates:
        if best:
            b = best[0]
            difference = values[p] * direction[b] - values[b] * direction[p]
            if difference > 0:
                continue
            if difference < 0:
                best = []
        best.append(p)
    return best
