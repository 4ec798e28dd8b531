"""The search: encodings of the grammar in order of size, each decided exactly, then lifted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import certificates, systems
from verify.synthesis import grammar
from verify.synthesis.lift import Lift, lift
from verify.synthesis.partition import Partition, partition
from verify.theory import heads, tasks
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task

Parameter = tuple[tuple[Fraction, ...], ...]
Progress = Callable[[str, int, int], None]  # the encoding, how many are done, how many there are
SECONDS = 20.0  # for one encoding at all lengths


@dataclass(frozen=True, slots=True)
class Attempt:
    """One encoding of the grammar. outcome: realizes, refuted or undecided.

    rows: for a refuted one, rows (length, row, target) that conflict; reason: why it is undecided.
    """

    spec: str
    size: int
    outcome: str
    rows: tuple[tuple[int, int, int], ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Find:
    """An encoding with a parameter for every length from the training length up to `length`.

    lifted: the theorem that the same parameter realizes the task at every length, if there is one.
    """

    spec: str
    size: int
    parameter: Parameter
    length: int
    lifted: Lift | None


@dataclass(frozen=True, slots=True)
class Side:
    """The search with or without Scale Hint.

    classes: how few relation classes a learned relation could do with, if any (`partition`).
    smallest: the smallest find; proved: the smallest one that holds at all lengths.
    """

    hint: bool
    classes: Partition
    smallest: Find | None
    proved: Find | None
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What the grammar offers for a task, without and with the length as an input."""

    task: str
    train_length: int
    length: int
    visibility: str
    plain: Side
    hinted: Side

    def __repr__(self) -> str:
        parts = []
        for side in (self.plain, self.hinted):
            name = "with Scale Hint" if side.hint else "without"
            best = side.proved or side.smallest
            if best is None:
                parts.append(f"{name}: none")
            else:
                reach = "all lengths" if best.lifted else f"lengths up to {best.length}"
                parts.append(f"{name}: {best.spec} ({reach})")
        return f"Synthesis({self.task}: {'; '.join(parts)})"


def synthesize(
    task: str | Task,
    *,
    train_length: int = 8,
    length: int = 64,
    visibility: str = "causal",
    progress: Progress | None = None,
) -> Synthesis:
    """The smallest encodings of the grammar that carry a task from L0 to every length up to L.

    Every length from `train_length` to `length` is asked, by one parameter. Raises ValueError for
    lengths that are not 2 <= train_length < length, or a task that asks nothing there.
    """
    found = tasks.task(task) if isinstance(task, str) else task
    if not 2 <= train_length < length:
        raise ValueError(
            f"train_length and length must satisfy 2 <= L0 < L, not {train_length} and {length}"
        )
    groups = [(n, tasks.rows(found, n, visibility)) for n in range(train_length, length + 1)]
    if not any(rows for _, rows in groups):
        raise ValueError(f"the task {found.spec} asks nothing at lengths up to {length}")
    sides = [_side(found, groups, hint, visibility, progress) for hint in (False, True)]
    return Synthesis(found.spec, train_length, length, visibility, *sides)


def _side(
    task: Task, groups: Sequence[heads.Group], hint: bool, visibility: str, told: Progress | None
) -> Side:
    attempts: list[Attempt] = []
    smallest = proved = None
    known = grammar.candidates(hint=hint, causal=visibility == "causal")
    for k, e in enumerate(known):
        if told:
            told(e.spec, k, len(known))
        attempt, find = _try(task, e, groups, visibility)
        attempts.append(attempt)
        smallest = smallest or find
        if find and find.lifted:
            proved = find
            break
    classes = partition(groups, hint=hint, visibility=visibility)
    return Side(hint, classes, smallest, proved, tuple(attempts))


def _try(
    task: Task, e: Encoding, groups: Sequence[heads.Group], visibility: str
) -> tuple[Attempt, Find | None]:
    size = grammar.size(e)
    parameter: Parameter = ()
    for part in _stages(e, groups):
        answer = systems.decide(heads.system(e, part, visibility), time_limit=SECONDS)
        if isinstance(answer, systems.Refuted):
            asked = [(n, i, t) for n, rows in part for i, t in rows]
            return Attempt(e.spec, size, "refuted", tuple(asked[k] for k in answer.rows)), None
        if isinstance(answer, systems.Open):
            return Attempt(e.spec, size, "undecided", reason=answer.reason), None
        parameter = answer.parameter
        if part is not groups and (theorem := lift(task, e, visibility)):
            found = Find(e.spec, size, theorem.parameter, groups[-1][0], theorem)
            return Attempt(e.spec, size, "realizes"), found
    found = Find(e.spec, size, parameter, groups[-1][0], lift(task, e, visibility))
    return Attempt(e.spec, size, "realizes"), found


def _stages(e: Encoding, groups: Sequence[heads.Group]) -> Iterator[Sequence[heads.Group]]:
    """First rows that contradict each other outright, then a few lengths, then all of them."""
    if not e.scale_hinted:
        seen: dict[int, tuple[int, int]] = {}
        for n, rows in groups:
            for i, t in rows:
                m, old = seen.setdefault(i, (n, t))
                if old != t:
                    yield [(m, [(i, old)]), (n, [(i, t)])]
    few = [group for group in groups[:3] if group[1]]
    if few:
        yield few
    yield groups


def document(found: Synthesis) -> dict[str, Any]:
    """The JSON of a synthesis."""
    return {
        "task": found.task,
        "train_length": found.train_length,
        "length": found.length,
        "visibility": found.visibility,
        "sides": [_side_document(side) for side in (found.plain, found.hinted)],
    }


def _side_document(side: Side) -> dict[str, Any]:
    return {
        "scale_hint": side.hint,
        "classes": side.classes.classes,
        "cycle": [list(cell) for cell in side.classes.cycle],
        "smallest": _find_document(side.smallest),
        "proved": _find_document(side.proved),
        "attempts": [
            {
                "encoding": a.spec,
                "size": a.size,
                "outcome": a.outcome,
                "conflict": [{"length": n, "row": i, "target": t} for n, i, t in a.rows],
                "reason": a.reason,
            }
            for a in side.attempts
        ],
    }


def _find_document(find: Find | None) -> dict[str, Any] | None:
    if find is None:
        return None
    return {
        "encoding": find.spec,
        "size": find.size,
        "parameter": [[str(w) for w in row] for row in find.parameter],
        "all_lengths": find.lifted is not None,
        "logit": find.lifted.logit if find.lifted else None,
    }


def certificate(found: Synthesis, find: Find) -> certificates.Certificate | None:
    """The certificate of a lifted find: the theorem for all lengths."""
    if find.lifted is None:
        return None
    subject = {
        "question": "all-lengths",
        "encoding": find.spec,
        "task": found.task,
        "visibility": found.visibility,
        "parameter": [[str(w) for w in row] for row in find.parameter],
    }
    return certificates.envelope(find.lifted.claim, find.lifted.proof, subject)
