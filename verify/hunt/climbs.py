"""Local search: climbs towards the largest score, the closeness to a counterexample.

A climb begins at an instance drawn by the seed and its own number, and takes `STEPS` steps. A step
judges a neighbour of the best instance so far - one entry, row or column of the canonical basis
changed, or the task or a length next to it - and moves there unless its score is smaller. A climb
judges no instance twice while it finds new ones; another climb may. So numbers count judgements
here, and no number of them exhausts a space.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Final

from verify.hunt import spaces
from verify.hunt.conjectures import Judge, Judged, Verdict
from verify.hunt.subspaces import Matrix, canonical

if TYPE_CHECKING:
    from verify.hunt.description import Description
    from verify.hunt.instances import Instance
    from verify.hunt.irrational import IrrationalOracle
    from verify.hunt.oracle import Oracle

STEPS: Final = 200
_TRIES: Final = 50  # neighbours drawn before a climb begins again elsewhere
_NEAR: Final = 4  # how far a neighbouring question is in the list, where one task stands together


def unit(space: spaces.Space) -> int:
    """The steps of a climb."""
    return STEPS


def walk(description: Description, judge: Judge, start: int, stop: int) -> Iterator[Judged]:
    """The judgements start..stop-1: climb number start // STEPS and so on, each from its start."""
    index = start
    while index < stop:
        number, first = divmod(index, STEPS)
        last = min(STEPS, first + stop - index)
        for step, (at, verdict) in enumerate(_judged(description, judge, number, last)):
            if step >= first:
                yield index, at, verdict
                index += 1


def place(description: Description, judge: Judge, index: int) -> spaces.Place:
    """Encoding and question of this judgement, by climbing there again."""
    number, step = divmod(index, STEPS)
    climbing = climb(description, number)
    at, case = next(climbing)
    for _ in range(step):
        at, case = climbing.send(judge(case))
    return at


def _judged(
    description: Description, judge: Judge, number: int, steps: int
) -> Iterator[tuple[spaces.Place, Verdict]]:
    climbing = climb(description, number)
    at, case = next(climbing)
    for left in range(steps - 1, -1, -1):
        verdict = judge(case)
        yield at, verdict
        if left:
            at, case = climbing.send(verdict)


def climb(
    description: Description, number: int
) -> Generator[tuple[spaces.Place, Instance], Verdict, None]:
    """The instances of one climb, each told the verdict on the one before.

    They are a function of the description, the number and the verdicts alone.
    """
    space = description.space
    draw = random.Random(f"{description.seed}/climb/{number}")
    oracles: dict[int, Oracle | IrrationalOracle] = {}
    seen: set[spaces.Place] = set()
    best: spaces.Place | None = None
    height = (False, -1)
    while True:
        at = _next(space, draw, best, seen)
        if at is None:
            best, at = None, _anywhere(space, draw)
        seen.add(at)
        encoding, question = at
        oracle = oracles.get(encoding) or spaces.oracle(space, encoding)
        oracles[encoding] = oracle
        reached = _height((yield at, spaces.instance(space, encoding, question, oracle)))
        if best is None or reached >= height:
            best, height = at, reached


def _height(verdict: Verdict) -> tuple[bool, int]:
    """Counterexamples above all, then by score; below all where no hypothesis holds."""
    applies = verdict.outcome != "not applicable"
    return verdict.outcome == "counterexample", verdict.score if applies else -1


def _anywhere(space: spaces.Space, draw: random.Random) -> spaces.Place:
    count = len(spaces.encodings(space)), len(spaces.questions(space))
    return draw.randrange(count[0]), draw.randrange(count[1])


def _next(
    space: spaces.Space, draw: random.Random, best: spaces.Place | None, seen: set[spaces.Place]
) -> spaces.Place | None:
    """A neighbour that this climb has not judged, or None if none was drawn."""
    for _ in range(_TRIES):
        at = _anywhere(space, draw) if best is None else _neighbour(space, draw, best)
        if at is not None and at not in seen:
            return at
    return None


def _neighbour(space: spaces.Space, draw: random.Random, at: spaces.Place) -> spaces.Place | None:
    encoding, question = at
    if draw.random() < 0.5:
        moved = question + draw.choice([k for k in range(-_NEAR, _NEAR + 1) if k])
        if draw.random() < 0.25:
            moved = draw.randrange(len(spaces.questions(space)))
        return (encoding, moved) if 0 <= moved < len(spaces.questions(space)) else None
    changed = _changed(space, draw, spaces.encodings(space)[encoding])
    number = spaces.numbers(space).get(changed)
    return None if number is None else (number, question)


def _changed(space: spaces.Space, draw: random.Random, basis: Matrix) -> Matrix:
    """One entry changed by one, a row added, or a row dropped; in canonical form."""
    rows = [list(row) for row in basis]
    move = draw.random()
    if move < 0.15 and len(rows) > 1:
        del rows[draw.randrange(len(rows))]
    elif move < 0.3 and len(rows) < space.dimension:
        rows.append([draw.randint(-space.height, space.height) for _ in space.base])
    else:
        row, column = draw.randrange(len(rows)), draw.randrange(len(space.base))
        rows[row][column] += draw.choice((-1, 1))
    return canonical(rows)
