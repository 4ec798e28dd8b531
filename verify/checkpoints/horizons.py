"""A head of a learned-absolute model as real code computes it, in a float type.

Nothing here is certified; it is compared with the certified decisions. The model of a type is that
of `verify.engines.floats.narrow`: inputs, weights, queries, keys and logits are each rounded to it,
products are summed in float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from verify.checkpoints.channels import Inputs
from verify.checkpoints.layouts import Projections
from verify.engines.floats.narrow import Picks, dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def picks(
    source: Inputs, head: Projections, rows: NDArray[np.intp], full: bool, name: str
) -> Picks:
    """What these rows pick in the type of this name. full: every key is visible to them."""
    kind = dtype(name)
    wide = np.dtype(np.float64 if name == "float64" else np.float32)
    with np.errstate(all="ignore"):  # overflow and NaN are results here

        def rounded(values: Array) -> Array:
            return values.astype(kind).astype(wide)

        inputs = rounded(source.values)
        queries = rounded(inputs @ rounded(head.query).T + rounded(head.query_bias))
        keys = rounded(inputs @ rounded(head.key).T + rounded(head.key_bias))
        logits = rounded(queries[rows] @ keys.T)
    hidden = np.zeros(logits.shape, dtype=bool) if full else np.arange(len(keys)) > rows[:, None]
    broken = (np.isnan(logits) & ~hidden).any(axis=1)
    top = np.where(hidden | np.isnan(logits), -np.inf, logits).max(axis=1)
    best = (logits == top[:, None]) & ~hidden
    first, last = best.argmax(axis=1), best.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    return Picks(np.where(broken, -1, first), np.where(broken, -1, last))
