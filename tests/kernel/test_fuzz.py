"""Whatever the input, the kernel answers with an outcome or with Malformed: never a traceback."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel.cases import decide, envelope, table
from tests.kernel.independent import confirm
from verify import certificates, kernel

GOOD = table("accept")
OUTCOMES = {"valid", "invalid", "holey", "malformed"}

WORDS = st.sampled_from(
    [
        *("x", "y", "i", "n", "f", "0", "1", "-1", "1/2", "x > 0", "x == y", "cos(1)", "pi", "IH"),
        *("cos", "sin", "int", "real", "f(x)", "2**(1/2)", "h", "h-1", "hmt", "1.0", "x0", "x1"),
        *("use", "split", "finite", "close", "fix", "induct", "hole", "zero", "sign", "rewrite"),
        *("-", "(", "x**64", "1/0", "f()", "1e9", "0x10", "__import__", "\ud800", "é", "a" * 300),
    ]
)
KEYS = st.sampled_from(
    [
        *("rule", "then", "fact", "sum", "equal", "nonzero", "of", "at", "guards", "kind", "for"),
        *("if", "system", "rows", "vectors", "bits", "basis", "inverse", "fixed", "x", "cos", ""),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(),
    st.floats(),
    WORDS,
    st.text(max_size=8),
)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in plain data."""
    found = [path]
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(part, (*path, key))
    return found


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(value)
    part = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = new
    return changed


def swapped(value: Any, data: st.DataObject) -> Any:
    """With one or two places replaced by junk, or by what stands at another place."""
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(places(value)))
        other = data.draw(st.sampled_from(places(value)))
        part = value
        for key in other:
            part = part[key]
        value = put(value, path, data.draw(st.one_of(JUNK, st.just(copy.deepcopy(part)))))
    return value


@given(st.data())
@settings(max_examples=200)
def test_junk_in_a_proof(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(GOOD))
    proof = swapped(case.proof, data)
    outcome = decide(case.claim, envelope(case.claim, proof))
    assert outcome in OUTCOMES
    if outcome == "valid":
        confirm(case.claim, proof)


@given(st.data())
@settings(max_examples=200)
def test_junk_in_a_claim(data: st.DataObject) -> None:
    """Claims come from the project itself; a wrong one is refused all the same."""
    case = data.draw(st.sampled_from(GOOD))
    claim = swapped(case.claim, data)
    try:
        certificate = envelope(claim, case.proof)
    except kernel.Malformed:
        return
    assert decide(claim, certificate) in OUTCOMES


@given(st.data())
@settings(max_examples=200)
def test_junk_in_a_certificate(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(GOOD))
    certificate = envelope(case.claim, case.proof)
    assert decide(case.claim, data.draw(JUNK)) == "malformed"
    assert decide(case.claim, swapped(certificate, data)) in OUTCOMES


@given(st.sampled_from(GOOD), st.integers(0, 10**6), st.binary(max_size=3))
@settings(max_examples=200)
def test_damaged_files(case: Any, place: int, junk: bytes) -> None:
    """Truncated or overwritten text is refused as text, or by the kernel."""
    text = certificates.dumps(envelope(case.claim, case.proof)).encode()
    place %= len(text)
    for damaged in (text[:place], text[:place] + junk + text[place + len(junk) :], text + junk):
        try:
            read = certificates.loads(damaged.decode("utf-8", "surrogateescape"))
        except kernel.Malformed:
            continue
        assert decide(case.claim, read) in OUTCOMES


class Sly(str):
    """A string that is equal to everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize(
    "value",
    [
        *(object(), {1, 2}, b"x", lambda: 0, ..., float("nan"), {"a": float("inf")}),
        *({1: 1, "1": 1}, {None: 0, "a": 1}, {(1, 2): 0}, [[object()]]),
    ],
    ids=lambda value: type(value).__name__,  # a repr with an address differs between processes
)
def test_what_is_not_plain_data(value: Any) -> None:
    case = GOOD[0]
    assert decide(case.claim, value) == "malformed"
    assert decide(value, envelope(case.claim, case.proof)) == "malformed"
    assert decide(case.claim, envelope(case.claim, case.proof) | {"producer": value}) == "malformed"
    with pytest.raises(kernel.Malformed):
        kernel.digest(value)


def test_subclasses_are_read_as_what_they_spell() -> None:
    case, certificate = GOOD[0], envelope(GOOD[0].claim, GOOD[0].proof)
    assert decide(case.claim, {**certificate, "claim": Sly("sha256:0")}) == "invalid"
    assert decide(case.claim, {**certificate, "proof": Sly("goals")}) == "malformed"
    assert decide(case.claim, {**certificate, "format": Sly("9.0")}) == "malformed"


def nested(depth: int, kind: type) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value] if kind is list else {"rule": "fix", "then": value}
    return value


@pytest.mark.parametrize("depth", [200, 900, 990, 1000, 5000, 100_000])
@pytest.mark.parametrize("kind", [list, dict])
def test_deep_nesting(depth: int, kind: type) -> None:
    case = GOOD[0]
    deep = nested(depth, kind)
    assert decide(case.claim, envelope(case.claim, deep)) == "malformed"
    assert decide(case.claim, envelope(case.claim, case.proof) | {"subject": deep}) in OUTCOMES
    goal = {"rule": "goals", "goals": [deep]}
    assert decide(case.claim, envelope(case.claim, goal)) == "malformed"


def test_a_deep_proof_is_refused_with_one_sentence() -> None:
    claim = {
        **{"kind": "theorem", "symbols": {"x": "real"}, "definitions": {}, "hypotheses": {}},
        **{"lemmas": {}, "goals": [{"for": {}, "if": [], "then": "x*x >= 0"}]},
    }
    node: Any = {"rule": "close", "sum": [["1", [0]]], "equal": []}
    for _ in range(700):
        node = {"rule": "split", "on": "x > 0", "yes": node, "no": {"rule": "compute"}}
    proof = {"rule": "goals", "goals": [{"rule": "fix", "then": node}]}
    with pytest.raises(kernel.Malformed, match=r"too deep|recursion"):
        kernel.check(claim, envelope(claim, proof))


def test_huge_numbers() -> None:
    case = next(c for c in GOOD if c.name.startswith("farkas: affine"))
    huge = "9" * kernel.MAX_DIGITS
    for y in (huge, f"1/{huge[1:]}", "1" + "0" * 10**6):
        entries = [[1, 0, y], [1, 2, y]]
        proof = {"rule": "farkas", "multipliers": entries}
        short = len(y) < kernel.MAX_DIGITS
        expected = "valid" if short else "malformed"
        assert decide(case.claim, envelope(case.claim, proof)) == expected
    assert (
        decide(
            case.claim,
            envelope(case.claim, {"rule": "farkas", "multipliers": [[10**5000, 0, "1"]]}),
        )
        == "invalid"
    )
    with pytest.raises(kernel.Malformed):
        kernel.expression("x" + "+x" * kernel.MAX_EXPRESSION)
    with pytest.raises(kernel.Malformed):
        kernel.digest(10 ** (kernel.MAX_DIGITS + 1))
