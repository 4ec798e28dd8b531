"""Spaces: which encodings, tasks and lengths a campaign goes through, each instance once.

An encoding is a span of base functions up to change of basis (`subspaces`); a question is a task
with its L0 and L, and two tasks with the same training rows and new rows are the same question. So
an instance is a number: encoding times the count of questions, plus question.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from verify.hunt import grammar
from verify.hunt.instances import Instance, integer_oracle, oracle_for, rows
from verify.hunt.irrational import IrrationalOracle
from verify.hunt.oracle import Oracle, Rows
from verify.hunt.subspaces import Matrix, rank, subspaces
from verify.theory import tasks
from verify.theory.encodings import encoding
from verify.theory.syntax import suggestion

Place = tuple[int, int]  # numbers of an encoding and of a question


@dataclass(frozen=True, slots=True)
class Space:
    """base: functions of i (or of the offset o), independent on the first `shortest` positions;
    dimension, height: of the spans' canonical bases at most; tasks: a size of the grammar;
    lengths: L0 from `train` on, L from `shortest` to `longest`.
    """

    name: str
    base: tuple[str, ...]
    dimension: int = 3
    height: int = 2
    tasks: str = "large"
    train: int = 3
    shortest: int = 5
    longest: int = 12


def _turns(cosine: str) -> tuple[str, str]:
    return f"chebyshev(i, {cosine})", f"chebyshev(i + 1, {cosine})"


SPACES: Final[dict[str, Space]] = {
    space.name: space
    for space in (
        Space("polynomial", ("1", "i", "i**2", "i**3")),
        Space("piecewise", ("1", "i", "min(i, 2)", "i//2")),
        Space("periodic", ("1", "i", "i % 2", "i % 3")),
        # T_i(x) and T_(i+1)(x) span cos and sin of i times the angle whose cosine is x: never
        # periodic for these (Niven), bounded, and rational
        Space("rotation", ("1", *_turns("3/5"), *_turns("5/13"))),
        Space("frequency", ("1", "cos(i)", "sin(i)", "cos(sqrt(2)*i)", "sin(sqrt(2)*i)")),
        Space("mixed", ("1", "i", *_turns("3/5"), "i % 2")),
        # constants cancel in a relative head: spans of o, o^2, o^3 stand for those with 1 added
        Space("relative", ("o", "o**2", "o**3", "1 if o == 0 else 0"), dimension=4),
    )
}
_NUMBERS: Final = {
    "dimension": (1, 6), "height": (1, 9), "train": (1, 40), "shortest": (2, 40), "longest": (2, 40)
}  # fmt: skip


def space(text: str) -> Space:
    """`polynomial`, or with options as in `polynomial:height=3,longest=10,tasks=small`.

    ValueError with one sentence if it names none.
    """
    name, _, rest = (part.strip() for part in text.partition(":"))
    if name not in SPACES:
        raise ValueError(f"unknown space {name[:60]!r}; {suggestion(name, SPACES)}")
    given: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in rest.split(","))):
        key, _, value = (part.strip() for part in entry.partition("="))
        if key == "tasks" and value in grammar.SIZES:
            given[key] = value
        elif key in _NUMBERS and re.fullmatch(r"\d{1,3}", value, re.ASCII):
            low, high = _NUMBERS[key]
            if not low <= int(value) <= high:
                raise ValueError(f"{key} of a space is from {low} to {high}, not {value}")
            given[key] = int(value)
        else:
            raise ValueError(
                f"{entry[:60]!r} is no option of a space; write dimension=, height=, train=,"
                f" shortest= or longest= with a number, or tasks={' or '.join(grammar.SIZES)}"
            )
    return checked(dataclasses.replace(SPACES[name], **given))


def from_json(data: Mapping[str, Any]) -> Space:
    """The space that a campaign's description holds."""
    return checked(Space(**{**data, "base": tuple(data["base"])}))


def checked(found: Space) -> Space:
    """The space itself. ValueError if its lengths leave no instance or its spans can coincide."""
    if found.dimension > len(found.base):
        raise ValueError(
            f"dimension {found.dimension} exceeds the {len(found.base)} base functions of the space"
        )
    if not found.train < found.longest or found.shortest > found.longest:
        raise ValueError("a space needs train < longest and shortest <= longest")
    base = encoding(f"expr:[{', '.join(found.base)}]")
    if base.rational:
        independent = rank(integer_oracle(base, found.shortest).table) == len(found.base)
    else:
        # those named here are 1 and cosines and sines: a Vandermonde matrix of powers of e^(ia)
        independent = found.shortest >= len(found.base)
    if not independent:
        raise ValueError(
            f"the base functions of the space are dependent on {found.shortest} positions, so spans"
            f" would repeat; give shortest={len(found.base) + 1} or more"
        )
    return found


