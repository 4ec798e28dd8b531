"""Runs a question to a solver in a child process, with a wall-clock limit that always holds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOLVERS = ("z3", "cvc5")
RLIMIT = {"z3": 400_000_000, "cvc5": 400_000_000}
GRACE = 3.0  # seconds for starting Python and importing the solver


@dataclass(frozen=True, slots=True)
class Reply:
    """What a solver said: sat, unsat, unknown, error or missing; values as it spells them."""

    outcome: str
    version: str = ""
    reason: str = ""
    model: str = ""
    values: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def ask(
    solver: str,
    script: str,
    seconds: float,
    values: Sequence[str] = (),
    rlimit: int | None = None,
) -> Reply:
    """The solver's reply to an SMT-LIB script (declarations and assertions).

    seconds: of wall clock, after which the process is killed; rlimit: the solver's own unit of
    work. ValueError if the solver is not one of SOLVERS.
    """
    if solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r}; known: {', '.join(SOLVERS)}")
    if not seconds > 0:
        raise ValueError(f"seconds must be positive, not {seconds}")
    limit = RLIMIT[solver] if rlimit is None else rlimit
    question = {"solver": solver, "script": script, "seconds": seconds, "rlimit": limit}
    child = Path(__file__).with_name("child.py")
    start = time.monotonic()
    # -P: the child's directory is not searched for modules.
    process = subprocess.Popen(
        [sys.executable, "-P", str(child)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        text = json.dumps({**question, "values": list(values)})
        output, errors = process.communicate(text, timeout=seconds + GRACE)
    except subprocess.TimeoutExpired:
        return Reply("unknown", reason=f"killed after {seconds:g} s", seconds=seconds + GRACE)
    finally:
        process.kill()
        process.communicate()
    spent = time.monotonic() - start
    if process.returncode != 0:
        last = (errors.strip().splitlines() or ["no message"])[-1][:300]
        return Reply("error", reason=f"exit {process.returncode}: {last}", seconds=spent)
    return _reply(output, spent)


def _reply(output: str, spent: float) -> Reply:
    try:
        found: dict[str, Any] = json.loads(output[output.index("{") :])
    except ValueError:
        return Reply("error", reason=f"unreadable reply {output[:100]!r}", seconds=spent)
    return Reply(**found, seconds=spent)
