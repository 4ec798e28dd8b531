"""`pe-verify realize` and `pe-verify transfer`: exit codes, JSON, certificates, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest

from verify import cross_check
from verify.cli import main
from verify.engines.protocol import Answer
from verify.recheck import main as recheck
from verify.report.json_report import schema

CLAMPED = ["clamped:length=6", "previous", "--train", "6", "--length", "9"]
QUESTIONS = [
    ["realize", "affine", "previous", "--length", "3"],
    ["realize", "polynomial:degree=2", "previous", "--length", "6", "--cross-check", "z3"],
    ["realize", *CLAMPED],
    ["transfer", *CLAMPED],
    ["transfer", "alibi", "previous", "--train", "5", "--length", "8"],
    ["transfer", "rope:frequencies=2", "attend-first", "--train", "5", "--length", "8"],
]


@pytest.mark.parametrize("arguments", QUESTIONS, ids=lambda a: " ".join(a[:3]))
def test_json_fits_its_schema_and_certificates_pass_recheck(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "proofs"
    assert main([*arguments, "--json", "-", "--certificates", str(folder)]) == 0
    document = json.loads(capsys.readouterr().out)
    fastjsonschema.compile(schema(arguments[0]))(document)
    files = sorted(folder.iterdir())
    assert files
    assert recheck([str(folder)]) == 0
    assert all(file.name.startswith(arguments[0]) for file in files)  # no temporary is left behind


def test_the_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    def asked(arguments: list[str]) -> dict[str, Any]:
        assert main([*arguments, "--json", "-"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    no, yes, rescue, classes, undefined, free = map(asked, QUESTIONS)
    assert no["realizable"] is False
    assert no["core"] == [{"length": 3, "row": 2, "target": 1}]
    assert yes["realizable"] is True
    assert yes["cross_check"]["outcome"] == "agrees"
    assert rescue["horizon"]["length"] == 7
    assert {row["class"] for row in classes["rows"]} == {"impossible"}
    assert (classes["alpha_forced"], classes["alpha_possible"]) == ("0", "0")
    assert (undefined["rows"], undefined["realizes_train"]) == ([], False)
    assert undefined["alpha_forced"] is None
    assert (free["alpha_forced"], free["alpha_possible"]) == ("0", "1")


def test_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    main(["realize", *CLAMPED])
    text = capsys.readouterr().out
    assert "not realizable by any real parameter" in text
    assert "the first length with no parameter left is 7" in text
    main(["transfer", *CLAMPED])
    lines = capsys.readouterr().out.splitlines()
    assert "    6  xxx" in lines
    assert any(line.startswith("6..8  impossible") for line in lines)
    assert any(line.startswith("0 <= alpha at length 9 <= 0") for line in lines)
    main(["transfer", "alibi", "previous", "--train", "5", "--length", "8"])
    assert "classes are undefined" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["realize", "transfer"])
def test_undecided_is_exit_code_3(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from verify import systems

    monkeypatch.setattr(systems, "decide", lambda *a, **k: systems.Open("gave up"))
    code = main([command, "affine", "previous", "--length", "8", "--train", "5", "--json", "-"])
    document = json.loads(capsys.readouterr().out)
    assert code == 3
    assert document["reason"] == "gave up"
    fastjsonschema.compile(schema(command))(document)


@pytest.mark.parametrize("command", ["realize", "transfer"])
def test_a_contradiction_is_exit_code_1(
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    said = lambda claim, solver, seconds: Answer(solver, "0", "refuted", "")  # noqa: E731
    monkeypatch.setattr(cross_check.smt, "decide_system", said)
    arguments = [command, "affine", "attend-first", "--length", "8", "--train", "5"]
    assert main([*arguments, "--cross-check", "z3"]) == 1
    message = capsys.readouterr().err
    assert "the instance is saved in" in message
    assert list(tmp_path.glob("disagreement-*.json"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["realize", "affine", "previous", "--length", "1"],
        ["realize", "affine", "previous"],
        ["realize", "alibi", "previous", "--length", "6", "--rank", "1"],
        ["realize", "nothing", "previous", "--length", "6"],
        ["realize", "affine", "previous", "--length", "6", "--seconds", "0"],
        ["transfer", "affine", "previous", "--train", "9", "--length", "8"],
        ["transfer", "affine", "previous", "--train", "5", "--length", "8", "--plot", "a.gif"],
        ["transfer", "affine", "previous", "--train", "5", "--length", "8", "--json", "no/a.json"],
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.strip().splitlines()) == 1


def test_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "classes.svg"
    assert main(["transfer", *CLAMPED, "--plot", str(path)]) == 0
    assert "impossible 3" in path.read_text()
    numbers = (tmp_path / "classes.svg.csv").read_text().splitlines()
    assert numbers[0] == "row,class" and numbers[1].endswith(",impossible")
    again = tmp_path / "again.svg"
    main(["transfer", *CLAMPED, "--plot", str(again)])
    assert again.read_text() == path.read_text()
