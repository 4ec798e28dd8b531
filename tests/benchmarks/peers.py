"""Exact solvers from elsewhere, asked the same strict systems, each in a process of its own.

A peer is given integer constraint vectors a, of which <a, w> > 0 is asked (as <a, w> >= 1, which is
the same by scaling, where it knows linear programs only). It builds its own objects, which is not
counted, and then answers, which is; the command line of QSopt_ex reads its file in that time too.
Where a package is missing the peer is left out and said to be: the index has z3-solver, cvc5, pplpy
and pycddlib (the last from source: Debian's libcdd-dev and libgmp-dev), Debian has qsopt-ex.
"""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any, Final

Vectors = Sequence[Sequence[int]]
Solve = Callable[[], str]
# Wall-clock seconds after which a peer that has not used up its processor seconds is ended.
PATIENCE = 4


def z3(vectors: Vectors) -> Solve:
    import z3 as solver

    asked = solver.Solver()
    asked.from_string(script(vectors))
    return lambda: str(asked.check())


def z3_lra(vectors: Vectors) -> Solve:
    """z3 told the logic."""
    import z3 as solver

    asked = solver.SolverFor("QF_LRA")
    asked.from_string(script(vectors))
    return lambda: str(asked.check())


def z3_simple(vectors: Vectors) -> Solve:
    """z3 without its preprocessing."""
    import z3 as solver

    asked = solver.SimpleSolver()
    asked.from_string(script(vectors))
    return lambda: str(asked.check())


def cvc5(vectors: Vectors) -> Solve:
    import cvc5 as solver

    own = solver.Solver(solver.TermManager())
    parser = solver.InputParser(own)
    text = "(set-logic QF_LRA)" + script(vectors)
    parser.setStringInput(solver.InputLanguage.SMT_LIB_2_6, text, "question")
    while not (command := parser.nextCommand()).isNull():
        command.invoke(own, parser.getSymbolManager())
    return lambda: str(own.checkSat())


def ppl(vectors: Vectors) -> Solve:
    import ppl as solver

    problem = solver.MIP_Problem(len(vectors[0]))
    for v in vectors:
        problem.add_constraint(solver.Linear_Expression(list(v), 0) >= 1)
    return lambda: "sat" if problem.is_satisfiable() else "unsat"


def cddlib(vectors: Vectors) -> Solve:
    import cdd
    import cdd.gmp

    array = [[Fraction(-1), *map(Fraction, v)] for v in vectors]
    program = cdd.gmp.linprog_from_array(
        [*array, [0] * (1 + len(vectors[0]))], obj_type=cdd.LPObjType.MAX
    )
    said = {cdd.LPStatusType.OPTIMAL: "sat", cdd.LPStatusType.INCONSISTENT: "unsat"}

    def solve() -> str:
        cdd.gmp.linprog_solve(program)
        return said.get(program.status, f"unknown ({program.status.name})")

    return solve


def qsopt_ex(vectors: Vectors) -> Solve:
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name, "p.lp")
    file.write_text(linear_program(vectors))

    def solve() -> str:
        with folder:
            run = subprocess.run(
                ["esolver", "-L", str(file)],
                cwd=folder.name, capture_output=True, text=True, check=False,
            )  # fmt: skip
        said = run.stdout + run.stderr
        if run.returncode == -signal.SIGXCPU:
            return "time-out"
        if "Problem Is Infeasible" in said:
            return "unsat"
        return "sat" if "Problem Solved Exactly" in said else "unknown"

    return solve


PEERS: Final[dict[str, Callable[[Vectors], Solve]]] = {
    found.__name__: found for found in (z3, z3_lra, z3_simple, cvc5, ppl, cddlib, qsopt_ex)
}
_MODULES: Final = {
    "z3": "z3", "z3_lra": "z3", "z3_simple": "z3", "cvc5": "cvc5", "ppl": "ppl", "cddlib": "cdd",
}  # fmt: skip


def installed() -> tuple[str, ...]:
    """The peers that can be asked here."""
    return tuple(
        name
        for name in PEERS
        if (
            importlib.util.find_spec(_MODULES[name])
            if name in _MODULES
            else shutil.which("esolver")
        )
    )


