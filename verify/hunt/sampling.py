"""The order in which a campaign takes the encodings of its space: by size, or at random.

A random order is a permutation of the whole space, so nothing is drawn twice and a campaign that
ends has seen everything.
"""

from __future__ import annotations

import random
from math import gcd
from typing import Final

STRATEGIES: Final = ("exhaustive", "random")


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
