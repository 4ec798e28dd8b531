"""One question to one solver in a process of its own, which the caller may kill.

Reads a JSON object with `solver`, `script` (SMT-LIB 2.6, no check-sat), `seconds`, `rlimit` and
`values` (names of real or integer constants) from standard input; writes one with `outcome` (sat,
unsat, unknown, error or missing), `version`, `reason`, `model` and `values`. Run as a script: it
imports the solver and the standard library alone.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

SEED = 0
MEMORY = 4 << 30  # bytes
MODEL = 4_000  # characters


def main() -> None:
    """Answer the question on standard input."""
    question = json.load(sys.stdin)
    _limit(question["seconds"])
    ask = {"z3": _z3, "cvc5": _cvc5}[question["solver"]]
    try:
        answer = ask(question)
    except ImportError as problem:
        answer = {"outcome": "missing", "reason": str(problem)}
    except Exception as problem:  # whatever a solver throws is its error, never an answer
        answer = {"outcome": "error", "reason": f"{type(problem).__name__}: {problem}"[:500]}
    json.dump({"version": "", "reason": "", "model": "", "values": {}, **answer}, sys.stdout)


def _limit(seconds: float) -> None:
    """Memory and processor time, where the system can limit them."""
    try:
        import resource
    except ImportError:
        return
    time = int(seconds) + 10  # the caller's clock comes first; this one outlives the caller
    for what, limit in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, time)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (limit if hard < 0 else min(limit, hard), hard))


def _z3(question: dict[str, Any]) -> dict[str, Any]:
    import z3

    z3.set_param("smt.random_seed", SEED)
    z3.set_param("sat.random_seed", SEED)
    solver = z3.Solver()
    solver.set("rlimit", question["rlimit"])
    solver.set("timeout", int(question["seconds"] * 1000))
    solver.from_string(question["script"])
    outcome = str(solver.check())
    answer: dict[str, Any] = {"outcome": outcome, "version": z3.get_version_string()}
    if outcome == "unknown":
        answer["reason"] = solver.reason_unknown()
    if outcome == "sat":
        model = solver.model()
        answer["model"] = str(model)[:MODEL]
        found = {d.name(): model[d] for d in model.decls() if d.arity() == 0}
        # A constant that no assertion needs is not in the model: any number will do.
        answer["values"] = {n: _value(found[n]) if n in found else "0" for n in question["values"]}
    return answer


def _value(number: Any) -> str:
    """A rational as 'p/q'; an algebraic number as z3 spells it."""
    if hasattr(number, "as_fraction"):
        return str(number.as_fraction())
    return str(number.as_long() if hasattr(number, "as_long") else number.sexpr())


def _cvc5(question: dict[str, Any]) -> dict[str, Any]:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    version = solver.getVersion()
    version = version.decode() if isinstance(version, bytes) else str(version)
    options = {"produce-models": "true", "seed": str(SEED), "rlimit": str(question["rlimit"])}
    options |= {"tlimit-per": str(int(question["seconds"] * 1000))}
    for name, value in options.items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    symbols = parser.getSymbolManager()

    def run(text: str) -> list[str]:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
        output = []
        while not (command := parser.nextCommand()).isNull():
            output.append(str(command.invoke(solver, symbols)))
        return output

    run("(set-logic ALL)" + question["script"])
    found = solver.checkSat()
    outcome = "sat" if found.isSat() else "unsat" if found.isUnsat() else "unknown"
    answer: dict[str, Any] = {"outcome": outcome, "version": version}
    if outcome == "unknown":
        answer["reason"] = str(found.getUnknownExplanation()).removeprefix("UnknownExplanation.")
    if outcome == "sat":
        answer["model"] = run("(get-model)")[0][:MODEL]
        values = {}
        for name in question["values"]:
            reply = run(f"(get-value (|{name}|))")[0].strip()
            values[name] = _plain(reply[2:-2].split(" ", 1)[1] if reply[1:2] == "(" else reply)
        answer["values"] = values
    return answer


def _plain(term: str) -> str:
    """`(/ (- 1) 2)` or `(- 0.5)` as -1/2; anything else (an algebraic number) as it is."""
    match = re.fullmatch(r"\(/ (\d+|\(- \d+\)) (\d+)\)", term)
    if match:
        return f"{match[1].strip('()').replace(' ', '')}/{match[2]}"
    negative = re.fullmatch(r"\(- (.*)\)", term)
    if negative:
        inner = _plain(negative[1])
        return f"-{inner}"
    return term


if __name__ == "__main__":
    main()
