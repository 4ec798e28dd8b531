"""Irrational features: answers are those of `realize` and `transfer`, and finds are certified."""

from __future__ import annotations

from pathlib import Path

import pytest

import verify
from verify.cli import main
from verify.hunt.instances import instance
from verify.hunt.irrational import IrrationalOracle
from verify.hunt.oracle import Undecided
from verify.hunt.parts import certificate, decided, forced, refuted
from verify.hunt.readings import READINGS

WAVES = "expr:[1, cos(i), sin(i)]"
TURNS = "expr:[cos(o), sin(o)]"


@pytest.mark.parametrize(
    ("encoding", "task", "train", "length"),
    [
        (WAVES, "previous", 4, 7),
        (WAVES, "expr:i//2", 4, 7),
        (TURNS, "previous", 4, 9),
        (TURNS, "attend-first", 5, 9),
        (TURNS, "expr:i%2", 4, 8),
    ],
)
def test_the_oracle_answers_as_realize_and_transfer_do(
    encoding: str, task: str, train: int, length: int
) -> None:
    case = instance(encoding, task, train, length)
    assert isinstance(case.oracle, IrrationalOracle)
    found = verify.transfer(encoding, task, train_length=train, length=length)
    realizable = verify.realize(encoding, task, length=train).realizable
    assert (case.parameter(case.train) is not None) == realizable
    if realizable:
        classes = {row.row: row.kind for row in found.rows}
        assert {row[0]: case.classify(row) for row in case.new} == classes


def test_outcomes_are_exact() -> None:
    case = instance(TURNS, "self", 3, 6)
    # cos(o) is largest at 0 only; the zero parameter ties everywhere
    assert case.oracle.outcomes(((1, 0),), case.new) == "hhh"
    assert case.oracle.outcomes(((-1, 0),), case.new) == "mmm"
    assert case.oracle.outcomes(((0, 0),), case.new) == "ttt"


def test_each_kind_of_part_is_accepted_by_the_kernel() -> None:
    case = instance(TURNS, "previous", 4, 9)
    kinds = {row: case.classify(row) for row in case.new}
    always = next(row for row, kind in kinds.items() if kind == "forced")
    parameter = case.parameter(case.train)
    assert parameter is not None
    certificate(forced(case, always))
    certificate(decided(case, parameter, case.new))
    clash = instance(TURNS, "expr:i-1 if i < 4 else 0", 4, 5)
    assert clash.classify(clash.new[0]) == "impossible"
    certificate(refuted(clash, clash.new))


def test_readings_of_integer_tables_are_undecided() -> None:
    verdict = READINGS["span"].judge(instance(WAVES, "expr:i//2", 3, 6))
    assert verdict.outcome in ("undecided", "holds")
    selected = READINGS["selected"].judge(instance(WAVES, "expr:i//2", 3, 8))
    assert selected.outcome == "undecided" and "rational features only" in selected.reason
    with pytest.raises(Undecided, match="rational features only"):
        _ = instance(WAVES, "previous", 3, 5).integers


def test_a_campaign_certifies_its_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = "frequency:height=1,dimension=1,shortest=6,longest=6,tasks=small"
    target = str(tmp_path / "c")
    arguments = ["hunt", "start", "deep-row", "--space", space, "--directory", target]
    assert main([*arguments, "--strategy", "z3"]) == 2
    assert "is for spaces of rational features" in capsys.readouterr().err
    assert main([*arguments, "--instances", "1500"]) == 10
    assert "certified in" in capsys.readouterr().out
    assert main(["hunt", "show", target]) == 0
    assert "cos(i)" in capsys.readouterr().out
