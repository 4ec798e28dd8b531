"""z3 and cvc5 in child processes: opinions, witnesses, and every way of not answering."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engines.claims import (
    COUNTING,
    COUNTING_SKETCH,
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
from verify.engines import prover, smt
from verify.engines.protocol import read
from verify.engines.smt.process import Reply, ask
from verify.engines.smt.systems import _parameter
from verify.engines.smt.translate import Question, script

AFFINE = [["1", str(i)] for i in range(4)]
FIRST = {"vectors": AFFINE, "rows": [[1, 0, 2, 0], [2, 0, 3, 0], [3, 0, 4, 0]]}
PREVIOUS = {"vectors": AFFINE, "rows": [[1, 0, 2, 0], [2, 0, 3, 1]]}
ALIBI = {"vectors": [["1", str(o)] for o in range(4)], "rows": [[-1, 0, 4, 0]]}


@pytest.fixture(params=smt.SOLVERS)
def solver(request: pytest.FixtureRequest) -> str:
    if request.param == "cvc5":
        pytest.importorskip("cvc5")
    return str(request.param)


def valid(claim: Any, proof: Any) -> bool:
    certificate = {"format": "1.0", "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome == "valid"


def closed(variables: dict[str, str], guards: list[str], then: str, **symbols: str) -> Any:
    return theorem(symbols, {}, [clause(variables, guards, then)])


def test_instances_or_quantifiers_prove_the_row_lemma(solver: str) -> None:
    with_help = smt.decide(ROW_LEMMA, 0, solver, [("max", {"o": "i - j"})])
    alone = smt.decide(ROW_LEMMA, 0, solver)
    assert with_help.outcome == alone.outcome == "proved"
    assert with_help.proof is None
    assert with_help.engine == solver
    assert with_help.version[0].isdigit()


def test_a_missing_hypothesis_is_refuted_with_a_model() -> None:
    claim = closed({"i": "int"}, ["i > 0"], "f(i) > f(0)", f="real")
    answer = smt.decide(claim, 0, "z3")
    assert answer.outcome == "refuted"
    assert "f/1" in answer.model


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
def test_second_opinion_on_worked_examples(claim: Any, sketch: Any, solver: str) -> None:
    proof = prover.complete(claim, sketch)
    assert smt.second_opinion(claim, proof, solver).outcome == "proved"


def test_second_opinion_does_not_trust_the_proof() -> None:
    """The instances are the proof's; that they suffice is the solver's own finding."""
    proof = prover.complete(ROW_LEMMA, use("max", o="i - j"))
    false = {**ROW_LEMMA, "hypotheses": {"max": clause({"o": "int"}, [], "kappa(o) > o")}}
    assert smt.second_opinion(false, proof, "z3", seconds=0.5).outcome in ("refuted", "unknown")


def test_induction_needs_its_step() -> None:
    claim = {**COUNTING, "goals": COUNTING["goals"][:1]}
    proof = prover.complete(claim, COUNTING_SKETCH["goals"][0])
    weaker = {k: v for k, v in claim["hypotheses"].items() if k != "hits"}
    proof["goals"][0]["step"] = {"rule": "fix", "then": {"rule": "hole", "why": "-"}}
    answer = smt.second_opinion({**claim, "hypotheses": weaker}, proof, "z3", seconds=3)
    assert answer.outcome in ("refuted", "unknown")


@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        ("cos(1) > 1/2", "proved"),
        ("pi < 3", "refuted"),
        ("2**(1/2)*2**(1/2) == 2", "proved"),
        ("2**(1/2)*3**(1/3) > 2", "proved"),
        ("2**(-1/4) > 1", "refuted"),
        ("x/2 + 1/3 > x", "refuted"),
        ("sin(x) == -sin(-x)", "proved"),
    ],
)
def test_numbers_and_waves(then: str, outcome: str, solver: str) -> None:
    claim = closed({"x": "real"}, [], then)
    found = smt.decide(claim, 0, solver, seconds=0.5 if outcome == "refuted" else 20).outcome
    assert found in ((outcome, "unknown") if outcome == "refuted" else (outcome,))


def test_functions_of_reals_and_of_integers(solver: str) -> None:
    claim = theorem(
        {"F": "real", "f": "real", "t": "int", "w": "real"},
        {"same": clause({"i": "int"}, [], "t(i) == i - 1")},
        [clause({"i": "int"}, ["F(w, f(i - 1)) > 0"], "F(w, f(t(i))) > 0")],
    )
    assert smt.decide(claim, 0, solver, [("same", {"i": "i"})]).outcome == "proved"


def test_integers_are_integers(solver: str) -> None:
    assert smt.decide(closed({"n": "int"}, ["2*n > 1"], "n >= 1"), 0, solver).outcome == "proved"
    real = smt.decide(closed({"n": "real"}, ["2*n > 1"], "n >= 1"), 0, solver)
    assert real.outcome == "refuted"


def test_definitions_are_read(solver: str) -> None:
    good = table_model("x0 - 1", "-(x1 - x0 + 1)**2", length=5)
    assert smt.decide(good, 0, solver, seconds=5).outcome == "proved"
    table = [[[str(i), "0"], "1"] for i in range(5)]
    first = table_model("0", "0", length=5)
    first["definitions"]["P"] = {"table": table, "otherwise": "x0 - x0"}
    assert smt.decide(first, 0, solver, seconds=5).outcome == "proved"
    first["definitions"]["P"] = {"table": table[:-1], "otherwise": "x0 - x0"}
    assert smt.decide(first, 0, solver, seconds=5).outcome in ("refuted", "unknown")
    first["definitions"]["P"] = {"table": table, "otherwise": None}
    assert smt.decide(first, 0, solver, seconds=5).outcome in ("refuted", "unknown")


def test_a_name_may_be_bound_in_a_hypothesis_and_free_in_the_goal() -> None:
    claim = theorem(
        {"f": "real"},
        {"up": clause({"i": "int"}, [], "f(i) > i")},
        [clause({"i": "int"}, ["i > 0"], "f(i) > 0")],
    )
    context, goals = read(claim)
    inner = context.bind(goals[0].variables, {})
    text = script(Question(inner, tuple(goals[0].guards), tuple(context.clauses.values())))
    assert "(declare-fun |i/0| () Int)" in text
    assert smt.decide(claim, 0, "z3").outcome == "proved"


def test_wrong_questions_are_errors_of_the_caller() -> None:
    with pytest.raises(ValueError, match="there is no goal 1"):
        smt.decide(ROW_LEMMA, 1, "z3")
    with pytest.raises(ValueError, match="unknown solver 'yices'"):
        smt.decide(ROW_LEMMA, 0, "yices")
    with pytest.raises(ValueError, match="no hypothesis or lemma 'min'"):
        smt.decide(ROW_LEMMA, 0, "z3", [("min", {})])
    with pytest.raises(ValueError, match="seconds must be positive"):
        smt.decide(ROW_LEMMA, 0, "z3", seconds=0)
    with pytest.raises(ValueError, match="rank must be"):
        smt.find_parameter(ALIBI, "z3", rank=1)


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ("raise ImportError('no such solver')", "missing", "no such solver"),
        ("raise RuntimeError('broken')", "error", "RuntimeError: broken"),
        ("import os; os.abort()", "error", "exit -6"),
        ("import sys; sys.stdout.write('nonsense'); sys.stdout.flush(); import os; os._exit(0)",
         "error", "unreadable reply"),
        ("while True: pass", "unknown", "killed"),
    ],
)  # fmt: skip
def test_every_way_of_not_answering_is_shown_as_it_is(
    body: str, outcome: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cvc5.py").write_text(body + "\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setattr("verify.engines.smt.process.GRACE", 0.2)
    start = time.monotonic()
    answer = smt.decide(ROW_LEMMA, 0, "cvc5", seconds=20 if outcome != "unknown" else 0.5)
    assert time.monotonic() - start < 15
    assert answer.outcome == outcome
    assert reason in answer.reason


def test_a_hard_question_ends_in_time(solver: str) -> None:
    """A sum of three cubes: nobody's solver answers this in a second."""
    claim = closed({"x": "int", "y": "int", "z": "int"}, [], "x**3 + y**3 + z**3 != 114")
    start = time.monotonic()
    answer = smt.decide(claim, 0, solver, seconds=0.5)
    assert answer.outcome == "unknown"
    assert answer.reason
    assert time.monotonic() - start < 6


