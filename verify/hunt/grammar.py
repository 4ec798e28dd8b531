"""Tasks of a small grammar: expressions in i, smallest first; equal targets are one task.

Simple targets: fixed offsets i - k, fixed positions p, growing offsets (a*i + b)//c, periodic ones
i % c + b, and what is left over, i - i//c and i - i%c. Mixed ones take one of two simple targets by
the parity of i. A row asks nothing where its target is not visible.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

SIZES: Final = ("small", "large")


def expressions(size: str) -> Iterator[str]:
    """The expressions of the grammar; `large` adds slopes, shifts and mixtures."""
    yield from _simple(3, (2, 3), (0, 1))
    if size == "large":
        yield from _simple(5, (2, 3, 4, 5), (-2, -1, 0, 1, 2))
        for c in (3, 4, 5):
            for a in range(2, c):
                for b in (-1, 0, 1):
                    yield f"({a}*i{_shift(b)})//{c}"
        parts = ("0", "1", "i - 1", "i - 2", "i//2", "i//3", "i - i//2")
        for one, two in permutations(parts, 2):
            yield f"{one} if i % 2 == 1 else {two}"


def _simple(many: int, divisors: tuple[int, ...], shifts: tuple[int, ...]) -> Iterator[str]:
    for k in range(many):
        yield f"i - {k}" if k else "i"
    for p in range(many):
        yield str(p)
    for c in divisors:
        for b in shifts:
            yield f"(i{_shift(b)})//{c}"
            yield f"i % {c}{_shift(b)}"
            yield f"i - (i{_shift(b)})//{c}"
        yield f"i - i % {c}"
        yield f"i//{c} if i % {c} == 0 else None"


def _shift(b: int) -> str:
    return f" {'-' if b < 0 else '+'} {abs(b)}" if b else ""
