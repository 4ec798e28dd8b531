"""Circuit families compute their tasks; counts of operators and classes are right."""

from __future__ import annotations

import json
from itertools import islice, product
from pathlib import Path

import fastjsonschema
import pytest

from verify.circuits import FAMILIES, Family, operator
from verify.cli import main
from verify.complexity import family, growth
from verify.report.json_report import schema


@pytest.mark.parametrize("of", FAMILIES, ids=lambda f: f.name)
def test_circuits_compute_their_tasks(of: Family) -> None:
    for n in range(of.first, of.first + 4):
        circuit = of.build(n)
        base = circuit.steps[0][0].base
        for tokens in islice(product(range(base), repeat=circuit.inputs), 2000):
            assert circuit.run(tokens) == of.expected(n, tokens), (n, tokens)


@pytest.mark.parametrize("of", FAMILIES, ids=lambda f: f.name)
def test_steps_read_earlier_tokens_only(of: Family) -> None:
    circuit = of.build(of.first + 4)
    for k, (unit, places) in enumerate(circuit.steps):
        assert len(places) == unit.arity
        assert all(0 <= place < circuit.inputs + k for place in places)


def test_equal_tables_are_one_operator() -> None:
    assert operator(2, 2, lambda a, b: a ^ b) == operator(2, 2, lambda a, b: (a + b) % 2)
    assert operator(2, 2, lambda a, b: a ^ b) != operator(2, 2, lambda a, b: a & b)


def test_parity_grows_at_once_and_not_step_by_step() -> None:
    at_once, stepwise = growth(family("parity"), 7), growth(family("parity-cot"), 7)
    assert [c.operators for c in at_once.counts] == [1, 2, 3, 4, 5, 6, 7] and at_once.grows
    assert [c.operators for c in stepwise.counts] == [1, 2, 2, 2, 2, 2, 2] and not stepwise.grows


@pytest.mark.parametrize("name", ["addition", "addition-padded", "multiply"])
def test_arithmetic_needs_boundedly_many_operators(name: str) -> None:
    found = growth(family(name), 8)
    assert not found.grows and found.counts[-1].operators == 4


def test_scale_hint_makes_absolute_relations_work() -> None:
    last = growth(family("copy"), 6).counts[-1]
    assert last.absolute is None and last.relative is None
    assert last.hinted_absolute == 51 and last.hinted_relative == 11 and last.ideal == 2


def test_reverse_is_no_function_of_the_offset_even_with_the_length() -> None:
    assert growth(family("reverse"), 5).counts[-1].hinted_relative is None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, table = tmp_path / "grow.svg", tmp_path / "grow.csv"
    arguments = ["complexity", "parity", "parity-cot", "--last", "5", "--plot", str(picture)]
    assert main([*arguments, "--csv", str(table), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    fastjsonschema.compile(schema("complexity"))(document)
    assert [f["grows"] for f in document["families"]] == [True, False]
    assert picture.read_text().startswith("<?xml")
    lines = table.read_text().splitlines()
    assert lines[0].startswith("family,n,operators") and len(lines) == 11
    assert lines[-1] == "parity-cot,5,2,2,4,,,35,"
    assert main(["complexity", "copy", "--last", "3"]) == 0
    assert "none is new at the end" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["sorting"], "unknown circuit family"), (["--last", "0"], "at least"),
     (["--last", "99"], "at most 40")],
)  # fmt: skip
def test_bad_input(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complexity", *arguments]) == 2
    out, err = capsys.readouterr()
    assert words in err and err.count("\n") == 1 and out == ""
