"""Verdicts of every kind, as a run would make them."""

from __future__ import annotations

import pytest

from verify.statements import Measured
from verify.verdicts import ControlFinding, Evidence, Finding, Opinion, Outcome, Verdict

DIGEST = "sha256:" + "0" * 64


def finding(name: str, outcome: str = "valid", reason: str = "", **more: object) -> Finding:
    return Finding(name, f"{name} in words", "all n >= 3", outcome, reason, **more)  # type: ignore[arg-type]


def verdict(
    identifier: str,
    declared: str,
    outcome: Outcome,
    findings: tuple[Finding, ...],
    **more: object,
) -> Verdict:
    given: dict[str, object] = {
        "title": f"Title of {identifier}",
        "evidence": Evidence.KERNEL,
        "scope": "all n >= 3, all real W",
        "controls": (),
        "twins": (),
        "idle": (),
        "problems": (),
        "seconds": 0.25,
    }
    return Verdict(
        id=identifier,
        declared=declared,  # type: ignore[arg-type]
        outcome=outcome,
        findings=findings,
        **(given | more),  # type: ignore[arg-type]
    )


@pytest.fixture
def proved() -> Verdict:
    opinion = Opinion("z3", "4.13", "unsat", "")
    rows = finding("rows", digest=DIGEST, size=812, used=("mask",), opinions=(opinion,))
    control = ControlFinding("mask", "full attention", (finding("model", digest=DIGEST),))
    variant = ControlFinding("", "with <= for <", (finding("tie", digest=DIGEST),))
    return verdict(
        "theorem-1",
        "proved",
        Outcome.PROVED,
        (rows,),
        controls=(control,),
        twins=(variant,),
        idle=("gamma_L > 0",),
    )


@pytest.fixture
def measured() -> Verdict:
    agreeing = Measured("0.1123", ("0.109", "0.116"), "0.115", True, False, "seed 0")
    differing = Measured("3/10", None, "0.35", False, True, "exact")
    return verdict(
        "monte-carlo",
        "measured",
        Outcome.MEASURED,
        (
            finding("rate", "measured", measured=agreeing),
            finding("share", "measured", measured=differing),
        ),
        evidence=Evidence.NUMERIC,
        scope="seed 0, 20,000 draws",
    )


@pytest.fixture
def contradiction() -> Verdict:
    refuted = finding("counterexample", shows="fails", digest=DIGEST)
    return verdict(
        "corollary-copy",
        "proved",
        Outcome.REFUTED,
        (refuted,),
        problems=("the hypothesis 'region' has no control",),
    )


@pytest.fixture
def undecided() -> Verdict:
    return verdict(
        "theorem-2",
        "proved",
        Outcome.UNKNOWN,
        (finding("limit", "unknown", "stuck at goals[0] \x00 & <there>"),),
        evidence=Evidence.NONE,
        problems=("limit: unknown: stuck at goals[0] \x00 & <there>",),
    )


@pytest.fixture
def broken() -> Verdict:
    return verdict(
        "proposition-1",
        "proved",
        Outcome.ERROR,
        (finding("affine", "error", "KeyError: 'W'"),),
        evidence=Evidence.NONE,
        problems=("affine: error: KeyError: 'W'",),
    )


@pytest.fixture
def all_kinds(
    proved: Verdict,
    measured: Verdict,
    contradiction: Verdict,
    undecided: Verdict,
    broken: Verdict,
) -> list[Verdict]:
    return [proved, measured, contradiction, undecided, broken]
