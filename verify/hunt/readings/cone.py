"""The cone reading: a new row is forced exactly when its constraints lie in the training cone."""

from __future__ import annotations

from functools import partial

from verify.hunt.conjectures import (
    HOLDS,
    NOT_APPLICABLE,
    Conjecture,
    Verdict,
    counterexample,
    undecided,
)
from verify.hunt.instances import Instance
from verify.hunt.oracle import Parameter
from verify.hunt.parts import Part, certificate, decided, forced


def predicate(case: Instance) -> Verdict:
    """Each new row has either a kernel-checked cone certificate or a parameter that loses it."""
    if case.parameter(case.train) is None:
        return NOT_APPLICABLE
    score = 0
    for row in case.new:
        lost = case.losing(row)
        if lost is not None:
            continue
        score += 1
        cone = forced(case, row)
        try:
            certificate(cone)
        except ValueError as problem:
            return undecided(str(problem))
        again = case.losing(row)
        if again is not None:
            return counterexample(partial(_parts, case, cone, again, row), score)
    return Verdict("holds", score) if score else HOLDS


def _parts(case: Instance, cone: Part, lost: Parameter, row: tuple[int, int]) -> list[Part]:
    return [cone, decided(case, lost, (row,), "yet this parameter realizes L0 and loses the row")]


CONE = Conjecture(
    "cone",
    "every parameter that realizes L0 hits a new row exactly when each of its constraints is a"
    " non-negative, non-zero combination of training constraints",
    predicate,
)
