"""Features of positions: values, collisions, decisions, what happens past the end of a table."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from verify.audit import stages
from verify.audit.dtypes import finite_rows
from verify.audit.families import collisions, decisions, values
from verify.audit.families.values import Compared, Source
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, Refused, refusal
from verify.audit.specifications import Waves, of_features
from verify.audit.values import Values

_TRACED: Final = ("value", "collision", "tie", "flip")
_REPLAYED: Final = 512
PROPERTIES = ("error", "shape", "nonfinite", "value", "collision", "tie", "flip", "clamped")


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `features(positions)`."""
    source = values.features(question)
    exposed = yield from _exposed(question)
    for answer in _examine(question, source):
        if isinstance(answer, Finding) and exposed is not None and answer.kind in _TRACED:
            yield replace(answer, stage=exposed)
        else:
            yield answer


def _exposed(question: Question) -> Generator[Note, None, str | None]:
    """The first stage that loses bits, where the subject shows its stages."""
    if "stages" not in question.session.offered or not isinstance(question.specification, Waves):
        return None
    few = question.sampled[np.linspace(0, len(question.sampled) - 1, _REPLAYED).astype(int)]
    few = np.unique(few)
    reply = question.session.call("stages", few, dtype=question.dtype, length=question.length)
    if reply.status != "value":
        raise Refused(refusal(question, "stages", reply, (few,)))
    shown = dict(zip(reply.names, reply.values, strict=True))
    stage, told = stages.replay(question.specification, question.length, few, shown)
    for words in told:
        yield Note("stage", "features", "exposed", words)
    return stage


def _examine(question: Question, source: Source) -> Iterator[Finding | Note]:
    capacity = getattr(question.specification, "capacity", None)
    inside = question.sampled if capacity is None else question.sampled[question.sampled < capacity]
    yield from at(source, inside)
    if capacity is not None and capacity < question.length:
        yield from _beyond(source, capacity)


def at(source: Source, positions: npt.NDArray[np.int64]) -> Iterator[Finding | Note]:
    """The checks of features at positions where the specification, if any, defines them."""
    found = source.answer(positions)
    specification = of_features(source.question.specification)
    yield from values.nonfinite(source.kind, positions, found)
    if not finite_rows(found.floats()).any():
        return
    compared: Compared | None = None
    if specification is not None:
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
