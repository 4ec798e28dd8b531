"""Deciding a range of instances: a pure function of the description, run by whichever worker."""

from __future__ import annotations

import faulthandler
import os
import time
from dataclasses import dataclass, field

from verify.hunt import conjectures, spaces
from verify.hunt.description import Description
from verify.hunt.instances import Instance

KEPT = 3  # counterexamples that a range hands back, the best of it
CODES = {outcome: code for code, outcome in enumerate(conjectures.OUTCOMES)}


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of the instances start..stop-1. codes: one byte an instance, an index of OUTCOMES.

    best: the largest score and the first instance that has it; finds: (score, instance) of the best
    counterexamples; undecided: (instance, why) of the first ones, `KEPT` at most.
    """

    start: int
    stop: int
    codes: bytes
    best: tuple[int, int]
    finds: tuple[tuple[int, int], ...]
    undecided: tuple[tuple[int, str], ...] = field(default=())

    def count(self, outcome: conjectures.Outcome) -> int:
        """How many instances had this outcome."""
        return self.codes.count(CODES[outcome])


def place(description: Description, index: int) -> spaces.Place:
    """Encoding and question of the instance of this number."""
    conjecture = conjectures.load(description.source)
    return description.way.place(description, conjecture.judge, index)


def instance(description: Description, index: int) -> Instance:
    """The instance of this number."""
    encoding, question = place(description, index)
    oracle = spaces.oracle(description.space, encoding)
    return spaces.instance(description.space, encoding, question, oracle)


def decide(text: str, start: int, stop: int, limit: float) -> tuple[Decided, float]:
    """Decide a range; also the seconds it took. text: the description as JSON.

    limit: seconds after which this process ends itself, whether it hangs in Python or in a library;
    its caller sees a dead worker.
    """
    began = time.perf_counter()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        faulthandler.dump_traceback_later(limit, exit=True, file=nowhere)
        try:
            found = _decide(Description.from_text(text), start, stop)
            return found, time.perf_counter() - began
        finally:
            faulthandler.cancel_dump_traceback_later()


def _decide(description: Description, start: int, stop: int) -> Decided:
    conjecture = conjectures.load(description.source)
    codes = bytearray()
    best: tuple[int, int] | None = None
    finds: list[tuple[int, int]] = []
    unknown: list[tuple[int, str]] = []
    for index, _, verdict in description.way.walk(description, conjecture.judge, start, stop):
        codes.append(CODES[verdict.outcome])
        applies = verdict.outcome not in ("not applicable", "excluded")
        if applies and (best is None or verdict.score > best[0]):
            best = verdict.score, index
        if verdict.outcome == "counterexample":
            finds.append((verdict.score, index))
        elif verdict.outcome == "undecided" and len(unknown) < KEPT:
            unknown.append((index, verdict.reason[:300]))
    finds.sort(key=lambda found: (-found[0], found[1]))
    return Decided(
        start, stop, bytes(codes), best or (0, start), tuple(finds[:KEPT]), tuple(unknown)
    )
