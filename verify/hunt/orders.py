"""Going through a space: encodings by size, or at random, each with all its questions.

A random order is a permutation of the whole space, so nothing is drawn twice and a campaign that
ends has seen everything.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import gcd
from typing import TYPE_CHECKING

from verify.hunt import spaces
from verify.hunt.conjectures import Judge, Judged

if TYPE_CHECKING:
    from verify.hunt.description import Description


def position(strategy: str, seed: int, count: int, index: int) -> int:
    """The encoding number that comes at place `index` of 0..count-1.

    `random` is x -> a*x + c modulo count, with a and c drawn from the seed and a prime to count.
    """
    if strategy == "exhaustive":
        return index
    draw = random.Random(f"{seed}/{count}")
    offset = draw.randrange(count)
    factor = draw.randrange(1, count + 1)
    while gcd(factor, count) > 1:
        factor = draw.randrange(1, count + 1)
    return (factor * index + offset) % count


def walk(description: Description, judge: Judge, start: int, stop: int) -> Iterator[Judged]:
    """Judge the instances start..stop-1."""
    space = description.space
    count, total = len(spaces.questions(space)), len(spaces.encodings(space))
    index = start
    while index < stop:
        turn, question = divmod(index, count)
        end = min(count, question + stop - index)
        number = position(description.strategy, description.seed, total, turn)
        for case in spaces.instances(space, number, question, end):
            yield index, (number, question), judge(case)
            index, question = index + 1, question + 1


def unit(space: spaces.Space) -> int:
    """Instances that share an encoding, and so an oracle."""
    return len(spaces.questions(space))


def place(description: Description, judge: Judge, index: int) -> spaces.Place:
    """Encoding and question of this instance."""
    turn, question = divmod(index, unit(description.space))
    total = len(spaces.encodings(description.space))
    return position(description.strategy, description.seed, total, turn), question
