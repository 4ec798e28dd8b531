"""How far a position table carries: classes of new rows for every W over the table's rows.

All W of the shape d x d that realize a task on the rows below L0 are d * d unknowns, too many for
the cone question. But a row i >= L0 with target t is *free* - some of these W hit it, some miss
it - whenever

1. p_i is outside the span of p_0..p_{L0-1}, and
2. some v has <v, p_t> > <v, p_j> for every other key j,

because then a u exists with <u, p_r> = 0 for r < L0 and <u, p_i> = 1, and W + lambda u v^T has the
training logits of W and adds lambda <v, p_j> to the logit of row i at key j: it hits the row for
large lambda and misses it for small. (The class is the theory's: the rank of W is not bounded by
the width of a head.) If p_0..p_{L0-1} are independent, W -> (<p_i, W p_j>) is onto,
so the task is realizable at L0 and the classes are not vacuous.

Independence is proved modulo a prime (a minor that is not zero there is not zero), separation in
float64 with an error bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.checkpoints.exact import integers
from verify.decisions import region
from verify.engines.floats.products import product
from verify.engines.floats.scaling import gamma
from verify.theory.tasks import task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRIME: Final = (1 << 61) - 1
BEYOND: Final = (
    "rows beyond the table are undetermined: they have no features, and whatever rows extend the "
    "table decide them (Proposition 2)"
)


@dataclass(frozen=True, slots=True)
class Carry:
    """The new rows of one task, L0 <= i < length: how many are free, and which are left open.

    independent: whether the rows below L0 are, which makes the task realizable at L0; if not,
    every new row is open. open: rows that the two conditions do not settle.
    """

    task: str
    train_length: int
    length: int
    independent: bool
    free: int
    open: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """One entry of `carries` in the document of `pe-verify heads --json`."""
        return {
            "task": self.task,
            "train_length": self.train_length,
            "length": self.length,
            "independent": self.independent,
            "free": self.free,
            "open": list(self.open),
            "alpha_forced": "0" if self.decided else None,
            "alpha_possible": "1" if self.decided else None,
        }

    @property
    def decided(self) -> bool:
        """Whether every new row is classed: all free, so 0 <= alpha <= 1 is all that is forced."""
        return self.independent and not self.open and self.free > 0


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """Of a position table and L0: what the classes of any task need, at each position.

    independent: whether the rows below L0 are; outside: (n,), p_i is outside their span;
    separated: (n,), some v separates p_i from all other rows.
    """

    train_length: int
    independent: bool
    outside: NDArray[np.bool_]
    separated: NDArray[np.bool_]


def geometry(positions: Floats, train_length: int) -> Geometry:
    """ValueError unless 2 <= L0 < n."""
    n = len(positions)
    if not 2 <= train_length < n:
        raise ValueError(f"train must be from 2 to {n - 1}, not {train_length}")
    return Geometry(train_length, *_span(positions, train_length), _separated(positions))


def carry(found: Geometry, named: str, visibility: str) -> Carry:
    """The classes of a task's new rows."""
    length = len(found.outside)
    rows = region(task(named), length, visibility, found.train_length)
    free = found.outside[rows.rows] & found.separated[rows.targets] & found.independent
    left = tuple(int(i) for i in rows.rows[~free])
    count = int(np.count_nonzero(free))
    return Carry(named, found.train_length, length, found.independent, count, left)


def _span(positions: Floats, train_length: int) -> tuple[bool, NDArray[np.bool_]]:
    """Whether the first rows are independent modulo PRIME, and which rows they do not span.

    A row that is outside the span modulo PRIME of independent rows is outside over the rationals.
    """
    from flint import nmod_mat

    lines, _ = integers(positions)
    n, d = positions.shape
    flat = [x % PRIME for line in lines for x in line]
    training = nmod_mat(train_length, d, flat[: train_length * d], PRIME)
    kernel, nullity = training.nullspace()
    independent = d - nullity == train_length
    outside = np.zeros(n, dtype=bool)
    if independent and nullity:
        products = nmod_mat(n, d, flat, PRIME) * kernel
        columns = range(int(nullity))
        outside[:] = [any(int(products[i, k]) for k in columns) for i in range(n)]
    return independent, outside


def _separated(positions: Floats) -> NDArray[np.bool_]:
    """Rows t with a v such that <v, p_t> exceeds every other <v, p_j>, proved in float64.

    Candidates are the rows of the pseudo-inverse, of the table and of the table with a column of
    ones: whatever they are, what is checked is the inequality itself.
    """
    n, d = positions.shape
    proved = np.zeros(n, dtype=bool)
    size = np.linalg.norm(positions, axis=1).max() * (1 + 1e-9)
    for extended in (positions, np.hstack([positions, np.ones((n, 1))])):
        v = np.ascontiguousarray(np.linalg.pinv(extended).T[:, :d])
        scores = product(v, np.ascontiguousarray(positions.T))
        error = 2.02 * gamma(d) * size * np.linalg.norm(v, axis=1) * (1 + 1e-9) + 2.0**-700
        own = scores.diagonal().copy()
        np.fill_diagonal(scores, -np.inf)
        gap = own - scores.max(axis=1)
        proved |= gap * (1 - 1e-9) > error
    return proved
