"""A learned relation: the fewest classes of cells (i, j), or (i, j, n), that a task allows.

Every row wants its target's cell above its other cells. Giving each class a number is possible with
k classes exactly when no chain of such demands is longer than k cells: the least number of classes
is the longest chain (Mirsky 1971), and a cycle of demands refutes every relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from verify.theory.heads import Group, visible

Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """The least number of classes, or None and cells of which each must beat the next, round."""

    classes: int | None
    cycle: tuple[Cell, ...] = ()


def partition(groups: Sequence[Group], *, hint: bool, visibility: str = "causal") -> Partition:
    """The fewest classes for the rows of these lengths; with `hint` a cell knows its length."""
    below: dict[Cell, set[Cell]] = {}
    for n, rows in groups:
        extra = (n,) if hint else ()
        for i, t in rows:
            others = {(i, j, *extra) for j in visible(i, n, visibility) if j != t}
            below.setdefault((i, t, *extra), set()).update(others)
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as problem:
        return Partition(None, tuple(problem.args[1][:-1]))
    level: dict[Cell, int] = {}
    for cell in order:
        level[cell] = 1 + max((level[other] for other in below.get(cell, ())), default=0)
    return Partition(max(level.values()))
