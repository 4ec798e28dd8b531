"""Shared ways to write obligations on concrete models and on single parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from verify.statements import Claim, Given, Model, Obligation

Rows = Sequence[tuple[int, int]]


def chain(steps: Sequence[dict[str, object]], last: object = "auto") -> object:
    """Steps of a proof, one below the other; the last one is closed automatically."""
    tree = last
    for step in reversed(steps):
        tree = {**step, "then": tree}
    return tree


def use(*names: str, **at: str) -> list[dict[str, object]]:
    """Instances of hypotheses at the same terms."""
    return [{"rule": "use", "of": name, "at": dict(at)} for name in names]


def fix(*steps: dict[str, object], last: object = "auto") -> object:
    """A goal whose proof is a chain of steps."""
    return {"rule": "fix", "then": chain(steps, last)}


def on_model(name: str, words: str, build: Callable[[], Claim]) -> Obligation:
    """An obligation about one concrete model, decided by going through its cases."""
    return Obligation(name, words, "one concrete model", lambda profile: build(), Model())


def absolute_system(features: Sequence[Sequence[object]], rows: Rows) -> Claim:
    """The system of rows (query, target) for causal attention over these feature vectors."""
    vectors = [[str(e) for e in vector] for vector in features]
    return {"vectors": vectors, "rows": [[i, 0, i + 1, t] for i, t in rows]}


def relative_system(features: Sequence[Sequence[object]], rows: Rows) -> Claim:
    """The same for vectors indexed by the offset, from 0 on."""
    vectors = [[str(e) for e in vector] for vector in features]
    return {"vectors": vectors, "rows": [[-1, 0, i + 1, i - t] for i, t in rows]}


def decisions(
    name: str,
    words: str,
    system: Callable[[], Claim],
    parameter: Sequence[object],
    outcomes: str,
    margin: str = "0",
    bits: int | None = None,
    shows: Literal["holds", "fails"] = "holds",
) -> Obligation:
    """What one parameter does on the rows of a system: `h`, `m`, `t` for each."""
    flat = [
        [str(e) for e in row]
        if isinstance(row, Sequence) and not isinstance(row, str)
        else str(row)
        for row in parameter
    ]

    def claim(profile: object) -> Claim:
        return {
            "kind": "decisions",
            "system": system(),
            "parameter": flat,
            "outcomes": outcomes,
            "margin": margin,
        }

    proof = {"rule": "evaluate"} | ({} if bits is None else {"bits": bits})
    return Obligation(name, words, f"{len(outcomes)} rows", claim, Given(proof), shows)


def realizable(
    name: str,
    words: str,
    system: Callable[[], Claim],
    parameter: Sequence[object],
    shows: Literal["holds", "fails"] = "holds",
) -> Obligation:
    """A witness that realizes every row of a system."""
    flat = [
        [str(e) for e in row]
        if isinstance(row, Sequence) and not isinstance(row, str)
        else str(row)
        for row in parameter
    ]

    def claim(profile: object) -> Claim:
        return {"kind": "realizable", "system": system()}

    proof = Given({"rule": "witness", "parameter": flat})
    return Obligation(name, words, "one system of rows", claim, proof, shows)
