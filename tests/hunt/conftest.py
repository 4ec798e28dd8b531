"""A second opinion on the hunt's exact answers: z3 on the constraints as they are defined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import z3

Rows = Sequence[tuple[int, int]]


def hit_by_some(
    table: Sequence[Sequence[int]], relative: bool, rows: Rows, lost: tuple[int, int] | None = None
) -> bool:
    """Whether some real parameter hits all rows (and does not hit `lost`), by z3."""
    d = len(table[0])
    solver = z3.Solver()
    w = [[z3.Real(f"w{a}_{b}") for b in range(d)] for a in range(1 if relative else d)]

    def logit(i: int, j: int) -> Any:
        key = table[i - j if relative else j]
        query = (1,) if relative else table[i]
        return z3.Sum(
            [
                q * x * k
                for q, line in zip(query, w, strict=True)
                for x, k in zip(line, key, strict=True)
            ]
        )

    for i, t in rows:
        solver.add([logit(i, t) > logit(i, j) for j in range(i + 1) if j != t])
    if lost is not None:
        i, t = lost
        solver.add(z3.Or([logit(i, t) <= logit(i, j) for j in range(i + 1) if j != t]))
    answer = solver.check()
    assert answer != z3.unknown
    return bool(answer == z3.sat)


@pytest.fixture
def z3_hits() -> Callable[..., bool]:
    return hit_by_some
