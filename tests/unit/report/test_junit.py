"""The JUnit report, against the structure that CI systems read (Jenkins xUnit, junit-10.xsd)."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from verify.report.junit import write
from verify.verdicts import Verdict

# element: required attributes, all attributes, children in any order
STRUCTURE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name"},
        {"name", "tests", "failures", "errors", "time", "skipped"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"name", "classname", "time"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"message", "type"}, set()),
    "error": (set(), {"message", "type"}, set()),
    "system-out": (set(), set(), set()),
}


def read(verdicts: list[Verdict]) -> ElementTree.Element:
    file = io.StringIO()
    write(verdicts, file)
    return ElementTree.fromstring(file.getvalue().encode())


def case(root: ElementTree.Element, name: str) -> ElementTree.Element:
    (found,) = root.iterfind(f".//testcase[@name='{name}']")
    return found


def test_the_structure_is_the_common_one(all_kinds: list[Verdict]) -> None:
    root = read(all_kinds)
    assert root.tag == "testsuites"
    for element in root.iter():
        required, allowed, children = STRUCTURE[element.tag]
        assert required <= set(element.attrib) <= allowed
        assert {child.tag for child in element} <= children


def test_one_test_case_a_statement_named_and_classed(all_kinds: list[Verdict]) -> None:
    cases = read(all_kinds).findall("testsuite/testcase")
    assert [(c.get("name"), c.get("classname")) for c in cases] == [
        ("theorem-1", "pe-verify.proved"),
        ("monte-carlo", "pe-verify.measured"),
        ("corollary-copy", "pe-verify.proved"),
        ("theorem-2", "pe-verify.proved"),
        ("proposition-1", "pe-verify.proved"),
    ]


def test_contradictions_and_undecided_are_failures_and_errors_are_errors(
    all_kinds: list[Verdict],
) -> None:
    root = read(all_kinds)
    (suite,) = root.findall("testsuite")
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "2", "1", "0"]
    assert len(root.findall(".//failure")) == 2
    assert len(root.findall(".//error")) == 1
    assert not root.findall(".//skipped")
    failure = case(root, "corollary-copy").find("failure")
    assert failure is not None and failure.text is not None
    assert failure.get("message", "").startswith("declared proved, observed REFUTED")
    assert "the hypothesis 'region' has no control" in failure.text


def test_control_characters_and_markup_in_a_reason_survive(undecided: Verdict) -> None:
    failure = case(read([undecided]), "theorem-2").find("failure")
    assert failure is not None
    assert "stuck at goals[0] \ufffd & <there>" in (failure.text or "")


def test_statements_as_declared_have_no_failure(proved: Verdict, measured: Verdict) -> None:
    root = read([proved, measured])
    assert [c.find("failure") for c in root.iter("testcase")] == [None, None]
    output = case(root, "theorem-1").findtext("system-out") or ""
    assert "PROVED: all n >= 3, all real W" in output
    assert "1 of 1 controls certified" in output


@pytest.mark.parametrize("count", [0, 1])
def test_the_file_declares_its_encoding(proved: Verdict, count: int) -> None:
    file = io.StringIO()
    write([proved] * count, file)
    assert file.getvalue().startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ')
