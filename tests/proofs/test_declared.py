"""The project's statements come out as declared, and changing what is declared is found out."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import pytest

from proofs import STATEMENTS, proposition_2
from verify import kernel, suite
from verify.engines import prover, smt
from verify.engines.protocol import Answer
from verify.statements import (
    Ask,
    Hypothesis,
    Measured,
    Measurement,
    Obligation,
    Profile,
    Sketch,
    Statement,
    Twin,
    registry,
    theorem,
    without,
)
from verify.verdicts import Evidence, Outcome, Verdict, exit_code

QUICK = Profile("quick")
FAST = [s for s in STATEMENTS if s.status != "measured" and not s.id.startswith("proposition-3")]
TWINS = [(s, twin) for s in STATEMENTS for twin in s.twins]


@lru_cache
def observed(identifier: str) -> Verdict:
    """The verdict of a statement as it is declared."""
    return suite.verify(registry()[identifier], QUICK)


@pytest.mark.parametrize("statement", FAST, ids=lambda s: s.id)
def test_comes_out_as_declared(statement: Statement) -> None:
    verdict = observed(statement.id)
    assert verdict.problems == ()
    assert verdict.as_declared
    assert verdict.evidence == (Evidence.NONE if statement.status == "open" else Evidence.KERNEL)


@pytest.mark.parametrize("statement", FAST, ids=lambda s: s.id)
def test_every_used_hypothesis_has_a_certified_control(statement: Statement) -> None:
    verdict = observed(statement.id)
    certified = {c.hypothesis for c in verdict.controls if c.good}
    assert {h.name for h in statement.hypotheses} - set(verdict.idle) == certified


@pytest.mark.parametrize(("statement", "twin"), TWINS, ids=lambda x: getattr(x, "id", ""))
def test_a_false_variant_is_not_proved_and_is_refuted(statement: Statement, twin: Twin) -> None:
    with pytest.raises(prover.Unproved):
        prover.complete(twin.false, {"goals": ["auto"] * len(twin.false["goals"])}, seconds=5)
    claim = twin.example.claim(QUICK)
    proof = suite.propose(claim, twin.example.proof_for(QUICK))
    certificate = {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}
    assert kernel.check(claim, certificate).outcome == "valid"


def test_every_universal_statement_has_a_false_variant() -> None:
    universal = [
        s.id for s in STATEMENTS
        if s.status == "proved" and any(isinstance(o, Obligation) and isinstance(o.proof, Sketch)
                                        for o in s.obligations)
    ]  # fmt: skip
    with_twin = {s.id for s in STATEMENTS if s.twins}
    # one statement is existential: it exhibits a pair of parameters
    assert set(universal) - with_twin == {"transfer-is-of-the-parameter"}


def _silent(identifier: str) -> Statement:
    """A statement without second opinions, which take their time."""
    statement = registry()[identifier]
    plain = tuple(
        replace(o, solvers=()) if isinstance(o, Obligation) else o for o in statement.obligations
    )
    return replace(statement, obligations=plain)


def _theorem_2() -> Statement:
    return _silent("theorem-2")


@pytest.mark.parametrize("status", ["refuted", "open", "measured"])
def test_another_declared_status_is_a_contradiction(status: str) -> None:
    verdict = suite.verify(replace(_theorem_2(), status=status), QUICK)  # type: ignore[arg-type]
    assert verdict.outcome == Outcome.PROVED
    assert not verdict.as_declared
    assert exit_code([verdict]) == 1


def _with_first_claim(statement: Statement, change: dict[str, object]) -> Statement:
    first, *rest = statement.obligations
    assert isinstance(first, Obligation)
    claim = {**first.claim(QUICK), **change}
    return replace(statement, obligations=(replace(first, claim=lambda profile: claim), *rest))


def test_a_removed_hypothesis_is_refused() -> None:
    statement = _theorem_2()
    first = statement.obligations[0]
    assert isinstance(first, Obligation)
    weaker = without(first.claim(QUICK), "peak")
    verdict = suite.verify(_with_first_claim(statement, weaker), QUICK)
    assert not verdict.as_declared
    assert exit_code([verdict]) in (1, 3)


def test_a_hypothesis_without_control_is_a_problem() -> None:
    statement = replace(_theorem_2(), controls=_theorem_2().controls[1:])
    verdict = suite.verify(statement, QUICK)
    assert "the hypothesis 'relative' has no control" in verdict.problems
    assert exit_code([verdict]) == 1


def test_an_idle_hypothesis_must_be_declared_idle() -> None:
    statement = _silent("theorem-1")
    plain = tuple(replace(h, idle="") for h in statement.hypotheses)
    assert observed("theorem-1").idle == ("gamma-L-positive",)
    verdict = suite.verify(replace(statement, hypotheses=plain), QUICK)
    assert "the hypothesis 'gamma-L-positive' is idle and not declared so" in verdict.problems


def test_a_control_for_nothing_is_a_problem() -> None:
    statement = replace(_theorem_2(), hypotheses=(Hypothesis("relative", "", ("relative",)),))
    assert any("names no hypothesis" in p for p in suite.verify(statement, QUICK).problems)


def test_an_engine_that_breaks_is_an_error_and_no_pass() -> None:
    def explode(profile: Profile) -> dict[str, object]:
        raise ZeroDivisionError("boom")

    first = _theorem_2().obligations[0]
    assert isinstance(first, Obligation)
    broken = replace(_theorem_2(), obligations=(replace(first, claim=explode),))
    verdict = suite.verify(broken, QUICK)
    assert verdict.outcome == Outcome.ERROR
    assert exit_code([verdict]) == 1


def test_a_hole_is_no_pass() -> None:
    from verify.statements import Given

    first = _theorem_2().obligations[0]
    assert isinstance(first, Obligation)
    hole = {"rule": "fix", "then": {"rule": "hole", "why": "left to the reader"}}
    proof = Given({"rule": "goals", "goals": [hole, hole]})
    verdict = suite.verify(replace(_theorem_2(), obligations=(replace(first, proof=proof),)), QUICK)
    assert verdict.outcome == Outcome.ERROR
    assert "left to the reader" in verdict.problems[0]


def _asked(goal: str, seconds: float = 10.0) -> Statement:
    claim = theorem("real x, real y", {"positive": "x > 0"}, [goal])
    ask = Obligation("asked", "", "all real x, y", lambda profile: claim, Ask(seconds))
    return replace(_theorem_2(), hypotheses=(), controls=(), twins=(), obligations=(ask,))


def test_two_solvers_without_a_certificate_are_evidence_of_their_own() -> None:
    verdict = suite.verify(_asked("=> x + y**2 > 0"), QUICK)
    assert verdict.outcome == Outcome.PROVED
    assert verdict.evidence == Evidence.SOLVERS


def test_a_solver_that_finds_a_counterexample_is_a_contradiction() -> None:
    verdict = suite.verify(_asked("=> x + y > 0"), QUICK)
    assert verdict.outcome == Outcome.UNKNOWN
    assert any("finds a counterexample" in problem for problem in verdict.problems)


def test_a_missing_solver_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(claim: object, solver: str, seconds: float) -> Answer:
        outcome: Literal["proved", "missing"] = "proved" if solver == "z3" else "missing"
        return Answer(solver, "", outcome, "not installed")

    monkeypatch.setattr(smt, "judge", missing)
    verdict = suite.verify(_asked("=> x > 0"), QUICK)
    assert verdict.outcome == Outcome.UNKNOWN
    assert exit_code([verdict]) == 3


@pytest.mark.parametrize("k", [2, 3, 4])
def test_enumeration_gives_chance(k: int) -> None:
    for target in range(k - 1):
        outcomes = proposition_2.enumeration(k, target)["outcomes"]
        assert outcomes.count("h") * (k - 1) == len(outcomes)


def test_a_published_number_that_is_not_reproduced_is_a_contradiction() -> None:
    def measure(profile: Profile) -> Measured:
        return Measured("7/10", None, "8/10", False, True, "")

    once = Measurement("once", "", "one length", measure)
    statement = replace(_asked("=> x > 0"), status="measured", obligations=(once,))
    verdict = suite.verify(statement, QUICK)
    assert verdict.outcome == Outcome.MEASURED
    assert verdict.problems == ("once: published 8/10, here 7/10",)
    assert exit_code([verdict]) == 1


def test_measurements_are_statements_of_their_own() -> None:
    for statement in STATEMENTS:
        measured = [o for o in statement.obligations if isinstance(o, Measurement)]
        assert bool(measured) == (statement.status == "measured")
