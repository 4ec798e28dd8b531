"""The feasibility grid: families x tasks x lengths, ours through the kernel and solvers beside it.

    python -m tests.benchmarks.realize_grid ours FILE.csv
    python -m tests.benchmarks.realize_grid z3 FILE.csv      (or cvc5; previous and copy only)
    python -m tests.benchmarks.realize_grid table OURS.csv Z3.csv CVC5.csv

Processor seconds, since both ran on a busy machine. Ours: everything counts (features, engine,
certificate, kernel). A solver: parsing and check-sat in a process that has imported it already, at
most 15 s of wall clock each; after a time-out longer instances of the same family and task are
skipped, and counted as not solved.
"""

from __future__ import annotations

import csv
import multiprocessing
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

from tests.unit.feasibility.families import ABSOLUTE, RELATIVE, TASKS

LENGTHS = (8, 12, 20, 32, 64)
PEER_TASKS = ("previous", "copy")
LIMIT = 15.0
FIELDS = ("family", "task", "length", "unknowns", "answer", "seconds", "kernel", "bytes")


def posed(family: str, task: str, n: int) -> dict[str, Any]:
    """The kernel's system of one instance."""
    target, relative = TASKS[task], family in RELATIVE
    vectors = [[str(e) for e in v] for v in {**ABSOLUTE, **RELATIVE}[family](n)]
    pairs = [(i, target(i, n)) for i in range(1, n) if 0 <= target(i, n) <= i]
    rows = [[-1, 0, i + 1, i - t] if relative else [i, 0, i + 1, t] for i, t in pairs]
    return {"vectors": vectors, "rows": rows}


def cells(tasks: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(f, t) for f in [*ABSOLUTE, *RELATIVE] for t in tasks]


def ours() -> Iterator[dict[str, Any]]:
    import json

    from verify import systems

    for family, task in cells(tuple(TASKS)):
        for n in LENGTHS:
            system = posed(family, task, n)
            began = time.process_time()
            answer = systems.decide(system)
            spent = time.process_time() - began
            sat = isinstance(answer, systems.Found)
            decided = isinstance(answer, systems.Found | systems.Refuted)
            claim = {"kind": "realizable" if sat else "unrealizable", "system": system}
            began = time.process_time()
            accepted = decided and systems.check(claim, answer.proof)
            kernel = time.process_time() - began
            d = len(system["vectors"][0])
            yield {
                "family": family, "task": task, "length": n,
                "unknowns": d if family in RELATIVE else d * d,
                "answer": ("sat" if sat else "unsat") if accepted else "open",
                "seconds": f"{spent:.4f}", "kernel": f"{kernel:.4f}",
                "bytes": len(json.dumps(answer.proof)) if decided else 0,
            }  # fmt: skip


def _child(solver: str, pipe: Connection) -> None:
    """Answers scripts until the other end closes."""
    if solver == "z3":
        import z3
    else:
        import cvc5
    pipe.send("ready")
    while True:
        script = pipe.recv()
        began = time.process_time()
        if solver == "z3":
            asked = z3.Solver()
            asked.from_string(script)
            answer = str(asked.check())
        else:
            own = cvc5.Solver(cvc5.TermManager())
            parser = cvc5.InputParser(own)
            parser.setStringInput(
                cvc5.InputLanguage.SMT_LIB_2_6, "(set-logic QF_LRA)" + script, "question"
            )
            while not (command := parser.nextCommand()).isNull():
                command.invoke(own, parser.getSymbolManager())
            answer = str(own.checkSat())
        pipe.send((answer, time.process_time() - began))


def peer(solver: str) -> Iterator[dict[str, Any]]:
    from verify.engines.smt import systems as spelled

    context = multiprocessing.get_context("spawn")
    process: Any = None
    pipe: Any = None
    for family, task in cells(PEER_TASKS):
        alive = True
        for n in LENGTHS:
            answer, spent = "skipped", 0.0
            if alive:
                script = _script(spelled, posed(family, task, n))
                if process is None or not process.is_alive():
                    pipe, other = context.Pipe()
                    process = context.Process(target=_child, args=(solver, other), daemon=True)
                    process.start()
                    pipe.recv()
                pipe.send(script)
                if pipe.poll(LIMIT):
                    answer, spent = pipe.recv()
                else:
                    process.kill()
                    process.join()
                    answer, spent, alive = "time-out", LIMIT, False
            row = {"family": family, "task": task, "length": n, "answer": answer}
            yield row | {"seconds": f"{spent:.4f}"}
    if process is not None:
        process.kill()


def _script(spelled: Any, system: dict[str, Any]) -> str:
    """The same SMT-LIB that `--cross-check` asks."""
    rational = spelled._rational(system["vectors"])
    lines = spelled._unknowns(len(rational[0]), system["rows"][0][0] < 0, None, None)
    lines += [
        spelled._hit(rational, row, key, False)
        for row in system["rows"]
        for key in range(row[1], row[2])
        if key != row[3]
    ]
    return "\n".join(lines)


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """One line for each instance, at once, so that an interrupted run leaves what it has."""
    writer = None
    with path.open("w", newline="") as file:
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, [f for f in FIELDS if f in row], lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
            file.flush()


def read(path: str) -> dict[tuple[str, str, int], dict[str, str]]:
    with open(path, newline="") as file:
        return {(r["family"], r["task"], int(r["length"])): r for r in csv.DictReader(file)}


def table(own: str, *others: str) -> str:
    """What the documentation prints."""
    mine = read(own)
    times = sorted(float(r["seconds"]) for r in mine.values())
    answers = [r["answer"] for r in mine.values()]
    lines = [
        f"ours: {len(mine)} instances, {answers.count('sat')} sat, {answers.count('unsat')} unsat,"
        f" {answers.count('open')} open; median {median(times):.3f} s, largest {times[-1]:.2f} s",
    ]
    for path in others:
        theirs = read(path)
        solved = {k: r for k, r in theirs.items() if r["answer"] in ("sat", "unsat")}
        wrong = [k for k, r in solved.items() if r["answer"] != mine[k]["answer"]]
        hard = {k: float(r["seconds"]) for k, r in solved.items() if float(r["seconds"]) > 0.1}
        ratios = [seconds / float(mine[k]["seconds"]) for k, seconds in hard.items()]
        behind = [
            (k, float(mine[k]["seconds"]) / float(r["seconds"]))
            for k, r in solved.items()
            if float(r["seconds"]) > 0.05 and float(mine[k]["seconds"]) > 2 * float(r["seconds"])
        ]
        share = f"{median(ratios):.0f}x" if ratios else "-"
        lines += [
            f"{Path(path).stem}: {len(solved)} of {len(theirs)} solved, {len(wrong)} differ",
            f"  where it needs more than 0.1 s ({len(hard)}): median ratio {share}",
            f"  ours beyond twice its time, where it needs more than 50 ms: {len(behind)}",
            *(f"    {' '.join(map(str, k))}: {ratio:.1f}x" for k, ratio in behind),
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    what, *files = sys.argv[1:]
    if what == "table":
        print(table(*files))
    else:
        write(Path(files[0]), ours() if what == "ours" else peer(what))
