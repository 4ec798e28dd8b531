"""Readings of Conjecture 1 as predicates on instances; `proofs/conjecture_1` states them."""

from __future__ import annotations

from typing import Final

from verify.hunt.conjectures import Conjecture
from verify.hunt.readings import cone, deep_row, dichotomy, selected, span

READINGS: Final[dict[str, Conjecture]] = {
    found.name: found
    for found in (
        span.SPAN,
        cone.CONE,
        dichotomy.DICHOTOMY,
        dichotomy.FORCED,
        selected.SELECTED,
        deep_row.ONLY_IF,
        deep_row.IF,
    )
}
