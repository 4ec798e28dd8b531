"""A user's own statements, and the command line called in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from verify.cli import main

DECLARATIONS = """
from verify.statements import (
    Control, Given, Hypothesis, Measured, Measurement, Model, Obligation, Sketch, Statement,
    countermodel, theorem, without,
)

POSITIVE = theorem(
    "int n, real P",
    {"floor": "int i: i >= 0, i < n => P(i) >= 1"},
    ["int i: i >= 0, i < n => P(i) > 0"],
)
ZERO = countermodel(without(POSITIVE, "floor"), {"n": 2, "P": 0}, {"i": 0})
FLOOR = Hypothesis("floor", "every value is at least 1", ("floor",))
CONTROL = Control(
    "floor", "values of 0 are allowed then",
    (Obligation("zero", "P = 0 and n = 2", "one model", lambda profile: ZERO, Model()),),
)


def statement(name, status, proof, hypotheses=(FLOOR,), controls=(CONTROL,)):
    return Statement(
        name, f"Title of {name}", r"P(i) > 0", "Every value is positive.", "ours", status,
        hypotheses=hypotheses,
        obligations=(
            Obligation(
                "positive", "every value is positive", "all n, all real P",
                lambda profile: POSITIVE, proof,
            ),
        ),
        controls=controls,
        remarks=("A remark.",),
        setting=("S2",),
    )


SOUND = Sketch(([{"rule": "use", "of": "floor", "at": {"i": "i"}}, "auto"],))
STUCK = Sketch(("auto",))
"""


class Result(NamedTuple):
    """What a call of the command line left behind."""

    code: int
    out: str
    err: str


Call = Callable[..., Result]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Call the command line with these arguments."""

    def run(*arguments: object) -> Result:
        capfd.readouterr()
        code = main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run


@pytest.fixture
def declare(tmp_path: Path) -> Callable[[str], Path]:
    """Write a file of statements: the declarations above, then these lines."""

    def write(lines: str) -> Path:
        file = tmp_path / "own_statements.py"
        file.write_text(DECLARATIONS + lines, "utf-8")
        return file

    return write
