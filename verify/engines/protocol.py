"""What every engine is asked and what it hands back: proposals with their evidence, not decisions.

An engine is untrusted. A `Candidate` holds a proof for the kernel to check; an `Answer` says how
the engine ended, whether or not there is one. Theorem claims are read with the kernel's own reader,
so that engines and the kernel cannot disagree on what a formula means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from verify import kernel

Context = kernel.Context
Clause = kernel.Clause
Outcome = Literal["proved", "refuted", "unknown", "error", "missing"]


class Unproved(Exception):
    """No proof was found; the message says where the search got stuck and what was known there."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proof in the kernel's format, for one claim, not checked yet.

    claim: the claim that the engine was asked; proof: the `proof` part of a certificate;
    producer: who made it (information outside the certificate's identity).
    """

    claim: Mapping[str, Any]
    proof: Mapping[str, Any]
    producer: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """How an engine ended on one question.

    outcome: 'proved' and 'refuted' are the engine's opinion; 'unknown' is a time-out or giving up,
    'error' a crash, 'missing' an optional solver that is not installed: none of these three is
    ever a pass. proof: for the kernel, or None if the engine has an opinion but no certificate.
    model: what refutes, as text or exact numbers. seconds: wall clock.
    """

    engine: str
    version: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0
    proof: Mapping[str, Any] | None = None
    model: Any = None

    def candidate(self, claim: Mapping[str, Any]) -> Candidate | None:
        """The proof as a candidate for the kernel, if there is one."""
        if self.proof is None:
            return None
        return Candidate(claim, self.proof, {"engine": self.engine, "version": self.version})


def read(claim: Mapping[str, Any]) -> tuple[Context, list[Clause]]:
    """The context and the goals of a theorem claim, as the kernel reads them.

    Raises ValueError if the claim is not a theorem, kernel.Malformed if a part of it is not.
    """
    if claim.get("kind") != "theorem":
        raise ValueError(f"expected a claim of kind 'theorem', not {claim.get('kind')!r}")
    return kernel.theorem(claim)
