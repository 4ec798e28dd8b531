"""Runs statements: asks engines for certificates, lets the kernel decide, assembles verdicts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from verify import certificates, kernel
from verify.statements import (
    Ask,
    Claim,
    Given,
    Measurement,
    Model,
    Obligation,
    Profile,
    Sketch,
    Solve,
    Statement,
    load,
    registry,
)
from verify.verdicts import ControlFinding, Evidence, Finding, Opinion, Outcome, Verdict


def run(
    chosen: Iterable[Statement],
    *,
    profile: Profile | None = None,
    jobs: int = 1,
    source: Path | None = None,
    directory: Path | None = None,
) -> Iterator[Verdict]:
    """Verdicts of the statements, in their order; the same whatever the number of jobs.

    source: the user's file that declares them, if they are not the project's own. directory: where
    to write the accepted certificates.
    """
    profile = profile or Profile()
    work = partial(_verify_by_id, profile=profile, source=source, directory=directory)
    declared = {statement.id: statement for statement in chosen}
    ids = list(declared)
    if jobs <= 1 or len(ids) <= 1:
        yield from map(work, ids)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        running = [pool.submit(work, identifier) for identifier in ids]
        for identifier, future in zip(ids, running, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:  # whose worker died is not said: ask each alone
                yield _alone(declared[identifier], work)


def _alone(statement: Statement, work: Callable[[str], Verdict]) -> Verdict:
    """A verdict from a process of its own; if that dies too, the statement is an ERROR."""
    try:
        with ProcessPoolExecutor(max_workers=1) as pool:
            return pool.submit(work, statement.id).result()
    except BrokenProcessPool:
        return Verdict(
            id=statement.id,
            title=statement.title,
            declared=statement.status,
            outcome=Outcome.ERROR,
            evidence=Evidence.NONE,
            scope="",
            findings=(),
            controls=(),
            twins=(),
            idle=(),
            problems=("the process that worked on it died",),
            seconds=0.0,
        )


def _verify_by_id(
    identifier: str, *, profile: Profile, source: Path | None, directory: Path | None
) -> Verdict:
    known = load(source) if source else registry()
    return verify(known[identifier], profile, directory)


def verify(statement: Statement, profile: Profile, directory: Path | None = None) -> Verdict:
    """Decide one statement: every obligation, every control, every false variant."""
    began = time.perf_counter()
    find = partial(_find, statement, profile, directory)
    findings = tuple(find(o.name, o) for o in statement.obligations)
    controls = tuple(
        ControlFinding(
            c.hypothesis,
            c.words,
            tuple(find(f"control/{c.hypothesis}/{o.name}", o) for o in c.example),
        )
        for c in statement.controls
    )
    twins = []
    for k, twin in enumerate(statement.twins):
        refuted = find(f"twin/{k}/{twin.example.name}", twin.example)
        twins.append(ControlFinding("", twin.words, (refuted,)))
    idle, problems = _audit(statement, findings, controls, tuple(twins))
    outcome = _outcome(statement, findings)
    # A single model shows that the hypotheses can be met; it is not what the statement covers.
    said = [o for o in statement.obligations if not isinstance(getattr(o, "proof", None), Model)]
    scopes = [o.scope_for(profile) for o in said or statement.obligations]
    return Verdict(
        id=statement.id,
        title=statement.title,
        declared=statement.status,
        outcome=outcome,
        evidence=_evidence(outcome, findings),
        scope="; ".join(dict.fromkeys(s for s in scopes if s)),
        findings=findings,
        controls=controls,
        twins=tuple(twins),
        idle=idle,
        problems=problems,
        seconds=time.perf_counter() - began,
    )


def _outcome(statement: Statement, findings: tuple[Finding, ...]) -> Outcome:
    """What the obligations establish, whatever is declared."""
    if any(f.outcome in ("error", "invalid", "holey") for f in findings):
        return Outcome.ERROR
    if any(f.shows == "fails" and f.good for f in findings):
        return Outcome.REFUTED
    if any(not f.good for f in findings):
        return Outcome.UNKNOWN
    if not any(f.shows == "holds" for f in findings):
        return Outcome.OPEN
    if any(f.outcome == "measured" for f in findings):
        return Outcome.MEASURED
    if any(f.cases is not None for f in findings):
        return Outcome.OPEN if statement.status == "open" else Outcome.HELD
    return Outcome.PROVED


def _evidence(outcome: Outcome, findings: tuple[Finding, ...]) -> Evidence:
    if outcome == Outcome.MEASURED:
        return Evidence.NUMERIC
    if any(f.outcome == "agreed" for f in findings):
        return Evidence.SOLVERS
    if outcome in (Outcome.PROVED, Outcome.REFUTED, Outcome.HELD):
        return Evidence.KERNEL
    return Evidence.NONE


def _audit(
    statement: Statement,
    findings: tuple[Finding, ...],
    controls: tuple[ControlFinding, ...],
    twins: tuple[ControlFinding, ...],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Idle hypotheses, and everything that is not as it should be."""
    problems = list(statement.problems())
    used = {name for f in findings for name in f.used}
    with_control = {c.hypothesis for c in controls}
    idle = []
    for hypothesis in statement.hypotheses:
        if not all(finding.good for finding in findings):
            break  # what a failed proof did not use says nothing
        if hypothesis.clauses and not used & set(hypothesis.clauses):
            idle.append(hypothesis.name)
            if not hypothesis.idle:
                problems.append(f"the hypothesis {hypothesis.name!r} is idle and not declared so")
        elif hypothesis.idle:
            problems.append(f"the hypothesis {hypothesis.name!r} is declared idle but was used")
        elif hypothesis.name not in with_control:
            problems.append(f"the hypothesis {hypothesis.name!r} has no control")
    for finding in findings:
        if not finding.good:
            problems.append(f"{finding.name}: {finding.outcome}: {finding.reason}")
        if finding.measured is not None and finding.measured.agrees is False:
            published, here = finding.measured.published, finding.measured.value
            problems.append(f"{finding.name}: published {published}, here {here}")
        problems += [
            f"{finding.name}: {o.engine} finds a counterexample: {o.reason}"
            for o in finding.opinions
            if o.outcome == "refuted"
        ]
    for control in (*controls, *twins):
        what = (
            f"the control for {control.hypothesis!r}" if control.hypothesis else "a false variant"
        )
        problems += [
            f"{what}: {f.name}: {f.outcome}: {f.reason}" for f in control.findings if not f.good
        ]
    return tuple(idle), tuple(problems)


