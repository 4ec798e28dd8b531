"""`pe-verify alpha` and `pe-verify taxonomy` as users call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import fastjsonschema
import pytest

from verify import plots
from verify.cli import main
from verify.commands import _questions
from verify.report.json_report import schema

ROPE = ["alpha", "rope:frequencies=16", "attend-first", "--train", "20"]


def test_alpha_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ROPE, "--lengths", "30,40"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "rope:frequencies=16,base=10000 on attend-first, rule ce"
    assert lines[1].startswith("realizes length 20 with margin 2.1")
    assert lines[3].split() == ["L", "alpha", "hits", "ties", "float64", "smallest", "margin"]
    assert lines[4].split()[:5] == ["30", "0.8000", "8/10", "0", "8/10"]
    assert err == ""


def test_json_on_standard_output_is_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ROPE, "--lengths", "30", "--types", "all", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    fastjsonschema.compile(schema("alpha"))(document)
    assert document["lengths"][0]["alpha"] == "4/5"
    assert [entry["type"] for entry in document["types"]] == [
        "float64", "float32", "bfloat16", "float16",
    ]  # fmt: skip
    assert err == ""


def test_every_file_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / name for name in ("r.json", "r.csv", "r.svg", "w.json")}
    code = main(
        [
            "alpha", "alibi", "self", "--train", "5", "--lengths", "6..9",
            "--json", str(files["r.json"]), "--csv", str(files["r.csv"]),
            "--plot", str(files["r.svg"]), "--save-parameter", str(files["w.json"]),
            "--certificates", str(tmp_path / "certificates"),
        ]
    )  # fmt: skip
    assert code == 0
    document = json.loads(files["r.json"].read_text("utf-8"))
    fastjsonschema.compile(schema("alpha"))(document)
    assert [entry["length"] for entry in document["certificates"]] == [5, 6, 7, 8, 9]
    assert files["r.csv"].read_text("utf-8").splitlines()[1] == "6,1,0,0,1,1.0,1,true"
    assert files["r.svg"].read_text("utf-8").lstrip().startswith("<?xml")
    capsys.readouterr()
    assert main(["recheck", str(tmp_path / "certificates")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "5 valid"
    again = ["alpha", "alibi", "self", "--train", "5", "--lengths", "6", "--json", "-"]
    assert main([*again, "--parameter", str(files["w.json"])]) == 0
    given = json.loads(capsys.readouterr().out)
    assert given["train"]["smallest_margin"] == document["train"]["smallest_margin"]
    numbers = (tmp_path / "r.svg.csv").read_text("utf-8").splitlines()
    assert numbers[1] == "alibi,self,ce,6,1,1.0000," and len(numbers) == 5
    written = sorted(p.name for p in tmp_path.iterdir())
    assert written == sorted(["certificates", "r.svg.csv", *files])


def test_taxonomy_prints_its_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = ["--encoding", "clipped:length=20", "--encoding", "onehot:length=20"]
    picture = tmp_path / "table.png"
    code = main(
        ["taxonomy", *rows, "--task", "previous", "--lengths", "30", "--plot", str(picture)]
    )
    out = capsys.readouterr().out
    assert code == 0 and picture.stat().st_size > 2000
    assert "clipped:length=20  1.00" in out
    assert "x  onehot:length=20, previous: position 29 is outside" in out
    assert main(["taxonomy", *rows, "--task", "previous", "--csv", "-"]) == 0
    assert (
        capsys.readouterr().out.splitlines()[1] == "clipped:length=20,previous,60,40,0,40,1.0,true"
    )
    assert main(["taxonomy", *rows, "--task", "previous", "--json", "-"]) == 0
    fastjsonschema.compile(schema("taxonomy"))(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ROPE, "--lengths", "15"], "length 15 is not above the training length 20"),
        ([*ROPE, "--lengths", "thirty"], "not a list of lengths such as 30,40,60 or 30..60"),
        ([*ROPE, "--lengths", "9..3"], "'9..3' is not a range"),
        ([*ROPE, "--lengths", "1..999999"], "at most 10000 lengths"),
        ([*ROPE, "--lengths", "-3"], "lengths must be positive integers, not -3"),
        ([*ROPE, "--lengths", "30", "--rule", "beste"], "unknown rule 'beste'"),
        ([*ROPE, "--lengths", "30", "--types", "fp8"], "unknown float type 'fp8'"),
        ([*ROPE, "--lengths", "30", "--json", "/no/such/x.json"], "which does not exist"),
        ([*ROPE, "--lengths", "30", "--json", "/"], "is a folder; name a file"),
        ([*ROPE, "--lengths", "30", "--plot", "x.gif"], "a picture is a file .svg, .png, .pdf"),
        ([*ROPE, "--lengths", "30", "--json", "-", "--csv", "-"], "cannot both go"),
        (
            [*ROPE, "--lengths", "30", "--parameter", "w.npy", "--rule", "min-norm"],
            "--parameter is a rule of its own",
        ),
        (["alpha", "affine", "expr:j", "--train", "3", "--lengths", "9"], "contains 'j'"),
        (["taxonomy", "--rule", "given:x.npy"], "one given parameter does not fit a table"),
        (["taxonomy", "--lengths", "20"], "lengths must name at least one length above 20"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""


def test_an_interrupt_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while the picture is drawn: neither the picture nor anything after it is there."""

    def half(picture: object, path: Path) -> None:
        path.write_text("half a picture")
        raise KeyboardInterrupt

    monkeypatch.setattr(plots, "save", half)
    old = tmp_path / "p.svg"
    old.write_text("the old picture")
    code = main([*ROPE, "--lengths", "30", "--plot", str(old), "--json", str(tmp_path / "r.json")])
    assert code == 130
    assert [p.name for p in tmp_path.iterdir()] == ["p.svg"]
    assert old.read_text() == "the old picture"
    assert "interrupted" in capsys.readouterr().err


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with _questions.progress() as told:
        assert told is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with _questions.progress() as told:
        assert told is not None
        told("L = 30", 1, 2)


def test_long_work_reports_progress() -> None:
    from verify.alpha import alpha

    seen: list[tuple[str, int, int]] = []
    alpha(
        "sinusoidal:frequencies=2", "previous", train_length=8, lengths=[600],
        progress=lambda *event: seen.append(event),
    )  # fmt: skip
    assert [what for what, _, _ in seen] == ["L = 600"] * len(seen)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert seen[-1][1] == seen[-1][2] > 0 and len(seen) == 3
