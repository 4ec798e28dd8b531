"""Parts of a counterexample: claims about an instance, each with the proof that the kernel checks.

The claim is named by a subject, from which `verify.recheck` rebuilds it; see FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verify import certificates, kernel, recheck
from verify.certificates import Certificate
from verify.hunt.instances import Instance
from verify.hunt.oracle import Oracle, Parameter, Rows, Weights


@dataclass(frozen=True, slots=True)
class Part:
    """One claim in words, the subject that names it, and its proof.

    tied: the parameter of the claim is that of another part too, so it may not be simplified alone.
    """

    words: str
    subject: dict[str, Any]
    proof: dict[str, Any]
    tied: bool = False


def decided(
    case: Instance,
    parameter: Parameter,
    new: Sequence[tuple[int, int]],
    words: str = "",
    tied: bool = False,
) -> Part:
    """What this parameter does on all training rows, then on these new rows."""
    rows = (*case.train, *new)
    subject = _subject("decisions", case, new) | {
        "parameter": case.oracle.spelled(parameter),
        "outcomes": case.oracle.outcomes(parameter, rows),
        "margin": "0",
    }
    oracle = case.oracle
    proof = {"rule": "evaluate"} if isinstance(oracle, Oracle) else oracle.proof(subject)
    return Part(words or "one parameter, row by row", subject, proof, tied)


def refuted(case: Instance, new: Sequence[tuple[int, int]], words: str = "") -> Part:
    """No real parameter hits all training rows and these new rows."""
    subject, oracle = _subject("unrealizable", case, new), case.oracle
    if not isinstance(oracle, Oracle):
        return Part(words or "no parameter at all", subject, oracle.proof(subject))
    rows = (*case.train, *new)
    proof = {"rule": "farkas", "multipliers": _multipliers(case, rows, oracle.refutation(rows))}
    return Part(words or "no parameter at all", subject, proof)


def forced(case: Instance, row: tuple[int, int], words: str = "") -> Part:
    """Every parameter that realizes L0 hits this new row."""
    subject = _subject("forced", case, ()) | {"row": [case.length, row[0]]}
    what = f"row {row[0]} is forced: its constraints are combinations of training constraints"
    oracle = case.oracle
    if not isinstance(oracle, Oracle):
        return Part(words or what, subject, oracle.proof(subject))
    cones = [_multipliers(case, case.train, w) for w in oracle.cones(case.train, row)]
    if oracle.relative:  # one for each competitor in the order of the vectors: of the offsets
        cones.reverse()
    return Part(words or what, subject, {"rule": "cone", "cones": cones})


def certificate(part: Part) -> Certificate:
    """The part as a certificate file's content. ValueError unless the kernel accepts it."""
    _, claim = recheck.rebuild(part.subject, {})
    found = certificates.envelope(claim, part.proof, part.subject)
    checked = kernel.check(claim, found)
    if checked.outcome != "valid":
        raise ValueError(f"the kernel does not accept {part.words!r}: {checked.reason}")
    return found


def _subject(question: str, case: Instance, new: Sequence[tuple[int, int]]) -> dict[str, Any]:
    later = [[case.length, i, i + 1] for i, _ in new]
    return {
        "question": question,
        "encoding": case.encoding,
        "task": case.task,
        "rows": [[case.train_length], *later],
    }


def _multipliers(case: Instance, rows: Rows, weights: Weights) -> list[list[Any]]:
    """As the kernel reads them: keys by position, or by offset if relative; in its order."""
    shown = [(k, rows[k][0] - key if case.oracle.relative else key, y) for k, key, y in weights]
    return [[k, key, str(y)] for k, key, y in sorted(shown)]
