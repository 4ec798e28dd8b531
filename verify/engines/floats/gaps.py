"""What the float engine hands back for a set of rows, and which of them it settles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """Scored rows of one length, (r,) each: row, target, and the visible keys start..stop-1."""

    rows: Ints
    targets: Ints
    start: Ints
    stop: Ints


@dataclass(frozen=True, slots=True)
class Gaps:
    """For each row the target's logit less the best logit of all keys with other features.

    gap: (r,), in float64, +inf if there is no such key; error: (r,), |exact gap - gap| <= error,
    0 if the arithmetic was exact. twin: (r,), whether some other visible key has exactly the
    target's features, so that its logit is equal for every parameter. Logits are in units of
    2**exponent.
    """

    gap: Floats
    error: Floats
    twin: Bools
    exponent: int

    def hits(self) -> Bools:
        """What float64 alone decides: the rows with a positive gap and no twin."""
        return np.asarray((self.gap > 0) & ~self.twin)


def twins(index: Ints, place: Ints, start: Ints, stop: Ints) -> Bools:
    """Whether index[place[k]] occurs again in index[start[k]:stop[k]], for each k."""
    order = np.argsort(index, kind="stable")
    same = index[order[1:]] == index[order[:-1]]
    after = np.full(len(index), len(index), dtype=np.intp)
    before = np.full(len(index), -1, dtype=np.intp)
    after[order[:-1][same]] = order[1:][same]
    before[order[1:][same]] = order[:-1][same]
    return np.asarray((after[place] < stop) | (before[place] >= start))


def first_seen(index: Ints) -> tuple[Ints, Ints]:
    """(order, count): indices in order of first occurrence, and how many occur in each prefix.

    order[c] is the c-th new index; count[k] of them occur among index[:k].
    """
    _, first = np.unique(index, return_index=True)
    first = np.sort(first)
    count = np.zeros(len(index) + 1, dtype=np.intp)
    count[first + 1] = 1
    return index[first], np.cumsum(count)
