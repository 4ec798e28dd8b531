"""Consequences of a system, and irreducible cores of conflicting rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.feasibility.families import (
    combined,
    constraint_vector,
    family_system,
    polynomial,
    random_integers,
    refutes,
    satisfies,
    single_row,
    task_rows,
)
from verify.engines.feasibility import (
    BilinearGrid,
    Combination,
    Refutation,
    Row,
    StrictSystem,
    Undecided,
    Witness,
    decide,
    implied,
    irreducible,
)


def consequence(
    system: StrictSystem, row: Row, key: int
) -> Combination | Witness | Refutation | Undecided:
    """The answer to `implied`, after its independent check."""
    answer = implied(system, row, key)
    vector = constraint_vector(system, row, key)
    if isinstance(answer, Combination):
        assert combined(system, answer.multipliers) == vector
    elif isinstance(answer, Witness):
        assert satisfies(system, answer)
        flat = [x for r in answer.parameter for x in (r if isinstance(r, tuple) else (r,))]
        assert sum(a * w for a, w in zip(vector, flat, strict=True)) <= 0
    elif isinstance(answer, Refutation):
        assert refutes(system, answer)
    return answer


def test_affine_rows_force_what_lies_between_them() -> None:
    """The slope of an affine logit in the key is affine in the row: rows 1 and 9 force row 5."""
    grid = (BilinearGrid(tuple(polynomial(1, 10))),)
    around = StrictSystem(grid, (Row(0, 1, 0), Row(0, 9, 0, (5,))))
    assert isinstance(consequence(around, Row(0, 5, 0), 3), Combination)
    below = StrictSystem(grid, task_rows("attend-first", 5))
    assert isinstance(consequence(below, Row(0, 9, 0), 4), Witness)


def test_a_constraint_of_the_system_follows_from_itself() -> None:
    system = family_system("rnd8", "previous", 8)
    answer = consequence(system, system.rows[4], 1)
    assert isinstance(answer, Combination)


def test_a_new_independent_constraint_is_free() -> None:
    grid = (BilinearGrid(tuple(random_integers(8, 12))),)
    system = StrictSystem(grid, task_rows("previous", 8))
    row = Row(0, 10, 9)
    assert isinstance(consequence(system, row, 3), Witness)
    assert isinstance(decide(replace(system, rows=(*system.rows, row))), Witness)


def test_a_tie_is_never_implied() -> None:
    """Equal features: the difference is zero under every parameter, and a tie is a failure."""
    system = family_system("clamped", "attend-first", 9)
    assert isinstance(consequence(system, Row(0, 8, 7), 6), Witness)


def test_nothing_follows_from_an_infeasible_system_but_its_refutation() -> None:
    grid = (BilinearGrid(tuple(random_integers(4, 8))),)
    conflict = StrictSystem(grid, (Row(0, 3, 2, (1,)), Row(0, 3, 1, (2,))))
    assert isinstance(consequence(conflict, Row(0, 7, 5), 4), Refutation)


def test_a_known_witness_that_misses_is_returned() -> None:
    grid = (BilinearGrid(tuple(random_integers(8, 12))),)
    system = StrictSystem(grid, task_rows("previous", 8))
    row = Row(0, 10, 9)
    first = implied(system, row, 3)
    assert isinstance(first, Witness)
    again = implied(system, row, 3, start=first)
    assert isinstance(again, Witness)
    assert (again.parameter, again.method) == (first.parameter, "start")


@given(
    st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=2, max_size=6),
)
def test_implied_agrees_with_the_joint_systems(vectors: list[list[int]]) -> None:
    """The last vector follows from the others iff no parameter satisfies them and its negation."""
    everything = single_row(vectors)
    (row,) = everything.rows
    last = len(vectors)
    keys = tuple(range(last))
    # Offset o of query n-1 is key n-1-o, so the last vector belongs to key 0.
    system = replace(everything, rows=(row._replace(only=keys[1:]),))
    answer = consequence(system, row, 0)
    if not any(vectors[-1]):
        assert not isinstance(answer, Combination)
    elif isinstance(answer, Witness):
        negated = single_row([*vectors[:-1], [-x for x in vectors[-1]]])
        assert isinstance(decide(negated), Witness)
    else:
        assert isinstance(answer, Combination | Refutation)


@pytest.mark.parametrize(
    ("family", "task", "length"),
    [("affine", "previous", 8), ("rnd4", "previous", 20), ("rnd8", "attend-first", 20)],
)
def test_a_core_is_infeasible_and_irreducible(family: str, task: str, length: int) -> None:
    system = family_system(family, task, length)
    refutation = decide(system)
    assert isinstance(refutation, Refutation)
    core = irreducible(system, refutation)
    assert core.irreducible
    assert refutes(system, core.refutation)
    assert {r for r, _, _ in core.refutation.multipliers} == set(core.rows)
    for dropped in core.rows:
        kept = tuple(system.rows[r] for r in core.rows if r != dropped)
        assert not kept or isinstance(decide(replace(system, rows=kept)), Witness)


def test_a_core_cut_short_says_so() -> None:
    system = family_system("rnd4", "previous", 20)
    refutation = decide(system)
    assert isinstance(refutation, Refutation)
    core = irreducible(system, refutation, time_limit=0.0)
    assert not core.irreducible
    assert refutes(system, core.refutation)


def test_multipliers_of_a_combination_are_fractions_of_the_constraint() -> None:
    system = single_row([(2, 0), (0, 3), (1, 1)])
    (row,) = system.rows
    training = replace(system, rows=(row._replace(only=(1, 2)),))
    answer = consequence(training, row, 0)
    assert isinstance(answer, Combination)
    assert sorted(answer.multipliers) == [(0, 1, Fraction(1, 3)), (0, 2, Fraction(1, 2))]
