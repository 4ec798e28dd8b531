"""Encodings that users bring: formulas, and tables of exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from verify.kernel import Expression
from verify.theory import options, syntax
from verify.theory.encodings.grid import require_offset, require_position
from verify.theory.text import text


@dataclass(frozen=True, slots=True)
class Formulas:
    """One formula for each feature: in i (absolute) or o (relative), scale-hinted also in n."""

    formulas: tuple[syntax.Formula, ...]
    relative: bool
    scale_hinted: bool
    capacity: ClassVar[int | None] = None

    @staticmethod
    def parse(source: str, scale_hinted: bool) -> Formulas:
        """From a list such as `[1, i, i**2]`; ValueError if it is none, or mixes i and o."""
        found = syntax.formulas(source, ("i", "o", "n"), "the expression list")
        used = frozenset[str]().union(*(f.names for f in found))
        if {"i", "o"} <= used:
            raise ValueError(
                "the expression list uses both i and o; write it in the position i (absolute) "
                "or in the offset o (relative)"
            )
        if "n" in used and not scale_hinted:
            raise ValueError("the expression list uses the length n; write scale:expr:[...]")
        return Formulas(tuple(found), "o" in used, scale_hinted)

    @property
    def spec(self) -> str:
        """Canonical text."""
        listed = f"expr:[{', '.join(f.text for f in self.formulas)}]"
        return f"scale:{listed}" if self.scale_hinted else listed

    @property
    def dimension(self) -> int:
        """d or m."""
        return len(self.formulas)

    @property
    def rational(self) -> bool:
        """Whether no formula uses a root, cosine or sine."""
        return all(f.rational for f in self.formulas)

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position) or psi(offset)."""
        (require_offset if self.relative else require_position)(position, length)
        found = []
        for f in self.formulas:
            value = (
                f.value(o=position, n=length) if self.relative else f.value(i=position, n=length)
            )
            if value is None:
                raise ValueError(f"the feature {f.text!r} is None at {position}; give a number")
            found.append(syntax.lift(value))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of exact numbers: row k is position k, or offset `first` + k of a relative table."""

    rows: tuple[tuple[Expression, ...], ...]
    relative: bool
    first: int = 0
    scale_hinted: ClassVar[bool] = False

    @property
    def spec(self) -> str:
        """Canonical text, with all the numbers in it."""
        kind = "relative" if self.relative else "absolute"
        start = f",{self.first}" if self.first else ""
        rows = ",".join(f"[{','.join(map(text, row))}]" for row in self.rows)
        return f"table:{kind}{start}:[{rows}]"

    @property
    def dimension(self) -> int:
        """d or m."""
        return len(self.rows[0])

    @property
    def rational(self) -> bool:
        """Whether every number is."""
        return all(e.constant() is not None for row in self.rows for e in row)

    @property
    def capacity(self) -> int | None:
        """The number of positions, or of offsets from 0 on."""
        return len(self.rows) + self.first

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position) or psi(offset)."""
        (require_offset if self.relative else require_position)(position, length)
        if not 0 <= position - self.first < len(self.rows):
            kind = "offset" if self.relative else "position"
            raise ValueError(
                f"{kind} {position} is outside the table, whose {len(self.rows)} rows are for "
                f"{self.first}..{self.first + len(self.rows) - 1}; give a longer table or a "
                f"smaller length"
            )
        return self.rows[position - self.first]


def read_table(path: str) -> Table:
    """A file `{"kind": "absolute" or "relative", "features": [["1", "2/3"], ...]}`.

    Entries are integers, decimals, or strings with formulas without names ("2/3", "sqrt(2)").
    A relative table may say `"first": -5`, the offset of its first row. ValueError if it is not so.
    """
    what = f"the encoding file {path!r}"
    data = options.read_json(path, "the encoding file")
    keys = {"kind", "features"}
    if not isinstance(data, dict) or not keys <= set(data) <= keys | {"first"}:
        raise ValueError(f'{what} must be {{"kind": ..., "features": [[...], ...]}}')
    if data["kind"] not in ("absolute", "relative"):
        raise ValueError(f"{what} has the kind {data['kind']!r}; write 'absolute' or 'relative'")
    return _table(data["kind"] == "relative", data.get("first", 0), data["features"], what)


def inline_table(rest: str) -> Table:
    """`absolute:[[1,2/3],...]` or `relative,-5:[[1,2/3],...]`, the canonical text of a table."""
    head, _, body = rest.partition(":")
    kind, comma, first = (piece.strip() for piece in head.partition(","))
    if kind not in ("absolute", "relative") or not body.strip():
        raise ValueError("table must be table:absolute:[[...],...] or table:relative:[[...],...]")
    start = syntax.rational(first, "the first offset of the table") if comma else 0
    if start != int(start):
        raise ValueError(f"the first offset of the table must be an integer, not {first}")
    body = body.strip().removeprefix("[").removesuffix("]").strip()
    if not body.startswith("[") or not body.endswith("]"):
        raise ValueError("table must hold a list of rows such as [[1,0],[0,1]]")
    rows = [row.split(",") for row in body[1:-1].replace(" ", "").split("],[")]
    return _table(kind == "relative", int(start), rows, "the table")


def _table(relative: bool, first: Any, rows: Any, what: str) -> Table:
    if type(first) is not int or (first and not relative) or first > 0:
        raise ValueError(f"{what} has first = {first!r}; give 0, or a negative offset if relative")
    if not isinstance(rows, list) or not rows or not all(isinstance(r, list) for r in rows):
        raise ValueError(f"{what} needs features: a list with a list of numbers for each position")
    known: dict[str, Expression] = {}
    found = []
    for k, row in enumerate(rows):
        if len(row) != len(rows[0]) or not row:
            raise ValueError(
                f"{what} has {len(row)} numbers in row {k} and {len(rows[0])} in row 0; "
                f"give every row the same count"
            )
        numbers = []
        for entry in row:
            if isinstance(entry, bool) or not isinstance(entry, int | str):
                raise ValueError(f"{what} has {str(entry)[:40]!r} in row {k}; give exact numbers")
            source = str(entry)
            if source not in known:
                known[source] = syntax.constant(source, f"row {k} of {what}")
            numbers.append(known[source])
        found.append(tuple(numbers))
    return Table(tuple(found), relative, first)
