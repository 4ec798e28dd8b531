"""Advice puts the answers side by side, best first, each with the result that explains it."""

from __future__ import annotations

import json
from functools import lru_cache

import fastjsonschema
import pytest

from verify.advise import CONTENT, Report, advise
from verify.cli import main
from verify.report.json_report import schema


@lru_cache
def advice(task: str) -> Report:
    return advise(task, train_length=8, length=12)


def test_previous() -> None:
    report = advice("previous")
    rows = {row.encoding.partition(":")[0]: row for row in report.rows}
    assert report.rows[0].proved and report.rows[0].encoding == "expr:[o, o ** 2]"
    assert rows["clipped"].alpha_forced == 1
    assert rows["clamped"].alpha_possible == 0 and "proposition-4" in rows["clamped"].why
    assert rows["affine"].realizable is False and "proposition-1" in rows["affine"].why
    assert rows["rope"].alpha == 1 and rows["rope"].selected


def test_reverse_needs_the_length() -> None:
    report = advice("reverse")
    assert report.rows[0].encoding.startswith("scale:") and report.rows[0].proved
    rows = {row.encoding.partition(":")[0]: row for row in report.rows}
    assert rows["rope"].realizable is False and "corollary-reverse" in rows["rope"].why


@pytest.mark.parametrize("task", ["previous", "reverse"])
def test_alpha_of_the_selected_parameter_lies_within_the_bounds(task: str) -> None:
    for row in advice(task).rows:
        if row.selected and row.alpha is not None:
            assert row.alpha_forced is not None and row.alpha_possible is not None
            assert row.alpha_forced <= row.alpha <= row.alpha_possible, row.encoding


@pytest.mark.parametrize("task", CONTENT)
def test_content_dependent_tasks_are_outside(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--task", task]) == 2
    assert "the theory does not apply" in capsys.readouterr().err


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["advise", "--task", "previous", "--train", "8", "--length", "12"]
    assert main([*arguments, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    fastjsonschema.compile(schema("advise"))(document)
    assert document["advice"][0]["all_lengths"] is True
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "previous, trained at 8, used at 12"
    assert lines[2].split() == ["encoding", "L0", "forced", "possible", "ce", "why"]