def integers(vectors: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """Coprime integer multiples: the same strict system."""
    found = []
    for v in vectors:
        scale = lcm(*(x.denominator for x in v))
        whole = [int(x * scale) for x in v]
        common = gcd(*whole) or 1
        found.append([x // common for x in whole])
    return found


def script(vectors: Vectors) -> str:
    """SMT-LIB: one real unknown a column, one assertion a vector."""
    width = len(vectors[0])
    lines = [f"(declare-const w{k} Real)" for k in range(width)]
    for v in vectors:
        terms = [
            f"(* {x} w{k})" if x > 0 else f"(* (- {-x}) w{k})" for k, x in enumerate(v) if x
        ] or ["0.0"]
        lines.append(f"(assert (> (+ 0.0 {' '.join(terms)}) 0.0))")
    return "\n".join(lines)


def linear_program(vectors: Vectors) -> str:
    """CPLEX's text form of <a, w> >= 1; it has no place for columns that no constraint uses."""
    names = [f"x{k}" for k in range(len(vectors[0])) if any(v[k] for v in vectors)] or ["x0"]
    rows = (
        f" c{n}: {' '.join(f'{x:+d} x{k}' for k, x in enumerate(v) if x) or '0 ' + names[0]} >= 1"
        for n, v in enumerate(vectors)
    )
    return "\n".join(
        ["Problem", " p", "Maximize", f" obj: 0 {names[0]}", "Subject", *rows,
         "Bounds", *(f" {name} free" for name in names), "End", ""]
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """sat, unsat, unknown, time-out or an error; processor and wall-clock seconds of solving."""

    answer: str
    seconds: float
    wall: float


def _used() -> float:
    """Processor seconds of this process and of the ended processes that it started."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def _serve(name: str, limit: int, pipe: Any) -> None:
    """Answers systems until the other end closes. The first, tiny one loads the library."""
    os.setsid()
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    while True:
        vectors = pipe.recv()
        try:
            solve = PEERS[name](vectors)
        except Exception as problem:
            pipe.send(f"error: {type(problem).__name__}: {problem}"[:80])
            continue
        pipe.send("")
        began, wall = _used(), time.monotonic()
        # Whole seconds; a process that is started inherits the number and counts from 0.
        alone = resource.getrusage(resource.RUSAGE_SELF)
        allowed = limit + int(alone.ru_utime + alone.ru_stime)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed + 1, hard))
        try:
            answer = solve()
        except Exception as problem:
            answer = f"error: {type(problem).__name__}: {problem}"[:80]
        spent = Reply(answer, _used() - began, time.monotonic() - wall)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        pipe.send(spent)


class Peer:
    """A process that answers one system at a time within a limit, and is replaced when it fails."""

    def __init__(self, name: str, limit: int) -> None:
        self.name, self.limit = name, limit
        self._process: Any = None

    def ask(self, vectors: Vectors) -> Reply:
        """The answer within `limit` processor seconds (or `PATIENCE` times as many on the wall)."""
        if self._process is None:
            self._start()
        began = time.monotonic()
        try:
            self._pipe.send(vectors)
            if not self._pipe.poll(PATIENCE * self.limit):
                return self._ended(began, "time-out while building")
            problem = self._pipe.recv()
            if problem:
                return Reply(problem, 0.0, 0.0)
            began = time.monotonic()
            if self._pipe.poll(PATIENCE * self.limit):
                reply: Reply = self._pipe.recv()
                # esolver lifts the limits that it is given.
                late = reply.seconds > self.limit + 1
                return replace(reply, answer="time-out") if late else reply
        except (EOFError, OSError):
            self._process.join()
            out = self._process.exitcode == -signal.SIGXCPU
            return self._ended(began, "time-out" if out else "error: it died")
        return self._ended(began, "time-out")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(self.name, self.limit, other))
        self._process.start()
        other.close()
        self._pipe.send([[1]])
        self._pipe.recv()
        self._pipe.recv()

    def _ended(self, began: float, answer: str) -> Reply:
        self.close()
        return Reply(answer, float(self.limit), time.monotonic() - began)

    def close(self) -> None:
        """End the process with what it has started."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._pipe.close()
        self._process = None
