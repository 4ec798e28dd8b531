"""Exact strict feasibility of rational score constraints, on top of float optimization.

    decide(system)             a rational parameter, or multipliers that refute every parameter
    implied(system, row, key)  is a further constraint a consequence (a combination), or can it fail
    irreducible(system, ...)   which rows conflict

Every answer has been checked in integers before it is returned: floats only propose. The order of
the engines: refutations that can be read off (`structure`), the exact simplex when the problem is
tiny (`simplex`), softmax descent with exact correction (`softmax`, `correction`), row generation
with HiGHS (`lp`), and the exact simplex from what these found, which always ends.
"""

from .cones import Core, implied, irreducible
from .decision import decide
from .system import (
    BilinearGrid,
    Combination,
    LinearGrid,
    Refutation,
    Row,
    StrictSystem,
    Undecided,
    Witness,
)

__all__ = [
    "BilinearGrid",
    "Combination",
    "Core",
    "LinearGrid",
    "Refutation",
    "Row",
    "StrictSystem",
    "Undecided",
    "Witness",
    "decide",
    "implied",
    "irreducible",
]
