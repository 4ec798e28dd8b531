"""Every small change of a certificate: what a slip, or an adversary, would make of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

RULES = (
    *("fix", "induct", "use", "split", "apart", "tighten", "rewrite", "finite", "close"),
    *("sign", "zero", "compute", "hole", "goals", "witness", "farkas", "farkas-enclosed"),
    *("cone", "evaluate"),
)
RELATIONS = (">", ">=", "<", "<=", "==", "!=")
Mutant = tuple[str, Any]  # what was changed, and the changed value


def mutants(value: Any, names: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """All values that differ from this one in one place. names: what may stand for a name."""
    yield from ((what, new) for what, new in _here(value, names) if repr(new) != repr(value))
    if isinstance(value, dict):
        for key, part in value.items():
            for what, changed in mutants(part, RULES if key == "rule" else names):
                yield f"/{key}{what}", {**value, key: changed}
    elif isinstance(value, list):
        for k, part in enumerate(value):
            for what, changed in mutants(part, names):
                yield f"/{k}{what}", [*value[:k], changed, *value[k + 1 :]]


def _here(value: Any, names: tuple[str, ...]) -> Iterator[Mutant]:
    yield " null", None
    match value:
        case dict():
            yield " nothing", {}
            yield " in a list", [value]
            yield " extra key", {**value, "extra": 0}
            for key in value:
                yield f" without {key}", {k: v for k, v in value.items() if k != key}
            for a, b in pairwise(value):
                yield f" {a} and {b} exchanged", {**value, a: value[b], b: value[a]}
        case list():
            yield " empty", []
            yield " as an object", {str(k): v for k, v in enumerate(value)}
            for k, part in enumerate(value):
                yield f" without {k}", [*value[:k], *value[k + 1 :]]
                yield f" {k} twice", [*value[:k], part, *value[k:]]
            for a, b in pairwise(range(len(value))):
                changed = list(value)
                changed[a], changed[b] = value[b], value[a]
                if changed != value:
                    yield f" {a} and {b} exchanged", changed
        case int():
            for new in sorted({value + 1, value - 1, -value, 0, 10**30} - {value}):
                yield f" = {new}", new
            yield " as a string", str(value)
            yield " as a float", float(value)
            yield " as true", True
        case str():
            yield from _texts(value, names)


def _texts(value: str, names: tuple[str, ...]) -> Iterator[Mutant]:
    yield " as a list", [value]
    changed = {"", value + "x", *names}
    if re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value):
        x = Fraction(value)
        changed |= {str(x + 1), str(x - 1), str(-x), "0", str(x / 2), f"{x}.0", f"{2 * x}/2"}
        changed |= {str(1 / x)} if x else set()
        yield " as a float", float(x)
        yield " as an integer", int(x)
    relations = re.findall("[<>=!]=|[<>]", value)
    if len(relations) == 1:
        changed |= {value.replace(relations[0], r) for r in RELATIONS}
        changed |= {f"{value} + 1", f"{value} - 1"}
    elif value not in names:
        changed |= {f"{value} + 1", f"-({value})", f"2*({value})"}
    for new in sorted(changed - {value}):
        yield f" = {new}", new
