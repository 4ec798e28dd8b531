"""The dichotomy at a finite horizon: a fixed offset, a fixed position, or no transfer.

Finite horizons rank candidates for the statements about all lengths; each find is certified for its
own L0 and L and says nothing beyond L.
"""

from __future__ import annotations

from verify.hunt.conjectures import HOLDS, NOT_APPLICABLE, Conjecture, Verdict, counterexample
from verify.hunt.instances import Instance
from verify.hunt.parts import decided, forced


def spread(case: Instance) -> int:
    """The smaller of the numbers of offsets and of positions that the new rows demand."""
    return min(len({i - t for i, t in case.new}), len({t for _, t in case.new}))


def finite(case: Instance) -> Verdict:
    """A counterexample: one parameter hits every row below L, and the new targets are not fixed."""
    score = spread(case)
    if score < 2:
        return NOT_APPLICABLE
    found = case.parameter((*case.train, *case.new))
    if found is None:
        return HOLDS
    words = f"this parameter hits every row below {case.length}"
    return counterexample(lambda: [decided(case, found, case.new, words)], score)


def every(case: Instance) -> Verdict:
    """A counterexample: every new row is forced, and the new targets are not fixed."""
    score = spread(case)
    if score < 2 or case.parameter(case.train) is None:
        return NOT_APPLICABLE
    for count, row in enumerate(case.new):
        if case.losing(row) is not None:
            return Verdict("holds", count)
    found = case.parameter(case.train)
    assert found is not None
    return counterexample(
        lambda: [
            decided(case, found, case.new, "L0 is realizable, for instance by this parameter"),
            *(forced(case, row) for row in case.new),
        ],
        len(case.new) + score,
    )


DICHOTOMY = Conjecture(
    "dichotomy-finite",
    "if one parameter hits every row below L, the rows from L0 on demand one fixed offset or one"
    " fixed position",
    finite,
    "all rows",
)
FORCED = Conjecture(
    "dichotomy-forced",
    "if every parameter that realizes L0 hits all new rows below L, these demand one fixed offset"
    " or one fixed position",
    every,
    "all rows",
)
