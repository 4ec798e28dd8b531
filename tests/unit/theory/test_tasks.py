"""Tasks: targets by hand, the one rule of query regions, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.theory.tasks import Task, rows, task
from verify.theory.visibility import visible

SPECS = [
    "previous",
    "next",
    "self",
    "attend-first",
    "copy",
    "reverse",
    "skip:k=3",
    "attend:p=3",
    "decimate:q=10",
    "expr:i // 2",
    "expr:n // 2 if i > 3 else None",
    "table:[null,0,0,2]",
    'table:{"2":[null,0],"3":[null,0,1]}',
]


@pytest.mark.parametrize("spec", SPECS)
def test_specs_are_canonical(spec: str) -> None:
    assert task(spec).spec == spec
    assert task(task(spec).spec) == task(spec)


@pytest.mark.parametrize(
    ("alias", "spec"),
    [
        ("skip-3", "skip:k=3"),
        ("attend-0", "attend:p=0"),
        ("decimate-10", "decimate:q=10"),
        (" previous ", "previous"),
        ("expr:i//2", "expr:i // 2"),
    ],
)
def test_aliases(alias: str, spec: str) -> None:
    assert task(alias) == task(spec)


@pytest.mark.parametrize(
    ("spec", "n", "wanted"),
    [
        ("previous", 4, [(1, 0), (2, 1), (3, 2)]),
        ("attend-first", 4, [(1, 0), (2, 0), (3, 0)]),
        ("self", 3, [(1, 1), (2, 2)]),
        ("next", 3, []),
        ("skip:k=2", 4, [(2, 0), (3, 1)]),
        ("attend:p=2", 4, [(2, 2), (3, 2)]),
        ("copy", 5, [(3, 0), (4, 1)]),
        ("copy", 4, [(2, 0), (3, 1)]),
        ("reverse", 5, [(2, 2), (3, 1), (4, 0)]),
        ("reverse", 4, [(2, 1), (3, 0)]),
        ("decimate:q=2", 6, [(2, 1), (4, 2)]),
        ("expr:i//2", 4, [(1, 0), (2, 1), (3, 1)]),
        ("expr:i/2 if i % 2 == 0 else None", 5, [(2, 1), (4, 2)]),
        ("table:[0,0,null,1]", 4, [(1, 0), (3, 1)]),
        ("table:[0,0,null,1]", 2, [(1, 0)]),
        ("previous", 1, []),
    ],
)
def test_causal_regions_by_hand(spec: str, n: int, wanted: list[tuple[int, int]]) -> None:
    assert rows(task(spec), n) == wanted


@pytest.mark.parametrize(
    ("spec", "n", "wanted"),
    [
        ("next", 3, [(0, 1), (1, 2)]),
        ("self", 2, [(0, 0), (1, 1)]),
        ("attend-first", 3, [(0, 0), (1, 0), (2, 0)]),
        ("reverse", 3, [(0, 2), (1, 1), (2, 0)]),
        ("previous", 1, []),
        ("table:[1,0]", 2, [(0, 1), (1, 0)]),
    ],
)
def test_full_regions_by_hand(spec: str, n: int, wanted: list[tuple[int, int]]) -> None:
    assert rows(task(spec), n, "full") == wanted


def test_the_published_numbers_of_scored_rows() -> None:
    """Denominators of the published fractions: new rows of the own region, L0 = 20."""
    for spec, length, new in [("attend-first", 30, 10), ("previous", 128, 108), ("copy", 30, 10)]:
        assert sum(i >= 20 for i, _ in rows(task(spec), length)) == new
    assert rows(task("copy"), 17665)[0] == (8833, 0)


formulas = st.sampled_from([s for s in SPECS if not s.startswith("table")])


@given(formulas, st.integers(1, 60), st.sampled_from(["causal", "full"]))
def test_the_one_rule(spec: str, n: int, visibility: str) -> None:
    t = task(spec)
    wanted = []
    for i in range(n):
        target, last = t.target(i, n), i if visibility == "causal" else n - 1
        if target is not None and 0 <= target <= last and last >= 1:
            wanted.append((i, target))
    assert rows(t, n, visibility) == wanted
    assert list(t.targets(n)) == [t.target(i, n) for i in range(n)]
    affine = t.affine(n)
    if affine is not None:
        assert list(t.targets(n)) == [affine[0] * i + affine[1] for i in range(n)]
    named = ("previous", "next", "self", "attend", "copy", "reverse", "skip")
    assert (affine is not None) == spec.startswith(named)


def test_visible_keys() -> None:
    assert list(visible(2, 5)) == [0, 1, 2]
    assert list(visible(2, 5, "full")) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="'causal' or 'full', not 'both'"):
        visible(2, 5, "both")
    with pytest.raises(ValueError, match=r"row 5 is outside a grid of length 5; rows are 0\.\.4"):
        visible(5, 5)


def test_a_task_file(tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"targets": {"3": [None, 0, 1], "2": [None, 0]}}))
    t = task(str(path))
    assert t.spec == 'table:{"2":[null,0],"3":[null,0,1]}'
    assert rows(t, 3) == [(1, 0), (2, 1)]
    with pytest.raises(ValueError, match="has no length 4; it has 2, 3"):
        rows(t, 4)


BAD = {
    "": "unknown task ''",
    "previos": "unknown task 'previos'; did you mean 'previous'",
    "missing.json": "cannot be read: No such file",
    "previous:k=1": "has no option 'k'; write previous alone",
    "skip": "skip needs k: an integer",
    "skip:k=0": "k of skip must be an integer from 1",
    "skip:k=-1": "must be an integer from 1",
    "skip--1": "unknown task",
    "skip:k=1,k=2": "twice",
    "skip:p=1": "has no option 'p'",
    "attend:p=-1": "from 0 to",
    "decimate:q=0": "from 1 to",
    "expr:": "is not an expression",
    "expr:o": "contains 'o', which is unknown; known are i, n, ",
    "expr:__import__('os').system('x')": "may not contain",
    "table:3": "must give a list of targets",
    "table:[]": "a list of targets, one for each row",
    "table:[0,2]": "the target '2' for row 1; a target is an integer from 0 to 1",
    "table:[0,-1]": "the target '-1' for row 1",
    "table:[0,0.5]": "the target '0.5' for row 1",
    "table:[0,true]": "the target 'True' for row 1",
    'table:{"3":[0]}': "has 1 targets at length 3; give 3",
    'table:{"x":[0]}': "a length is a positive integer",
    'table:{"1":[0],"1":[0]}': "repeats a key",
    "table:[": "is not JSON",
}


@pytest.mark.parametrize("spec", BAD)
def test_bad_tasks_are_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(ValueError, match=BAD[spec]) as caught:
        task(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "n", "message"),
    [
        ("previous", 0, "the length must be a positive integer, not 0"),
        ("previous", -3, "the length must be a positive integer, not -3"),
        ("expr:i/2", 4, "the target expr:i / 2 is not an integer in row 1 at length 4"),
        ("expr:sqrt(i)", 4, "is not an integer in row 2"),
        ("expr:i//(i - 3)", 5, "at i = 3: division by zero"),
        ("table:[null,0,1]", 4, "ends at position 2 and length 4 needs position 3"),
        ("table:[null,0,0,0,5,0]", 6, r"demands target 5 of row 4, which sees keys 0\.\.4 only"),
    ],
)
def test_questions_that_a_task_cannot_answer(spec: str, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rows(task(spec), n)


def test_a_row_outside_the_grid_has_no_target() -> None:
    assert isinstance(task("previous"), Task)
    with pytest.raises(ValueError, match="row 4 is outside"):
        task("previous").target(4, 4)
