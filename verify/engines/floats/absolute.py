"""Absolute encodings: rows of phi(i)^T W phi(j), streamed in blocks that stay in the cache.

Nothing of the size of the grid squared is ever held. Keys with identical features are evaluated
once: a row sees a prefix of the distinct features, in order of their first occurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from verify.engines.floats.features import UNIT, Features
from verify.engines.floats.gaps import Gaps, Rows, first_seen, twins
from verify.engines.floats.products import pad, product, tile
from verify.engines.floats.scaling import EXACT, Weights, gamma, units, upward

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    Bools = NDArray[np.bool_]
    Progress = Callable[[int, int], None]  # entries done, entries in all

ROWS: Final = 256  # of one block: with KEYS a megabyte
KEYS: Final = 512


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows against distinct keys, without the columns that W ignores.

    queries: (r, a); matrix: (a, b); left: (r, b), their product; keys: (u, b). position: (u,),
    where a key first occurs; visible: (r,), row k sees the keys 0..visible[k]-1; wanted: (r,), the
    target among them; twin as in Gaps. a, b: the columns that are left.
    """

    queries: Floats
    matrix: Floats
    left: Floats
    keys: Floats
    a: Ints
    b: Ints
    position: Ints
    visible: Ints
    wanted: Ints
    twin: Bools


def used(weights: Weights) -> tuple[Ints, Ints]:
    """The columns of queries and of keys that W does not ignore; one each if W = 0."""
    some = weights.values != 0
    if not some.any():
        return np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
    return np.flatnonzero(some.any(axis=1)), np.flatnonzero(some.any(axis=0))


def grid(table: Features, weights: Weights, rows: Rows) -> Grid:
    """The grid of these rows, which must see a prefix of the positions (start = 0)."""
    a, b = used(weights)
    matrix = weights.values[np.ix_(a, b)]
    if table.index is None:
        order, visible, wanted = np.arange(table.count), rows.stop, rows.targets
        position, places, twin = order, rows.rows, np.zeros(len(rows.rows), dtype=bool)
    else:
        order, counts = first_seen(table.index)
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        position = np.flatnonzero(np.diff(counts))
        visible, wanted = counts[rows.stop], rank[table.index[rows.targets]]
        places = table.index[rows.rows]
        twin = twins(table.index, rows.targets, rows.start, rows.stop)
    queries = np.ascontiguousarray(table.values[places][:, a])
    keys = np.ascontiguousarray(table.values[order][:, b])
    top = int(visible.max(initial=0))
    left = product(queries, matrix)
    return Grid(queries, matrix, left, keys[:top], a, b, position[:top], visible, wanted, twin)


def stream(where: Grid, progress: Progress | None = None) -> tuple[Floats, Floats]:
    """The target's logit and the best logit of the other distinct keys, for each row.

    -inf as the best where a row sees no other distinct key.
    """
    count, d = where.left.shape
    high, wide = tile(d)
    left = pad(where.left, ROWS).reshape(-1, 1, high, d)
    keys = pad(where.keys, KEYS).reshape(1, -1, wide, d)
    keys = np.ascontiguousarray(keys.transpose(0, 1, 3, 2))
    names = np.arange(keys.shape[1] * wide).reshape(1, -1, 1, wide)
    target, best = np.full(count, np.nan), np.full(count, -np.inf)
    block = np.empty((ROWS // high, KEYS // wide, high, wide))
    total, done = int(where.visible.sum()), 0
    for low in range(0, count, ROWS):
        rows = np.arange(low, min(low + ROWS, count))
        visible, wanted = where.visible[rows], where.wanted[rows]
        least, most = int(visible.min()), int(visible.max())
        limit = pad(visible[:, None], ROWS).reshape(-1, 1, high, 1)
        for first in range(0, most, KEYS):
            part = slice(first // wide, min(first + KEYS, -(-most // wide) * wide) // wide)
            logits = block[:, : part.stop - part.start]
            np.matmul(left[low // high : (low + ROWS) // high], keys[:, part], out=logits)
            here = np.flatnonzero((wanted >= first) & (wanted < first + KEYS))
            key = wanted[here] - first
            at = here // high, key // wide, here % high, key % wide
            target[low + here] = logits[at]
            logits[at] = -np.inf
            if part.stop * wide > least:
                logits[names[:, part] >= limit] = -np.inf
            top = logits.max(axis=3).max(axis=1).reshape(-1)[: len(rows)]
            np.maximum(best[rows], top, out=top)
            best[rows] = top
        if progress is not None:
            done += int(visible.sum())
            progress(done, total)
    return target, best


def gaps(
    table: Features, weights: Weights, rows: Rows, progress: Progress | None = None
) -> tuple[Gaps, Grid]:
    """The gap of every row with its proved error, and the grid for `rivals`."""
    where = grid(table, weights, rows)
    error = _errors(table, weights, where)
    target, best = stream(where, progress)
    gap = target - best
    whole = 2 * error + 1.01 * UNIT * np.where(np.isinf(gap), 0, np.abs(gap))
    return Gaps(gap, np.where(error == 0, 0, whole), where.twin, weights.exponent), where


def _errors(table: Features, weights: Weights, where: Grid) -> Floats:
    """For each row a bound on the error of every one of its logits; 0 if all are exact.

    Componentwise: with |phi - fl(phi)| <= e + r |fl(phi)| and |W - fl(W)| <= w |fl(W)|, and
    gamma for each of the two products (Higham, section 3.5).
    """
    matrix = np.abs(where.matrix)
    size = product(np.abs(where.queries), matrix)
    top = np.maximum.accumulate(np.abs(where.keys), axis=0)[where.visible - 1]
    used = np.union1d(where.a, where.b)
    e, r = float(table.absolute[used].max()), float(table.relative[used].max())
    w = weights.relative
    inner, columns = max(matrix.shape), matrix.sum(axis=0)
    share = (2 * r + r * r) * (1 + w) + w + 2.01 * gamma(inner)
    largest = np.einsum("rd,rd->r", size, top)
    bound = share * largest
    if e:
        near = top @ columns + size.sum(axis=1)
        bound += (1 + 2 * r) * (1 + w) * e * near + (1 + w) * e * e * columns.sum()
    bound = upward(bound, 4 * inner + 20)
    if not matrix.any():  # W = 0
        bound[:] = 0
    elif e == r == w == 0:
        bound[_exact(table, where, size, largest)] = 0
    return bound


def _exact(table: Features, where: Grid, size: Floats, largest: Floats) -> Bools:
    """Rows whose arithmetic is on multiples of a unit, below 2**53 units: nothing is rounded."""
    queries, keys = (units(table.values[:, used], axis=0) for used in (where.a, where.b))
    left = (queries[:, None] * units(where.matrix[..., None], axis=-1)).min(axis=0)
    small = (size < EXACT * left).all(axis=1)
    return np.asarray(small & (largest < EXACT * (left * keys).min()))


def rivals(where: Grid, error: float, k: int) -> Ints:
    """The positions whose logit may be the best among the other distinct keys of row k.

    error: that of the row's gap. Every other key is certainly below one of them.
    """
    keys = where.keys[: where.visible[k]]
    logits = keys @ where.left[k]
    logits[where.wanted[k]] = -np.inf
    slack = 2 * error  # the gap's error has room for the rounding of the maximum
    return np.asarray(where.position[: len(keys)][logits >= logits.max() - slack])
