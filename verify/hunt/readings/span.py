"""The span reading: a new row outside the span of the training constraints cannot be right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from math import gcd, lcm

from verify.hunt.conjectures import HOLDS, NOT_APPLICABLE, Conjecture, Verdict, counterexample
from verify.hunt.instances import Instance
from verify.hunt.oracle import Parameter, Rows
from verify.hunt.parts import Part, decided
from verify.hunt.subspaces import canonical


def vanishing(spanning: Sequence[Sequence[int]], vectors: Sequence[Sequence[int]]) -> list[int]:
    """An integer functional that is zero on the spanning vectors and not on all of `vectors`.

    Empty if there is none: the vectors lie in the span.
    """
    basis = canonical(spanning)
    pivots = [next(c for c, x in enumerate(row) if x) for row in basis]
    scale = reduce(lcm, (row[p] for row, p in zip(basis, pivots, strict=True)), 1)
    for free in set(range(len(vectors[0]))) - set(pivots):
        functional = [0] * len(vectors[0])
        functional[free] = scale
        for row, p in zip(basis, pivots, strict=True):
            functional[p] = -row[free] * (scale // row[p])
        if any(sum(f * x for f, x in zip(functional, v, strict=True)) for v in vectors):
            content = reduce(gcd, functional)
            return [f // content for f in functional]
    return []


def predicate(case: Instance) -> Verdict:
    """Not applicable if L0 is not realizable; a counterexample is a hit outside the span."""
    if case.parameter(case.train) is None:
        return NOT_APPLICABLE
    for row in case.new:
        found = case.parameter((*case.train, row))
        if found is not None:
            outside = _outside(case, row)
            if outside is not None:
                return counterexample(partial(_parts, case, row, found, outside))
    return HOLDS


def _outside(case: Instance, row: tuple[int, int]) -> Parameter | None:
    spanning = [v for r in case.train for v in case.integers.constraints(r)]
    functional = vanishing(spanning, case.integers.constraints(row))
    return case.integers.shaped(functional) if functional else None


def _parts(
    case: Instance, row: tuple[int, int], found: Parameter, outside: Parameter
) -> list[Part]:
    new: Rows = (row,)
    opposite = tuple(tuple(-x for x in line) for line in outside)
    return [
        decided(case, found, new, f"this parameter realizes L0 and hits row {row[0]}"),
        decided(
            case, outside, new,
            f"this functional and its negative tie on every training row, so it vanishes on the"
            f" training span; it does not vanish on row {row[0]}, which is outside the span",
            tied=True,
        ),
        decided(case, opposite, new, "the negative of that functional", tied=True),
    ]  # fmt: skip


SPAN = Conjecture(
    "span",
    "no parameter that realizes L0 hits a new row that has a constraint outside the linear span of"
    " the training constraints",
    predicate,
)
