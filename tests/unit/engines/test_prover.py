"""The prover completes sketches; what it returns has been checked, what it cannot do it says."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engines.claims import (
    COUNTING,
    COUNTING_SKETCH,
    PAIR,
    PROPOSITION_1,
    ROW_LEMMA,
    THEOREM_1,
    THEOREM_1_SKETCH,
    clause,
    table_model,
    theorem,
    use,
)
from verify import kernel
from verify.engines import prover
from verify.engines.prover import Unproved, complete, prove_model
from verify.engines.prover.combine import Column, impossible

REAL = {"x": "real", "y": "real"}


def closed(variables: dict[str, str], guards: list[str], then: str, **symbols: str) -> Any:
    return theorem(symbols, {}, [clause(variables, guards, then)])


def outcome(claim: Any, proof: Any) -> str:
    certificate = {"format": "1.0", "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome


def rules(proof: Any) -> list[str]:
    if isinstance(proof, list):
        return [rule for part in proof for rule in rules(part)]
    if not isinstance(proof, dict):
        return []
    own = [proof["rule"]] if "rule" in proof else []
    return own + [rule for part in proof.values() for rule in rules(part)]


@pytest.mark.parametrize(
    ("claim", "sketch"),
    [
        (ROW_LEMMA, use("max", o="i - j")),
        (PROPOSITION_1, "auto"),
        (THEOREM_1, THEOREM_1_SKETCH),
        (COUNTING, COUNTING_SKETCH),
    ],
    ids=["row-lemma", "proposition-1", "theorem-1", "counting"],
)
def test_worked_examples(claim: Any, sketch: Any) -> None:
    proof = complete(claim, sketch)
    assert outcome(claim, proof) == "valid"
    assert json.loads(json.dumps(proof)) == proof


def test_proposition_1_gets_the_two_products_of_the_book() -> None:
    proof = complete(PROPOSITION_1, "auto")
    (leaf,) = [goal["then"] for goal in proof["goals"]]
    assert leaf["rule"] == "close"
    assert sorted(map(sorted, (chosen for _, chosen in leaf["sum"]))) == [[0, 3], [1, 2]]
    assert {c for c, _ in leaf["sum"]} == {"1"}


@pytest.mark.parametrize(
    ("claim", "sketch"),
    [
        (closed(REAL, ["x >= 1", "y >= 1"], "x*y >= 1"), "auto"),
        (closed(REAL, ["x > 0", "x*y > 0"], "y > 0"), "auto"),
        (closed(REAL, [], "x**2 - 2*x*y + y**2 >= 0"), {"rule": "square", "of": "x - y"}),
        (closed({"n": "int"}, ["n > 0"], "n >= 1"), "auto"),
        (closed({"n": "int", "m": "int"}, ["n > m", "m > 0"], "n*m >= 2"), "auto"),
        (closed(REAL, ["x >= y", "x != y"], "x > y"), "auto"),
        (closed(REAL, ["x != 0"], "x*x > 0"), "auto"),
        (closed(REAL, ["x != 0", "y != 0"], "x*y != 0"), "auto"),
        (closed(REAL, ["x - y == 2", "x + y == 4"], "x == 3"), "auto"),
        (closed(REAL, ["x == y"], "x*x == y*y"), "auto"),
        (closed(REAL, ["x == y + 1"], "f(x) - f(y + 1) >= 0", f="real"), "auto"),
        (closed(REAL, [], "f(x, y) == 0", f="real"), {"rule": "use", "of": "none", "at": {}}),
        (closed(REAL, [], "cos(x)**2 + sin(x)**2 >= 1"), "auto"),
        (closed({}, [], "pi > 3141592653589793238462643/1000000000000000000000000"), "auto"),
        (closed({}, [], "cos(1)**2 + sin(1)**2 == 1"), "auto"),
        (closed({}, [], "2**(1/2)*3**(1/2) < 5/2"), "auto"),
        (closed(REAL, ["2*x > 2**(1/2)*x"], "x > 0"), [{"have": "2 - 2**(1/2) > 0"}, "auto"]),
    ],
)
def test_small_lemmas(claim: Any, sketch: Any) -> None:
    if isinstance(sketch, dict) and sketch.get("of") == "none":
        claim["hypotheses"]["none"] = clause({"u": "real", "v": "real"}, [], "f(u, v) == 0")
        sketch = use("none", u="x", v="y")
    assert outcome(claim, complete(claim, sketch)) == "valid"


def test_integrality_is_needed() -> None:
    with pytest.raises(Unproved):
        complete(closed({"n": "real"}, ["n > 0"], "n >= 1"), "auto")


@pytest.mark.parametrize(
    ("claim", "sketch"),
    [
        (closed(REAL, ["x >= 0", "y >= 0"], "x*y > 0"), "auto"),
        (closed(REAL, ["x >= 0", "y > 0", "x*y <= 0"], "x < 0"), "auto"),
        (closed(REAL, ["x*x == y*y"], "x == y"), "auto"),
        (closed(REAL, [f"x + {k}*y != 0" for k in range(6)], "x >= y"), "auto"),
        (closed({}, [], "pi > 22/7"), "auto"),
        (closed(REAL, [], "cos(x)**2 + sin(x)**2 > 1"), "auto"),
        (ROW_LEMMA, "auto"),
        (ROW_LEMMA, use("max", o="j")),
        (THEOREM_1, {**THEOREM_1_SKETCH, "no": use("train", i="i", j="j")}),
        ({**COUNTING, "goals": COUNTING["goals"][:1]}, "auto"),
    ],
)
def test_what_does_not_follow_is_unproved_quickly(claim: Any, sketch: Any) -> None:
    start = time.process_time()
    with pytest.raises(Unproved):
        complete(claim, sketch)
    assert time.process_time() - start < 5


def test_message_names_the_node_and_the_facts() -> None:
    with pytest.raises(Unproved) as caught:
        complete(ROW_LEMMA, use("max", o="j"))
    message = str(caught.value)
    assert message.startswith("goals[0].fix.use(max).guard[1] j != d: no contradiction was found")
    assert "[4] d+j != i" in message
    assert "[6] j == d" in message


@pytest.mark.parametrize(
    ("sketch", "words"),
    [
        (use("min", o="j"), "no hypothesis or lemma 'min'; there are max"),
        (use("max"), "max needs terms for o"),
        (use("max", o="j/2"), "not certainly an integer"),
        (use("max", o="q"), "q is not declared"),
        ({"rule": "guess"}, "unknown rule 'guess'"),
        ({"rule": "use", "of": "max", "to": {}}, "unknown keys to"),
        (
            {"rule": "rewrite", "fact": "d >= 0", "by": "d >= 0", "term": "d"},
            "not an equation in d",
        ),
        ({"rule": "tighten", "fact": "d >= 0"}, "not a strict inequality"),
        ({"rule": "tighten", "fact": "d > 5"}, "there is no fact d > 5"),
        ({"rule": "tighten", "fact": 99}, "there is no fact 99"),
        ({"rule": "finite", "name": "i"}, "no facts bound the integer i"),
        ({"rule": "apart", "fact": "d >= 0"}, "does not say that something is not zero"),
        (7, "a sketch is"),
        ({"goals": []}, "1 goals and 0 sketches"),
        ({"rule": "induct", "on": "i", "from": "0"}, "induct needs the guard"),
        ({"rule": "sign", "fact": "d >= 0"}, "is not refuted by"),
    ],
)
def test_bad_sketches_are_explained(sketch: Any, words: str) -> None:
    with pytest.raises(Unproved, match=words.replace("(", r"\(").replace("[", r"\[")):
        complete(ROW_LEMMA, sketch)


def test_idle_steps_are_dropped() -> None:
    sketch = [use("max", o="0"), use("max", o="i - j"), use("max", o="i")]
    claim = theorem(
        ROW_LEMMA["symbols"], ROW_LEMMA["hypotheses"],
        [clause(PAIR, [*ROW_LEMMA["goals"][0]["if"], "d > 0", "i > d"], "kappa(d) > kappa(i - j)")],
    )  # fmt: skip
    proof = complete(claim, sketch)
    assert rules(proof).count("use") == 1


def test_facts_by_text_or_position_or_term() -> None:
    claim = theorem(
        {"f": "real", "a": "int", "b": "int"},
        {"same": clause({}, [], "a == b"), "big": clause({}, [], "f(b) > 1")},
        [clause({}, [], "f(a) > 1")],
    )
    for fact in ("f(b) > 1", "2*f(b) > 2", "1 < f(b)", 2, {"like": "f(b)"}):
        step = {"rule": "rewrite", "fact": fact, "by": "b == a", "term": "b"}
        proof = complete(claim, [use("same"), use("big"), step])
        assert outcome(claim, proof) == "valid"
        assert "rewrite" in rules(proof)


def test_auto_rewrites_inside_arguments() -> None:
    claim = theorem(
        {"P": "real", "t": "int", "s": "int"},
        {"same": clause({"i": "int"}, [], "t(i) == s(i)")},
        [clause({"i": "int"}, ["P(i, s(i)) > 0"], "P(i, t(i)) > 0")],
    )
    assert "rewrite" in rules(complete(claim, use("same", i="i")))


def test_finite_finds_its_bounds_and_one_precision_for_all_cases() -> None:
    claim = closed({"i": "int"}, ["i >= 1", "i < 40"], "cos(i) < 1 - 1/100000")
    proof = complete(claim, {"rule": "finite", "name": "i"})
    finite = proof["goals"][0]["then"]
    assert finite["rule"] == "finite"
    assert finite["each"]["rule"] == "sign"


def test_facts_are_found_by_text_below_finite() -> None:
    claim = closed({"i": "int"}, ["i >= 1", "i < 5"], "cos(i) < 1")
    leaf = {"rule": "sign", "fact": "cos(i) >= 1"}
    proof = complete(claim, {"rule": "finite", "name": "i", "each": leaf})
    assert rules(proof) == ["goals", "fix", "finite", "sign"]


def test_finite_with_different_leaves_is_refused_with_a_reason() -> None:
    claim = closed({"i": "int"}, ["i >= 0", "i <= 3"], "i*cos(1) <= 3/2")
    with pytest.raises(Unproved, match="i=3"):
        complete(claim, {"rule": "finite", "name": "i"})


def test_models() -> None:
    claim = table_model("x0 - 1", "-(x1 - x0 + 1)**2")
    proof = prove_model(claim)
    assert outcome(claim, proof) == "valid"
    assert rules(proof) == ["goals", "fix", "finite", "finite", "compute"]


def test_models_with_tables_and_hints() -> None:
    table = [[[str(i), str(j)], str(int(j == i // 2))] for i in range(8) for j in range(8)]
    claim = theorem(
        {"n": "int", "P": "real", "c": "real"},
        {},
        [
            clause(PAIR, ["i >= 0", "i < n", "j >= 0", "j <= i", "2*j > i"], "P(i, j) == 0"),
            clause({"x": "real"}, ["x > c"], "x*x > 4"),
            clause({"x": "real"}, [], "x*x - 2*x + 1 >= 0"),
        ],
        {
            "n": {"table": [[[], "8"]], "otherwise": None},
            "c": {"table": [], "otherwise": "2"},
            "P": {"table": table, "otherwise": "0"},
        },
    )
    claim["goals"][0]["if"].append("i != 2*j - 1")
    proof = prove_model(claim, {2: {"rule": "square", "of": "x - 1"}})
    assert outcome(claim, proof) == "valid"


def test_false_models_name_the_case() -> None:
    with pytest.raises(Unproved, match=r"i=1\.finite\(j\)\.j=0"):
        prove_model(table_model("x0 - 2", "-(x1 - x0 + 1)**2"))
    with pytest.raises(Unproved, match="a model defines all its symbols"):
        prove_model(ROW_LEMMA)


def test_other_kinds_of_claims_are_refused() -> None:
    with pytest.raises(ValueError, match="expected a claim of kind 'theorem'"):
        complete({"kind": "realizable"}, "auto")


def test_time_is_limited() -> None:
    guards = [f"x{k} > x{(k + 1) % 40}*x{(k + 7) % 40}" for k in range(40)]
    variables = {f"x{k}": "real" for k in range(40)}
    start = time.monotonic()
    with pytest.raises(Unproved, match="out of time"):
        complete(closed(variables, guards, "x0 == x1"), "auto", seconds=0.5)
    assert time.monotonic() - start < 10


SMALL = st.integers(-3, 3)


@settings(max_examples=40)
@given(st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=1, max_size=5), st.tuples(SMALL, SMALL))
def test_linear_facts_are_refuted_iff_no_point_satisfies_them(
    rows: list[tuple[int, int, int]], goal: tuple[int, int]
) -> None:
    """Against z3: over the reals, linear combinations decide systems of linear inequalities."""
    import z3

    guards = [f"{a}*x + {b}*y + {c} >= 0" for a, b, c in rows]
    claim = closed(REAL, guards, f"{goal[0]}*x + {goal[1]}*y < 1")
    x, y = z3.Reals("x y")
    solver = z3.Solver()
    solver.add(*(a * x + b * y + c >= 0 for a, b, c in rows), goal[0] * x + goal[1] * y >= 1)
    if solver.check() == z3.unsat:
        assert outcome(claim, complete(claim, {"rule": "close", "degree": 1})) == "valid"
    else:
        with pytest.raises(Unproved):
            complete(claim, {"rule": "close", "degree": 1})


def test_combination_is_exact_where_floats_are_not() -> None:
    """Two slopes that agree to 25 digits: a float LP calls them equal."""
    big = 10**25
    near = kernel.expression(f"{big + 1}*x - {big}*y - 1")
    far = kernel.expression(f"{big}*y - {big}*x")
    columns = [
        Column(near, True, True, 1.0),
        Column(far, True, True, 1.0),
        Column(kernel.expression("-x"), True, False, 1.0),
    ]
    found = impossible(columns)
    assert found is not None
    total = sum((columns[k].p * kernel.number(c) for k, c in found.items()), kernel.number(0))
    value = total.constant()
    assert value is not None
    assert value < 0


def test_public_names() -> None:
    assert set(prover.__all__) == {"Unproved", "complete", "prove_model"}
