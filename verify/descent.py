"""Parameters proposed by floats for systems whose vectors are irrational.

Minimizing log sum exp(-margins) over the constraints drives every margin up if any parameter can
(Telgarsky, Margins, Shrinkage and Boosting, ICML 2013, on this loss). It is done in orthonormal
coordinates of the vectors' larger singular directions, so the parameter is not tuned to what the
vectors lose by rounding. Nothing is proved here: enclosures confirm what comes out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Triples = NDArray[np.intp]

# Singular values below this share of the largest are left out: first few directions, then more.
TOLERANCES = (1e-3, 1e-6, 1e-9, 1e-12)
ITERATIONS = 400
GOOD = 0.05  # a smallest margin of this share of the mean one ends the descent


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Coordinates of the vectors: `table` (k, r) is `vectors @ back`, with orthonormal columns."""

    table: Floats
    back: Floats
    linear: bool

    def margins(self, w: Floats, triples: Triples) -> Floats:
        """Target's logit less key's, of each (query, target, key). w: (r, r), or (r,) if linear."""
        query, target, key = triples.T
        if self.linear:
            logits = self.table @ w
            return np.asarray(logits[target] - logits[key])
        square = self.table @ w @ self.table.T
        return np.asarray(square[query, target] - square[query, key])

    def pull(self, weights: Floats, triples: Triples) -> Floats:
        """The sum of weights times constraint vectors, of the shape of w."""
        query, target, key = triples.T
        if self.linear:
            count = len(self.table)
            won, lost = np.bincount(target, weights, count), np.bincount(key, weights, count)
            return np.asarray(self.table.T @ (won - lost))
        table, count = self.table, len(self.table)
        sums = np.bincount(query * count + target, weights, count * count)
        sums -= np.bincount(query * count + key, weights, count * count)
        return np.asarray(table.T @ sums.reshape(count, count) @ table)

    def norms(self, triples: Triples) -> Floats:
        """The length of each constraint vector."""
        query, target, key = triples.T
        gaps = np.linalg.norm(self.table[target] - self.table[key], axis=1)
        found = gaps if self.linear else gaps * np.linalg.norm(self.table[query], axis=1)
        return np.asarray(np.maximum(found, 1e-300))

    def exact(self, w: Floats) -> tuple[tuple[Fraction, ...], ...]:
        """The parameter in the coordinates of the vectors, exactly multiplied; (d, d) or (1, d)."""
        smallest = float(np.abs(self.back).max(axis=1).min())
        unit = max(60 - int(np.frexp(smallest)[1]), 0)
        back, inner = _integers(self.back, unit), _integers(w / np.abs(w).max(), 24)
        if self.linear:
            rows, bottom = [back @ inner], 1 << unit + 24
        else:
            rows, bottom = list(back @ inner @ back.T), 1 << 2 * unit + 24
        return tuple(tuple(Fraction(int(e), bottom) for e in row) for row in rows)


def _integers(table: Floats, shift: int) -> NDArray[np.object_]:
    """The table times 2**shift, rounded to integers of any size."""
    found = np.empty(table.size, dtype=object)
    found[:] = [round(Fraction(x) * 2**shift) for x in table.ravel().tolist()]
    return found.reshape(table.shape)


def frame(vectors: Floats, linear: bool, tolerance: float) -> Frame:
    """Coordinates along the singular directions that are not below `tolerance` of the largest."""
    scale = np.maximum(np.abs(vectors).max(axis=0), 1e-300)
    _, values, right = np.linalg.svd(vectors / scale, full_matrices=False)
    kept = values > tolerance * values[0]
    back = (right[kept].T / values[kept]) / scale[:, None]
    back = back * np.sqrt(len(vectors))
    return Frame(np.asarray(vectors @ back), back, linear)


def proposals(
    vectors: Floats, linear: bool, triples: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[tuple[Fraction, ...], ...]]:
    """Parameters whose float margins are positive on all these (query, target, key).

    vectors: (k, d). Different proposals use more and more of the vectors' directions.
    """
    wanted, sizes = np.array(triples, dtype=np.intp).reshape(-1, 3), set[int]()
    for tolerance in TOLERANCES:
        coordinates = frame(vectors, linear, tolerance)
        size = coordinates.table.shape[1]
        if size in sizes:
            continue
        sizes.add(size)
        found = descend(coordinates, wanted)
        if found is not None:
            yield coordinates.exact(found)


def descend(coordinates: Frame, triples: Triples) -> Floats | None:
    """A parameter (in these coordinates) with every margin positive, or None if none was met."""
    import scipy.optimize

    size = coordinates.table.shape[1]
    shape = (size,) if coordinates.linear else (size, size)
    scale = 1 / coordinates.norms(triples)
    best: list[tuple[float, Floats]] = []

    def objective(flat: Floats) -> tuple[float, Floats]:
        w = flat.reshape(shape)
        margins = coordinates.margins(w, triples) * scale
        low = float(margins.min())
        weights = np.exp(low - margins)
        total = float(weights.sum())
        if low > 0:
            share = low / float(margins.mean())
            if not best or share > best[0][0]:
                best[:] = [(share, w.copy())]
            if share > GOOD:
                raise StopIteration
        gradient = coordinates.pull(weights * scale, triples) / -total
        return float(np.log(total)) - low, gradient.ravel()

    with contextlib.suppress(StopIteration):
        scipy.optimize.minimize(
            objective, np.zeros(int(np.prod(shape))), jac=True, method="L-BFGS-B",
            options={"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "maxcor": 30, "ftol": 1e-9},
        )  # fmt: skip
    return best[0][1] if best else None


def balance(coordinates: Frame, triples: Triples) -> Floats | None:
    """Positive weights with which the constraint vectors nearly combine to zero, of sum 1.

    At the minimum of log sum exp(-margins) they are the softmax of the margins; Newton's method
    after L-BFGS brings the gradient down to rounding. None where the loss has no minimum nearby.
    """
    import scipy.linalg
    import scipy.optimize

    scale = 1 / coordinates.norms(triples)
    size = coordinates.table.shape[1]
    shape = (size,) if coordinates.linear else (size, size)
    query, target, key = triples.T
    gaps = (coordinates.table[target] - coordinates.table[key]) * scale[:, None]
    vectors = gaps
    if not coordinates.linear:
        vectors = np.einsum("ka,kb->kab", coordinates.table[query], gaps).reshape(len(gaps), -1)

    def objective(w: Floats) -> tuple[float, Floats]:
        margins = vectors @ w
        low = float(margins.min())
        found = np.exp(low - margins)
        total = float(found.sum())
        return float(np.log(total)) - low, vectors.T @ (found / -total)

    start = np.zeros(int(np.prod(shape)))
    run = scipy.optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B",
        options={"maxiter": 600, "maxcor": 30, "ftol": 0, "gtol": 1e-9},
    )  # fmt: skip
    w = np.asarray(run.x)
    for _ in range(20):
        margins = vectors @ w
        found = np.exp(margins.min() - margins)
        found /= found.sum()
        gradient = -(vectors.T @ found)
        if np.abs(gradient).max() < 1e-15:
            break
        hessian = (vectors * found[:, None]).T @ vectors - np.outer(gradient, gradient)
        w = w - np.asarray(scipy.linalg.lstsq(hessian, gradient)[0])
        if not np.isfinite(w).all():
            return None
    margins = vectors @ w
    found = np.exp(margins.min() - margins)
    found /= found.sum()
    if not np.abs(vectors.T @ found).max() < 1e-9:
        return None
    return np.asarray(found * scale)
