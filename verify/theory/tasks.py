"""Tasks: at each length, which key each query row shall attend to.

One rule gives every query region: the rows whose target is visible and that see two keys at least,
unless the task itself names no target there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from verify.theory import options, syntax
from verify.theory.visibility import visible

_LIMIT: Final = 10**9


@dataclass(frozen=True, slots=True)
class Task:
    """A target for each row of each length. `spec` is canonical: `task(spec)` is the same task."""

    spec: str
    formula: syntax.Formula | None = None
    table: tuple[int | None, ...] | None = None
    tables: tuple[tuple[int, tuple[int | None, ...]], ...] | None = None  # by length

    def target(self, i: int, n: int) -> int | None:
        """The key that row i of length n shall attend to, visible or not; None if it asks nothing.

        ValueError if a formula gives no integer there, or a table has no entry.
        """
        if not 0 <= i < n:
            raise ValueError(f"row {i} is outside a grid of length {n}; rows are 0..{n - 1}")
        if self.formula is None:
            return self._entries(n)[i]
        return self._integer(self.formula.value(i=i, n=n), i, n)

    def targets(self, n: int) -> Iterator[int | None]:
        """The targets of the rows 0..n-1 of length n, as `target` gives them."""
        if self.formula is None:
            yield from self._entries(n)
        else:
            for i, result in enumerate(self.formula.along("i", range(n), n=n)):
                yield result if type(result) is int else self._integer(result, i, n)

    def _integer(self, result: syntax.Number | None, i: int, n: int) -> int | None:
        exact = None if result is None else syntax.lift(result).constant()
        if result is not None and (exact is None or exact.denominator != 1):
            raise ValueError(
                f"the target {self.spec} is not an integer in row {i} at length {n}; round it "
                f"with // or floor, or write `... if ... else None` to ask nothing there"
            )
        return None if exact is None else exact.numerator

    def affine(self, n: int) -> tuple[int, int] | None:
        """(a, b) if the task is of a kind whose target is a*i + b in every row i, else None."""
        slope, start = _AFFINE.get(self.spec.partition(":")[0]), self.target(0, n)
        return None if slope is None or start is None else (slope, start)

    def _entries(self, n: int) -> tuple[int | None, ...]:
        if self.tables is not None:
            found = dict(self.tables)
            if n not in found:
                lengths = ", ".join(str(length) for length in found)
                raise ValueError(f"the task table has no length {n}; it has {lengths}")
            return found[n]
        assert self.table is not None
        if n > len(self.table):
            raise ValueError(
                f"the task table ends at position {len(self.table) - 1} and length {n} needs "
                f"position {n - 1}; give a longer table or a smaller length"
            )
        return self.table[:n]


_AFFINE: Final = {
    "previous": 1, "next": 1, "self": 1, "skip": 1, "copy": 1,
    "attend": 0, "attend-first": 0, "reverse": -1,
}  # fmt: skip
_PLAIN: Final = {
    "previous": "i - 1", "next": "i + 1", "self": "i", "attend-first": "0",
    "copy": "i - (n + 1) // 2", "reverse": "n - 1 - i",
}  # fmt: skip
_COUNTED: Final = {
    "skip": ("k", 1, "i - {}"), "attend": ("p", 0, "{}"),
    "decimate": ("q", 1, "i // {0} if i % {0} == 0 else None"),
}  # fmt: skip


def task(spec: str) -> Task:
    """The task that a spec such as `previous`, `skip:k=3`, `expr:i//2` or `file.json` names.

    ValueError with one sentence if it names none.
    """
    source = spec.strip()
    if source.endswith(".json"):
        return _table(options.read_json(source, "the task file"), f"the task file {source!r}")
    name, _, rest = (piece.strip() for piece in source.partition(":"))
    alias = re.fullmatch(r"(skip|attend|decimate)-(\d{1,9})", source, re.ASCII)
    if alias:
        name, rest = alias[1], f"{_COUNTED[alias[1]][0]}={int(alias[2])}"
    if name == "expr":
        found = syntax.formula(rest, ("i", "n"), "the task expression")
        return Task(f"expr:{found.text}", found)
    if name == "table":
        return _table({"targets": options.strict_json(rest, "the task table")}, "the task table")
    if name in _PLAIN:
        options.options(name, rest, ())
        return Task(name, syntax.formula(_PLAIN[name], ("i", "n")))
    if name in _COUNTED:
        key, low, pattern = _COUNTED[name]
        count = options.options(name, rest, (key,)).integer(key, low, _LIMIT)
        return Task(f"{name}:{key}={count}", syntax.formula(pattern.format(count), ("i", "n")))
    known = [*_PLAIN, *_COUNTED, "expr", "table"]
    raise ValueError(f"unknown task {source[:60]!r}; {syntax.suggestion(name, known)}")


def _table(data: Any, what: str) -> Task:
    """`{"targets": [null, 0, 1]}`, or `{"targets": {"20": [...], "30": [...]}}` by length."""
    if not isinstance(data, dict) or set(data) != {"targets"}:
        raise ValueError(f'{what} must be {{"targets": [...]}} with a target or null for each row')
    targets = data["targets"]
    if isinstance(targets, list):
        row = _targets(targets, what)
        return Task(f"table:{json.dumps(targets, separators=(',', ':'))}", None, row)
    if not isinstance(targets, dict) or not targets:
        raise ValueError(f"{what} must give a list of targets, or one list for each length")
    by_length = {}
    for key, entries in targets.items():
        if not re.fullmatch(r"[1-9]\d{0,8}", key, re.ASCII):
            raise ValueError(f"{what} has the length {key[:60]!r}; a length is a positive integer")
        row = _targets(entries, f"{what} at length {key}")
        if len(row) != int(key):
            raise ValueError(f"{what} has {len(row)} targets at length {key}; give {key}")
        by_length[int(key)] = row
    ordered = tuple(sorted(by_length.items()))
    plain = {str(length): list(row) for length, row in ordered}
    return Task(f"table:{json.dumps(plain, separators=(',', ':'))}", None, None, ordered)


def _targets(entries: Any, what: str) -> tuple[int | None, ...]:
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{what} must be a list of targets, one for each row")
    for i, t in enumerate(entries):
        if t is not None and (type(t) is not int or not 0 <= t < len(entries)):
            raise ValueError(
                f"{what} has the target {str(t)[:40]!r} for row {i}; "
                f"a target is an integer from 0 to {len(entries) - 1}, or null"
            )
    return tuple(entries)


def rows(task: Task, n: int, visibility: str = "causal") -> list[tuple[int, int]]:
    """The query region Q_n with its targets: [(i, t), ...] by increasing i; may be empty.

    ValueError if n is not a positive integer, or a table demands a target that row i cannot see.
    """
    if type(n) is not int or n < 1:
        raise ValueError(f"the length must be a positive integer, not {n!r}")
    found = []
    for i, t in enumerate(task.targets(n)):
        keys = visible(i, n, visibility)
        if t is None:
            continue
        if t in keys:
            if len(keys) > 1:
                found.append((i, t))
        elif task.formula is None:
            raise ValueError(
                f"the task table demands target {t} of row {i}, which sees keys "
                f"{keys.start}..{keys.stop - 1} only; write null to ask nothing there"
            )
    return found
