"""Combinations of polynomials that are identically impossible: a float LP, then exact numbers.

Non-negative multiples of products that are known to be >= 0, plus any multiples of equations, shall
add up to a negative constant, or to zero with a strict product among them. In each monomial that is
one linear equation in the multipliers. HiGHS finds a vertex with few columns; the multipliers on
these columns are then solved for exactly (python-flint). If that fails, z3 solves the LP exactly.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.kernel import Expression, Monomial

RLIMIT = 2_000_000  # z3's own unit of work; about a second


@dataclass(frozen=True, slots=True)
class Column:
    """A polynomial that may get a multiplier: >= 0 if `product`, of any sign if an equation.

    strict: a product of strict facts only, so that it is positive; cost: what is minimized.
    """

    p: Expression
    product: bool
    strict: bool
    cost: float


def impossible(columns: Sequence[Column]) -> dict[int, Fraction] | None:
    """Multipliers by column index whose combination cannot be, or None if none was found."""
    slack = Column(Expression((((), Fraction(1)),)), True, True, 0.1)  # the negative constant
    alive = _presolve([*columns, slack])
    pool = [*columns, slack]
    if not any(pool[k].strict for k in alive):
        return None
    rows: dict[Monomial, int] = {}
    entries = [[(rows.setdefault(m, len(rows)), c) for m, c in pool[k].p.terms] for k in alive]
    guess = _float(pool, alive, entries, len(rows))
    if guess is None:
        return None
    support = [k for k, value in enumerate(guess) if abs(value) > 1e-9]
    exact = _exact(pool, alive, entries, support, len(rows))
    if exact is None:
        exact = _z3(pool, alive, entries, len(rows))
    if exact is None:
        return None
    exact.pop(len(columns), None)
    scale = math.lcm(*(c.denominator for c in exact.values()))
    scale = Fraction(scale, math.gcd(*(int(c * scale) for c in exact.values())))  # type: ignore[assignment]
    return {k: c * scale for k, c in sorted(exact.items())}


def solve(columns: Sequence[Expression], wanted: Expression) -> dict[int, Fraction] | None:
    """Multipliers of any sign with which the columns add up to `wanted`, or None if there are none.

    Free choices are zero; columns that come first are preferred.
    """
    rows: dict[Monomial, int] = {}
    entries = [[(rows.setdefault(m, len(rows)), c) for m, c in p.terms] for p in columns]
    right = [(rows.setdefault(m, len(rows)), c) for m, c in wanted.terms]
    return _linear(entries, right, len(rows))


def _presolve(pool: Sequence[Column]) -> list[int]:
    """Drop products with a monomial that nothing can cancel, until there are none."""
    alive = set(range(len(pool)))
    signs: dict[Monomial, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for k, column in enumerate(pool):
        for monomial, c in column.p.terms:
            if c > 0 or not column.product:
                signs[monomial][0].add(k)
            if c < 0 or not column.product:
                signs[monomial][1].add(k)
    todo = list(signs)
    while todo:
        monomial = todo.pop()
        up, down = signs[monomial]
        # An equation that is alone in a monomial is useless too.
        dead = up | down if not up or not down or len(up | down) == 1 else set()
        for k in dead & alive:
            alive.discard(k)
            for other, _ in pool[k].p.terms:
                signs[other][0].discard(k)
                signs[other][1].discard(k)
                todo.append(other)
    return sorted(alive)


def _float(
    pool: Sequence[Column],
    alive: Sequence[int],
    entries: Sequence[Sequence[tuple[int, Fraction]]],
    rows: int,
) -> list[float] | None:
    """A cheap vertex in floats: one value for each alive column."""
    import highspy

    lower, upper, cost, starts, index, value = [], [], [], [0], [], []
    owners = []
    for place, (k, column) in enumerate(zip(alive, entries, strict=True)):
        for sign in (1,) if pool[k].product else (1, -1):
            owners.append((place, sign))
            lower.append(0.0)
            upper.append(highspy.kHighsInf)
            cost.append(pool[k].cost)
            size = max(abs(c) for _, c in column)
            index += [row for row, _ in column]
            value += [float(sign * c / size) for _, c in column]
            if pool[k].product and pool[k].strict:
                index.append(rows)
                value.append(1.0)
            starts.append(len(index))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(owners), rows + 1
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, upper
    lp.row_lower_ = [0.0] * rows + [1.0]
    lp.row_upper_ = [0.0] * rows + [highspy.kHighsInf]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = starts, index, value
    solver = highspy._core._Highs()  # its Python wrapper prints a banner
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", 10.0)
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = [0.0] * len(alive)
    for (place, sign), x in zip(owners, solver.getSolution().col_value, strict=True):
        found[place] += sign * x
    return found


def _exact(
    pool: Sequence[Column],
    alive: Sequence[int],
    entries: Sequence[Sequence[tuple[int, Fraction]]],
    support: Sequence[int],
    rows: int,
) -> dict[int, Fraction] | None:
    """Exact multipliers on the columns of a float vertex; None if they are not a solution."""
    columns = []
    for place in support:
        column = pool[alive[place]]
        norm = [(rows, Fraction(1))] if column.product and column.strict else []
        columns.append([*entries[place], *norm])
    solution = _linear(columns, [(rows, Fraction(1))], rows + 1)
    if solution is None:
        return None
    found = {alive[support[k]]: x for k, x in solution.items()}
    return None if any(x < 0 and pool[k].product for k, x in found.items()) else found


def _linear(
    columns: Sequence[Sequence[tuple[int, Fraction]]],
    right: Sequence[tuple[int, Fraction]],
    rows: int,
) -> dict[int, Fraction] | None:
    """An exact solution with zeros at the free columns, without its zeros."""
    import flint

    matrix = flint.fmpq_mat(rows, len(columns) + 1)
    for k, column in enumerate([*columns, right]):
        for row, c in column:
            matrix[row, k] = flint.fmpq(c.numerator, c.denominator)
    reduced, rank = matrix.rref()
    solution = {}
    for row in range(rank):
        pivot = next(k for k in range(len(columns) + 1) if reduced[row, k] != 0)
        if pivot == len(columns):
            return None
        if (x := reduced[row, len(columns)]) != 0:
            solution[pivot] = Fraction(int(x.p), int(x.q))
    return solution


def _z3(
    pool: Sequence[Column],
    alive: Sequence[int],
    entries: Sequence[Sequence[tuple[int, Fraction]]],
    rows: int,
) -> dict[int, Fraction] | None:
    """The same LP by z3's exact simplex, with a limit on its work."""
    import z3

    unknowns = [z3.Real(f"x{place}") for place in range(len(alive))]
    sums: list[list[z3.ArithRef]] = [[] for _ in range(rows)]
    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", RLIMIT)
    for k, x, column in zip(alive, unknowns, entries, strict=True):
        for row, c in column:
            sums[row].append(z3.Q(c.numerator, c.denominator) * x)
        if pool[k].product:
            solver.add(x >= 0)
    solver.add(*(z3.Sum(terms) == 0 for terms in sums))
    solver.add(z3.Sum([x for k, x in zip(alive, unknowns, strict=True) if pool[k].strict]) >= 1)
    if solver.check() != z3.sat:
        return None
    model, found = solver.model(), {}
    for k, x in zip(alive, unknowns, strict=True):
        number = model.eval(x, model_completion=True)
        if value := Fraction(number.numerator_as_long(), number.denominator_as_long()):
            found[k] = value
    return found
