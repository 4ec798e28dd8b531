"""Relation classes of learned relations: the longest chain of demands."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.synthesis.partition import partition
from verify.theory import tasks
from verify.theory.heads import Group


def groups(task: str, *lengths: int) -> list[Group]:
    return [(n, tasks.rows(tasks.task(task), n)) for n in lengths]


@pytest.mark.parametrize("task", ["previous", "attend-first", "expr:i//2"])
def test_two_classes_suffice_when_targets_do_not_depend_on_the_length(task: str) -> None:
    assert partition(groups(task, 5, 6, 7), hint=False).classes == 2


def test_the_length_resolves_a_conflict() -> None:
    without = partition(groups("reverse", 4, 5), hint=False)
    assert without.classes is None
    assert set(without.cycle) == {(3, 0), (3, 1)} or set(without.cycle) == {(2, 1), (2, 2)}
    assert partition(groups("reverse", 4, 5), hint=True).classes == 2


def _fewest(rows: list[tuple[int, int]], n: int) -> int:
    """By trying all numberings of the cells."""
    cells = [(i, j) for i in range(n) for j in range(i + 1)]
    for k in range(1, n + 2):
        for values in product(range(k), repeat=len(cells)):
            p = dict(zip(cells, values, strict=True))
            if all(p[i, t] > p[i, j] for i, t in rows for j in range(i + 1) if j != t):
                return k
    raise AssertionError("no numbering")


@given(st.tuples(st.integers(0, 1), st.integers(0, 2)))
def test_against_exhaustive_numbering(targets: tuple[int, int]) -> None:
    rows = [(1, targets[0]), (2, targets[1])]
    assert partition([(3, rows)], hint=False).classes == _fewest(rows, 3)
