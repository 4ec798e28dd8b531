"""The tables of good and bad cases, and what the kernel says of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify import kernel

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """`rule: name`, a claim, a proof, the outcome; envelope: what else the certificate says."""

    name: str
    claim: dict[str, Any]
    proof: Any
    outcome: str
    envelope: dict[str, Any]

    def decide(self) -> str:
        return decide(self.claim, {**envelope(self.claim, self.proof), **self.envelope})


def table(folder: str) -> list[Case]:
    return [
        Case(
            f"{path.stem}: {case['name']}",
            case["claim"],
            case["proof"],
            case.get("outcome", "valid"),
            case.get("envelope", {}),
        )
        for path in sorted((FOLDER / folder).glob("*.json"))
        for case in json.loads(path.read_text("utf-8"))
    ]


def envelope(claim: Mapping[str, Any], proof: Any) -> dict[str, Any]:
    return {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}


def decide(claim: Any, certificate: Any) -> str:
    """valid, invalid, holey or malformed; every other exception comes through."""
    try:
        return kernel.check(claim, certificate).outcome
    except kernel.Malformed:
        return "malformed"