def test_resource_limit_of_z3() -> None:
    text = "(declare-fun x () Int)(declare-fun y () Int)(assert (= (* x x x) (+ (* 7 y y) 5)))"
    assert ask("z3", text, 5, rlimit=1000).outcome == "unknown"


@pytest.mark.parametrize("system", [FIRST, ALIBI], ids=["bilinear", "linear"])
def test_witnesses_are_exact(system: Any, solver: str) -> None:
    claim = {"kind": "realizable", "system": system}
    for options in ({}, {"integers": 2}):
        answer = smt.decide_system(claim, solver, **options)
        assert answer.outcome == "proved"
        assert valid(claim, answer.proof)
        entries = [e for row in answer.model for e in (row if isinstance(row, list) else [row])]
        assert not options or all(e.lstrip("-") in "012" for e in entries)


def test_rank_one_witness(solver: str) -> None:
    claim = {"kind": "realizable", "system": FIRST}
    answer = smt.decide_system(claim, solver, rank=1, integers=3)
    assert answer.outcome == "proved"
    assert valid(claim, answer.proof)
    (a, b), (c, d) = answer.model
    assert int(a) * int(d) == int(b) * int(c)


def test_refusals(solver: str) -> None:
    no = smt.decide_system({"kind": "realizable", "system": PREVIOUS}, solver)
    yes = smt.decide_system({"kind": "unrealizable", "system": PREVIOUS}, solver)
    assert (no.outcome, yes.outcome) == ("refuted", "proved")
    assert yes.proof is None
    wrong = smt.decide_system({"kind": "unrealizable", "system": FIRST}, solver)
    assert wrong.outcome == "refuted"
    assert valid({"kind": "realizable", "system": FIRST},
                 {"rule": "witness", "parameter": wrong.model})  # fmt: skip
    small = smt.decide_system({"kind": "realizable", "system": FIRST}, solver, integers=0)
    assert small.outcome == "unknown"
    assert "no parameter of this form" in small.reason
    assert smt.find_parameter(FIRST, solver, integers=0).outcome == "refuted"


