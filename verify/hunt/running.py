"""Running a campaign: ranges go to workers, what they decide goes to the ledger.

A range whose worker died is decided again, alone; when that dies too the range is halved, down to
the one instance to blame, which is set aside as undecided. So nothing is skipped silently, and the
verdicts do not depend on the number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from typing import Any, Final

from verify.hunt import batches, spaces
from verify.hunt.batches import CODES, Decided
from verify.hunt.description import Description
from verify.hunt.executors import Workers, died
from verify.hunt.ledger import Ledger

BATCH: Final = 20_000  # instances in a range, about; whole units of the strategy
SLOWER: Final = 20  # how many rational instances take the time of an irrational one, or fewer
TRIES: Final = 2  # how often a range may end its worker
# Deaths in a row after which no instance is to blame: halving a range down to one takes fewer.
ALL_DIE: Final = 40


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is. goal: instances to decide in all; rate: instances a second in this run."""

    done: int
    goal: int
    counterexamples: int
    undecided: int
    best: int
    rate: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _Range:
    start: int
    stop: int
    deaths: int = 0
    alone: bool = False


def pending(done: list[tuple[int, int]], goal: int, batch: int) -> Iterator[tuple[int, int]]:
    """What is left of 0..goal-1 besides the ranges done, cut at multiples of `batch`."""
    start = 0
    for low, high in [*done, (goal, goal)]:
        while start < min(low, goal):
            stop = min(low, goal, (start // batch + 1) * batch)
            yield start, stop
            start = stop
        start = max(start, high)


def batch_size(description: Description) -> int:
    """The instances of a range: whole units, one at least, `BATCH` instances or a few less."""
    count = description.way.unit(description.space)
    size = BATCH if spaces.rational(description.space) else BATCH // SLOWER
    return count * max(1, size // count)


def run(
    description: Description,
    ledger: Ledger,
    workers: Workers,
    *,
    goal: int,
    seconds: float | None,
    hang: float,
    batch: int | None = None,
    told: Callable[[Progress], None] | None = None,
) -> Progress:
    """Decide instances 0..goal-1 that are not in the ledger yet, until `seconds` have passed.

    hang: seconds after which a worker that does not come back counts as dead.
    """
    text, began = description.text(), time.monotonic()
    todo = pending(ledger.ranges(), goal, batch or batch_size(description))
    totals = ledger.totals()
    before = totals.instances
    state = Progress(
        before, goal, totals.outcomes["counterexample"], totals.outcomes["undecided"],
        totals.best[0] if totals.best else 0, 0.0, 0.0,
    )  # fmt: skip
    suspects: list[_Range] = []
    deaths = 0
    flying: dict[Future[Any], _Range] = {}

    def send(item: _Range) -> None:
        future = workers.submit(batches.decide, text, item.start, item.stop, hang)
        flying[future] = item

    while True:
        over = seconds is not None and time.monotonic() - began >= seconds
        if suspects:
            if not flying and not over:
                send(replace(suspects.pop(), alone=True))
        elif not over:
            while len(flying) < 2 * workers.jobs and (next_range := next(todo, None)) is not None:
                send(_Range(*next_range))
        if not flying:
            break
        finished, _ = wait(flying, timeout=1.0, return_when=FIRST_COMPLETED)
        if any(_death(future) for future in finished):
            finished, _ = wait(flying)
            workers.renew()
        for future in finished:
            item = flying.pop(future)
            if _death(future):
                deaths += 1
                if deaths >= ALL_DIE:
                    raise ValueError(f"{deaths} workers died one after another: nothing is decided")
                halves, lost = _after_death(item, hang)
                suspects.extend(halves)
                results = [(lost, 0.0)] if lost else []
            else:
                results, deaths = [future.result()], 0
            for found, spent in results:
                ledger.record(found, spent)
                state = _further(state, found)
        passed = time.monotonic() - began
        state = replace(state, rate=(state.done - before) / max(passed, 1e-9), seconds=passed)
        if told is not None:
            told(state)
    return state


def _death(future: Future[Any]) -> bool:
    problem = future.exception() if future.done() and not future.cancelled() else None
    return future.cancelled() or (problem is not None and died(problem))


def _after_death(item: _Range, hang: float) -> tuple[list[_Range], Decided | None]:
    """What to try next, alone, or the instance that is set aside."""
    deaths = item.deaths + item.alone  # in company another range may be to blame
    if deaths < TRIES:
        return [replace(item, deaths=deaths)], None
    if item.stop - item.start > 1:
        middle = (item.start + item.stop) // 2
        ends = ((middle, item.stop), (item.start, middle))
        return [_Range(low, high, TRIES - 1) for low, high in ends], None
    why = f"its worker died, or did not come back within {hang:g} s, {TRIES} times"
    code = bytes([CODES["undecided"]])
    return [], Decided(item.start, item.stop, code, (0, item.start), (), ((item.start, why),))


def _further(state: Progress, found: Decided) -> Progress:
    return replace(
        state,
        done=state.done + found.stop - found.start,
        counterexamples=state.counterexamples + found.count("counterexample"),
        undecided=state.undecided + found.count("undecided"),
        best=max(state.best, found.best[0]),
    )
