"""Features of positions: values, collisions, decisions, what happens past the end of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import finite_rows
from verify.audit.families import collisions, decisions, values
from verify.audit.families.values import Compared, Source
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, Refused
from verify.audit.specifications import Rows, Waves
from verify.audit.values import Values

PROPERTIES = ("error", "shape", "nonfinite", "value", "collision", "tie", "flip", "clamped")


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `features(positions)`."""
    source = values.features(question)
    capacity = getattr(question.specification, "capacity", None)
    inside = question.sampled if capacity is None else question.sampled[question.sampled < capacity]
    yield from at(source, inside)
    if capacity is not None and capacity < question.length:
        yield from _beyond(source, capacity)


def at(source: Source, positions: npt.NDArray[np.int64]) -> Iterator[Finding | Note]:
    """The checks of features at positions where the specification, if any, defines them."""
    found = source.answer(positions)
    specification = source.question.specification
    yield from values.nonfinite(source.kind, positions, found)
    compared: Compared | None = None
    if isinstance(specification, Waves | Rows):
        compared, notes = values.choose(source, specification, positions, found)
        yield from notes
        yield from values.value(source, compared)
    yield from _decisions(source, positions, found, compared)


def _decisions(
    source: Source, positions: npt.NDArray[np.int64], found: Values, compared: Compared | None
) -> Iterator[Finding | Note]:
    yield from collisions.collisions(source, "position", positions, found, compared)
    observed = compared.observed if compared is not None else found.floats()
    finite = observed[finite_rows(observed)]
    scale = float((finite**2).sum(axis=1).max(initial=1.0))
    tied = decisions.itself(positions, observed, compared, source.question.declared is None)
    yield from decisions.report(source, "attend to yourself", "row", tied, compared, scale)
    if compared is None:
        return
    if isinstance(compared.specification, Waves):
        yield from collisions.channels(source.kind, positions, found)
        # A tie between two offsets with identical features is the collision already reported.
        missed = [row for row in decisions.look_back(compared) if not row.tied]
        yield from decisions.report(source, "look back", "offset", missed, compared, scale)


def _beyond(source: Source, capacity: int) -> Iterator[Finding | Note]:
    """Positions that the specification does not define: raising is right, sharing a row is not."""
    sampled = source.question.sampled
    beyond = sampled[sampled >= capacity]
    try:
        answer = source.answer(np.concatenate([[capacity - 1], beyond]))
    except Refused as refused:
        if refused.finding.details.get("status") != "error":
            raise
        text = f"positions from {capacity} on raise, as they should: {refused.finding.observed}"
        yield Note("convention", source.kind, "out of range raises", text)
        return
    same = (answer.array[1:] == answer.array[0]).all(axis=1)
    if same.any():
        first = int(beyond[np.flatnonzero(same)[0]])
        yield Finding(
            "clamped", source.kind,
            f"position {first} is past the end of a table of {capacity} and silently gets the "
            f"features of position {capacity - 1}; {int(same.sum())} positions do",
            position=first, count=int(same.sum()), exact="an error",
            observed=f"the features of position {capacity - 1}",
            reproduce=source.reproduce(np.array([capacity - 1, first])),
        )  # fmt: skip
    yield from _decisions(source, sampled, source.answer(sampled), None)
