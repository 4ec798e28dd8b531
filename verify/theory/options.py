"""Reading `name:key=value,key=value`, the way encodings and tasks are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

from verify.theory import syntax

MAX_FILE: Final = 1 << 26
_EXTREME: Final = 10**12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one spec; `what` is its name in errors."""

    what: str
    values: Mapping[str, str]

    def given(self, key: str) -> bool:
        """Whether the user wrote this option."""
        return key in self.values

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """An integer from low to high; without a default the option is required."""
        if key not in self.values and default is not None:
            return default
        source = self._required(key, f"an integer, as in {key}={max(low, 2)}")
        exact = syntax.rational(source, f"{key} of {self.what}")
        if exact.denominator != 1 or not low <= exact <= high:
            raise ValueError(
                f"{key} of {self.what} must be an integer from {low} to {high}, not {source}"
            )
        return int(exact)

    def positive(self, key: str, default: Fraction | int | None = None) -> Fraction:
        """A positive rational number; without a default the option is required."""
        if key not in self.values and default is not None:
            return Fraction(default)
        source = self._required(key, f"a positive number, as in {key}=4")
        exact = syntax.rational(source, f"{key} of {self.what}")
        if not Fraction(1, _EXTREME) <= exact <= _EXTREME:
            raise ValueError(
                f"{key} of {self.what} must be a positive number, at most 10**12, not {source}"
            )
        return exact

    def boolean(self, key: str) -> bool:
        """true or false; false if absent."""
        source = self.values.get(key, "false")
        if source not in ("true", "false"):
            raise ValueError(f"{key} of {self.what} must be true or false, not {source!r}")
        return source == "true"

    def _required(self, key: str, right: str) -> str:
        if key not in self.values:
            raise ValueError(f"{self.what} needs {key}: {right}")
        return self.values[key]


def options(what: str, source: str, allowed: tuple[str, ...]) -> Options:
    """Split `key=value,...`; ValueError for unknown, repeated or malformed options."""
    values: dict[str, str] = {}
    for part in _split(source):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise ValueError(f"{what} has the option {part.strip()!r}; write key=value")
        if key not in allowed:
            hint = syntax.suggestion(key, allowed) if allowed else f"write {what} alone"
            raise ValueError(f"{what} has no option {key!r}; {hint}")
        if key in values:
            raise ValueError(f"{what} has the option {key} twice; give it once")
        values[key] = value
    return Options(what, values)


def _split(source: str) -> list[str]:
    """At the commas that are outside brackets."""
    parts, depth = [""], 0
    for character in source:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts if source.strip() else []


def choose(what: str, name: str, table: Mapping[str, Callable[..., T]]) -> Callable[..., T]:
    """The entry of this name; ValueError suggests the nearest."""
    if name not in table:
        raise ValueError(f"unknown {what} {name[:60]!r}; {syntax.suggestion(name, table)}")
    return table[name]


def strict_json(source: str, what: str) -> Any:
    """JSON with unique keys; decimals stay the text they are. ValueError if it is none."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError(f"{what} repeats a key; give every key once")
        return found

    def refuse(name: str) -> Any:
        raise ValueError(f"{what} contains {name}; numbers must be finite")

    try:
        return json.loads(source, object_pairs_hook=unique, parse_float=str, parse_constant=refuse)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise ValueError(f"{what} is not JSON: {problem}") from None


def read_json(path: str, what: str) -> Any:
    """The JSON of a file; ValueError if there is none."""
    try:
        if Path(path).stat().st_size > MAX_FILE:
            raise ValueError(f"{what} {path!r} is larger than {MAX_FILE >> 20} MiB")
        return strict_json(Path(path).read_text(encoding="utf-8"), f"{what} {path!r}")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise ValueError(f"{what} {path!r} cannot be read: {reason}") from None
