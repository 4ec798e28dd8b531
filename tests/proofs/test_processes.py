"""Verdicts from several processes: the same as from one, and a killed process is an error."""

from __future__ import annotations

from pathlib import Path

from verify import suite
from verify.statements import Profile, load, registry
from verify.verdicts import Outcome, exit_code

DEADLY = """
import os, signal
from verify.statements import Measured, Measurement, Statement

def die(profile):
    os.kill(os.getpid(), signal.SIGKILL)

def live(profile):
    return Measured("1", None, None, None, False, "")

def once(name, run):
    part = Measurement("once", "", "", run)
    return Statement(id=name, title="", latex="", words="", source="", status="measured",
                     obligations=(part,))

STATEMENTS = (once("lives", live), once("dies", die), once("lives-too", live))
"""


def test_the_number_of_processes_changes_nothing() -> None:
    chosen = [registry()[name] for name in ("scope", "corollary-copy", "outside-colspan.pattern")]
    quick = Profile("quick")
    one = list(suite.run(chosen, profile=quick))
    two = list(suite.run(chosen, profile=quick, jobs=2))
    assert [(v.id, v.outcome, v.problems) for v in one] == [
        (v.id, v.outcome, v.problems) for v in two
    ]
    assert [[f.digest for f in v.findings] for v in one] == [
        [f.digest for f in v.findings] for v in two
    ]


def test_a_killed_process_is_an_error_of_its_own_statement_alone(tmp_path: Path) -> None:
    file = tmp_path / "deadly.py"
    file.write_text(DEADLY)
    chosen = list(load(file).values())
    verdicts = list(suite.run(chosen, profile=Profile("quick"), jobs=2, source=file))
    outcomes = {v.id: v.outcome for v in verdicts}
    assert outcomes == {
        "lives": Outcome.MEASURED, "dies": Outcome.ERROR, "lives-too": Outcome.MEASURED
    }  # fmt: skip
    assert exit_code(verdicts) == 1
