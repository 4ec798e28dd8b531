"""JUnit XML, as CI systems read it: one test case a statement.

A contradiction or an undecided statement is a failure, an ERROR an error; nothing is ever skipped.
The elements and attributes are those of the schema that the Jenkins xUnit plugin publishes
(https://github.com/jenkinsci/xunit-plugin, junit-10.xsd).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO
from xml.etree import ElementTree

from verify.verdicts import EXPECTED, Outcome, Verdict

# XML 1.0 admits no other control characters, and no lone surrogates.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tree(verdicts: Sequence[Verdict]) -> ElementTree.ElementTree[ElementTree.Element]:
    """The document: `testsuites` with one `testsuite`."""
    counts = {
        "tests": str(len(verdicts)),
        "failures": str(sum(_kind(v) == "failure" for v in verdicts)),
        "errors": str(sum(_kind(v) == "error" for v in verdicts)),
        "time": f"{sum(v.seconds for v in verdicts):.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "pe-verify", **counts})
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": "pe-verify", **counts, "skipped": "0"}
    )
    for verdict in verdicts:
        _case(suite, verdict)
    return ElementTree.ElementTree(root)


def write(verdicts: Sequence[Verdict], file: IO[str]) -> None:
    """Write the document as text (the declared encoding is UTF-8)."""
    document = tree(verdicts)
    ElementTree.indent(document)
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    document.write(file, encoding="unicode")
    file.write("\n")
    file.flush()


def _kind(verdict: Verdict) -> str:
    if verdict.as_declared:
        return ""
    return "error" if verdict.outcome == Outcome.ERROR else "failure"


def _case(suite: ElementTree.Element, verdict: Verdict) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "name": _text(verdict.id),
            "classname": f"pe-verify.{verdict.declared}",
            "time": f"{verdict.seconds:.3f}",
        },
    )
    kind = _kind(verdict)
    if kind:
        problems = [_text(p) for p in verdict.problems] or ["the declared and observed disagree"]
        message = f"declared {verdict.declared}, observed {verdict.outcome}"
        entry = ElementTree.SubElement(
            case, kind, {"message": f"{message}: {problems[0]}", "type": str(verdict.outcome)}
        )
        entry.text = "\n".join([f"{message} (expected {EXPECTED[verdict.declared]})", *problems])
    output = ElementTree.SubElement(case, "system-out")
    certified = sum(c.good for c in verdict.controls)
    output.text = _text(
        f"{verdict.title}\n{verdict.outcome}: {verdict.scope}\nevidence: {verdict.evidence}; "
        f"{certified} of {len(verdict.controls)} controls certified"
    )


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
