"""The result type can be made by the kernel alone; digests and versions."""

from __future__ import annotations

import ast
import copy
import dataclasses
import hashlib
import json
import pickle
import sys
from pathlib import Path

import pytest

from tests.kernel.cases import decide, envelope, table
from verify import kernel

CASE = table("accept")[0]
CHECKED = kernel.check(CASE.claim, envelope(CASE.claim, CASE.proof))


def test_what_check_returns() -> None:
    assert CHECKED.outcome == "valid"
    assert CHECKED.reason == ""
    assert CHECKED.digest == kernel.digest(CASE.claim)
    assert CHECKED.used == frozenset()


def test_it_is_made_nowhere_else() -> None:
    with pytest.raises(TypeError):
        kernel.Checked("valid", "", "sha256:0", frozenset())
    with pytest.raises(TypeError):
        kernel.Checked("valid", "", "sha256:0", frozenset(), object())
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(CHECKED, outcome="holey")
    with pytest.raises(TypeError):
        type("Forged", (kernel.Checked,), {})


def test_it_does_not_change() -> None:
    for name in ("outcome", "reason", "digest", "used", "other"):
        with pytest.raises(AttributeError):
            setattr(CHECKED, name, "valid")
        with pytest.raises(AttributeError):
            delattr(CHECKED, name)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_is_not_copied(copied: object) -> None:
    with pytest.raises(TypeError):
        copied(CHECKED)  # type: ignore[operator]


def test_used_names_hypotheses_and_lemmas() -> None:
    for case in table("accept"):
        used = kernel.check(case.claim, envelope(case.claim, case.proof)).used
        known = {*case.claim.get("hypotheses", ()), *case.claim.get("lemmas", ())}
        assert used <= known
        assert ('"use"' in json.dumps(case.proof)) == bool(used)


def test_the_digest_is_that_of_the_canonical_json() -> None:
    claim = {"b": [1, "ä"], "a": {"y": None, "x": "1/2"}}
    text = '{"a":{"x":"1/2","y":null},"b":[1,"\\u00e4"]}'
    assert kernel.digest(claim) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert kernel.digest(dict(reversed(claim.items()))) == kernel.digest(claim)


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.7", "1.12"])
def test_every_minor_version_is_read(version: str) -> None:
    certificate = {**envelope(CASE.claim, CASE.proof), "format": version}
    assert decide(CASE.claim, certificate) == "valid"


def test_information_is_outside_of_the_identity() -> None:
    certificate = envelope(CASE.claim, CASE.proof)
    certificate |= {"subject": {"statement": "x"}, "producer": {"seconds": 1.5, "n": [True]}}
    assert decide(CASE.claim, certificate) == "valid"


def test_the_kernel_imports_the_standard_library_alone() -> None:
    tree = ast.parse(Path(kernel.__file__).read_text("utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).partition(".")[0])
    assert names <= sys.stdlib_module_names


def test_the_kernel_evaluates_nothing() -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(Path(kernel.__file__).read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"eval", "exec", "compile", "open", "__import__", "getattr", "input"}
