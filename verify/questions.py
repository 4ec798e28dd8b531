"""The questions about an encoding and a task: which rows one parameter is asked to hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verify.theory import encodings as theory
from verify.theory import heads, tasks
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task
from verify.theory.visibility import VISIBILITIES

Asked = tuple[int, int, int]  # the length at which it is asked, the row, its target


@dataclass(frozen=True, slots=True)
class Question:
    """Encoding, task, length, and the training length of a rescue (None: all rows at `length`)."""

    encoding: Encoding
    task: Task
    length: int
    train_length: int | None = None
    visibility: str = "causal"

    @property
    def groups(self) -> list[heads.Group]:
        """Lengths with the rows (i, t) that are asked there."""
        at_length = tasks.rows(self.task, self.length, self.visibility)
        if self.train_length is None:
            return [(self.length, at_length)]
        new = [(i, t) for i, t in at_length if i >= self.train_length]
        return [*self.training.groups, (self.length, new)]

    @property
    def training(self) -> Question:
        """The same question of the training rows alone."""
        length = self.length if self.train_length is None else self.train_length
        return Question(self.encoding, self.task, length, None, self.visibility)

    @property
    def rows(self) -> list[Asked]:
        """(length, row, target), in the order of the system's rows."""
        return [(n, i, t) for n, pairs in self.groups for i, t in pairs]

    def system(self) -> dict[str, Any]:
        """The kernel's system of these rows. ValueError if there is none."""
        return heads.system(self.encoding, self.groups, self.visibility)

    def subject(self, kind: str, rows: Sequence[Asked] | None = None) -> dict[str, Any]:
        """What `recheck` rebuilds the claim from; rows: these only, each (length, row, target)."""
        if rows is not None:
            entries = [[n, i, i + 1] for n, i, _ in rows]
        else:
            entries = [[self.length]]
            if self.train_length is not None:
                entries = [[self.train_length], [self.length, self.train_length, self.length]]
        extra = {} if self.visibility == "causal" else {"visibility": self.visibility}
        return {
            "question": kind, "encoding": self.encoding.spec, "task": self.task.spec,
            "rows": entries, **extra,
        }  # fmt: skip

    def conflict(self, core: Sequence[Asked]) -> dict[str, Any]:
        """The claim that no parameter makes all of these rows hits."""
        groups = [(n, [(i, t)]) for n, i, t in core]
        return heads.unrealizable_claim(self.encoding, groups, self.visibility)

    def __str__(self) -> str:
        at = f"length {self.length}"
        if self.train_length is not None:
            at = f"length {self.train_length} and the new rows up to length {self.length}"
        return f"{self.encoding.spec} on {self.task.spec} at {at}"


def question(
    encoding: str | Encoding,
    task: str | Task,
    *,
    length: int,
    train_length: int | None = None,
    visibility: str = "causal",
) -> Question:
    """The question, checked: ValueError for what it does not mean, and where no row is asked."""
    found = theory.encoding(encoding) if isinstance(encoding, str) else encoding
    named = tasks.task(task) if isinstance(task, str) else task
    if visibility not in VISIBILITIES:
        raise ValueError(f"visibility must be 'causal' or 'full', not {visibility!r}")
    for name, n in (("length", length), ("train_length", train_length)):
        if n is not None and (type(n) is not int or n < 2):
            raise ValueError(f"{name} must be an integer of at least 2, not {n!r}")
    if train_length is not None and train_length >= length:
        raise ValueError(
            f"train_length must be below length, and {train_length} is not below {length}"
        )
    asked = Question(found, named, length, train_length, visibility)
    for n, pairs in asked.groups:
        if not pairs:
            new = " of the new rows" if train_length is not None and n == length else ""
            raise ValueError(
                f"the task {named.spec} asks nothing{new} at length {n}; choose a larger length"
            )
    return asked
