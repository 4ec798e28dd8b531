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
    rows = np.array([i for i in range(n) if len(visible(i, n, visibility)) > 1], dtype=np.intp)
    offsets, places = rows - key[rows], key[rows]
    best, found = -1, "self"
    by_offset = np.bincount(offsets + n - 1, minlength=2 * n - 1)
    by_place = np.bincount(places, minlength=n)
    candidates = [
        (int(by_offset[n - 1 + o]), _shift(o)) for o in sorted(range(1 - n, n), key=_near)
    ]
    candidates += [(int(c), "attend-first" if p == 0 else f"attend:p={p}")
                   for p, c in enumerate(by_place)]  # fmt: skip
    for count, spec in candidates:
        if count > best:
            best, found = count, spec
    return found


def _near(offset: int) -> tuple[int, int]:
    """0, 1, -1, 2, -2, ..."""
    return abs(offset), -offset


def _shift(offset: int) -> str:
    named = {0: "self", 1: "previous", -1: "next"}
    if offset in named:
        return named[offset]
    return f"skip:k={offset}" if offset > 0 else f"expr:i + {-offset}"
