"""Realizability of tasks, rescues, parameters of a given form, and the second judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import verify
from tests.unit.realize.certificates import rechecked
from verify import cross_check
from verify.engines.protocol import Answer
from verify.readings import check
from verify.realize import Realizable, Unknown, Unrealizable, evidence, rank_of


def test_affine_features_point_one_way_only() -> None:
    answer = verify.realize("affine", "previous", length=3)
    assert isinstance(answer, Unrealizable)
    assert answer.core == ((3, 2, 1),)
    assert answer.irreducible
    assert rechecked(answer.certificate()) == "valid"
    assert "2 -> 1" in repr(answer)


def test_affine_features_attend_to_either_end() -> None:
    for task in ("attend-first", "self"):
        answer = verify.realize("affine", task, length=30)
        assert isinstance(answer, Realizable)
        assert rechecked(answer.certificate()) == "valid"


@pytest.mark.parametrize(
    "spec", ["sinusoidal:frequencies=4", "rope:frequencies=8", "clipped:length=9"]
)
def test_realizable_with_a_certificate_that_recheck_accepts(spec: str) -> None:
    answer = verify.realize(spec, "previous", length=16)
    assert isinstance(answer, Realizable)
    assert rechecked(answer.certificate()) == "valid"


def test_a_rescue_of_clamped_features_ends_at_the_second_new_row() -> None:
    """Positions 11 and 12 share one feature: row 12 cannot prefer key 11 to itself."""
    answer = verify.realize("clamped:length=12", "previous", train_length=12, length=24)
    assert isinstance(answer, Unrealizable)
    assert answer.horizon is not None
    assert (answer.horizon.length, answer.horizon.core) == (13, ((13, 12, 11),))
    assert [rechecked(c) for c in evidence(answer)] == ["valid", "valid"]
    assert verify.realize("clamped:length=12", "previous", length=12).realizable


def test_the_horizon_is_the_first_length_that_fails() -> None:
    answer = verify.realize("learned:dim=4,seed=0", "previous", train_length=8, length=30)
    assert isinstance(answer, Unrealizable)
    assert answer.horizon is not None
    n = answer.horizon.length
    assert (
        verify.realize("learned:dim=4,seed=0", "previous", train_length=8, length=n).realizable
        is False
    )
    assert verify.realize(
        "learned:dim=4,seed=0", "previous", train_length=8, length=n - 1
    ).realizable


def test_the_horizon_of_a_task_whose_targets_move_is_found_length_by_length() -> None:
    answer = verify.realize("clamped:length=6", "copy", train_length=6, length=20)
    assert isinstance(answer, Unrealizable)
    assert answer.horizon is not None
    n = answer.horizon.length
    for length in range(7, n):
        assert verify.realize("clamped:length=6", "copy", train_length=6, length=length).realizable
    assert rechecked(evidence(answer)[-1]) == "valid"


def test_a_rescue_asks_old_rows_at_the_old_length() -> None:
    """copy has the target i - ceil(n/2): the rows below 6 aim elsewhere at length 10."""
    answer = verify.realize("onehot:length=10", "copy", train_length=6, length=10)
    certificate = answer.certificate()
    assert certificate is not None
    assert certificate["subject"]["rows"] == [[6], [10, 6, 10]]
    assert rechecked(certificate) == "valid"


def test_parameters_of_small_integers() -> None:
    answer = verify.realize("polynomial:degree=2", "expr:i//2", length=10, small=True)
    assert isinstance(answer, Realizable)
    assert all(abs(x) <= 1 and x.denominator == 1 for row in answer.parameter for x in row)
    assert answer.form == "integers in -1..1"
    assert rechecked(answer.certificate()) == "valid"


def test_small_integers_for_an_irrational_encoding_are_confirmed_by_enclosures() -> None:
    answer = verify.realize("rope:frequencies=2", "attend-first", length=8, small=True)
    assert isinstance(answer, Realizable)
    assert "bits" in answer.proof
    assert rechecked(answer.certificate()) == "valid"


def test_parameters_of_bounded_rank() -> None:
    answer = verify.realize("onehot:length=4", "previous", length=4, rank=1)
    assert isinstance(answer, Realizable)
    assert rank_of(answer.parameter) == 1
    assert rechecked(answer.certificate()) == "valid"


def test_no_parameter_of_the_form_is_no_refutation() -> None:
    answer = verify.realize("polynomial:degree=2", "previous", length=20, bound=1)
    assert isinstance(answer, Unknown)
    assert "no certificate" in answer.reason
    assert answer.certificate() is None
    assert verify.realize("polynomial:degree=2", "previous", length=20).realizable


def test_rank_of_a_matrix() -> None:
    from fractions import Fraction as F

    assert rank_of([[F(0), F(2)], [F(0), F(1)]]) == 1
    assert rank_of([[F(0), F(2)], [F(1), F(1)]]) == 2
    assert rank_of([[F(0), F(0)]]) == 0


@pytest.mark.parametrize("task", ["expr:i//2", "attend-first"])
def test_a_solver_agrees(task: str) -> None:
    answer = verify.realize("affine", task, length=12, cross_check="z3")
    assert answer.opinion is not None
    assert answer.opinion.outcome == "agrees"


@pytest.mark.parametrize(("task", "lie"), [("previous", "proved"), ("attend-first", "refuted")])
def test_a_contradiction_is_an_error_that_saves_the_instance(
    task: str, lie: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    said = lambda claim, solver, seconds: Answer(solver, "0", lie, "", model="m")  # noqa: E731
    monkeypatch.setattr(cross_check.smt, "decide_system", said)
    with pytest.raises(cross_check.Disagreement, match=f"{lie} by z3"):
        verify.realize("affine", task, length=6, cross_check="z3")
    (saved,) = tmp_path.iterdir()
    document = json.loads(saved.read_text())
    assert document["claim"]["kind"] == "realizable"
    assert document["solver"] == {"name": "z3", "outcome": lie, "model": "m"}
    assert document["certificate"]["claim"].startswith("sha256:")


def test_a_solver_that_gives_up_is_no_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    said = lambda claim, solver, seconds: Answer(solver, "0", "unknown", "timeout")  # noqa: E731
    monkeypatch.setattr(cross_check.smt, "decide_system", said)
    answer = verify.realize("affine", "previous", length=6, cross_check="z3")
    assert answer.opinion is not None
    assert (answer.opinion.outcome, answer.opinion.reason) == ("unknown", "timeout")


@pytest.mark.parametrize(
    ("encoding", "task", "options", "words"),
    [
        ("affine", "previous", {"length": 1}, "length must be an integer of at least 2"),
        ("affine", "previous", {"length": True}, "length must be an integer of at least 2"),
        ("affine", "previous", {"length": 8, "train_length": 8}, "must be below length"),
        ("affine", "skip:k=9", {"length": 5}, "asks nothing at length 5"),
        ("affine", "table:[null,0,null,null]", {"length": 4, "train_length": 2}, "of the new rows"),
        ("affin", "previous", {"length": 5}, "affine"),
        ("affine", "previos", {"length": 5}, "previous"),
        ("onehot:length=4", "previous", {"length": 9}, "position"),
        ("alibi", "previous", {"length": 5, "rank": 1}, "rank is for the matrix"),
        ("affine", "previous", {"length": 5, "rank": 0}, "rank must be a positive integer"),
        ("affine", "previous", {"length": 5, "bound": -1}, "bound must be a positive integer"),
        ("affine", "previous", {"length": 5, "bound": 2, "small": True}, "leave out bound"),
        ("affine", "previous", {"length": 5, "visibility": "half"}, "visibility must be"),
        ("affine", "previous", {"length": 5, "cross_check": "yices"}, "unknown solver"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(
    encoding: str, task: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        verify.realize(encoding, task, **options)


@pytest.mark.parametrize(
    ("encoding", "task", "length"),
    [
        ("expr:[1, sqrt(i)]", "previous", 8),
        ("expr:[1, sqrt(o)]", "previous", 8),
        ("scale:expr:[1, cos(i), sin(i), i/n]", "expr:i//2", 20),
    ],
)
def test_a_constant_column_does_not_hide_a_refutation(
    encoding: str, task: str, length: int
) -> None:
    """The keys agree in a column, so that no constraints span the parameters."""
    answer = verify.realize(encoding, task, length=length)
    assert isinstance(answer, Unrealizable)
    assert answer.proof["rule"] == "farkas-enclosed"
    claim = answer.question.conflict(answer.core)
    assert check(claim, answer.proof)
    fewer = {**answer.proof, "basis": answer.proof["basis"][1:]}
    assert not check(claim, fewer)
