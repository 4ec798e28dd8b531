"""Parameters that realize the training rows, and what each of them does on the new rows.

One parameter decides many rows at once: whoever looks for hits and misses asks for as many as
possible together, halves the rows where that fails, and leaves single rows to the exact question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from verify import parameters, readings, systems
from verify.decisions import HIT, decide, region
from verify.forms import Matrix
from verify.questions import Question

_MOST = 12  # halvings are cut off here: rows that resist are asked one by one


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter that hits every training row; outcomes: 'h', 'm' or 't' for each new row."""

    parameter: Matrix
    outcomes: str


@dataclass(slots=True)
class Pool:
    """Members, and the new rows (indices) that some member hits, or that some member does not."""

    asked: Question
    base: readings.Reading
    new: list[list[int]]
    members: list[Member] = field(default_factory=list)
    hit: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)

    def add(self, parameter: Matrix) -> bool:
        """Evaluate a parameter on all rows, exactly; whether it realizes the training rows."""
        asked, data = self.asked, parameter[0] if self.asked.encoding.relative else parameter
        assert asked.train_length is not None
        given = parameters.parameter(asked.encoding, data)
        old = region(asked.task, asked.train_length, asked.visibility)
        trained = decide(asked.encoding, given, asked.train_length, old, asked.visibility)
        if trained.count(HIT) < len(trained.outcomes):
            return False
        rows = region(asked.task, asked.length, asked.visibility, asked.train_length)
        outcomes = decide(asked.encoding, given, asked.length, rows, asked.visibility).text()
        self.members.append(Member(parameter, outcomes))
        for k, outcome in enumerate(outcomes):
            (self.hit if outcome == "h" else self.failed).add(k)
        return True

    def seek_hits(self, rows: Sequence[int]) -> None:
        """Parameters that hit as many of these rows as are found together."""
        self._seek(rows, self.hit, self._hitting, 0)

    def seek_failures(self, rows: Sequence[int]) -> None:
        """Parameters that fail on as many of these rows as are found together."""
        self._seek(rows, self.failed, self._failing, 0)

    def _seek(
        self,
        rows: Sequence[int],
        done: set[int],
        attempt: Callable[[Sequence[int]], Iterable[Matrix]],
        depth: int,
    ) -> None:
        left = [k for k in rows if k not in done]
        if not left or depth > _MOST:
            return
        for parameter in attempt(left):
            if self.add(parameter) and done.issuperset(left):
                return
        left = [k for k in left if k not in done]
        if len(left) > 1:
            half = len(left) // 2
            self._seek(left[:half], done, attempt, depth + 1)
            self._seek(left[half:], done, attempt, depth + 1)

    def _hitting(self, rows: Sequence[int]) -> Iterable[Matrix]:
        wanted = [
            (q, t, key)
            for q, a, b, t in (self.new[k] for k in rows)
            for key in range(a, b)
            if key != t
        ]
        return systems.proposals(self.base, wanted)

    def _failing(self, rows: Sequence[int]) -> Iterable[Matrix]:
        wanted = []
        for k in rows:
            rival = self._rival(self.new[k])
            if rival is not None:
                wanted.append((self.new[k][0], rival, self.new[k][3]))
        return systems.proposals(self.base, wanted) if wanted else ()

    def _rival(self, row: Sequence[int]) -> int | None:
        """A competitor that no chain of comparisons excludes: the last one, which is the newest."""
        keys = [key for key in range(row[1], row[2]) if key != row[3]]
        free = [
            key for key in keys
            if self.base.known.chain(row, key) is None and not self.base.known.void(row, key)
        ]  # fmt: skip
        return free[-1] if free else None

    def cover(self, hits: Iterable[int], failures: Iterable[int]) -> list[int]:
        """Few members that together hit each of `hits` and fail on each of `failures`."""
        wanted = {(k, True) for k in hits} | {(k, False) for k in failures}
        offers = [
            {(k, outcome == "h") for k, outcome in enumerate(m.outcomes)} for m in self.members
        ]
        chosen: list[int] = []
        while wanted:
            best = max(range(len(offers)), key=lambda m: (len(offers[m] & wanted), -m))
            if not offers[best] & wanted:
                raise ValueError("no member of the pool does what is asked for")
            chosen.append(best)
            wanted -= offers[best]
        return chosen