def test_forced_rows(solver: str) -> None:
    claim = {"kind": "forced", "system": {**FIRST, "rows": FIRST["rows"][:2]}}
    assert smt.decide_system({**claim, "row": [2, 0, 3, 0]}, solver).outcome == "proved"
    free = smt.decide_system({**claim, "row": [3, 0, 4, 2]}, solver)
    assert free.outcome == "refuted"
    assert valid({"kind": "realizable", "system": claim["system"]},
                 {"rule": "witness", "parameter": free.model})  # fmt: skip


def test_what_is_not_for_this_engine() -> None:
    waves = {"vectors": [["cos(1)"], ["cos(2)"]], "rows": [[-1, 0, 2, 0]]}
    for claim in ({"kind": "realizable", "system": waves}, {"kind": "decisions"},
                  {"kind": "forced", "system": waves, "row": [-1, 0, 2, 1]}):  # fmt: skip
        answer = smt.decide_system(claim, "z3")
        assert answer.outcome == "unknown"
        assert "not for this engine" in answer.reason


def test_algebraic_parameters_are_not_rounded() -> None:
    reply = Reply("sat", values={"w0_0": "(root-obj (+ (^ x 2) (- 2)) 2)", "w0_1": "1"})
    answer = _parameter("z3", reply, 2, linear=True, rank=None)
    assert answer.outcome == "unknown"
    assert "algebraic" in answer.reason


ENTRY = st.integers(-2, 2)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(ENTRY, ENTRY, ENTRY), min_size=3, max_size=4), st.integers(0, 2))
def test_z3_and_cvc5_agree_and_the_kernel_accepts_what_they_find(
    vectors: list[tuple[int, int, int]], target: int
) -> None:
    pytest.importorskip("cvc5")
    table = [[str(e) for e in v] for v in vectors]
    rows = [[q, 0, 3, (target + q) % 3] for q in range(len(vectors))]
    claim = {"kind": "realizable", "system": {"vectors": table, "rows": rows}}
    answers = [smt.decide_system(claim, name) for name in smt.SOLVERS]
    assert answers[0].outcome == answers[1].outcome in ("proved", "refuted")
    for answer in answers:
        assert answer.outcome != "proved" or valid(claim, answer.proof)
