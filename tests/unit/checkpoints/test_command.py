"""`pe-verify heads` as users call it, and its certificates as `recheck` reads them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import fastjsonschema
import pytest

from tests.unit.checkpoints import synthetic
from verify.cli import main
from verify.commands.heads import runs
from verify.report.json_report import schema


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return synthetic.save(tmp_path / "model", *synthetic.bert())


def test_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heads", str(folder), "--visibility", "causal"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == f"{folder}: bert, channel table, length 12"
    assert lines[1].startswith("left out: content: the word embeddings")
    assert lines[3].split() == [
        "head", "task", "keys", "share", "hits", "ties", "smallest", "margin", "failing", "rows",
    ]  # fmt: skip
    shares = [float(line.split()[3]) for line in lines[4:8]]
    assert shares == sorted(shares, reverse=True)
    assert "Proposition 2" in lines[-1]
    assert err == ""


@pytest.mark.parametrize("layout", ["bert", "gpt2", "t5", "bloom", "qwen2"])
def test_json_follows_the_schema_and_certificates_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    folder = synthetic.save(tmp_path / "model", *getattr(synthetic, layout)())
    proofs = tmp_path / "proofs"
    channel = ["--channel", "biases"] if layout in ("bert", "gpt2") else []
    arguments = ["--types", "all", "--certificates", str(proofs), "--json", "-", "--length", "9"]
    assert main(["heads", str(folder), *arguments, *channel]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    fastjsonschema.compile(schema("heads"))(document)
    assert err == ""
    files = [entry["file"] for entry in document["certificates"]]
    assert len(files) == len(document["heads"]) and all(files)
    assert main(["recheck", str(proofs)]) == 0
    told = capsys.readouterr().out
    assert f"{len(files)} valid" in told
    assert max(map(len, told.splitlines())) < 2000  # tables are cut short


def test_a_changed_certificate_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proofs = tmp_path / "proofs"
    assert main(["heads", str(folder), "--only", "0.0", "--certificates", str(proofs)]) == 0
    (path,) = proofs.iterdir()
    data = json.loads(path.read_text("utf-8"))
    text = data["subject"]["outcomes"]
    data["subject"]["outcomes"] = text[:-1] + ("m" if text[-1] == "h" else "h")
    path.write_text(json.dumps(data), "utf-8")
    assert main(["recheck", str(path)]) != 0


def test_every_file_at_once(folder: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("r.json", "r.csv", "r.svg")}
    code = main(
        [
            "heads", str(folder), "--length", "6", "--train", "3", "--channel", "norm",
            "--json", str(files["r.json"]), "--csv", str(files["r.csv"]),
            "--plot", str(files["r.svg"]), "--certificates", str(tmp_path / "proofs"),
        ]
    )  # fmt: skip
    document = json.loads(files["r.json"].read_text("utf-8"))
    fastjsonschema.compile(schema("heads"))(document)
    assert code == (3 if any(c["alpha_forced"] is None for c in document["carries"]) else 0)
    assert all("irrational" in entry["reason"] for entry in document["certificates"])
    lines = files["r.csv"].read_text("utf-8").splitlines()
    assert len(lines) == 5 and lines[0].startswith("stack,layer,head,visibility,task,share")
    assert files["r.svg"].read_text("utf-8").lstrip().startswith("<?xml")


def test_open_classes_are_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, tensors = synthetic.bert()
    table = tensors["embeddings.position_embeddings.weight"]
    table[1] = table[0]
    folder = synthetic.save(tmp_path, config, tensors)
    assert main(["heads", str(folder), "--train", "4"]) == 3
    assert "open, as the rows below 4 are dependent" in capsys.readouterr().out


def test_bad_input_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.json").write_text('{"model_type": "mamba"}', "utf-8")
    assert main(["heads", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and "supported are bert" in err
    assert main(["heads", str(folder), "--json", "-", "--csv", "-"]) == 2


def test_without_safetensors(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    assert main(["heads", str(folder)]) == 2
    assert "pip install pe-verify" in capsys.readouterr().err


def test_only_may_be_given_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = []
    for only in (["--only", "0.0,0.1"], ["--only", "0.0", "--only", "0.1"]):
        assert main(["heads", str(folder), *only, "--json", "-"]) == 0
        document.append(json.loads(capsys.readouterr().out)["heads"])
    assert document[0] == document[1] and len(document[0]) == 2


def test_runs() -> None:
    assert runs([]) == ""
    assert runs([1, 2, 3, 7]) == "1..3, 7"
    assert runs([0, 2, 4, 6, 8]) == "0, 2, 4, 6, ..."
