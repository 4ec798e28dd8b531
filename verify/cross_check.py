"""An SMT solver as an independent judge of the same claim; a contradiction is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from verify import kernel
from verify.engines import smt

Solver = Literal["z3", "cvc5"]
SECONDS = 30.0


class Disagreement(Exception):
    """Two deciders say opposite things of one claim; the instance was saved."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a solver says of a claim that was decided: agrees, unknown, missing or error."""

    solver: str
    version: str
    outcome: str
    reason: str
    seconds: float

    def document(self) -> dict[str, Any]:
        """The opinion as a JSON object."""
        return asdict(self) | {"seconds": round(self.seconds, 3)}

    def __str__(self) -> str:
        known = self.version and f" {self.version}"
        return f"{self.solver}{known} {self.outcome}" + (f": {self.reason}" if self.reason else "")


def ask(
    claim: Mapping[str, Any],
    holds: bool | None,
    certificate: Any,
    solver: str,
    seconds: float = SECONDS,
) -> Opinion:
    """The solver's opinion on a claim that was decided (None: that was not).

    Disagreement if it says the opposite; the claim, the certificate and the solver's model are then
    in a file in the current folder. ValueError if there is no such solver.
    """
    said = smt.decide_system(claim, solver, seconds)
    outcome: str = said.outcome
    if outcome in ("proved", "refuted") and holds is not None:
        if (outcome == "proved") != holds:
            path = Path(f"disagreement-{kernel.digest(dict(claim))[7:19]}.json")
            document = {
                "claim": claim, "certificate": certificate,
                "solver": {"name": solver, "outcome": outcome, "model": said.model},
            }  # fmt: skip
            path.write_text(json.dumps(document, indent=1, default=str) + "\n", encoding="utf-8")
            ours = "proved" if holds else "refuted"
            raise Disagreement(
                f"the claim ({claim['kind']}) is {ours} by the exact engine, with a certificate "
                f"that the kernel accepts, and {outcome} by {solver} {said.version} (model "
                f"{str(said.model)[:200]}); the instance is saved in {path}"
            )
        outcome, reason = "agrees", ""
    else:
        reason = said.reason
    return Opinion(solver, said.version, outcome, reason, said.seconds)
