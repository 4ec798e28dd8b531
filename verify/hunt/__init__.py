"""Hunting counterexamples: conjectures as predicates, spaces of instances, campaigns that last."""

from __future__ import annotations

from verify.hunt.conjectures import (
    HOLDS,
    NOT_APPLICABLE,
    Conjecture,
    Verdict,
    counterexample,
    undecided,
)
from verify.hunt.instances import Instance, instance
from verify.hunt.parts import Part, decided, forced, refuted

__all__ = [
    "HOLDS", "NOT_APPLICABLE", "Conjecture", "Instance", "Part", "Verdict", "counterexample",
    "decided", "forced", "instance", "refuted", "undecided",
]  # fmt: skip
