"""What `pe-verify show` prints: one statement whole, with the reason for each hypothesis."""

from __future__ import annotations

from rich.console import Console

from verify.report.claims import sentences
from verify.report.layout import heading, line
from verify.statements import (
    Given,
    Hypothesis,
    Measurement,
    Model,
    Obligation,
    Profile,
    Proof,
    Sketch,
    Statement,
)

# The restrictions of the paper under which it speaks of a head (its section on the setting).
SETTING = {
    "S1": "a single head in a single layer",
    "S2": "positional logits only: solving means a correct masked argmax with positive margin",
    "S3": "content-neutral on the evaluated rows: the content terms change no decision",
}


def show(out: Console, statement: Statement, profile: Profile) -> None:
    """Print a statement: words, LaTeX, hypotheses with their controls, obligations, remarks."""
    line(out, f"{statement.id}  {statement.title}", "bold")
    line(out, f"declared {statement.status}; {statement.source}")
    line(out)
    line(out, statement.words)
    line(out)
    line(out, statement.latex, indent=2)
    if statement.setting:
        heading(out, "Setting")
        for name in statement.setting:
            line(out, f"{name}  {SETTING.get(name, '')}".rstrip(), indent=2)
    if statement.hypotheses:
        heading(out, "Hypotheses, and what goes wrong without each")
        for hypothesis in statement.hypotheses:
            _hypothesis(out, statement, hypothesis, profile)
    heading(out, "Obligations")
    for obligation in statement.obligations:
        _obligation(out, obligation, profile)
    if statement.twins:
        heading(out, "False variants that the suite refutes")
        for twin in statement.twins:
            line(out, twin.words, indent=2)
            line(out, f"counterexample: {twin.example.words}", indent=4)
    if statement.remarks:
        heading(out, "Remarks")
        for remark in statement.remarks:
            line(out, remark, indent=2)


def _hypothesis(
    out: Console, statement: Statement, hypothesis: Hypothesis, profile: Profile
) -> None:
    line(out, f"{hypothesis.name}: {hypothesis.words}", indent=2)
    if hypothesis.idle:
        line(out, f"idle: {hypothesis.idle}", "yellow", indent=4)
    for control in statement.controls:
        if control.hypothesis != hypothesis.name:
            continue
        line(out, f"without it: {control.words}", indent=4)
        for example in control.example:
            line(out, f"{example.words} ({example.scope_for(profile)})", indent=6)
            for sentence in sentences(example.claim(profile)):
                line(out, sentence, "dim", indent=8)


def _obligation(out: Console, obligation: Obligation | Measurement, profile: Profile) -> None:
    line(out, f"{obligation.name}: {obligation.words}", indent=2)
    line(out, f"scope: {obligation.scope_for(profile)}", indent=4)
    if isinstance(obligation, Measurement):
        line(out, "method: measured, with its interval; it proves nothing", indent=4)
        return
    shows = "" if obligation.shows == "holds" else "; it shows that the statement fails"
    line(out, f"method: {method(obligation.proof_for(profile))}{shows}", indent=4)
    if obligation.solvers:
        line(out, f"second opinion: {', '.join(obligation.solvers)}", indent=4)
    line(out, "what the kernel checks:", indent=4)
    for sentence in sentences(obligation.claim(profile)):
        line(out, sentence, "dim", indent=6)


def method(proof: Proof) -> str:
    """How a certificate is proposed, in words."""
    match proof:
        case Sketch():
            return "a proof outline, completed by the prover; the kernel checks every step"
        case Model():
            return "one concrete model, every case evaluated"
        case Given():
            return "the proof object is declared with the statement"
        case _:
            return "the witness or the multipliers are found by exact linear programming"
