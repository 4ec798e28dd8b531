"""The JSON output of the commands; `schema/` beside this file describes it, one file a command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from typing import IO, Any

from verify.statements import Control, Obligation, Profile, Statement
from verify.verdicts import ControlFinding, Finding, Verdict, exit_code

Document = dict[str, Any]


def schema(command: str) -> Document:
    """The JSON schema (draft 7) of a command's output; ValueError if it has none."""
    path = resources.files("verify.report") / "schema" / f"{command}.schema.json"
    if not path.is_file():
        raise ValueError(f"there is no JSON schema for {command!r}")
    document: Document = json.loads(path.read_text("utf-8"))
    return document


def write(document: Mapping[str, Any], file: IO[str]) -> None:
    """Write a document for people and programs: indented, in the order it was built, no NaN."""
    json.dump(document, file, indent=2, ensure_ascii=False, allow_nan=False)
    file.write("\n")
    file.flush()


def check_document(
    verdicts: Sequence[Verdict], profile: str, versions: Mapping[str, str | None]
) -> Document:
    """The output of `pe-verify check`."""
    return {
        "profile": profile,
        "versions": dict(versions),
        "as_declared": all(v.as_declared for v in verdicts),
        "exit_code": exit_code(list(verdicts)),
        "statements": [_verdict(v) for v in verdicts],
    }


def _verdict(verdict: Verdict) -> Document:
    return {
        "id": verdict.id,
        "title": verdict.title,
        "declared": verdict.declared,
        "outcome": str(verdict.outcome),
        "as_declared": verdict.as_declared,
        "evidence": str(verdict.evidence),
        "scope": verdict.scope,
        "seconds": round(verdict.seconds, 3),
        "obligations": [_finding(f) for f in verdict.findings],
        "controls": [_control(c) for c in verdict.controls],
        "false_variants": [_control(c) for c in verdict.twins],
        "idle_hypotheses": list(verdict.idle),
        "problems": list(verdict.problems),
    }


def _control(control: ControlFinding) -> Document:
    return {
        "hypothesis": control.hypothesis,
        "words": control.words,
        "certified": control.good,
        "obligations": [_finding(f) for f in control.findings],
    }


def _finding(finding: Finding) -> Document:
    return {
        "name": finding.name,
        "words": finding.words,
        "scope": finding.scope,
        "outcome": finding.outcome,
        "shows": finding.shows,
        "reason": finding.reason,
        "cases": finding.cases,
        "claim": finding.digest,
        "certificate_bytes": finding.size,
        "hypotheses_used": list(finding.used),
        "lemmas_used": list(finding.lemmas),
        "opinions": [asdict(opinion) for opinion in finding.opinions],
        "measured": asdict(finding.measured) if finding.measured else None,
        "seconds": round(finding.seconds, 3),
    }


def list_document(statements: Sequence[Statement]) -> Document:
    """The output of `pe-verify list`."""
    return {
        "statements": [
            {"id": s.id, "declared": s.status, "title": s.title, "source": s.source}
            for s in statements
        ]
    }


def show_document(statements: Sequence[Statement], profile: Profile) -> Document:
    """The output of `pe-verify show`: the declarations whole, with every claim."""
    return {
        "profile": profile.name,
        "statements": [
            {
                "id": s.id,
                "declared": s.status,
                "title": s.title,
                "source": s.source,
                "words": s.words,
                "latex": s.latex,
                "setting": list(s.setting),
                "hypotheses": [asdict(h) for h in s.hypotheses],
                "obligations": [
                    _obligation(name, o, profile)
                    if isinstance(o, Obligation)
                    else {"name": name, "words": o.words, "scope": o.scope_for(profile)}
                    for name, o in s.all_obligations().items()
                ],
                "controls": [_declared(c) for c in s.controls],
                "false_variants": [t.words for t in s.twins],
                "remarks": list(s.remarks),
            }
            for s in statements
        ],
    }


def _obligation(name: str, obligation: Obligation, profile: Profile) -> Document:
    return {
        "name": name,
        "words": obligation.words,
        "scope": obligation.scope_for(profile),
        "shows": obligation.shows,
        "method": type(obligation.proof_for(profile)).__name__.lower(),
        "claim": obligation.claim(profile),
    }


def _declared(control: Control) -> Document:
    return {
        "hypothesis": control.hypothesis,
        "words": control.words,
        "obligations": [f"control/{control.hypothesis}/{o.name}" for o in control.example],
    }
