"""Synthesis: the smallest encoding of the grammar, its parameter, the theorem for all lengths."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import fastjsonschema
import pytest

from verify import kernel, recheck, systems
from verify.cli import main
from verify.report.json_report import schema
from verify.synthesis import grammar, search
from verify.synthesis.lift import lift
from verify.synthesis.search import synthesize
from verify.synthesis.theorem import formula
from verify.theory import heads, tasks
from verify.theory.encodings import encoding
from verify.theory.text import text

SIX = ("previous", "skip-3", "attend-first", "expr:i//2", "copy", "reverse")


@pytest.mark.parametrize("name", SIX)
def test_six_tasks_are_found_and_proved_at_all_lengths(name: str) -> None:
    found = synthesize(name, train_length=6, length=14)
    hinted = found.hinted.proved
    assert hinted is not None and hinted.lifted is not None
    certificate = search.certificate(found, hinted)
    assert certificate is not None
    assert kernel.check(hinted.lifted.claim, certificate).outcome == "valid"


@pytest.mark.parametrize("name", ["copy", "reverse"])
def test_without_the_length_two_rows_conflict(name: str) -> None:
    side = synthesize(name, train_length=6, length=14).plain
    assert side.smallest is None
    assert {a.outcome for a in side.attempts} == {"refuted"}
    widest = next(a for a in side.attempts if a.spec == "expr:[1, i, i ** 2]")
    (n, i, t), (m, k, u) = widest.rows
    assert n != m and i == k and t != u


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("previous", "expr:[o, o ** 2]"),
        ("attend-first", "expr:[o]"),
        ("expr:i//2", "expr:[i, i ** 2]"),
    ],
)
def test_smallest_encodings(name: str, spec: str) -> None:
    found = synthesize(name, train_length=6, length=12).plain
    assert found.smallest is not None and found.smallest.spec == spec
    smaller = [a for a in found.attempts if a.size < found.smallest.size]
    assert all(a.outcome == "refuted" for a in smaller)


@pytest.mark.parametrize("name", SIX)
def test_lifted_parameters_realize_every_row_exactly(name: str) -> None:
    task = tasks.task(name)
    for e in grammar.candidates(hint=True, causal=True):
        theorem = lift(task, e)
        if theorem is not None:
            break
    assert theorem is not None
    for n in range(2, 16):
        rows = tasks.rows(task, n)
        if rows:
            proof = systems.witness(theorem.parameter, linear=False)
            claim = heads.realizable_claim(e, [(n, rows)])
            assert systems.check(claim, proof), (name, n)


def test_centres_of_targets() -> None:
    half = formula(tasks.task("expr:i//2"))
    assert half is not None and text(half.centre) == "-1/4+1/2*i"
    copy = formula(tasks.task("copy"))
    assert copy is not None and text(copy.centre) == "-1/4+i-1/2*n"
    assert formula(tasks.task("expr:i//2 + i//3")) is None  # 1/4 + 1/3 is not below 1/2
    assert formula(tasks.task("decimate:q=10")) is None
    assert formula(tasks.task("expr:i*i//9")) is None


def test_a_wrong_parameter_is_not_proved() -> None:
    found = synthesize("previous", train_length=4, length=6)
    find = found.plain.proved
    assert find is not None
    certificate = search.certificate(found, find)
    assert certificate is not None
    certificate["subject"]["parameter"] = [["1", "1"]]
    _, claim = recheck.rebuild(certificate["subject"], {})
    certificate["claim"] = kernel.digest(claim)
    assert kernel.check(claim, certificate).outcome == "invalid"


def test_an_encoding_without_polynomials_is_not_lifted() -> None:
    assert lift(tasks.task("previous"), encoding("clipped:length=3")) is None


def test_sizes_increase() -> None:
    sizes = [grammar.size(e) for e in grammar.candidates(hint=False, causal=True)]
    assert sizes == sorted(sizes)
    assert not any(e.scale_hinted for e in grammar.candidates(hint=False, causal=True))
    assert all(e.scale_hinted for e in grammar.candidates(hint=True, causal=True))


def test_full_attention() -> None:
    found = synthesize("next", train_length=4, length=8, visibility="full")
    assert found.plain.proved is not None
    assert found.plain.proved.spec == "expr:[o, o ** 2]"
    assert found.plain.proved.parameter == ((Fraction(-2), Fraction(-1)),)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["synthesize", "previous", "--train", "4", "--length", "8"]
    assert main([*arguments, "--certificates", str(tmp_path), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    fastjsonschema.compile(schema("synthesize"))(document)
    assert document["sides"][0]["smallest"]["encoding"] == "expr:[o, o ** 2]"
    assert recheck.main([str(path) for path in tmp_path.glob("*.json")]) == 0
    assert main(arguments) == 0
    assert "every length, proved" in capsys.readouterr().out
    assert main(["synthesize", "copy", "--train", "4", "--length", "8"]) == 0
    assert "none of 24 encodings; 24 refuted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "unknown task"),
        (["previous", "--train", "9", "--length", "4"], "train_length and length must satisfy"),
        (["skip:k=90"], "asks nothing at lengths up to 64"),
        (["expr:i/2"], "not an integer"),
    ],
)
def test_bad_input(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synthesize", *arguments]) == 2
    out, err = capsys.readouterr()
    assert words in err and err.count("\n") == 1 and out == ""
