"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from verify import cli
from verify.report.terminal import controls
from verify.statements import registry
from verify.verdicts import EXPECTED, ControlFinding, Finding

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")
FENCES = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
ROW = re.compile(
    r"(?P<mark>[ !])  (?P<outcome>[A-Z]+) +(?P<id>\S+) +(?P<evidence>kernel|solvers|numeric|none) +"
    r"(?P<controls>-|\d+(?:/\d+)? controls?) +[\d.]+ (?:s|min)(?:  (?P<scope>.+))?"
)


EVIDENCE = {"proved": "kernel", "refuted": "kernel", "measured": "numeric", "open": "none"}


class Row(NamedTuple):
    """A result line without its time."""

    mark: str
    outcome: str
    id: str
    evidence: str
    controls: str
    scope: str


def rows(text: str) -> list[Row]:
    return [Row(**match.groupdict()) for match in map(ROW.fullmatch, text.splitlines()) if match]


def shown() -> str:
    (output,) = [body for language, body in FENCES if language == "text"]
    return output


def test_the_result_lines_are_those_of_the_statements() -> None:
    found = rows(shown())
    stale = "README.md is stale: run tools/refresh_readme.py"
    assert [row.id for row in found] == list(registry()), stale
    certified = Finding("", "", "", "valid", "")
    for row, statement in zip(found, registry().values(), strict=True):
        assert (row.mark, row.id) == (" ", statement.id)
        assert row.outcome == EXPECTED[statement.status]
        good = [ControlFinding(c.hypothesis, "", (certified,)) for c in statement.controls]
        assert row.controls == controls(good)
        assert row.evidence == EVIDENCE[statement.status]


def test_the_summary_counts_the_lines() -> None:
    found = rows(shown())
    summary = re.search(r"^(\d+) statements: (.*); all as declared\.$", shown(), re.MULTILINE)
    assert summary is not None
    assert int(summary[1]) == len(found)
    counted = dict(part.split()[::-1] for part in summary[2].split(", "))
    outcomes = [row.outcome for row in found]
    assert counted == {outcome: str(outcomes.count(outcome)) for outcome in outcomes}


@pytest.mark.slow
def test_a_real_run_prints_what_the_readme_shows(call: Any) -> None:
    code, out, _ = call("check", "--profile", "quick")
    assert code == 0
    assert rows(out) == rows(shown())


COMMANDS = [
    line.partition("#")[0].split()[1:]
    for language, body in FENCES
    if language == "sh"
    for line in body.splitlines()
    if line.startswith("pe-verify ")
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_every_command_and_option_exists(arguments: list[str]) -> None:
    command: click.Command | None = cli.group
    for name in arguments:
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), name)
    assert command is not None
    options = {name for parameter in command.params for name in parameter.opts}
    assert {a for a in arguments if a.startswith("--")} <= options


def test_the_readme_names_every_command() -> None:
    named = {arguments[0] for arguments in COMMANDS}
    known = set(cli.group.list_commands(click.Context(cli.group)))
    assert known <= named, f"README.md, section Commands, lacks {sorted(known - named)}"


def test_the_python_example_runs() -> None:
    (example,) = [body for language, body in FENCES if language == "python"]
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PROVED kernel all n")
    assert "(30, Fraction(4, 5)), (40, Fraction(2, 5)), (60, Fraction(1, 5))" in done.stdout
    assert "Unrealizable(affine on previous at length 3" in done.stdout
    assert "12 impossible; 0 <= alpha <= 0" in done.stdout


def test_it_opens_with_the_two_commands_for_a_fresh_machine() -> None:
    check, tests = [body for language, body in FENCES if language == "sh"][:2]
    assert check.startswith("python3 -m venv ") and "pe-verify check" in check
    assert tests.startswith("python3 -m venv ") and "-m pytest" in tests
    assert len(check.splitlines()) == len(tests.splitlines()) == 1
    assert README.index(tests) > README.index("## Tests")
