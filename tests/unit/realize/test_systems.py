"""Kernel systems decided, and what they imply."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify import systems
from verify.engines import smt
from verify.theory import heads, tasks
from verify.theory.encodings import encoding

ENTRY = st.fractions(-3, 3, max_denominator=3)
QUIET = settings(
    max_examples=40, deadline=None, derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def posed(spec: str, task: str, n: int, visibility: str = "causal") -> dict[str, Any]:
    features, named = encoding(spec), tasks.task(task)
    return heads.system(features, [(n, tasks.rows(named, n, visibility))], visibility)


@st.composite
def linear_systems(draw: st.DrawFn) -> dict[str, Any]:
    """Linear systems of two unknowns: decided below by looking at angles."""
    vectors = draw(st.lists(st.tuples(ENTRY, ENTRY), min_size=3, max_size=5))
    rows = []
    for _ in range(draw(st.integers(1, 3))):
        a = draw(st.integers(0, len(vectors) - 2))
        b = draw(st.integers(a + 2, len(vectors)))
        rows.append([-1, a, b, draw(st.integers(a, b - 1))])
    return {"vectors": [[str(e) for e in v] for v in vectors], "rows": rows}


def feasible_in_the_plane(system: dict[str, Any]) -> bool:
    """Whether an open half-plane holds every constraint vector: try directions between them."""
    vectors = [[Fraction(e) for e in v] for v in system["vectors"]]
    wanted = [
        (vectors[t][0] - vectors[k][0], vectors[t][1] - vectors[k][1])
        for _, a, b, t in system["rows"]
        for k in range(a, b)
        if k != t
    ]
    # If some w works, so does one just inside an edge: a normal of one constraint, tilted a little.
    edges = [(-y, x) for x, y in wanted] + [(y, -x) for x, y in wanted] + wanted
    tilts = [Fraction(0), Fraction(1, 10**6), Fraction(-1, 10**6)]
    tried = [(x - e * y, y + e * x) for x, y in edges for e in tilts]
    return any(all(w[0] * x + w[1] * y > 0 for x, y in wanted) for w in tried)


@QUIET
@given(linear_systems())
def test_decides_as_plane_geometry_does(system: dict[str, Any]) -> None:
    answer = systems.decide(system)
    assert isinstance(answer, systems.Found) == feasible_in_the_plane(system)
    assert isinstance(answer, systems.Found | systems.Refuted)


@QUIET
@given(linear_systems(), st.data())
def test_implied_rows_agree_with_plane_geometry(
    system: dict[str, Any], data: st.DataObject
) -> None:
    count = len(system["vectors"])
    a = data.draw(st.integers(0, count - 2))
    row = [-1, a, a + 2, data.draw(st.integers(a, a + 1))]
    if not feasible_in_the_plane(system):
        return
    other = 2 * a + 1 - row[3]
    # it is implied iff the system with the constraint turned round (and no tie) is infeasible
    turned = {**system, "rows": [*system["rows"], [-1, a, a + 2, other]]}
    answer = systems.implied(system, row)
    if system["vectors"][a] == system["vectors"][a + 1]:
        assert isinstance(answer, systems.Open)
    else:
        assert isinstance(answer, systems.Implied) == (not feasible_in_the_plane(turned))
        if isinstance(answer, systems.Escaped):
            assert answer.key == other


@pytest.mark.parametrize(
    ("spec", "task", "n"),
    [("polynomial:degree=2", "previous", 9), ("onehot:length=7", "copy", 7),
     ("t5:buckets=8,max_distance=16", "skip:k=2", 12), ("affine", "decimate:q=3", 13)],
)  # fmt: skip
def test_agrees_with_z3(spec: str, task: str, n: int) -> None:
    system = posed(spec, task, n)
    answer = systems.decide(system)
    said = smt.decide_system({"kind": "realizable", "system": system}, "z3", 30)
    assert said.outcome == ("proved" if isinstance(answer, systems.Found) else "refuted")


@pytest.mark.parametrize(
    ("spec", "task", "n"),
    [("sinusoidal:frequencies=16", "previous", 20), ("rope:frequencies=16", "copy", 30),
     ("sinusoidal:frequencies=2", "previous", 24)],
)  # fmt: skip
def test_finds_parameters_for_irrational_encodings(spec: str, task: str, n: int) -> None:
    """Low frequencies are nearly dependent: a parameter tuned to rounded features is of no use."""
    system = posed(spec, task, n)
    answer = systems.decide(system)
    assert isinstance(answer, systems.Found)
    assert answer.proof["bits"] <= 128
    assert systems.check({"kind": "realizable", "system": system}, answer.proof)


def test_a_common_irrational_factor_of_a_column_changes_nothing() -> None:
    system = posed("alibi:heads=12,head=9", "skip:k=2", 12)
    assert not encoding("alibi:heads=12,head=9").rational
    answer = systems.decide(system)
    assert isinstance(answer, systems.Refuted)
    assert answer.proof["rule"] == "farkas"


def test_the_core_is_irreducible() -> None:
    system = posed("affine", "attend:p=2", 8)
    answer = systems.decide(system)
    assert isinstance(answer, systems.Refuted)
    rows, sure = systems.core(system, answer)
    assert sure
    kept = {**system, "rows": [system["rows"][k] for k in rows]}
    assert isinstance(systems.decide(kept), systems.Refuted)
    for k in range(len(rows)):
        fewer = [row for j, row in enumerate(kept["rows"]) if j != k]
        if fewer:
            assert isinstance(systems.decide({**kept, "rows": fewer}), systems.Found)


def test_a_proof_that_the_kernel_refuses_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "check", lambda claim, proof: False)
    assert isinstance(systems.decide(posed("affine", "previous", 4)), systems.Open)
    assert isinstance(systems.decide(posed("affine", "attend-first", 4)), systems.Open)


def test_propose_answers_the_claim_that_is_asked() -> None:
    system = posed("affine", "previous", 4)
    assert systems.propose({"kind": "realizable", "system": system}) is None
    assert systems.propose({"kind": "unrealizable", "system": system}) is not None
