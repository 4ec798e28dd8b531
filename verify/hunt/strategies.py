"""The ways to search a space. A new one is a module with `walk`, `unit` and `place`, named here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.hunt import climbs, joint, orders, spaces
from verify.hunt.conjectures import Judge, Judged

if TYPE_CHECKING:
    from verify.hunt.description import Description


@dataclass(frozen=True, slots=True)
class Strategy:
    """walk(description, judge, start, stop): the judged instances of a range, in order.

    unit(space): how many instances belong together; place(description, judge, index): encoding and
    question of an instance; ends: whether it has seen the whole space when it is through; rational:
    whether it is for rational features only.
    """

    words: str
    walk: Callable[[Description, Judge, int, int], Iterator[Judged]]
    unit: Callable[[spaces.Space], int]
    place: Callable[[Description, Judge, int], spaces.Place]
    ends: bool = True
    rational: bool = False


STRATEGIES: Final[dict[str, Strategy]] = {
    "exhaustive": Strategy("encodings in order of size", orders.walk, orders.unit, orders.place),
    "random": Strategy("encodings shuffled by the seed", orders.walk, orders.unit, orders.place),
    "local": Strategy(
        "climbs towards the largest score", climbs.walk, climbs.unit, climbs.place, ends=False
    ),
    "z3": Strategy(
        "z3 names the encodings with a parameter",
        joint.walk,
        joint.unit,
        joint.place,
        rational=True,
    ),
}
