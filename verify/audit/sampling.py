"""Which positions an audit looks at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

EXHAUSTIVE: Final = 1 << 16  # up to here every position is examined
_SMALL, _AROUND, _END, _SPREAD = 1 << 12, 48, 256, 1 << 12


def positions(length: int, exhaustive: int = EXHAUSTIVE) -> Positions:
    """Sorted positions in [0, length): all of them if few, else the telling ones.

    Those are all small ones, the neighbourhoods of 2**k and 3 * 2**k (where binary formats change
    their spacing), the end, and pairs of neighbours spread evenly over the rest.
    """
    if length <= exhaustive:
        return np.arange(length, dtype=np.int64)
    small = min(_SMALL, exhaustive // 4)
    around = min(_AROUND, exhaustive // 256 + 2)
    parts = [np.arange(small), np.arange(length - min(_END, exhaustive // 8), length)]
    for k in range(1, length.bit_length() + 1):
        for centre in (1 << k, 3 << k):
            parts.append(np.arange(centre - around, centre + around + 1))
    spread = np.linspace(small, length - 2, min(_SPREAD, exhaustive // 4)).astype(np.int64)
    parts += [spread, spread + 1]
    chosen = np.unique(np.concatenate(parts).astype(np.int64))
    return chosen[(chosen >= 0) & (chosen < length)]


def first_failure(
    good: int, bad: int, fails: Callable[[Positions], npt.NDArray[np.bool_]], budget: int = 4096
) -> int:
    """The first failing position in (good, bad], `bad` being known to fail.

    Every position is asked when there are at most `budget`; otherwise bisection narrows the
    interval first, which finds the first failure of a fault that stays once it has begun.
    """
    while bad - good > budget:
        middle = (good + bad) // 2
        if fails(np.array([middle], np.int64))[0]:
            bad = middle
        else:
            good = middle
    between = np.arange(good + 1, bad + 1, dtype=np.int64)
    return int(between[np.flatnonzero(fails(between))[0]])
