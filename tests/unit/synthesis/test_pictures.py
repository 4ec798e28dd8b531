"""Pictures of choices: their numbers are those of the JSON, their marks differ in shape."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from verify.cli import main


def drawn(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, object], list[dict[str, str]], str]:
    """The JSON, the numbers beside the picture, and the words in the picture."""
    picture = tmp_path / "picture.svg"
    assert main([*arguments, "--plot", str(picture), "--json", "-"]) == 0
    with picture.with_name("picture.svg.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = " ".join(ElementTree.parse(picture).getroot().itertext())
    return json.loads(capsys.readouterr().out), rows, words


def test_every_attempt_of_a_synthesis_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["synthesize", "reverse", "--train", "4", "--length", "12"]
    document, rows, words = drawn(asked, tmp_path, capsys)
    sides = document["sides"]
    assert isinstance(sides, list)
    expected = [
        ("yes" if side["scale_hint"] else "no", a["encoding"], str(a["size"]), a["outcome"])
        for side in sides for a in side["attempts"]
    ]  # fmt: skip
    assert [tuple(row.values())[:4] for row in rows] == expected
    refuted = [sum(a["outcome"] == "refuted" for a in side["attempts"]) for side in sides]
    assert all(f"refuted {count}" in words for count in refuted) and "realizes 1" in words
    assert all(encoding in words for _, encoding, *_ in expected)
    assert "->" in rows[0]["conflict or reason"]


def test_advice_is_drawn_with_its_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["advise", "--task", "previous", "--train", "8", "--length", "12"]
    document, rows, words = drawn(asked, tmp_path, capsys)
    found = document["advice"]
    assert isinstance(found, list) and len(found) == len(rows) > 5
    for entry, row in zip(found, rows, strict=True):
        assert row["encoding"] == entry["encoding"] and entry["encoding"] in words
        for column, key in (
            ("forced", "alpha_forced"), ("possible", "alpha_possible"), ("selected by ce", "alpha"),
        ):  # fmt: skip
            assert row[column] == (entry[key] or "")
        realizable = {True: "yes", False: "no", None: ""}[entry["realizable"]]
        assert row["realizable at L0"] == realizable
    for mark in ("bounds", "selected by ce", "not realizable at L0", "all lengths, proved"):
        assert mark in words


@pytest.mark.parametrize("command", [["synthesize", "previous"], ["advise", "--task", "previous"]])
def test_another_kind_of_file_is_refused_before_the_work(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--plot", "x.gif"]) == 2
    assert "a picture is a file .svg, .png, .pdf" in capsys.readouterr().err
