"""Which keys a query row sees: the one place that knows."""

from __future__ import annotations

from typing import Final

VISIBILITIES: Final = ("causal", "full")


def visible(i: int, n: int, visibility: str = "causal") -> range:
    """The keys that row i of length n sees: 0..i when causal, 0..n-1 under full attention.

    ValueError for another visibility, or a row outside 0..n-1.
    """
    if visibility not in VISIBILITIES:
        raise ValueError(f"visibility must be 'causal' or 'full', not {visibility!r}")
    if not 0 <= i < n:
        raise ValueError(f"row {i} is outside a grid of length {n}; rows are 0..{n - 1}")
    return range(i + 1 if visibility == "causal" else n)
