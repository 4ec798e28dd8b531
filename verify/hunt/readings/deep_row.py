"""Theorem 2 transplanted to any deterministic encoding, in a finite form. Ours.

Theorem 2: where a relative kernel has the strict unique maximizer delta, a deep row is hit exactly
when it demands delta. Here the task demands one offset delta in every training row (two at least),
and a parameter realizes them, so that each training row has its strict unique argmax at offset
delta. The two directions are then asked of the new rows.
"""

from __future__ import annotations

from functools import partial

from verify.hunt.conjectures import HOLDS, NOT_APPLICABLE, Conjecture, Verdict, counterexample
from verify.hunt.instances import Instance
from verify.hunt.oracle import Parameter
from verify.hunt.parts import Part, decided


def offset(case: Instance) -> int | None:
    """The one offset that all training rows demand, if they are two at least and realizable."""
    offsets = {i - t for i, t in case.train}
    if len(case.train) < 2 or len(offsets) > 1 or case.parameter(case.train) is None:
        return None
    return offsets.pop()


def _parts(case: Instance, found: Parameter, row: tuple[int, int], words: str) -> list[Part]:
    delta = case.train[0][0] - case.train[0][1]
    return [decided(case, found, (row,), f"offset {delta} wins every training row, yet {words}")]


def only_if(case: Instance) -> Verdict:
    """A counterexample: a parameter realizes L0 and hits a new row that demands another offset."""
    delta = offset(case)
    others = [(i, t) for i, t in case.new if i - t != delta]
    if delta is None or not others:
        return NOT_APPLICABLE
    for row in others:
        found = case.parameter((*case.train, row))
        if found is not None:
            words = f"row {row[0]} demands offset {row[0] - row[1]} and is hit"
            return counterexample(partial(_parts, case, found, row, words), len(case.train))
    return HOLDS


def if_demanded(case: Instance) -> Verdict:
    """A counterexample: a parameter realizes L0 and loses a new row that demands the offset."""
    delta = offset(case)
    same = [(i, t) for i, t in case.new if i - t == delta]
    if delta is None or not same:
        return NOT_APPLICABLE
    for row in same:
        lost = case.losing(row)
        if lost is not None:
            words = f"row {row[0]} demands it and is lost"
            return counterexample(partial(_parts, case, lost, row, words), len(case.train))
    return HOLDS


ONLY_IF = Conjecture(
    "deep-row",
    "if offset delta wins every training row, no parameter that realizes L0 hits a new row that"
    " demands another offset",
    only_if,
)
IF = Conjecture(
    "deep-row-if",
    "if offset delta wins every training row, every parameter that realizes L0 hits the new rows"
    " that demand delta",
    if_demanded,
)
