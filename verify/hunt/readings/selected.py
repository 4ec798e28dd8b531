"""The selected reading: what the max-margin parameter of L0 does on rows of a growing task.

A finite horizon cannot refute it: whether the selected parameter is right at every length needs a
certificate for all lengths. So an instance whose new rows are all hit is left undecided, ranked by
the number of new rows. Max-margin depends on the features as they are written (a change of basis
changes the norm), so each span is read in its canonical basis only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import lcm

from verify.hunt.conjectures import NOT_APPLICABLE, Conjecture, Verdict, undecided
from verify.hunt.instances import Instance
from verify.hunt.oracle import Oracle, Parameter, Rows
from verify.hunt.readings.dichotomy import spread


def max_margin(oracle: Oracle, rows: Rows) -> Parameter | None:
    """A positive multiple of the least-norm parameter with every margin of `rows` at least 1.

    Exact: the float solution (non-negative least squares; Lawson and Hanson 1974, chapter 23) names
    the active constraints, the rational solution on them is accepted if the Karush-Kuhn-Tucker
    conditions hold exactly. None if they do not.
    """
    import numpy as np
    import scipy.optimize

    vectors = [v for row in rows for v in oracle.constraints(row)]
    scaled = np.array(vectors, dtype=float)
    norms = np.sqrt((scaled**2).sum(axis=1))
    # <a, w> >= 1 with a = |a| u: the multiplier of the unit vector u is that of a times |a|
    system = np.vstack([scaled.T, np.ones(len(vectors))]) / norms
    wanted = np.zeros(len(system))
    wanted[-1] = 1.0
    try:
        weights, _ = scipy.optimize.nnls(system, wanted)
    except RuntimeError:  # it did not settle
        return None
    active = [vectors[k] for k in np.flatnonzero(weights > 1e-12 * weights.max(initial=0))]
    multipliers = _solve([[_dot(a, b) for b in active] for a in active], [1] * len(active))
    if multipliers is None or any(m < 0 for m in multipliers):
        return None
    solution = [
        sum(m * a[c] for m, a in zip(multipliers, active, strict=True))
        for c in range(len(vectors[0]))
    ]
    if any(_dot(v, solution) < 1 for v in vectors):
        return None
    scale = reduce(lcm, (Fraction(x).denominator for x in solution), 1)
    return oracle.shaped(int(x * scale) for x in solution)


def _dot(a: Sequence[int | Fraction], b: Sequence[int | Fraction]) -> int | Fraction:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _solve(
    matrix: Sequence[Sequence[int | Fraction]], right: Sequence[int]
) -> list[Fraction] | None:
    """The solution of a square rational system; None if it is singular or empty."""
    table = [[Fraction(x) for x in (*row, b)] for row, b in zip(matrix, right, strict=True)]
    for k in range(len(table)):
        pivot = next((r for r in range(k, len(table)) if table[r][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        lead = table[k][k]
        table[k] = [x / lead for x in table[k]]
        for r, row in enumerate(table):
            if r != k and row[k]:
                factor = row[k]
                table[r] = [x - factor * y for x, y in zip(row, table[k], strict=True)]
    return [row[-1] for row in table] or None


def predicate(case: Instance) -> Verdict:
    """Holds if the max-margin parameter of L0 fails on some new row; else undecided, ranked."""
    if spread(case) < 2 or case.parameter(case.train) is None:
        return NOT_APPLICABLE
    chosen = max_margin(case.integers, case.train)
    if chosen is None:
        return undecided("the active constraints of the float max-margin solution are not exact")
    best = case.integers.argmax(chosen)
    right = next((k for k, (i, t) in enumerate(case.new) if best[i] != t), len(case.new))
    if right < len(case.new):
        return Verdict("holds", right)
    return undecided(
        f"the max-margin parameter hits all {right} new rows; a counterexample needs a certificate"
        " for all lengths",
        right,
    )


SELECTED = Conjecture(
    "selected",
    "the max-margin parameter of L0 misses some new row of a task whose new rows demand neither one"
    " offset nor one position (ranks only: no finite horizon refutes it)",
    predicate,
    "all rows",
)
