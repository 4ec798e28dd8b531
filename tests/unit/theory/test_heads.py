"""Systems of the kernel: that they say what they should, and what the kernel finds of them."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify import kernel
from verify.kernel import expression, number
from verify.theory.encodings import encoding
from verify.theory.heads import (
    Matrix,
    Parameter,
    decisions_claim,
    exact_parameter,
    forced_claim,
    grid,
    logit,
    margin,
    realizable_claim,
    system,
    unrealizable_claim,
    visible,
)
from verify.theory.tasks import rows, task
from verify.theory.text import text, value


def outcome(claim: dict[str, Any], proof: dict[str, Any]) -> str:
    certificate = {"format": "1.0", "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome


def spelled(parameter: Parameter) -> list[Any]:
    return [[str(x) for x in line] if isinstance(line, tuple) else str(line) for line in parameter]


def groups(spec: str, *lengths: int, visibility: str = "causal") -> list[Any]:
    return [(n, rows(task(spec), n, visibility)) for n in lengths]


def matrix(size: int, entries: dict[tuple[int, int], int]) -> Matrix:
    return tuple(tuple(Fraction(entries.get((a, b), 0)) for b in range(size)) for a in range(size))


# -(i - 1 - j)**2 in the monomials of i and j
PREVIOUS = matrix(3, {(0, 0): -1, (1, 0): 2, (2, 0): -1, (1, 1): 2, (0, 1): -2, (0, 2): -1})
# -(n - 1 - i - j)**2 up to what does not depend on j; monomials 1, i, n, i**2, i*n, n**2
REVERSE = matrix(6, {(0, 1): -2, (1, 1): -2, (2, 1): 2, (0, 3): -1})


def test_a_system_by_hand() -> None:
    assert system(encoding("affine"), groups("previous", 3)) == {
        "vectors": [["1", "0"], ["1", "1"], ["1", "2"]],
        "rows": [[1, 0, 2, 0], [2, 0, 3, 1]],
    }
    assert system(encoding("alibi"), groups("previous", 3)) == {
        "vectors": [["1", "0"], ["1", "1"], ["1", "2"]],
        "rows": [[-1, 0, 2, 1], [-1, 0, 3, 1]],
    }
    assert system(encoding("alibi"), groups("next", 3, visibility="full"), "full") == {
        "vectors": [["1", str(o)] for o in range(-2, 3)],
        "rows": [[-1, 0, 3, 1], [-1, 1, 4, 1]],
    }
    assert system(encoding("scale:affine"), groups("previous", 2, 3)) == {
        "vectors": [
            ["1", "0", "2"],
            ["1", "1", "2"],
            ["1", "0", "3"],
            ["1", "1", "3"],
            ["1", "2", "3"],
        ],
        "rows": [[1, 0, 2, 0], [3, 2, 4, 2], [4, 2, 5, 3]],
    }


def test_quadratic_features_realize_previous_and_affine_ones_do_not() -> None:
    e = encoding("polynomial:degree=2")
    claim = realizable_claim(e, groups("previous", 9))
    proof = {"rule": "witness", "parameter": spelled(PREVIOUS)}
    assert outcome(claim, proof) == "valid"
    assert outcome(realizable_claim(e, groups("skip-2", 9)), proof) == "invalid"
    assert all(margin(e, PREVIOUS, i, i - 1, 9) == number(1) for i in range(1, 9))
    affine = unrealizable_claim(encoding("affine"), groups("previous", 3))
    farkas = {"rule": "farkas", "multipliers": [[1, 0, "1"], [1, 2, "1"]]}
    assert outcome(affine, farkas) == "valid"


def test_the_length_lets_one_parameter_realize_reverse_at_several_lengths() -> None:
    e = encoding("scale:polynomial:degree=2")
    claim = realizable_claim(e, groups("reverse", 5, 8))
    proof = {"rule": "witness", "parameter": spelled(REVERSE)}
    assert outcome(claim, proof) == "valid"
    full = realizable_claim(e, groups("reverse", 5, 8, visibility="full"), "full")
    assert outcome(full, proof) == "valid"
    assert margin(e, REVERSE, 6, 1, 8, "full") == number(1)


def test_a_forced_row_of_a_clipped_table() -> None:
    """Offsets from 3 on share a column, so row 7 asks nothing that row 3 did not ask."""
    claim = forced_claim(encoding("clipped:length=4"), groups("previous", 4), (8, 7, 6))
    assert claim["row"] == [-1, 0, 8, 1]
    assert len(claim["system"]["vectors"]) == 8
    cones = [[[2, min(o, 3), "1"]] for o in range(8) if o != 1]
    assert outcome(claim, {"rule": "cone", "cones": cones}) == "valid"


def test_decisions_of_given_parameters() -> None:
    clamped = encoding("clamped:length=3")
    # W[a][b] = 1 where b = a - 1: on rows from 3 on, keys 1 and 2.. : key 1 wins, the target ties
    w = matrix(3, {(1, 0): 1, (2, 1): 1})
    asked = groups("previous", 6)
    claim = decisions_claim(clamped, asked, w, "hhmmm", 1)
    assert outcome(claim, {"rule": "evaluate"}) == "valid"
    zero = matrix(3, {})
    assert outcome(decisions_claim(clamped, asked, zero, "ttttt"), {"rule": "evaluate"}) == "valid"
    rope = encoding("rope:frequencies=2")
    cosine = (Fraction(1), Fraction(0), Fraction(0), Fraction(0))
    claim = decisions_claim(rope, groups("self", 9), cosine, "h" * 8, Fraction(1, 100))
    assert outcome(claim, {"rule": "evaluate", "bits": 64}) == "valid"
    wrong = decisions_claim(rope, groups("self", 9), cosine, "h" * 7 + "m", Fraction(1, 100))
    assert outcome(wrong, {"rule": "evaluate", "bits": 64}) == "invalid"


SPECS = st.sampled_from(
    ["affine", "scale:affine", "alibi", "rope:frequencies=2", "scale:expr:[1, o*n]",
     "clipped:length=3,bidirectional=true", "sinusoidal:frequencies=1"]
)  # fmt: skip
TASKS = st.sampled_from(["previous", "copy", "reverse", "attend-first", "next", "expr:i//2"])


@given(
    SPECS, TASKS, st.lists(st.integers(3, 9), min_size=1, max_size=3),
    st.sampled_from(["causal", "full"]), st.randoms(use_true_random=False),
)  # fmt: skip
def test_rows_of_a_system_mean_what_logits_say(
    spec: str, asked: str, lengths: list[int], visibility: str, random: Any
) -> None:
    e = encoding(spec)
    wanted = [(n, rows(task(asked), n, visibility)) for n in lengths]
    if not any(pairs for _, pairs in wanted):
        with pytest.raises(ValueError, match="asks nothing at length"):
            system(e, wanted, visibility)
        return
    found = system(e, wanted, visibility)
    layout = grid(e, lengths, visibility)
    shape = range(e.dimension)
    line = tuple(Fraction(random.randint(-3, 3)) for _ in shape)
    w: Parameter = (
        line
        if e.relative
        else tuple(tuple(Fraction(random.randint(-3, 3)) for _ in shape) for _ in shape)
    )
    vectors = [[expression(x) for x in vector] for vector in found["vectors"]]
    flat = [(n, i, t) for n, pairs in wanted for i, t in pairs]
    assert len(flat) == len(found["rows"])
    for (n, i, t), (query, start, stop, target) in zip(flat, found["rows"], strict=True):
        keys = [layout.position(i, index, n) for index in range(start, stop)]
        assert sorted(keys) == list(visible(i, n, visibility))
        assert layout.position(i, target, n) == t
        for index, j in zip(range(start, stop), keys, strict=True):
            assert layout.key(i, j, n) == index
            if e.relative:
                score = sum(
                    (number(x) * f for x, f in zip(line, vectors[index], strict=True)), number(0)
                )
                assert query == -1
            else:
                score = sum(
                    (
                        vectors[query][a] * number(w[a][b]) * vectors[index][b]  # type: ignore[index]
                        for a in shape
                        for b in shape
                    ),
                    number(0),
                )
            assert logit(e, w, i, j, n) == score


def test_margins_are_exact() -> None:
    e = encoding("rope:frequencies=16")
    w = tuple(Fraction(k == 31) for k in range(32))  # sin(o theta_min), increasing up to 8833
    gap = margin(e, w, 40, 0, 41)
    theta = "2**(-15/4)*5**(-15/4)"
    assert gap == expression(f"sin(40*{theta}) - sin(39*{theta})")
    assert value(gap) == pytest.approx(10**-3.75, rel=1e-3)
    clamped = encoding("clamped:length=3")
    assert margin(clamped, matrix(3, {}), 4, 3, 5) == number(0)


@pytest.mark.parametrize(
    ("spec", "data", "wanted"),
    [
        ("alibi", [0.5, -3], (Fraction(1, 2), Fraction(-3))),
        ("alibi", ("1/3", Fraction(2)), (Fraction(1, 3), Fraction(2))),
        ("affine", [[1, 0], [0, 0.1]], ((1, 0), (0, Fraction(0.1)))),
    ],
)
def test_parameters_are_read_exactly(spec: str, data: Any, wanted: Any) -> None:
    assert exact_parameter(encoding(spec), data) == wanted


@pytest.mark.parametrize(
    ("spec", "data", "message"),
    [
        ("alibi", [1], "the parameter of alibi must be 2 numbers"),
        ("alibi", [[1, 2]], "every entry must be a finite number"),
        ("affine", [1, 2], "must be 2 rows of 2 numbers"),
        ("affine", [[1, 2]], "must be 2 rows of 2 numbers"),
        ("affine", [[1, 2], [3]], "must be 2 rows of 2 numbers"),
        ("alibi", [1, math.nan], "the parameter contains nan; every entry must be a finite number"),
        ("alibi", [1, math.inf], "contains inf"),
        ("alibi", [1, "x"], "contains 'x'"),
        ("alibi", [1, None], "contains None"),
        ("alibi", [1, "1/0"], "contains '1/0'"),
    ],
)
def test_parameters_of_the_wrong_shape_or_kind_are_refused(
    spec: str, data: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        exact_parameter(encoding(spec), data)


def test_questions_without_an_answer_are_refused() -> None:
    e = encoding("affine")
    with pytest.raises(ValueError, match="the task asks nothing at length 1, 2"):
        system(e, [(1, []), (2, [])])
    with pytest.raises(ValueError, match="needs at least one length"):
        system(e, [])
    with pytest.raises(ValueError, match="row 1 with target 2 at length 3 is not scored"):
        system(e, [(3, [(1, 2)])])
    with pytest.raises(ValueError, match="row 0 with target 0 at length 3 is not scored"):
        margin(e, matrix(2, {}), 0, 0, 3)
    with pytest.raises(ValueError, match="visibility must be"):
        system(e, [(3, [(1, 0)])], "causaal")
    with pytest.raises(ValueError, match="position 4 is outside onehot:length=4"):
        system(encoding("onehot:length=4"), groups("previous", 5))
    with pytest.raises(ValueError, match="one of h, m, t for each of the 2 rows"):
        decisions_claim(e, groups("previous", 3), matrix(2, {}), "hx")


@pytest.mark.parametrize("spec", ["sinusoidal:dim=32", "learned:dim=32", "onehot:length=512"])
def test_claims_of_512_positions_are_built_at_once(spec: str) -> None:
    """Generous next to the fifth of a second that it takes, against an accidental square."""
    start = time.perf_counter()
    claim = realizable_claim(encoding(spec), groups("previous", 512))
    kernel.digest(claim)
    assert time.perf_counter() - start < 5
    assert claim["system"]["vectors"][1][0] == text(encoding(spec).features(1, 512)[0])
