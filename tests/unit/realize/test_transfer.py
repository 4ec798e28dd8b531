"""The classes of new rows, their certificates, and the bounds that they give on alpha."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import verify
from tests.unit.realize.certificates import rechecked
from verify.transfer import Transfer

# Every cell has its classes by an argument that does not use the engine.
KNOWN = [
    # positions from 11 on share a feature: the row ties with itself
    ("clamped:length=12", "previous", 12, 24, "impossible"),
    # offsets from 11 on share a bias: nothing new is asked
    ("clipped:length=12", "previous", 12, 24, "forced"),
    ("clipped:length=12", "skip:k=3", 12, 40, "forced"),
    # the slope has to be positive, and then the first key wins at every length
    ("alibi", "attend-first", 8, 20, "forced"),
    # rows and keys with features of their own: anything goes
    ("onehot:length=24", "previous", 12, 24, "free"),
    ("learned:dim=24,seed=0", "previous", 8, 16, "free"),
]


@pytest.mark.parametrize(("spec", "task", "train", "length", "kind"), KNOWN)
def test_known_classes(spec: str, task: str, train: int, length: int, kind: str) -> None:
    found = verify.transfer(spec, task, train_length=train, length=length)
    assert {row.kind for row in found.rows} == {kind}
    assert len(found.rows) == length - train
    assert_certified(found)


def assert_certified(found: Transfer) -> None:
    """Every certificate is valid and is about the row that it is said to be about."""
    for certificate in found.certificates:
        assert rechecked(certificate) == "valid"
    asked = found.question
    for k, row in enumerate(found.rows):
        proofs = [found.certificates[place] for place in row.certificates]
        kinds = [proof["subject"]["question"] for proof in proofs]
        if row.kind == "forced":
            assert kinds == ["forced"]
            assert proofs[0]["subject"]["row"] == [asked.length, row.row]
            assert proofs[0]["subject"]["rows"] == [[asked.train_length]]
        elif row.kind == "impossible":
            assert kinds == ["unrealizable"]
            assert proofs[0]["subject"]["rows"] == [
                [asked.train_length], [asked.length, row.row, row.row + 1]
            ]  # fmt: skip
        elif row.kind == "free":
            assert kinds == ["decisions", "decisions"]
            trained = len(asked.training.rows)
            outcomes = [proof["subject"]["outcomes"] for proof in proofs]
            assert all(set(o[:trained]) == {"h"} for o in outcomes)
            assert [o[trained + k] == "h" for o in outcomes] == [True, False]


MIXED = [
    ("clamped:length=8", "attend-first", 12, 20),
    ("polynomial:degree=2", "expr:i//2", 8, 14),
    ("expr:[1, i, 1 if i % 3 == 0 else 0]", "self", 6, 14),
    ("sinusoidal:frequencies=2", "previous", 12, 20),
    ("rope:frequencies=2", "attend-first", 12, 24),
    ("t5:buckets=8,max_distance=16", "skip:k=2", 10, 20),
    ("clipped:length=6", "expr:i - 2 if i % 2 == 0 else i - 7", 7, 14),
]


@pytest.mark.parametrize("rule", ["min-norm", "max-margin", "ce:steps=60"])
@pytest.mark.parametrize(("spec", "task", "train", "length"), MIXED)
def test_every_selection_rule_lies_within_the_bounds(
    spec: str, task: str, train: int, length: int, rule: str
) -> None:
    found = cached(spec, task, train, length)
    assert found.training.realizable
    result = verify.alpha(spec, task, train_length=train, lengths=[length], rule=rule)
    if not result.realizes_train:
        return
    score = result[length]
    assert found.alpha_forced is not None
    assert found.alpha_possible is not None
    assert found.alpha_forced <= score.alpha <= found.alpha_possible
    for outcome, row in zip(score.decisions.text(), found.rows, strict=True):
        assert not (row.kind == "forced" and outcome != "h")
        assert not (row.kind == "impossible" and outcome == "h")


_KNOWN: dict[tuple[Any, ...], Transfer] = {}


def cached(spec: str, task: str, train: int, length: int) -> Transfer:
    key = (spec, task, train, length)
    if key not in _KNOWN:
        _KNOWN[key] = verify.transfer(spec, task, train_length=train, length=length)
    return _KNOWN[key]


@pytest.mark.parametrize(("spec", "task", "train", "length"), MIXED)
def test_every_row_is_certified(spec: str, task: str, train: int, length: int) -> None:
    assert_certified(cached(spec, task, train, length))


def test_different_classes_in_one_answer() -> None:
    """Clipped offsets: even rows ask for offset 2 as before, odd ones for 7, which ties with 5."""
    found = cached("clipped:length=6", "expr:i - 2 if i % 2 == 0 else i - 7", 7, 14)
    kinds = [row.kind for row in found.rows]
    assert kinds == ["impossible", "forced"] * 3 + ["impossible"]
    assert (found.alpha_forced, found.alpha_possible) == (Fraction(3, 7), Fraction(3, 7))
    assert_certified(found)


# kappa(o) = A cos(o - phi): training rows bound phi, new rows ask for more or for less.
WAVE = "rope:frequencies=1"


def test_cones_and_refutations_of_an_irrational_encoding() -> None:
    """The offsets 7 and 8 are 0.717 and 1.717 modulo 2 pi: 0.858 < phi < 1.358 is left."""
    found = verify.transfer(WAVE, "previous", train_length=9, length=20)
    assert "".join(row.kind[1] for row in found.rows) == "ooooo" + "r" * 6
    assert_certified(found)
    cones = [c for c in found.certificates if c["subject"]["question"] == "forced"]
    assert any(isinstance(part, dict) for c in cones for part in c["proof"]["cones"])


def test_impossible_rows_of_an_irrational_encoding() -> None:
    """attend-first needs 3.5 < phi < 1 + pi at L0 = 5, and row 5 needs phi > 4.5."""
    found = verify.transfer(WAVE, "attend-first", train_length=5, length=8)
    assert found.rows[0].kind == "impossible"
    assert_certified(found)


def test_an_irrational_refutation_has_its_core_and_certificate() -> None:
    answer = verify.realize(WAVE, "attend-first", length=8)
    assert answer.realizable is False
    certificate = answer.certificate()
    assert certificate is not None
    assert certificate["proof"]["rule"] == "farkas-enclosed"
    assert rechecked(certificate) == "valid"


def test_a_new_offset_leaves_rows_free() -> None:
    """Offsets 6 to 9 have biases of their own that no training row compares."""
    found = cached("clipped:length=10", "skip:k=2", 6, 12)
    assert [row.kind for row in found.rows] == ["free"] * 6
    assert_certified(found)


def test_forced_by_a_cone_that_is_no_chain() -> None:
    """On the line, beating a key on one side implies beating all beyond it."""
    found = verify.transfer("expr:[1, o]", "attend-first", train_length=4, length=9)
    assert {row.kind for row in found.rows} == {"forced"}
    assert_certified(found)
    assert found.alpha_forced == 1


def test_bounds_are_shares_of_the_new_rows() -> None:
    found = verify.transfer("clamped:length=12", "previous", train_length=12, length=24)
    assert (found.alpha_forced, found.alpha_possible) == (Fraction(0), Fraction(0))
    assert found.decided
    assert "12 impossible" in repr(found)


def test_no_classes_where_nothing_realizes_the_training_rows() -> None:
    found = verify.transfer("alibi", "previous", train_length=8, length=12)
    assert found.rows == ()
    assert found.training.realizable is False
    assert rechecked(found.training.certificate()) == "valid"
    assert (found.alpha_forced, found.alpha_possible) == (None, None)
    assert found.decided


def test_a_solver_agrees_on_every_row() -> None:
    found = verify.transfer(
        "clamped:length=4", "attend-first", train_length=4, length=7, cross_check="z3"
    )
    assert {opinion.outcome for _, opinion in found.opinions} == {"agrees"}
    assert len(found.opinions) == 6


def test_full_attention() -> None:
    found = verify.transfer("onehot:length=8", "next", train_length=5, length=8, visibility="full")
    assert [row.row for row in found.rows] == [5, 6]
    assert_certified(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"train_length": 8, "length": 8}, "below length"),
        ({"train_length": 1, "length": 8}, "at least 2"),
        ({"train_length": 12, "length": 24}, "position"),
    ],
)
def test_bad_input_gets_one_sentence(options: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        verify.transfer("onehot:length=10", "previous", **options)
