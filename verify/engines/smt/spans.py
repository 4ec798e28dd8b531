"""z3 chooses features and parameter together: spans of base functions with which rows can be hit.

An encoding is phi = B base with an integer matrix B in reduced row echelon form, entries at most
`height`; a parameter is W (d x d), or w (d). Each entry of B is one of 2 height + 1 values, so that
its products with reals are linear under a choice of values, and the whole is linear real arithmetic
over Booleans. With M = B^T W B the logits are base(i)^T M base(j).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import Any, Final

Matrix = tuple[tuple[int, ...], ...]
Table = Sequence[Sequence[Fraction]]
RLIMIT: Final = 20_000_000  # z3's own unit, so that answers do not depend on the machine


class GaveUp(Exception):
    """z3 has no answer within its limit; what it said."""


def spans(
    table: Table, relative: bool, rows: Sequence[tuple[int, int]], dimension: int, height: int,
    rlimit: int = RLIMIT,
) -> Iterator[Matrix]:  # fmt: skip
    """Every B for which z3 finds a parameter that hits all rows (i, t), each span once.

    table: base functions at the positions (or offsets) 0..n-1. Ends when z3 says that there is no
    other; raises GaveUp when it says neither.
    """
    import z3

    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 0)
    width = len(table[0])
    entries = [
        [[z3.Bool(f"b{a}_{c}_{v}") for v in range(2 * height + 1)] for c in range(width)]
        for a in range(dimension)
    ]
    values = range(-height, height + 1)

    def chosen(a: int, c: int, v: int) -> Any:
        return entries[a][c][v + height]

    def scaled(a: int, c: int, x: Any, name: str) -> Any:
        """b_ac times x."""
        found = z3.Real(name)
        solver.add([z3.Implies(chosen(a, c, v), found == v * x) for v in values])
        return found

    for a, c in product(range(dimension), range(width)):
        solver.add(z3.PbEq([(b, 1) for b in entries[a][c]], 1))
    _echelon(solver, chosen, dimension, width, height)
    if relative:
        w = [z3.Real(f"w{a}") for a in range(dimension)]
        u = [
            z3.Sum([scaled(a, c, w[a], f"u{a}_{c}") for a in range(dimension)])
            for c in range(width)
        ]
        for i, t in rows:
            for j in range(i + 1):
                if j != t:
                    gap = [x - y for x, y in zip(table[i - t], table[i - j], strict=True)]
                    solver.add(_positive(gap, u))
    else:
        m = _bilinear(scaled, dimension, width)
        for i, t in rows:
            for j in range(i + 1):
                if j != t:
                    gap = [x - y for x, y in zip(table[t], table[j], strict=True)]
                    solver.add(_positive([q * g for q in table[i] for g in gap], m))
    while True:
        answer = solver.check()
        if answer == z3.unsat:
            return
        if answer != z3.sat:
            raise GaveUp(solver.reason_unknown())
        model = solver.model()
        matrix = tuple(
            tuple(next(v for v in values if z3.is_true(model[chosen(a, c, v)]))
                  for c in range(width))
            for a in range(dimension)
        )  # fmt: skip
        yield tuple(tuple(x // gcd(*row) for x in row) for row in matrix)
        for same in product(*(_multiples(row, height) for row in matrix)):
            solver.add(z3.Not(z3.And([
                chosen(a, c, x) for a, row in enumerate(same) for c, x in enumerate(row)
            ])))  # fmt: skip


def _bilinear(scaled: Any, dimension: int, width: int) -> list[Any]:
    """The entries of M = B^T W B, row by row."""
    import z3

    axes = range(dimension)
    w = [[z3.Real(f"w{a}_{b}") for b in axes] for a in axes]
    right = [
        [z3.Sum([scaled(b, e, w[a][b], f"t{a}_{b}_{e}") for b in axes]) for e in range(width)]
        for a in axes
    ]
    return [
        z3.Sum([scaled(a, c, right[a][e], f"s{a}_{c}_{e}") for a in axes])
        for c in range(width) for e in range(width)
    ]  # fmt: skip


def _echelon(solver: Any, chosen: Any, dimension: int, width: int, height: int) -> None:
    """B is in reduced row echelon form with positive pivots."""
    import z3

    pivots = [[z3.Bool(f"p{a}_{c}") for c in range(width)] for a in range(dimension)]
    for a in range(dimension):
        solver.add(z3.PbEq([(p, 1) for p in pivots[a]], 1))
        for c in range(width):
            below = [chosen(a, e, 0) for e in range(c)]
            others = [chosen(b, c, 0) for b in range(dimension) if b != a]
            positive = z3.Or([chosen(a, c, v) for v in range(1, height + 1)])
            solver.add(z3.Implies(pivots[a][c], z3.And([positive, *below, *others])))
            if a:
                later = z3.Or(pivots[a - 1][:c]) if c else z3.BoolVal(False)
                solver.add(z3.Implies(pivots[a][c], later))


def _positive(coefficients: Sequence[Fraction], unknowns: Sequence[Any]) -> Any:
    """<coefficients, unknowns> > 0, in coprime integers."""
    import z3

    scale = lcm(*(x.denominator for x in coefficients))
    whole = [int(x * scale) for x in coefficients]
    common = gcd(*whole) or 1
    terms = [x // common * u for x, u in zip(whole, unknowns, strict=True) if x]
    return z3.Sum(terms) > 0 if terms else z3.BoolVal(False)


def _multiples(row: Sequence[int], height: int) -> list[tuple[int, ...]]:
    """All integer rows with this direction and sign, entries at most `height`."""
    common = gcd(*row)
    small = [x // common for x in row]
    return [tuple(k * x for x in small) for k in range(1, height // max(map(abs, small)) + 1)]
