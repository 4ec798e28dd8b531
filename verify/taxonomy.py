"""The encoding x task table: alpha of every pair under one protocol.

from verify.taxonomy import taxonomy

taxonomy(lengths=[60])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import selection
from verify.alpha import AlphaResult, alpha, read_encoding, read_task
from verify.selection import Rule
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task

TASKS = ("previous", "skip:k=5", "attend-first", "copy", "reverse")


def encodings(train_length: int) -> tuple[str, ...]:
    """The encodings of the taxonomy; tables have as many rows as the training length."""
    return (
        f"clamped:length={train_length}", "learned:dim=12", "affine", "sinusoidal:frequencies=16",
        "rope:frequencies=16", "alibi", f"clipped:length={train_length}", "t5",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One pair: its result, or why alpha is undefined there."""

    encoding: str
    task: str
    result: AlphaResult | None
    reason: str = ""

    @property
    def realizes_train(self) -> bool:
        """Whether the selected parameter realizes the task at L0."""
        return self.result is not None and self.result.realizes_train

    def value(self, length: int) -> Fraction | None:
        """alpha at this length; None where it is undefined."""
        return None if self.result is None else self.result[length].alpha

    def to_json(self) -> dict[str, Any]:
        """One cell of the document of `pe-verify taxonomy --json`."""
        found = self.result
        return {
            "encoding": self.encoding,
            "task": self.task,
            "realizes_train": None if found is None else found.realizes_train,
            "reason": self.reason,
            "lengths": [
                {
                    "length": s.length, "hits": s.hits, "ties": s.ties, "scored": s.scored,
                    "alpha": str(s.alpha),
                }
                for s in ([] if found is None else found.lengths)
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """Cells by rows (encodings) and columns (tasks), in the order they were asked for."""

    train_length: int
    lengths: tuple[int, ...]
    rule: str
    visibility: str
    encodings: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: tuple[Cell, ...]

    def cell(self, encoding: str, task: str) -> Cell:
        """The cell of this pair of canonical specs; KeyError if there is none."""
        for cell in self.cells:
            if (cell.encoding, cell.task) == (encoding, task):
                return cell
        raise KeyError((encoding, task))

    def to_json(self) -> dict[str, Any]:
        """The document of `pe-verify taxonomy --json`; its schema is `taxonomy`."""
        return {
            "train_length": self.train_length,
            "lengths": list(self.lengths),
            "rule": self.rule,
            "visibility": self.visibility,
            "encodings": list(self.encodings),
            "tasks": list(self.tasks),
            "cells": [cell.to_json() for cell in self.cells],
        }

    def to_csv(self) -> str:
        """One line for each cell and length, with a header."""
        lines = ["encoding,task,length,hits,ties,scored,alpha,realizes_train"]
        for cell in self.cells:
            for s in () if cell.result is None else cell.result.lengths:
                values = (s.length, s.hits, s.ties, s.scored, float(s.alpha))
                names = [_quoted(cell.encoding), _quoted(cell.task)]
                does = str(cell.realizes_train).lower()
                lines.append(",".join([*names, *map(str, values), does]))
        return "\n".join(lines) + "\n"

    def rows(self, length: int) -> list[list[str]]:
        """The table at one length as text: alpha, `*` if L0 is not realized, `x` if undefined."""
        found = []
        for encoding in self.encodings:
            line = [encoding]
            for task in self.tasks:
                cell = self.cell(encoding, task)
                value = cell.value(length)
                mark = "" if cell.realizes_train else "*"
                line.append("x" if value is None else f"{float(value):.2f}{mark}")
            found.append(line)
        return found

    def __repr__(self) -> str:
        lines = []
        for length in self.lengths:
            lines.append(f"alpha at L = {length}, L0 = {self.train_length}, rule {self.rule}")
            table = [["", *self.tasks], *self.rows(length)]
            widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
            for row in table:
                cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
                lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def taxonomy(
    encoded: Sequence[str | Encoding] | None = None,
    named: Sequence[str | Task] | None = None,
    *,
    train_length: int = 20,
    lengths: Iterable[int] = (60,),
    rule: str | Rule = "ce",
    visibility: str = "causal",
    progress: Callable[[str, int, int], None] | None = None,
) -> Taxonomy:
    """alpha of every encoding on every task, the defaults being those of the taxonomy.

    Where alpha is undefined or a rule finds no parameter the cell says why. ValueError for specs
    that name nothing, a rule that reads a file, or lengths that are not above the training length.
    """
    chosen = selection.rule(rule) if isinstance(rule, str) else rule
    if chosen.name == "given":
        raise ValueError("one given parameter does not fit a table of encodings; use another rule")
    wanted = tuple(dict.fromkeys(lengths))
    if not wanted or min(wanted) <= train_length:
        raise ValueError(f"lengths must name at least one length above {train_length}")
    rows = [read_encoding(e) for e in (encodings(train_length) if encoded is None else encoded)]
    columns = [read_task(t) for t in (TASKS if named is None else named)]
    if not rows or not columns:
        raise ValueError("the table needs at least one encoding and one task")
    cells: list[Cell] = []
    for e in rows:
        for t in columns:
            if progress is not None:
                progress(f"{e.spec}, {t.spec}", len(cells), len(rows) * len(columns))
            try:
                found = alpha(
                    e, t, train_length=train_length, lengths=wanted, rule=chosen,
                    visibility=visibility,
                )  # fmt: skip
                cells.append(Cell(e.spec, t.spec, found))
            except ValueError as problem:
                cells.append(Cell(e.spec, t.spec, None, str(problem)))
    return Taxonomy(
        train_length, wanted, chosen.spec, visibility, tuple(e.spec for e in rows),
        tuple(t.spec for t in columns), tuple(cells),
    )  # fmt: skip
