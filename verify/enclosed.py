"""Refutations of systems with irrational vectors: multipliers that are exact only near the given.

At a minimum of log sum exp(-margins) the softmax weights of the constraints are positive and
combine them to zero (Gordan). A basis of constraints takes up what is lost by rounding them: the
kernel's rule `farkas-enclosed` encloses the exact multipliers, and FORMAT.md says why it is sound.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from verify import descent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Triple = tuple[int, int, int]
Label = tuple[int, int]  # row and key
GRAIN = 60  # bits of the multipliers
FEW = 4  # constraints for each number of the parameter
LARGEST = 400  # order of a basis whose inverse is worth writing down


def total(
    exact: Sequence[Sequence[Fraction]], linear: bool, terms: Sequence[tuple[Triple, Fraction]]
) -> list[Fraction]:
    """The sum of multiplied constraints; gathered by query first."""
    width = len(exact[0])
    gathered: dict[int, list[Fraction]] = {}
    for (query, target, key), y in terms:
        line = gathered.setdefault(-1 if linear else query, [Fraction(0)] * width)
        for c in range(width):
            line[c] += y * (exact[target][c] - exact[key][c])
    if linear:
        return gathered.get(-1, [Fraction(0)] * width)
    total = [Fraction(0)] * (width * width)
    for query, line in gathered.items():
        for a, x in enumerate(exact[query]):
            for b, z in enumerate(line):
                total[a * width + b] += x * z
    return total


def combination(
    floats: Floats,
    exact: Sequence[Sequence[Fraction]],
    linear: bool,
    triples: Sequence[Triple],
    goal: Triple | None = None,
) -> dict[str, Any] | None:
    """Parts `bits`, `fixed`, `basis`, `inverse` of a certificate, rows and keys given by triples.

    floats, exact: the vectors in float64, and rounded to many bits. goal: the constraint that the
    combination shall be (default: zero). Multipliers come as [index into triples, y]. None if the
    constraints do not span the parameters or no positive combination was found. Not checked here.
    """
    live = _live(exact, triples if goal is None else [*triples, goal])
    size = len(live) if linear else floats.shape[1] * len(live)
    if not size or size > LARGEST or len(triples) < size:
        return None
    found = weights(floats, linear, triples, goal)
    if found is None:
        return None
    if len(triples) > 2 * FEW * size:  # those of large weight are likely to do by themselves
        chosen = sorted(np.argsort(-found, kind="stable")[: FEW * size].tolist())
        fewer = combination(floats, exact, linear, [triples[k] for k in chosen], goal)
        if fewer is not None:
            for part in ("fixed", "basis"):
                fewer[part] = [(chosen[k], y) for k, y in fewer[part]]
            return fewer
    vectors = _vectors(floats, linear, triples, live)
    basis = _independent(vectors * found[:, None], size)
    if basis is None:
        return None
    return _corrected(exact, linear, triples, goal, found, basis, live)


def _live(exact: Sequence[Sequence[Fraction]], triples: Sequence[Triple]) -> list[int]:
    """Columns in which the keys differ: the others add nothing to any constraint."""
    keys = [exact[k] for _, target, key in triples for k in (target, key)]
    return [c for c in range(len(exact[0])) if any(v[c] != keys[0][c] for v in keys)]


def weights(
    floats: Floats, linear: bool, triples: Sequence[Triple], goal: Triple | None
) -> Floats | None:
    """Positive weights with which the constraints nearly combine to the goal (or to zero)."""
    every = list(triples) if goal is None else [*triples, (goal[0], goal[2], goal[1])]
    coordinates = descent.frame(floats, linear, 1e-13)
    if coordinates.table.shape[1] < floats.shape[1]:
        return None
    chosen = np.array(every, dtype=np.intp)
    balance = descent.balance(coordinates, chosen)
    if balance is None:
        return None
    if goal is None:
        return balance
    return np.asarray(balance[:-1] / balance[-1])


def _vectors(table: Any, linear: bool, triples: Sequence[Triple], live: list[int]) -> Any:
    query, target, key = np.array(triples, dtype=np.intp).T
    gaps = (table[target] - table[key])[:, live]
    if linear:
        return gaps
    return (table[query][:, :, None] * gaps[:, None, :]).reshape(len(triples), -1)


def _independent(vectors: Floats, size: int) -> list[int] | None:
    """Constraints that span, those of large weight first, by QR with column pivoting."""
    import scipy.linalg

    scale = np.maximum(np.abs(vectors).max(axis=0), 1e-300)
    triangle, pivots = scipy.linalg.qr((vectors / scale).T, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle))
    if len(diagonal) < size or diagonal[size - 1] <= 1e-13 * diagonal[0]:
        return None
    return sorted(int(k) for k in pivots[:size])


def _corrected(
    exact: Sequence[Sequence[Fraction]],
    linear: bool,
    triples: Sequence[Triple],
    goal: Triple | None,
    found: Floats,
    basis: list[int],
    live: list[int],
) -> dict[str, Any] | None:
    """Fixed multipliers as they are, those of the basis solved for in high precision."""
    from flint import arb_mat, ctx

    unit = 1 << GRAIN
    inside = set(basis)
    top = float(found.max())
    fixed = {
        k: Fraction(round(float(y) / top * unit), unit)
        for k, y in enumerate(found.tolist())
        if k not in inside and round(float(y) / top * unit) > 0
    }
    scale = Fraction(1) if goal is None else Fraction(top)
    width = len(exact[0])

    def combined(terms: list[tuple[Triple, Fraction]]) -> list[Fraction]:
        whole = total(exact, linear, terms)
        return [whole[start + c] for start in range(0, len(whole), width) for c in live]

    residual = combined([(triples[k], y * scale) for k, y in fixed.items()])
    if goal is not None:
        away = combined([(goal, Fraction(1))])
        residual = [a - b for a, b in zip(residual, away, strict=True)]
    columns = [combined([(triples[k], Fraction(1))]) for k in basis]
    before = ctx.prec
    ctx.prec = 320
    try:
        matrix = arb_mat([[_ball(column[r]) for column in columns] for r in range(len(residual))])
        right = arb_mat([[_ball(-x)] for x in residual])
        try:
            solution, inverse = matrix.solve(right), matrix.inv()
        except ZeroDivisionError:
            return None
        near = [_middle(solution[r, 0], 160) for r in range(len(basis))]
        rows = range(len(basis))
        spelled = [[str(_middle(inverse[r, c], 100)) for c in rows] for r in rows]
    finally:
        ctx.prec = before
    if min(near) <= 0:
        return None
    return {
        "fixed": [(k, y * scale) for k, y in sorted(fixed.items())],
        "basis": list(zip(basis, near, strict=True)),
        "inverse": spelled,
    }


def _ball(x: Fraction) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(x.numerator, x.denominator))


def _middle(ball: Any, bits: int) -> Fraction:
    """The ball's midpoint to this many significant bits."""
    mantissa, exponent = (int(x) for x in ball.mid().man_exp())
    extra = max(mantissa.bit_length() - bits, 0)
    return Fraction(mantissa >> extra) * Fraction(2) ** (exponent + extra)
