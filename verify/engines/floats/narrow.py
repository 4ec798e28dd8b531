"""One head computed as real code computes it, in a float type: features, product and argmax.

Nothing here is certified; it is what `verify.alpha` compares with the certified decisions. The
model of a type: positions, frequencies, phases, features, the parameter and phi(i)^T W are each
rounded to it; products are summed in float32 (float64 in float64), as matrix units do; logits are
rounded to the type and compared in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.engines.floats.features import features
from verify.engines.floats.gaps import Rows
from verify.engines.floats.products import pad, tile
from verify.theory.encodings import Alibi, Encoding, Rope, Sinusoidal
from verify.theory.text import value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.intp]
    Array = NDArray[Any]

TYPES: Final = ("float64", "float32", "bfloat16", "float16")
BLOCK: Final = 512


@dataclass(frozen=True, slots=True)
class Picks:
    """The key each row picks when the first, or the last, of equal logits wins; -1 at a NaN."""

    first: Ints
    last: Ints


def dtype(name: str) -> np.dtype[Any]:
    """The numpy type of this name; ValueError for another. bfloat16 needs ml_dtypes."""
    if name not in TYPES:
        raise ValueError(f"unknown float type {name[:40]!r}; known are {', '.join(TYPES)}")
    if name == "bfloat16":
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    return np.dtype(name)


def picks(
    encoding: Encoding, parameter: Array, n: int, rows: Rows, visibility: str, name: str
) -> Picks:
    """What every row picks in the type of this name. parameter: nearest float64 array."""
    kind = dtype(name)
    wide = np.dtype(np.float64 if name == "float64" else np.float32)
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        table = typed_features(encoding, n, visibility, kind)
        weights = parameter.astype(kind).astype(wide)
        if encoding.relative:
            logits = (table.astype(wide) @ weights).astype(kind).astype(wide)
            return _relative(logits, rows, n - len(logits))
        return _absolute(table, weights, rows, kind)


def typed_features(encoding: Encoding, n: int, visibility: str, kind: np.dtype[Any]) -> Array:
    """Features at every position (or offset) of the grid, computed in the type.

    Cosines and sines of phases that are computed in the type, ALiBi as a product in it; all other
    features are exact numbers, rounded once.
    """
    wide = np.dtype(np.float64 if kind == np.float64 else np.float32)
    first = -(n - 1) if encoding.relative and visibility == "full" else 0
    positions = np.arange(first, n).astype(kind)
    if isinstance(encoding, Sinusoidal | Rope):
        theta = np.array([value(t) for t in encoding.frequencies]).astype(kind)
        phases = (positions[:, None] * theta).astype(kind).astype(wide)
        waves = {"cos": np.cos(phases).astype(kind), "sin": np.sin(phases).astype(kind)}
        return np.stack([waves[f][:, k] for f, k in encoding.columns], axis=1)
    if isinstance(encoding, Alibi):
        slope = np.array(value(encoding.slope)).astype(kind)
        return np.stack([np.ones_like(positions), (positions * slope).astype(kind)], axis=1)
    table = features(encoding, n, visibility)
    exact = np.ldexp(table.values, table.exponents.astype(np.intc))
    return np.asarray((exact if table.index is None else exact[table.index]).astype(kind))


def _absolute(table: Array, weights: Array, rows: Rows, kind: np.dtype[Any]) -> Picks:
    wide, d, count = weights.dtype, weights.shape[0], len(rows.rows)
    high, across = tile(d)
    left = (table[rows.rows].astype(wide) @ weights).astype(kind).astype(wide)
    left = pad(left, high).reshape(-1, 1, high, d)
    keys = pad(table.astype(wide), across).reshape(1, -1, across, d).transpose(0, 1, 3, 2)
    first, last = np.full(count, -1, dtype=np.intp), np.full(count, -1, dtype=np.intp)
    best, broken = np.full(count, -np.inf, dtype=wide), np.zeros(count, dtype=bool)
    for low in range(0, count, BLOCK):
        part = np.arange(low, min(low + BLOCK, count))
        start, stop = rows.start[part], rows.stop[part]
        for k in range(0, int(stop.max()), BLOCK):
            tiles = (
                left[low // high : -(-(low + BLOCK) // high)],
                keys[:, k // across : (k + BLOCK) // across],
            )
            logits = tiles[0] @ tiles[1]
            logits = logits.transpose(0, 2, 1, 3).reshape(-1, logits.shape[1] * across)[: len(part)]
            logits = logits.astype(kind).astype(wide)
            names = np.arange(k, k + logits.shape[1])
            hidden = (names < start[:, None]) | (names >= stop[:, None])
            broken[part] |= (np.isnan(logits) & ~hidden).any(axis=1)
            logits[hidden | np.isnan(logits)] = -np.inf
            top = logits.max(axis=1)
            seen = ~hidden.all(axis=1)
            new, equal = seen & ((top > best[part]) | (first[part] < 0)), seen & (top >= best[part])
            ahead = (logits == top[:, None]) & ~hidden
            first[part[new]] = k + ahead[new].argmax(axis=1)
            last[part[equal]] = k + logits.shape[1] - 1 - ahead[equal, ::-1].argmax(axis=1)
            best[part] = np.maximum(best[part], top)
    first[broken] = last[broken] = -1
    return Picks(first, last)


def _relative(logits: Array, rows: Rows, first: int) -> Picks:
    """Running maxima over offsets; a later key has a smaller offset."""
    zero = -first
    sides = [_extremes(logits[zero:])]
    if zero:
        sides.append(_extremes(logits[zero - 1 :: -1]))
    high, low = rows.rows - rows.start, rows.rows - rows.stop + 1
    best, near, far, bad = (column[high] for column in sides[0])
    if zero:
        back = np.maximum(-low - 1, 0)
        other, close, away, wrong = (column[back] for column in sides[1])
        some = low < 0
        bad = bad | (some & wrong)
        # offset -1 - k is the k-th of this side; the largest offset of it is the first seen
        better, equal = some & (other > best), some & (other == best)
        far = np.where(better, -1 - close, far)
        near = np.where(better | equal, -1 - away, near)
    first_key, last_key = rows.rows - far, rows.rows - near
    return Picks(np.where(bad, -1, first_key), np.where(bad, -1, last_key))


def _extremes(logits: Array) -> tuple[Array, Ints, Ints, NDArray[np.bool_]]:
    """Of each prefix: the maximum, its first and its last place, and whether a NaN is in it."""
    bad = np.logical_or.accumulate(np.isnan(logits))
    clean = np.where(np.isnan(logits), -np.inf, logits)
    best = np.maximum.accumulate(clean)
    places = np.arange(len(clean))
    before = np.concatenate([[-np.inf], best[:-1]])
    near = np.maximum.accumulate(np.where(clean > before, places, 0))
    far = np.maximum.accumulate(np.where(clean >= before, places, 0))
    return best, near, far, bad
