"""z3 chooses: for each question the encodings with a parameter, and the exact oracle decides them.

A counterexample needs one parameter that hits the rows which its conjecture demands (the training
rows, or all). For each question z3 names the encodings of the space with such a parameter until it
says that there is no other; each is then judged as everywhere. What is left is counted as
`excluded`, on z3's word; where z3 gives up, every encoding is judged. So the instances are those of
the space, question by question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verify.hunt import spaces
from verify.hunt.conjectures import EXCLUDED, Judge, Judged, demanded

if TYPE_CHECKING:
    from verify.hunt.description import Description


def unit(space: spaces.Space) -> int:
    """Instances that share a question."""
    return len(spaces.encodings(space))


def walk(description: Description, judge: Judge, start: int, stop: int) -> Iterator[Judged]:
    """Judge the instances start..stop-1."""
    space, count = description.space, unit(description.space)
    index = start
    while index < stop:
        question, first = divmod(index, count)
        named = _named(description, question)
        for number in range(first, min(count, stop - question * count)):
            verdict = EXCLUDED
            if number in named:
                oracle = spaces.oracle(space, number)
                verdict = judge(spaces.instance(space, number, question, oracle))
            yield index, (number, question), verdict
            index += 1


def place(description: Description, judge: Judge, index: int) -> spaces.Place:
    """Encoding and question of this instance."""
    question, number = divmod(index, unit(description.space))
    return number, question


def _named(description: Description, question: int) -> frozenset[int]:
    """The encodings to judge: those that z3 names, or all where it gives up."""
    from verify.engines.smt.spans import GaveUp, spans

    space = description.space
    rows = demanded(description.source, spaces.questions(space)[question])
    table, relative = spaces.base_table(space)
    numbers = spaces.numbers(space)
    try:
        return frozenset(
            numbers[basis]
            for dimension in range(1, space.dimension + 1)
            for basis in spans(table, relative, rows, dimension, space.height)
        )
    except GaveUp:
        return frozenset(range(len(numbers)))
