"""Certificates of decisions: what one parameter does on each row, for the kernel alone.

The kernel evaluates every logit with integers in plain Python, so this is practical for lengths up
to a few thousand; beyond them `Skipped` says so. Nothing that the kernel refuses is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from verify import certificates, kernel
from verify.alpha import AlphaResult, Score
from verify.decisions import HIT
from verify.theory import heads

PRODUCTS: Final = 150_000_000  # multiplications of integers: ten seconds or so
ENCLOSURES: Final = 70_000  # of cosines: five seconds or so
ONE: Final = (Fraction(1), Fraction(1))


@dataclass(frozen=True, slots=True)
class Written:
    """A certificate that the kernel accepted, in a file. rows: the subject's rows in words."""

    length: int
    rows: str
    path: Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """A length without a certificate, and why."""

    length: int
    rows: str
    reason: str


def write(
    result: AlphaResult, directory: Path, progress: Callable[[str, int, int], None] | None = None
) -> list[Written | Skipped]:
    """Certificates for the training rows and for the new rows of every length."""
    found: list[Written | Skipped] = []
    scores = [result.train, *result.lengths]
    for done, score in enumerate(scores):
        if progress is not None:
            progress("certificates", done, len(scores))
        old = score is result.train
        words = "all rows" if old else f"rows {result.train_length} to {score.length - 1}"
        made = certify(result, score)
        if isinstance(made, str):
            found.append(Skipped(score.length, words, made))
            continue
        name = f"alpha-{score.length}-{made['claim'].removeprefix('sha256:')[:12]}.json"
        certificates.write(directory / name, made)
        found.append(Written(score.length, words, directory / name))
    return found


def certify(result: AlphaResult, score: Score) -> dict[str, Any] | str:
    """A certificate of one score of a result that the kernel accepted, or why there is none."""
    start = [] if score is result.train else [result.train_length, score.length]
    entry = [score.length, *start]
    n, encoding = score.length, result.encoding
    width = 1 if encoding.relative else encoding.dimension
    if score.scored * n * width > PRODUCTS:
        return f"{score.scored} rows of {n} keys are too many for the kernel's plain arithmetic"
    if not encoding.rational and n * encoding.dimension > ENCLOSURES:
        return f"{n * encoding.dimension} irrational features are too many for the kernel"
    raw = replace(score.decisions, temperature=ONE)  # the kernel's logits have no temperature
    text = raw.text()
    margin = _short(raw.smallest(HIT)[0]) if "h" in text else Fraction(0)
    rows = raw.rows
    pairs = list(zip(rows.rows.tolist(), rows.targets.tolist(), strict=True))
    claim = heads.decisions_claim(
        encoding, [(n, pairs)], result.parameter.exact, text, margin, result.visibility
    )
    subject = {
        "question": "decisions",
        "encoding": encoding.spec,
        "task": result.task.spec,
        "rows": [entry],
        "visibility": result.visibility,
        "parameter": claim["parameter"],
        "outcomes": text,
        "margin": str(margin),
    }
    for proof in _proofs(claim, score):
        certificate = certificates.envelope(claim, proof, subject, {"engine": "floats"})
        if kernel.check(claim, certificate).outcome == "valid":
            return certificate
    return f"no enclosure up to {kernel.MAX_BITS} bits convinced the kernel"


def _proofs(claim: Mapping[str, Any], score: Score) -> list[dict[str, Any]]:
    """Evaluations at rising precision; one exact evaluation if all features are rational."""
    vectors = claim["system"]["vectors"]
    if all(kernel.expression(e).constant() is not None for vector in vectors for e in vector):
        return [{"rule": "evaluate"}]
    margins = [score.decisions.margin(k) for k in range(score.scored)]
    least = min((min(abs(a), abs(b)) for a, b in margins if a > 0 or b < 0), default=Fraction(1))
    rows = claim["parameter"]
    flat = [e for row in rows for e in (row if isinstance(row, list) else [row])]
    size = sum(abs(Fraction(e)) for e in flat)
    bits = 48 + 8 * max(0, -(-math.ceil(_log2((size + 1) / least)) // 8))
    return [
        {"rule": "evaluate", "bits": b} for b in (bits, 2 * bits, 4 * bits) if b < kernel.MAX_BITS
    ]


def _log2(x: Fraction) -> float:
    return x.numerator.bit_length() - x.denominator.bit_length() + 1


def _short(x: Fraction) -> Fraction:
    """A positive rational just below x, with 20 significant bits."""
    shift = 20 - (x.numerator.bit_length() - x.denominator.bit_length())
    unit = Fraction(2) ** shift
    return Fraction(math.floor(x * unit * (1 - Fraction(1, 1 << 18)))) / unit