def _find(
    statement: Statement,
    profile: Profile,
    directory: Path | None,
    name: str,
    obligation: Obligation | Measurement,
) -> Finding:
    """One obligation: propose, check, and record; whatever goes wrong is a finding."""
    began = time.perf_counter()
    blank = Finding(name, obligation.words, obligation.scope_for(profile), "error", "")
    try:
        if isinstance(obligation, Measurement):
            found = replace(blank, outcome="measured", measured=obligation.run(profile))
        else:
            blank = replace(blank, shows=obligation.shows)
            found = _decide(statement, profile, directory, name, obligation, blank)
    except Unproposed as problem:
        found = replace(blank, outcome="unknown", reason=str(problem))
    except Exception as problem:  # an engine that breaks is a finding, never a pass
        found = replace(blank, reason=f"{type(problem).__name__}: {problem}")
    return replace(found, seconds=time.perf_counter() - began)


class Unproposed(Exception):
    """No engine offered a certificate."""


def _decide(
    statement: Statement,
    profile: Profile,
    directory: Path | None,
    name: str,
    obligation: Obligation,
    blank: Finding,
) -> Finding:
    claim = obligation.claim(profile)
    source = obligation.proof_for(profile)
    if isinstance(source, Ask):
        return _agreement(claim, source, replace(blank, digest=kernel.digest(claim)))
    certificate = stored(statement.id, name) if isinstance(source, Sketch) else None
    if certificate is None:
        subject = {"statement": statement.id, "obligation": name, "profile": profile.name}
        certificate = certificates.envelope(claim, propose(claim, source), subject)
    checked = kernel.check(claim, certificate)
    if directory is not None and checked.outcome == "valid":
        certificates.write(directory / file_name(statement.id, name), certificate)
    return replace(
        blank,
        outcome=checked.outcome,
        reason=checked.reason,
        cases=obligation.cases(profile) if obligation.cases else None,
        digest=checked.digest,
        size=len(json.dumps(certificate)),
        used=tuple(sorted(checked.used - set(claim.get("lemmas", ())))),
        lemmas=tuple(sorted(checked.used & set(claim.get("lemmas", ())))),
        opinions=tuple(_opinion(claim, certificate, engine) for engine in obligation.solvers),
    )


def _agreement(claim: Claim, ask: Ask, blank: Finding) -> Finding:
    """Both solvers prove it, or it is unknown; a solver's counterexample is shown and no pass."""
    from verify.engines import smt

    answers = [smt.judge(claim, solver, ask.seconds) for solver in smt.SOLVERS]
    opinions = tuple(Opinion(a.engine, a.version, a.outcome, a.reason) for a in answers)
    if all(a.outcome == "proved" for a in answers):
        return replace(blank, outcome="agreed", opinions=opinions)
    reason = "; ".join(f"{a.engine}: {a.outcome}" for a in answers)
    return replace(blank, outcome="unknown", reason=reason, opinions=opinions)


def file_name(statement: str, obligation: str) -> str:
    """The name of a certificate file."""
    return f"{statement}--{obligation.replace('/', '-')}.json"


def stored(statement: str, obligation: str) -> dict[str, Any] | None:
    """The committed certificate of a universal obligation, if there is one."""
    path = resources.files("proofs") / "certificates" / file_name(statement, obligation)
    return certificates.loads(path.read_text("utf-8")) if path.is_file() else None


def propose(claim: Claim, source: Sketch | Model | Given | Solve) -> Any:
    """Ask the engine that the declaration names for a proof object."""
    match source:
        case Given(proof):
            return dict(proof)
        case Sketch(goals):
            from verify.engines import prover

            return _or_unproposed(lambda: prover.complete(claim, {"goals": list(goals)}))
        case Model():
            from verify.engines import prover

            return _or_unproposed(lambda: prover.prove_model(claim))
        case Solve():
            from verify import systems

            found = systems.propose(claim)
            if found is None:
                raise Unproposed("the exact engine does not come to the claimed answer")
            return found


def _or_unproposed(ask: Callable[[], Any]) -> Any:
    from verify.engines.protocol import Unproved

    try:
        return ask()
    except Unproved as problem:
        raise Unproposed(str(problem)) from problem


def _opinion(claim: Claim, certificate: dict[str, Any], engine: str) -> Opinion:
    """Another engine's own answer on the same claim; solvers are helped by the instances."""
    if engine == "sympy":
        from verify.engines import symbolic

        answer = symbolic.second_opinion(claim)
    else:
        from verify.engines import smt

        answer = smt.second_opinion(claim, certificate["proof"], engine)
    return Opinion(engine, answer.version, answer.outcome, answer.reason)
