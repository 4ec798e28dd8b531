"""Consequences of a strict system, and which of its rows conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic

from .decision import decide
from .system import Combination, Multiplier, Refutation, Row, StrictSystem, Undecided, Witness


def implied(
    system: StrictSystem,
    row: Row,
    key: int,
    *,
    start: Witness | None = None,
    time_limit: float | None = None,
) -> Combination | Witness | Refutation | Undecided:
    """Whether every parameter that satisfies `system` lets the target of `row` beat `key`.

    By Farkas' lemma that is so iff the constraint is a combination of those of the system with
    non-negative, not all zero multipliers: a Combination. Otherwise a Witness satisfies the system
    and not the constraint (`start`, a witness of the system, is tried first). A Refutation: the
    system itself has no solution. `row` may be new, of any grid of the system.
    """
    negated = Row(row.grid, row.query, key, (row.target,))
    joint = replace(system, rows=(*system.rows, negated))
    answer = decide(joint, start=start, time_limit=time_limit)
    if isinstance(answer, Witness | Undecided):
        return answer
    last = len(system.rows)
    against = [y for r, _, y in answer.multipliers if r == last]
    rest = [m for m in answer.multipliers if m[0] != last]
    if not rest:
        # The constraint vector is zero: a tie under every parameter.
        return decide(system, time_limit=time_limit)
    if not against:
        return answer
    scaled: list[Multiplier] = [(r, k, Fraction(y) / against[0]) for r, k, y in rest]
    return Combination(tuple(scaled), answer.method)


@dataclass(frozen=True, slots=True)
class Core:
    """Rows (indices into the system) that have no common solution, and their refutation.

    `irreducible`: every proper subset of them has one (false when the time limit came first).
    """

    rows: tuple[int, ...]
    refutation: Refutation
    irreducible: bool


def irreducible(
    system: StrictSystem, refutation: Refutation, *, time_limit: float | None = None
) -> Core:
    """An irreducible core of conflicting rows, by deletion (halves first, single rows last)."""
    end = None if time_limit is None else monotonic() + time_limit
    rows, known = _rows_of(refutation), refutation
    size, position = max(len(rows) // 2, 1), 0
    while len(rows) > 1:
        if position >= len(rows):
            if size == 1:
                break
            size, position = size // 2, 0
            continue
        kept = rows[:position] + rows[position + size :]
        left = None if end is None else max(0.0, end - monotonic())
        answer = _decide_rows(system, kept, left) if kept else None
        if isinstance(answer, Undecided):
            return Core(tuple(rows), known, False)
        if isinstance(answer, Refutation):
            # In the pass over single rows those before `position` are needed, so they are still
            # there.
            rows, known = _rows_of(answer), answer
        else:
            position += size
    return Core(tuple(rows), known, True)


def _rows_of(refutation: Refutation) -> list[int]:
    return sorted({r for r, _, _ in refutation.multipliers})


def _decide_rows(
    system: StrictSystem, kept: Sequence[int], time_limit: float | None
) -> Witness | Refutation | Undecided:
    """Decide the system of some rows, naming them as in the whole system."""
    answer = decide(
        replace(system, rows=tuple(system.rows[r] for r in kept)), time_limit=time_limit
    )
    if isinstance(answer, Refutation):
        multipliers = tuple((kept[r], key, y) for r, key, y in answer.multipliers)
        return Refutation(multipliers, answer.method)
    return answer
