"""Certificate files: strict JSON in, whole files or none out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.cases import decide, table
from verify import certificates
from verify.kernel import Malformed

CASE = table("accept")[0]
CERTIFICATE = certificates.envelope(CASE.claim, CASE.proof, {"statement": "x", "obligation": "y"})


def test_an_envelope_holds_what_the_kernel_reads() -> None:
    assert set(CERTIFICATE) == {"format", "claim", "subject", "proof"}
    assert decide(CASE.claim, CERTIFICATE) == "valid"
    made = certificates.envelope(CASE.claim, CASE.proof, {}, {"engine": "z3"})
    assert made["producer"] == {"engine": "z3"}
    assert decide(CASE.claim, made) == "valid"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.json"
    certificates.write(path, CERTIFICATE)
    assert certificates.read(path) == CERTIFICATE
    assert path.read_text("utf-8") == certificates.dumps(CERTIFICATE)
    certificates.write(path, {**CERTIFICATE, "producer": {"engine": "é"}})
    assert certificates.read(path)["producer"] == {"engine": "é"}
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_the_text_does_not_depend_on_the_order_of_keys() -> None:
    turned = {
        key: dict(reversed(value.items())) if isinstance(value, dict) else value
        for key, value in reversed(CERTIFICATE.items())
    }
    assert certificates.dumps(turned) == certificates.dumps(CERTIFICATE)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    certificates.write(path, CERTIFICATE)
    with pytest.raises(TypeError):
        certificates.write(path, {**CERTIFICATE, "proof": object()})
    with pytest.raises(ValueError, match="no part 'note'"):
        certificates.write(path, {**CERTIFICATE, "note": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        certificates.write(path, {**CERTIFICATE, "proof": float("nan")})
    assert certificates.read(path) == CERTIFICATE
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


GOOD = json.dumps(CERTIFICATE)
BAD = {
    "a key twice": (GOOD[:-1] + ', "proof": 1}', "'proof' occurs twice"),
    "a key twice, deep down": ('{"a": [{"b": 1, "b": 1}]}', "'b' occurs twice"),
    "a decimal": ('{"a": 1.5}', "1.5 is not an integer"),
    "an exponent": ('{"a": 1e9}', "1e9 is not an integer"),
    "not a number": ('{"a": NaN}', "NaN is not an integer"),
    "infinity": ('{"a": [-Infinity]}', "-Infinity is not an integer"),
    "too many digits": ('{"a": ' + "9" * 500_000 + "}", "not readable"),
    "nested too deeply": ("[" * 200_000, "nested too deeply"),
    "a truncated text": (GOOD[:-5], "not JSON"),
    "nothing": ("", "not JSON"),
    "something after it": (GOOD + "{}", "Extra data"),
    "a comment": (GOOD + " // done", "Extra data"),
    "a list": ("[]", "not list"),
    "a string": ('"a"', "not str"),
    "null": ("null", "not NoneType"),
    "single quotes": ("{'a': 1}", "not JSON"),
    "a trailing comma": ('{"a": 1,}', "not JSON"),
    "a byte order mark": ("\ufeff" + GOOD, "not JSON"),
    "a control character": ('{"a": "\n"}', "not JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_a_certificate(name: str, tmp_path: Path) -> None:
    text, reason = BAD[name]
    with pytest.raises(Malformed) as caught:
        certificates.loads(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    with pytest.raises(Malformed):
        certificates.read(path)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(Malformed, match="UTF-8"):
        certificates.read(path)


def test_oversize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MAX_BYTES", len(GOOD) - 1)
    path = tmp_path / "a.json"
    path.write_text(GOOD, "utf-8")
    with pytest.raises(Malformed, match="larger"):
        certificates.read(path)
    with pytest.raises(Malformed, match="longer"):
        certificates.loads(GOOD)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["proof", "subject", "producer"]), PLAIN))
def test_every_plain_value_comes_back(value: dict[str, Any]) -> None:
    assert certificates.loads(certificates.dumps(value)) == value


@given(st.text())
def test_any_text(text: str) -> None:
    try:
        assert isinstance(certificates.loads(text), dict)
    except Malformed as problem:
        assert "\n" not in str(problem)
