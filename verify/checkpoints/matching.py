"""The task that a head comes closest to, by the keys its rows attend to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verify.theory.visibility import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.intp]


def closest(key: Ints, visibility: str) -> str:
    """The spec of the task that most rows agree with. key: (n,), the key each row attends to.

    Tasks: self, previous, next, skip-k to either side, attend-first, attend-p; among equals the
    first of this order, and the smaller k or p. Rows that see one key only are not counted.
    """
    n = len(key)
    single = [i for i in range(n) if len(visible(i, n, visibility)) == 1]
    rows = np.delete(np.arange(n), single)
    by_offset = np.bincount(rows - key[rows] + n - 1, minlength=2 * n - 1)
    by_place = np.bincount(key[rows], minlength=n)
    near = np.arange(1, 2 * n) // 2 * np.where(np.arange(2 * n - 1) % 2, 1, -1)  # 0, 1, -1, 2, ...
    counts = by_offset[near + n - 1]
    offset, place = int(near[counts.argmax()]), int(by_place.argmax())
    if by_place[place] > counts.max():
        return f"attend:p={place}" if place else "attend-first"
    return _shift(offset)


def _shift(offset: int) -> str:
    named = {0: "self", 1: "previous", -1: "next"}
    if offset in named:
        return named[offset]
    return f"skip:k={offset}" if offset > 0 else f"expr:i + {-offset}"
