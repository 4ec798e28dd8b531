"""What follows from comparisons alone: cycles and chains of them, whatever the vectors are.

A row with query q says that its target's vector beats each other key's. Rows whose query vectors
are formally equal compare the same logits, so a cycle of comparisons (u beats v, v beats u) refutes
a system and a chain (u beats v, v beats x) forces one more comparison, for every encoding. These
are the cones of the free system, in which distinct vectors are independent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from verify import kernel

Vector = tuple[kernel.Expression, ...]
Label = tuple[int, int]  # a row of the system and one of its keys


@dataclass(frozen=True, slots=True)
class Comparisons:
    """classes: for each vector a number, equal for formally equal vectors; the zero vector's class.

    beats: for each class of query vectors (-1 if linear) and each class of key vectors the classes
    that it beats, with the first row and key that say so.
    """

    classes: tuple[int, ...]
    zero: int | None
    beats: dict[int, dict[int, dict[int, Label]]]

    def query(self, row: Sequence[int]) -> int:
        """The class of a row's query vector; -1 if linear."""
        return -1 if row[0] < 0 else self.classes[row[0]]

    def void(self, row: Sequence[int], key: int) -> bool:
        """Whether the constraint of this key is zero for every parameter: a tie at best."""
        return self.query(row) == self.zero or self.classes[row[3]] == self.classes[key]

    def chain(self, row: Sequence[int], key: int) -> list[Label] | None:
        """The fewest known comparisons that make the target of `row` beat this key, if any do."""
        beats = self.beats.get(self.query(row), {})
        return _path(beats, self.classes[row[3]], self.classes[key])

    def cycle(self) -> list[Label] | None:
        """Comparisons that contradict each other: a shortest cycle through the first one met."""
        for query, beats in self.beats.items():
            for winner, losers in beats.items():
                for loser, label in losers.items():
                    if query == self.zero or winner == loser:
                        return [label]
        for beats in self.beats.values():
            for node in _on_cycle(beats):
                found = _path(beats, node, node)
                if found is not None:
                    return found
        return None


def comparisons(vectors: Sequence[Vector], rows: Sequence[Sequence[int]]) -> Comparisons:
    """The comparisons of a system's rows."""
    known: dict[Vector, int] = {}
    classes = tuple(known.setdefault(tuple(v), len(known)) for v in vectors)
    zero = next((k for v, k in known.items() if not any(e.terms for e in v)), None)
    beats: dict[int, dict[int, dict[int, Label]]] = {}
    for k, (query, start, stop, target) in enumerate(rows):
        group = beats.setdefault(-1 if query < 0 else classes[query], {})
        losers = group.setdefault(classes[target], {})
        for key in range(start, stop):
            if key != target:
                losers.setdefault(classes[key], (k, key))
    return Comparisons(classes, zero, beats)


def _on_cycle(beats: dict[int, dict[int, Label]]) -> list[int]:
    """The nodes left when what beats nothing is taken away again and again: few, or none."""
    counts = {node: 0 for losers in beats.values() for node in losers} | {
        node: len(losers) for node, losers in beats.items()
    }
    winners: dict[int, list[int]] = {}
    for winner, losers in beats.items():
        for loser in losers:
            winners.setdefault(loser, []).append(winner)
    done = [node for node, count in counts.items() if not count]
    for node in done:  # grows while it is read
        for winner in winners.get(node, ()):
            counts[winner] -= 1
            if not counts[winner]:
                done.append(winner)
    return [node for node, count in counts.items() if count]


def _path(beats: dict[int, dict[int, Label]], start: int, end: int) -> list[Label] | None:
    parents: dict[int, tuple[int, Label]] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for loser, label in beats.get(node, {}).items():
            if loser in parents:
                continue
            parents[loser] = node, label
            if loser == end:
                return _back(parents, start, end)
            queue.append(loser)
    return None


def _back(parents: dict[int, tuple[int, Label]], start: int, end: int) -> list[Label]:
    at, label = parents[end]
    found = [label]
    while at != start:
        at, label = parents[at]
        found.append(label)
    return found
