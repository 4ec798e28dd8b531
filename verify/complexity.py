"""Operator counts and relation classes of circuit families as n grows. All counts are exact.

A positional relation function gives each cell (step, earlier token) a class, and the class must fix
the cell's *role*: which argument of which operator it is, or none. Absolute classes are the cells
themselves, relative ones their offsets, ideal ones the roles. Without Scale Hint the classes of all
lengths so far must agree; with it each length has classes of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verify.circuits import FAMILIES, Circuit, Family

Cell = tuple[int, int]
Role = tuple[Any, ...]
_KEYS: dict[str, Callable[[Cell], Any]] = {
    "absolute": lambda cell: cell,
    "relative": lambda cell: cell[0] - cell[1],
}


@dataclass(frozen=True, slots=True)
class Counts:
    """One length of a family. Class counts are None where no relation function of that kind works.

    operators: distinct unit operators; so_far: over all lengths from the first one to n. ideal: the
    number of roles. absolute, relative: classes without Scale Hint; hinted_...: with it.
    """

    n: int
    operators: int
    so_far: int
    ideal: int
    absolute: int | None
    relative: int | None
    hinted_absolute: int | None
    hinted_relative: int | None


@dataclass(frozen=True, slots=True)
class Growth:
    """The counts of a family at n = first, ..., last."""

    family: Family
    counts: tuple[Counts, ...]

    @property
    def grows(self) -> bool:
        """Whether lengths beyond the third still bring new operators."""
        return self.counts[-1].so_far > self.counts[min(2, len(self.counts) - 1)].so_far

    def __repr__(self) -> str:
        numbers = ", ".join(str(c.operators) for c in self.counts)
        return f"Growth({self.family.name}: {numbers})"


def family(name: str) -> Family:
    """The family of this name. ValueError with the known names."""
    for found in FAMILIES:
        if found.name == name:
            return found
    known = ", ".join(f.name for f in FAMILIES)
    raise ValueError(f"unknown circuit family {name!r}; known are {known}")


def growth(of: Family, last: int) -> Growth:
    """Counts up to length `last`. ValueError unless last is at least the family's first length."""
    if last < of.first:
        raise ValueError(f"the last length must be at least {of.first} for {of.name}, not {last}")
    seen: set[Any] = set()
    shared: dict[str, dict[Any, Role] | None] = {kind: {} for kind in _KEYS}
    found = []
    for n in range(of.first, last + 1):
        circuit = of.build(n)
        seen |= circuit.operators
        cells = dict(roles(circuit))
        own: dict[str, int | None] = {}
        common: dict[str, int | None] = {}
        for kind, key in _KEYS.items():
            own[kind] = _count(_merge({}, cells, key), cells, key)
            old = shared[kind]
            shared[kind] = None if old is None else _merge(old, cells, key)
            common[kind] = _count(shared[kind], cells, key)
        found.append(
            Counts(
                n, len(circuit.operators), len(seen), len(set(cells.values())),
                common["absolute"], common["relative"], own["absolute"], own["relative"],
            )
        )  # fmt: skip
    return Growth(of, tuple(found))


def roles(circuit: Circuit) -> Iterator[tuple[Cell, Role]]:
    """Each cell (position of the step, earlier position) with its role; () is none."""
    for k, (unit, places) in enumerate(circuit.steps):
        at = circuit.inputs + k
        for earlier in range(at):
            found = tuple(slot for slot, place in enumerate(places) if place == earlier)
            yield (at, earlier), (unit, found) if found else ()


def _merge(
    known: dict[Any, Role], cells: dict[Cell, Role], key: Callable[[Cell], Any]
) -> dict[Any, Role] | None:
    """The role of each class, or None where two cells of one class differ."""
    merged = dict(known)
    for cell, role in cells.items():
        if merged.setdefault(key(cell), role) != role:
            return None
    return merged


def _count(
    merged: dict[Any, Role] | None, cells: dict[Cell, Role], key: Callable[[Cell], Any]
) -> int | None:
    return None if merged is None else len({key(cell) for cell in cells})


def document(found: Sequence[Growth]) -> dict[str, Any]:
    """The JSON of several families."""
    return {
        "families": [
            {
                "family": g.family.name,
                "words": g.family.words,
                "exact": g.family.exact,
                "grows": g.grows,
                "counts": [
                    {
                        "n": c.n,
                        "operators": c.operators,
                        "so_far": c.so_far,
                        "ideal": c.ideal,
                        "absolute": c.absolute,
                        "relative": c.relative,
                        "hinted_absolute": c.hinted_absolute,
                        "hinted_relative": c.hinted_relative,
                    }
                    for c in g.counts
                ],
            }
            for g in found
        ]
    }
