"""Feature families and tasks on which the exact feasibility engine is tried."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from verify.engines.feasibility import (
    BilinearGrid,
    LinearGrid,
    Refutation,
    Row,
    StrictSystem,
    Witness,
)

# Legs a, b and hypotenuse c: rotations with cosine a / c and sine b / c.
PYTHAGOREAN = (
    (3, 4, 5),
    (5, 12, 13),
    (8, 15, 17),
    (20, 21, 29),
    (12, 35, 37),
    (9, 40, 41),
    (28, 45, 53),
    (11, 60, 61),
)

Features = list[tuple[int | Fraction, ...]]


def polynomial(degree: int, length: int) -> Features:
    return [tuple(i**e for e in range(degree + 1)) for i in range(length)]


def onehot(width: int, length: int) -> Features:
    return [tuple(int(min(i, width - 1) == c) for c in range(width)) for i in range(length)]


def random_integers(width: int, length: int, seed: int = 0) -> Features:
    rng = random.Random(1000 * width + seed)
    return [tuple(rng.randint(-9, 9) for _ in range(width)) for _ in range(length)]


def rotations(frequencies: int, length: int) -> Features:
    columns: list[list[Fraction]] = []
    for a, b, c in PYTHAGOREAN[:frequencies]:
        cosine, sine = [Fraction(1)], [Fraction(0)]
        for _ in range(length - 1):
            x, y = cosine[-1], sine[-1]
            cosine.append((a * x - b * y) / c)
            sine.append((b * x + a * y) / c)
        columns += [cosine, sine]
    return list(zip(*columns, strict=True))


def sinusoids(width: int, length: int) -> Features:
    """Float sinusoids of base 10000, read as the exact dyadic rationals that they are."""
    rates = [10000.0 ** (-2 * k / width) for k in range(width // 2)]
    return [
        tuple(Fraction(f(i * rate)) for rate in rates for f in (math.cos, math.sin))
        for i in range(length)
    ]


def buckets(length: int) -> Features:
    """One-hot of logarithmic offset buckets."""
    width = 4 + math.ceil(math.log2(max(length, 8) / 4))
    index = [o if o < 4 else 4 + int(math.log2(o / 4)) for o in range(length)]
    return [tuple(int(min(x, width - 1) == c) for c in range(width)) for x in index]


ABSOLUTE: dict[str, Callable[[int], Features]] = {
    "affine": lambda n: polynomial(1, n),
    "poly2": lambda n: polynomial(2, n),
    "poly3": lambda n: polynomial(3, n),
    "onehot": lambda n: onehot(n, n),
    "clamped": lambda n: onehot(max(2 * n // 3, 1), n),
    "rnd4": lambda n: random_integers(4, n),
    "rnd8": lambda n: random_integers(8, n),
    "rnd16": lambda n: random_integers(16, n),
    "rnd24": lambda n: random_integers(24, n),
    "rnd32": lambda n: random_integers(32, n),
    "circ2": lambda n: rotations(2, n),
    "circ4": lambda n: rotations(4, n),
    "circ8": lambda n: rotations(8, n),
    "fs8": lambda n: sinusoids(8, n),
    "fs16": lambda n: sinusoids(16, n),
    "fs32": lambda n: sinusoids(32, n),
}

RELATIVE: dict[str, Callable[[int], Features]] = {
    "relpoly3": lambda n: [v[1:] for v in polynomial(3, n)],
    "relcirc4": lambda n: rotations(4, n),
    "relcirc8": lambda n: rotations(8, n),
    "relbucket": buckets,
    "relfs8": lambda n: sinusoids(8, n),
    "relfs16": lambda n: sinusoids(16, n),
}

TASKS: dict[str, Callable[[int, int], int]] = {
    "previous": lambda i, n: i - 1,
    "skip-2": lambda i, n: i - 2,
    "attend-first": lambda i, n: 0,
    "copy": lambda i, n: i - math.ceil(n / 2),
    "reverse": lambda i, n: n - 1 - i,
}


def task_rows(task: str, length: int, grid: int = 0, first: int = 1) -> tuple[Row, ...]:
    """Rows of a task: the target is visible and has a competitor."""
    target = TASKS[task]
    return tuple(
        Row(grid, i, target(i, length)) for i in range(first, length) if 0 <= target(i, length) <= i
    )


def family_system(family: str, task: str, length: int) -> StrictSystem:
    rows = task_rows(task, length)
    if family in RELATIVE:
        return StrictSystem((LinearGrid(tuple(RELATIVE[family](length)), length),), rows)
    return StrictSystem((BilinearGrid(tuple(ABSOLUTE[family](length))),), rows)


def constraints(system: StrictSystem) -> Iterator[tuple[int, int, list[Fraction]]]:
    """Every constraint written out: row index, key, vector (row-major for a matrix)."""
    for r, row in enumerate(system.rows):
        for key in system.competitors(row):
            yield r, key, constraint_vector(system, row, key)


def constraint_vector(system: StrictSystem, row: Row, key: int) -> list[Fraction]:
    grid = system.grids[row.grid]
    if isinstance(grid, LinearGrid):
        at = row.query - grid.first
        wins, loses = grid.vectors[at - row.target], grid.vectors[at - key]
        return [Fraction(x) - Fraction(y) for x, y in zip(wins, loses, strict=True)]
    queries = grid.keys if grid.queries is None else grid.queries
    difference = [
        Fraction(x) - Fraction(y)
        for x, y in zip(grid.keys[row.target], grid.keys[key], strict=True)
    ]
    return [Fraction(x) * y for x in queries[row.query] for y in difference]


def satisfies(system: StrictSystem, witness: Witness) -> bool:
    """Every constraint holds: by plain fractions, sharing nothing with the engine."""
    flat: list[Fraction] = []
    for entry in witness.parameter:
        flat += entry if isinstance(entry, tuple) else (entry,)
    return all(
        sum(a * w for a, w in zip(vector, flat, strict=True)) > 0
        for _, _, vector in constraints(system)
    )


def combined(
    system: StrictSystem, multipliers: Sequence[tuple[int, int, int | Fraction]]
) -> list[Fraction]:
    """The combination of constraints with these positive multipliers, by plain fractions."""
    total = [Fraction(0)] * math.prod(system.shape)
    for r, key, y in multipliers:
        row = system.rows[r]
        assert y > 0
        assert key in system.competitors(row)
        vector = constraint_vector(system, row, key)
        total = [x + y * a for x, a in zip(total, vector, strict=True)]
    return total


def refutes(system: StrictSystem, refutation: Refutation) -> bool:
    return bool(refutation.multipliers) and not any(combined(system, refutation.multipliers))


def single_row(vectors: Sequence[Sequence[int | Fraction]]) -> StrictSystem:
    """The system of arbitrary constraint vectors: one row whose target has the feature 0."""
    width = len(vectors[0])
    table = [(0,) * width] + [tuple(-x for x in v) for v in vectors]
    last = len(vectors)
    return StrictSystem((LinearGrid(tuple(table), last + 1),), (Row(0, last, last),))


def near_boundary(order: int, bits: int, seed: int, sign: int) -> StrictSystem:
    """Independent vectors a_0.. and one more, `sign a_0 - 2^bits sum c_k a_k`, among combinations.

    Feasible with margins about 2^-bits for sign 1; 0 is on the boundary of the hull for sign 0, and
    about 2^-bits inside for sign -1.
    """
    rng = random.Random(seed)
    base = [[rng.randint(-9, 9) for _ in range(order)] for _ in range(order)]
    weights = [[sign] + [-rng.randint(1, 9) * 2**bits for _ in range(order - 1)]]
    weights += [[rng.randint(1, 5) for _ in range(order)] for _ in range(2 * order)]
    vectors = base + [
        [sum(c * a[j] for c, a in zip(line, base, strict=True)) for j in range(order)]
        for line in weights
    ]
    rng.shuffle(vectors)
    return single_row(vectors)
