"""The feasibility grid: families x tasks x lengths, ours through the kernel and exact peers beside.

    python -m tests.benchmarks.realize_grid FILE.csv [MINUTES [PART PARTS]]

Every instance is decided here and handed to each peer at once after that, so that both sides meet
the same machine. Ours: everything counts (features, engine, certificate, and the kernel's check,
which is also measured once more alone). A peer: see `peers`. After a peer's time-out the longer
instances of the same family and task are not put to it, and counted as not solved. The cells come
in a seeded order in which no family gets a second task before each has one; when MINUTES are over
the peers are asked no more, so that they have seen a random share of the grid, families alike.
"""

from __future__ import annotations

import csv
import json
import math
import random
import sys
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.benchmarks.peers import Peer, installed, integers
from tests.unit.feasibility.families import ABSOLUTE, RELATIVE, TASKS

LENGTHS = (8, 12, 20, 32, 64)
# Rescues: rows below L0 as at L0, new rows up to 2 L0, one parameter.
RESCUED = (
    "poly2", "clamped", "rnd8", "rnd16", "circ4", "fs8", "fs16", "relpoly3", "relcirc4", "relfs8",
)  # fmt: skip
RESCUE_TASKS = ("previous", "copy")
RESCUE_LENGTHS = (8, 12, 20)
LIMIT = 15
OURS = "pe-verify"
DECIDED = ("sat", "unsat")
FIELDS = (
    "question", "family", "task", "length", "unknowns", "constraints", "solver", "answer",
    "seconds", "wall", "kernel", "bytes",
)  # fmt: skip


def posed(family: str, task: str, n: int, train: int | None = None) -> dict[str, Any]:
    """The kernel's system of one instance; a rescue if the rows below `train` are asked there."""
    target, relative = TASKS[task], family in RELATIVE
    vectors = [[str(e) for e in v] for v in {**ABSOLUTE, **RELATIVE}[family](n)]
    asked = [(i, target(i, train if train is not None and i < train else n)) for i in range(1, n)]
    pairs = [(i, t) for i, t in asked if 0 <= t <= i]
    rows = [[-1, 0, i + 1, i - t] if relative else [i, 0, i + 1, t] for i, t in pairs]
    return {"vectors": vectors, "rows": rows}


def constraints(system: dict[str, Any]) -> list[list[int]]:
    """The score differences of a system as coprime integers, one vector a competitor."""
    features = [[Fraction(x) for x in v] for v in system["vectors"]]
    # A positive factor for each vector changes no strict inequality where queries are separate; the
    # keys share one, so that their differences stay differences.
    scale = math.lcm(*(x.denominator for v in features for x in v))
    keys = [[int(x * scale) for x in v] for v in features]
    queries = integers(features)
    found = []
    for query, start, stop, target in system["rows"]:
        for key in range(start, stop):
            if key != target:
                gap = [a - b for a, b in zip(keys[target], keys[key], strict=True)]
                found.append(gap if query < 0 else [q * g for q in queries[query] for g in gap])
    return [primitive(v) for v in found]


def primitive(vector: list[int]) -> list[int]:
    """The vector over the greatest common divisor of its entries."""
    common = math.gcd(*vector) or 1
    return [x // common for x in vector]


def cells() -> list[tuple[str, str, str]]:
    """Question, family and task, in the order in which they are asked."""
    rng = random.Random(4)
    families = [*ABSOLUTE, *RELATIVE]
    orders = {f: rng.sample(sorted(TASKS), len(TASKS)) for f in families}
    found = []
    for k in range(len(TASKS)):
        found += [("realize", f, orders[f][k]) for f in rng.sample(families, len(families))]
        if k < len(RESCUE_TASKS):
            rescued = rng.sample(RESCUED, len(RESCUED))
            found += [("rescue", f, RESCUE_TASKS[k]) for f in rescued]
    return found


def run(minutes: float, part: int, parts: int) -> Iterator[dict[str, Any]]:
    """One line for each instance and solver."""
    ours(posed("fs8", "previous", 8))  # loads the libraries, as the peers' first question does
    end = time.monotonic() + 60 * minutes
    peers = [Peer(name, LIMIT) for name in installed()]
    try:
        for question, family, task in cells()[part::parts]:
            alive = {p.name for p in peers} if time.monotonic() < end else set()
            asked = bool(alive)
            for length in LENGTHS if question == "realize" else RESCUE_LENGTHS:
                n, train = (length, None) if question == "realize" else (2 * length, length)
                began, wall = time.process_time(), time.perf_counter()
                system = posed(family, task, n, train)
                made = time.process_time() - began, time.perf_counter() - wall
                width = len(system["vectors"][0])
                head = {
                    "question": question, "family": family, "task": task, "length": length,
                    "unknowns": width if family in RELATIVE else width**2,
                    "constraints": sum(stop - start - 1 for _, start, stop, _ in system["rows"]),
                }  # fmt: skip
                yield head | ours(system, made)
                rows = constraints(system) if alive else []
                for peer in peers if asked else ():
                    told: dict[str, Any] = {"solver": peer.name, "answer": "skipped"}
                    if peer.name in alive:
                        reply = peer.ask(rows)
                        told |= {
                            "answer": reply.answer, "seconds": f"{reply.seconds:.5f}",
                            "wall": f"{reply.wall:.5f}",
                        }  # fmt: skip
                        if reply.answer not in DECIDED:
                            alive.discard(peer.name)
                    yield head | told
    finally:
        for peer in peers:
            peer.close()


def ours(system: dict[str, Any], made: tuple[float, float] = (0.0, 0.0)) -> dict[str, Any]:
    """Decided, certified and checked; `made`: seconds that the features took already."""
    from verify import systems

    began, wall = time.process_time(), time.perf_counter()
    answer = systems.decide(system)
    spent, passed = time.process_time() - began, time.perf_counter() - wall
    sat = isinstance(answer, systems.Found)
    proof = answer.proof if isinstance(answer, systems.Found | systems.Refuted) else None
    claim = {"kind": "realizable" if sat else "unrealizable", "system": system}
    began = time.process_time()
    accepted = proof is not None and systems.check(claim, proof)
    return {
        "solver": OURS,
        "answer": ("sat" if sat else "unsat") if accepted else "open",
        "seconds": f"{made[0] + spent:.5f}",
        "wall": f"{made[1] + passed:.5f}",
        "kernel": f"{time.process_time() - began:.5f}",
        "bytes": len(json.dumps(proof)) if accepted else 0,
    }


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """One line for each answer, at once, so that an interrupted run leaves what it has."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    file, *rest = sys.argv[1:]
    numbers = [float(x) for x in rest]
    write(
        Path(file),
        run(
            numbers[0] if numbers else math.inf,
            int(numbers[1]) if len(numbers) > 1 else 0,
            int(numbers[2]) if len(numbers) > 2 else 1,
        ),
    )
