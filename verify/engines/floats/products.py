"""Matrix products in pieces so small that no BLAS starts threads for them.

Waking threads thousands of times costs more than the products when the machine is busy, and results
would depend on their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from typing import Any, TypeVar

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Array = TypeVar("Array", bound=NDArray[Any])

PIECE: Final = 1 << 18  # multiplications; OpenBLAS stays on one thread up to here


def tile(d: int) -> tuple[int, int]:
    """Rows and keys of one product with inner dimension d in a block of logits."""
    if d <= 32:
        return 32, 256
    return (32, 128) if d <= 64 else (16, 128) if d <= 128 else (16, 64)


def product(a: Floats, b: Floats) -> Floats:
    """a @ b for a of shape (r, d) and b of shape (d, c)."""
    rows = max(1, min(len(a), PIECE // max(1, b.size)))
    padded = pad(a, rows).reshape(-1, rows, a.shape[1])
    return np.asarray((padded @ b).reshape(-1, b.shape[1])[: len(a)])


def pad(values: Array, multiple: int) -> Array:
    """With rows of zeros up to a multiple."""
    return np.pad(values, ((0, -len(values) % multiple), (0, 0)))  # type: ignore[return-value]
