"""Audits as text, JSON, JUnit, SARIF and Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Final
from xml.etree import ElementTree

from verify.audit.findings import HELP, Audit, Finding
from verify.report import sarif

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def identity(audit: Audit, name: str) -> str:
    """The exact id of a property of an audited subject: `mylib.rope:features::features::tie`."""
    return f"{audit.reference}::{name}"


def text(finding: Finding) -> str:
    """One finding for people: what, exact and observed, margin, stage, reproduction."""
    lines = [f"{finding.kind}: {finding.message}"]
    if finding.exact or finding.observed:
        lines.append(f"  exact {finding.exact}, observed {finding.observed}")
    extra = []
    if finding.margin is not None:
        extra.append(f"margin {finding.margin:.3g} ulp")
    if finding.stage:
        extra.append(f"lost at: {finding.stage}")
    if extra:
        lines.append("  " + "; ".join(extra))
    if finding.reproduce:
        lines.append(f"  reproduce: {finding.reproduce}")
    return "\n".join(lines)


def summary(audit: Audit) -> str:
    """The whole audit as text."""
    against = f" against {audit.spec}" if audit.spec else ""
    lines = [f"{audit.reference}{against}, length {audit.length}"]
    lines += [text(finding) for finding in audit.findings]
    lines += [f"{note.kind}: {note.subject}: {note.message}" for note in audit.notes]
    found = len(audit.findings)
    examined = f"{len(audit.examined)} of {len(audit.properties)} properties examined"
    lines.append(f"{found} finding{'s' * (found != 1)}, {examined}, {audit.seconds:.1f} s")
    return "\n".join(lines)


def document(audit: Audit) -> dict[str, Any]:
    """The JSON output; `verify/report/schema/audit.schema.json` describes it."""
    return {
        "subject": audit.reference,
        "spec": audit.spec,
        "length": audit.length,
        "dtype": audit.dtype,
        "model": audit.model,
        "clean": audit.clean,
        "findings": [_finding(finding) for finding in audit.findings],
        "equivalences": [_note(note) for note in audit.notes if note.kind == "equivalence"],
        "notes": [_note(note) for note in audit.notes if note.kind != "equivalence"],
        "properties": list(audit.properties),
        "not_examined": [name for name in audit.properties if name not in audit.examined],
        "versions": dict(audit.versions),
        "seconds": round(audit.seconds, 3),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "subject": finding.subject,
        "position": finding.position,
        "unit": finding.unit,
        "count": finding.count,
        "exact": finding.exact,
        "observed": finding.observed,
        "margin_ulps": _finite(finding.margin),
        "stage": finding.stage,
        "message": finding.message,
        "reproduce": finding.reproduce,
        "details": _finite(dict(finding.details)),
    }


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they become null."""
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _note(note: Any) -> dict[str, str]:
    return {
        "kind": note.kind,
        "subject": note.subject,
        "name": note.name,
        "message": note.message,
    }


def sarif_log(audits: Sequence[Audit]) -> dict[str, Any]:
    """The SARIF log of several audits; every kind is a rule, found or not."""
    rules = [sarif.Rule(kind, words) for kind, words in HELP.items()]
    results = [
        sarif.Result(
            finding.kind,
            text(finding),
            f"{audit.reference}.{finding.subject}",
            f"{identity(audit, finding.identity)}@{finding.position}",
            source=audit.sources.get(finding.subject),
            properties={"position": finding.position, "unit": finding.unit, "stage": finding.stage},
        )
        for audit in audits
        for finding in audit.findings
    ]
    return sarif.log(rules, results)


def junit(audits: Sequence[Audit]) -> str:
    """JUnit XML: a suite for each audit, a case for each property that was examined."""
    root = ElementTree.Element("testsuites", {"name": "pe-verify audit"})
    for audit in audits:
        failed = {finding.identity for finding in audit.findings}
        names = [*audit.properties, *sorted(failed - set(audit.properties))]
        skipped = set(audit.properties) - set(audit.examined) - failed
        suite = ElementTree.SubElement(
            root, "testsuite",
            {
                "name": audit.reference, "tests": str(len(names)), "failures": str(len(failed)),
                "errors": "0", "skipped": str(len(skipped)), "time": f"{audit.seconds:.3f}",
            },
        )  # fmt: skip
        for name in names:
            case = ElementTree.SubElement(
                suite, "testcase", {"name": name, "classname": audit.reference, "time": "0"}
            )
            found = [finding for finding in audit.findings if finding.identity == name]
            if found:
                message = _plain(found[0].message)
                kind = {"message": message, "type": found[0].kind}
                failure = ElementTree.SubElement(case, "failure", kind)
                failure.text = _plain("\n".join(text(finding) for finding in found))
            elif name in skipped:
                ElementTree.SubElement(case, "skipped", {"message": "no usable answer"})
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _plain(words: str) -> str:
    return _FORBIDDEN.sub("\ufffd", words)


def markdown(audits: Sequence[Audit]) -> str:
    """A comment for a pull request: a table of findings, then how to reproduce each."""
    total = sum(len(audit.findings) for audit in audits)
    subjects = f"{len(audits)} subject{'s' * (len(audits) != 1)}"
    lines = [f"### pe-verify audit: {total} finding{'s' * (total != 1)} in {subjects}", ""]
    if total:
        lines += [
            "| subject | kind | first | count | exact | observed | lost at |",
            "|---|---|---|---|---|---|---|",
        ]
        for audit in audits:
            for finding in audit.findings:
                first = "" if finding.position is None else f"{finding.unit} {finding.position}"
                cells = (
                    f"`{audit.reference}`", finding.kind, first, str(finding.count),
                    finding.exact, finding.observed, finding.stage or "",
                )  # fmt: skip
                lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
        lines += ["", "<details><summary>Reproduce</summary>", ""]
        for audit in audits:
            for finding in audit.findings:
                lines += [f"{_cell(finding.message)}", "```", finding.reproduce, "```"]
        lines += ["</details>"]
    for audit in audits:
        for note in audit.notes:
            if note.kind == "equivalence":
                lines += ["", f"`{audit.reference}`: {_cell(note.message)} (no fault)"]
    return "\n".join(lines) + "\n"


def _cell(words: str) -> str:
    return words.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