# ------------------------------------------------------------ encodings


@lru_cache(maxsize=4)
def encodings(found: Space) -> tuple[Matrix, ...]:
    """The canonical bases of all spans, in order of dimension, height, entries."""
    width = len(found.base)
    return tuple(
        basis for d in range(1, found.dimension + 1) for basis in subspaces(width, d, found.height)
    )


@lru_cache(maxsize=4)
def numbers(found: Space) -> dict[Matrix, int]:
    """The place of each canonical basis in `encodings`."""
    return {basis: number for number, basis in enumerate(encodings(found))}


@lru_cache(maxsize=4)
def base_table(found: Space) -> tuple[list[list[Fraction]], bool]:
    """The base functions at 0..longest-1, and whether they are of the offset.

    ValueError if they are irrational.
    """
    base = encoding(f"expr:[{', '.join(found.base)}]")
    oracle = integer_oracle(base, found.longest)
    scaled = [
        [Fraction(x, s) for x, s in zip(row, oracle.scales, strict=True)] for row in oracle.table
    ]
    return scaled, base.relative


def spec(found: Space, basis: Matrix) -> str:
    """The encoding of a canonical basis as the command line writes it."""
    return f"expr:[{', '.join(_combination(found.base, row) for row in basis)}]"


def _combination(base: tuple[str, ...], row: tuple[int, ...]) -> str:
    text = ""
    for name, c in zip(base, row, strict=True):
        if c:
            shown = name if re.fullmatch(r"\w+(\*\*\d+|\([^()]*\))?", name) else f"({name})"
            term = str(abs(c)) if name == "1" else f"{abs(c)}*{shown}" if abs(c) > 1 else shown
            text += (f" {'-' if c < 0 else '+'} " if text else "-" if c < 0 else "") + term
    return text


# ------------------------------------------------------------ questions


@dataclass(frozen=True, slots=True)
class Question:
    """A task between two lengths: its training rows, and its new rows."""

    task: str
    train_length: int
    length: int
    train: Rows
    new: Rows


@lru_cache(maxsize=4)
def questions(found: Space) -> tuple[Question, ...]:
    """The distinct questions of a space: those of one task together, the longest first."""
    seen: set[tuple[int, int, Rows, Rows]] = set()
    return tuple(_questions(found, seen))


def _questions(found: Space, seen: set[tuple[int, int, Rows, Rows]]) -> Iterator[Question]:
    for text in grammar.expressions(found.tasks):
        task = tasks.task(f"expr:{text}")
        for length in range(found.longest, max(found.shortest, found.train + 1) - 1, -1):
            for train_length in range(found.train, length):
                train, new = rows(task, train_length, length)
                key = (train_length, length, train, new)
                if train and new and key not in seen:
                    seen.add(key)
                    yield Question(task.spec, train_length, length, train, new)


def rational(found: Space) -> bool:
    """Whether all base functions are."""
    return encoding(f"expr:[{', '.join(found.base)}]").rational


def size(found: Space) -> int:
    """How many instances the space has."""
    return len(encodings(found)) * len(questions(found))


def instances(found: Space, encoding_number: int, start: int, stop: int) -> Iterator[Instance]:
    """The instances start..stop-1 of one encoding, sharing its oracle."""
    shared = oracle(found, encoding_number)
    for question in range(start, stop):
        yield instance(found, encoding_number, question, shared)


def oracle(found: Space, encoding_number: int) -> Oracle | IrrationalOracle:
    """A new oracle of one encoding."""
    return oracle_for(encoding(spec(found, encodings(found)[encoding_number])), found.longest)


def instance(
    found: Space, encoding_number: int, question: int, shared: Oracle | IrrationalOracle
) -> Instance:
    """One instance; `shared` is the oracle of its encoding."""
    q = questions(found)[question]
    text = spec(found, encodings(found)[encoding_number])
    return Instance(text, q.task, q.train_length, q.length, q.train, q.new, shared)
