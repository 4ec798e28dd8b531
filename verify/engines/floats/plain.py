"""Float64 and nothing else: the same streams with ordinary features and no error bound.

For searches that try many heads, and as what the certified engine's cost is compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from verify.engines.floats import absolute, relative
from verify.engines.floats.features import Features, features
from verify.engines.floats.gaps import Rows
from verify.engines.floats.products import product
from verify.engines.floats.relative import Kernel
from verify.engines.floats.scaling import weights
from verify.theory.encodings import Encoding, Rope, Sinusoidal
from verify.theory.text import value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CHUNK: Final = 8192  # offsets whose features are held at once


def gaps(
    encoding: Encoding, parameter: Floats, n: int, rows: Rows, visibility: str = "causal"
) -> Floats:
    """For each row the target's logit less the best other logit, in float64; > 0 is a hit.

    parameter: (d, d) or (m,). Where another visible key has the target's features the gap is at
    most 0. ValueError where the encoding is not defined.
    """
    if encoding.relative:
        kernel = _kernel(encoding, parameter, n, visibility)
        found = relative.gaps(kernel, rows)
        gap, twin, exponent = found.gap, found.twin, found.exponent
    else:
        table = _table(encoding, n, visibility)
        scaled = weights(parameter, table.exponents)
        where = absolute.grid(table, scaled, rows)
        target, best = absolute.stream(where)
        gap, twin, exponent = target - best, where.twin, scaled.exponent
    gap = np.ldexp(gap, exponent)
    return np.where(twin, np.minimum(gap, 0), gap)


def _waves(encoding: Sinusoidal | Rope, positions: NDArray[np.intp]) -> Floats:
    """cos and sin of float64 phases, by the library's functions."""
    theta = np.array([value(t) for t in encoding.frequencies])
    phases = positions[:, None] * theta
    waves = {"cos": np.cos(phases), "sin": np.sin(phases)}
    found = np.empty((len(positions), encoding.dimension))
    for column, (name, k) in enumerate(encoding.columns):
        found[:, column] = waves[name][:, k]
    return found


def _table(encoding: Encoding, n: int, visibility: str) -> Features:
    if not isinstance(encoding, Sinusoidal | Rope):
        return features(encoding, n, visibility)
    zero, none = np.zeros(encoding.dimension, dtype=np.intp), np.zeros(encoding.dimension)
    return Features(_waves(encoding, np.arange(n)), None, 0, n, zero, none, none)


def _kernel(encoding: Encoding, parameter: Floats, n: int, visibility: str) -> Kernel:
    if not isinstance(encoding, Sinusoidal | Rope):
        return relative.kernel(encoding, parameter, n, visibility)
    first = -(n - 1) if visibility == "full" else 0
    parts = [
        product(_waves(encoding, np.arange(low, min(low + CHUNK, n))), parameter[:, None])[:, 0]
        for low in range(first, n, CHUNK)
    ]
    values = np.concatenate(parts)
    return Kernel(values, np.zeros(len(values)), None, first, 0)


def logits(encoding: Encoding, parameter: Floats, n: int, visibility: str = "causal") -> Floats:
    """(n, n): every logit up to a common positive factor, -inf at keys that a row does not see.

    For pictures. ValueError where the encoding is not defined.
    """
    positions = np.arange(n)
    offsets = positions[:, None] - positions
    hidden = offsets < 0 if visibility == "causal" else np.zeros(offsets.shape, dtype=bool)
    if encoding.relative:
        kernel = _kernel(encoding, parameter, n, visibility)
        found = kernel.values[np.where(hidden, 0, offsets) - kernel.first]
    else:
        table = _table(encoding, n, visibility)
        rows = positions if table.index is None else table.index[positions]
        values = table.values[rows]
        scaled = weights(parameter, table.exponents).values
        found = product(product(values, scaled), np.ascontiguousarray(values.T))
    return np.where(hidden, -np.inf, found)
