"""alpha: the published numbers, bad input, the result, other float types, certificates."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verify.alpha import AlphaResult, alpha, below, cross_check
from verify.decision_certificates import PRODUCTS, Skipped, Written, write
from verify.decisions import HIT
from verify.parameters import parameter
from verify.recheck import main as recheck
from verify.report.json_report import schema
from verify.theory.encodings import encoding

LENGTHS = [30, 40, 60, 128, 256, 512]


def hits(result: AlphaResult) -> list[str]:
    return [f"{score.hits}/{score.scored}" for score in result.lengths]


@pytest.mark.parametrize(
    ("spec", "task", "expected"),
    [
        ("rope:frequencies=16", "attend-first", "8/10 8/20 8/40 13/108 13/236 19/492"),
        ("rope:frequencies=16", "previous", "10/10 20/20 40/40 108/108 236/236 492/492"),
        ("rope:frequencies=16", "skip:k=5", "10/10 20/20 40/40 108/108 162/236 162/492"),
        ("sinusoidal:dim=32", "previous", "1/10 10/20 18/40 37/108 60/236 128/492"),
        ("clamped:length=20", "attend-first", "10/10 20/20 40/40 108/108 236/236 492/492"),
        ("clipped:length=20", "previous", "10/10 20/20 40/40 108/108 236/236 492/492"),
        ("clipped:length=20", "attend-first", "0/10 0/20 0/40 0/108 0/236 0/492"),
        ("clamped:length=20", "previous", "0/10 0/20 0/40 0/108 0/236 0/492"),
        ("alibi", "previous", "0/10 0/20 0/40 0/108 0/236 0/492"),
    ],
)
def test_published_numbers(spec: str, task: str, expected: str) -> None:
    result = alpha(spec, task, train_length=20, lengths=LENGTHS)
    found = hits(result)
    if spec == "sinusoidal:dim=32":  # 256 and 512 are not published
        found, expected = found[:4], " ".join(expected.split()[:4])
    assert " ".join(found) == expected
    assert result.realizes_train == (spec != "alibi")
    assert all(score.float_hits == score.hits for score in result.lengths)
    assert all(score.alpha == Fraction(score.hits, score.scored) for score in result.lengths)


def test_clamped_targets_equal_another_key() -> None:
    """previous: on every new row the target has exactly the features of the query's own key."""
    result = alpha("clamped:length=20", "previous", train_length=20, lengths=[60])
    w = result.parameter.nearest
    assert result[60].smallest_margin[1] <= 0
    logits = w[19, [min(j, 19) for j in range(60)]]
    assert all(logits[i - 1] == logits[i] for i in range(20, 60))
    zero = alpha("clamped:length=3", "previous", train_length=3, lengths=[6], parameter=np.eye(3))
    assert zero[6].decisions.text() == "ttt"


def test_the_copy_kernel_of_the_lowest_frequency() -> None:
    """sin(d theta) at L = 17665: every new row is a hit; the smallest margin is 8.3e-9."""
    w = np.zeros((32, 32))
    w[15, 31], w[31, 15] = 1, -1
    result = alpha(
        "sinusoidal:frequencies=16", "copy", train_length=20, lengths=[17665], parameter=w
    )
    score = result[17665]
    assert score.alpha == 1 and score.scored == 8832
    low, high = score.smallest_margin
    assert 8.32e-9 < low <= high < 8.33e-9
    checks = {check.type: check for check in cross_check(result, ["float32"])}
    assert checks["float32"].horizon("first") is not None


def test_scale_hints_see_each_length() -> None:
    """reverse by -(n - 1 - i - j)**2 over the monomials i**a n**b: a hit in every row."""
    spec = "scale:expr:[1, i, i**2, n - 1, (n - 1)*i, (n - 1)**2]"
    w = np.zeros((6, 6))
    # -(m - i - j)**2 with m = n - 1: -m2 - i2 - j2 + 2mi + 2mj - 2ij
    w[5, 0], w[2, 0], w[0, 2], w[4, 0], w[0, 4], w[1, 1] = -1, -1, -1, 2, 2, -2
    for visibility in ("causal", "full"):
        result = alpha(
            spec, "reverse", train_length=8, lengths=[9, 30], parameter=w, visibility=visibility
        )
        assert result.realizes_train
        assert [score.alpha for score in result.lengths] == [1, 1]
        assert result[30].smallest_margin == (1, 1)
    plain = alpha("scale:affine", "reverse", train_length=8, lengths=[30])
    assert plain.encoding.scale_hinted and not plain.realizes_train


def test_yarn_temperature_widens_margins_only() -> None:
    spec = "rope:frequencies=4,scaling=yarn,factor=4,original=64"
    found = encoding(spec)
    thetas = ",".join(str(k) for k in (1, 2, 3, 4))
    assert found.temperature[0] > 1  # type: ignore[attr-defined]
    w = [1, 0, 0, 0, 0, 0, 0, 0]
    warm = alpha(spec, "self", train_length=5, lengths=[8], parameter=w)
    plain = alpha(f"rope:theta=[{thetas}]", "self", train_length=5, lengths=[8], parameter=w)
    factor = found.temperature  # type: ignore[attr-defined]
    low, high = warm[8].smallest_margin
    a, b = plain[8].smallest_margin  # theta_0 = 1 in both
    assert a * factor[0] <= high and low <= b * factor[1]
    assert warm[8].hits == plain[8].hits == 3


def test_results_are_readable() -> None:
    result = alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30, 40])
    assert repr(result) == (
        "alpha of rope:frequencies=16,base=10000 on attend-first, rule ce, L0 = 20 (realizes it)\n"
        "  L=30: 8/10, alpha = 0.8\n"
        "  L=40: 8/20, alpha = 0.4"
    )
    assert repr(result[30]) == "L=30: 8/10"
    with pytest.raises(KeyError):
        result[31]


def test_the_document_follows_its_schema() -> None:
    import fastjsonschema

    result = alpha("clipped:length=20", "attend-first", train_length=20, lengths=[30])
    document = result.to_json()
    document["types"] = [check.to_json() for check in cross_check(result)]
    fastjsonschema.compile(schema("alpha"))(json.loads(json.dumps(document, allow_nan=False)))
    (entry,) = document["lengths"]
    assert (entry["hits"], entry["ties"], entry["scored"], entry["alpha"]) == (0, 10, 10, "0")
    assert entry["float"]["hits"] == 0
    assert entry["smallest_margin"] == 0.0
    assert entry["smallest_margin_enclosure"] == ["0", "0"]
    assert document["realizes_train"] is True


def test_margins_are_rounded_down_to_floats() -> None:
    third = Fraction(1, 3)
    assert below(third) <= third < Fraction(np.nextafter(below(third), 1))
    assert below(-third) <= -third
    assert below(Fraction(1, 4)) == 0.25
    assert below(Fraction(10) ** 400) == np.finfo(float).max
    assert below(Fraction(1, 10**400)) == 0.0


# ------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lengths": [15]}, "length 15 is not above the training length 20"),
        ({"lengths": [20]}, "length 20 is not above the training length 20"),
        ({"lengths": []}, "lengths must name at least one length above 20"),
        ({"lengths": [-3]}, "lengths must be positive integers, not -3"),
        ({"lengths": [30.5]}, "lengths must be positive integers, not 30.5"),
        ({"lengths": [True]}, "lengths must be positive integers, not True"),
        ({"train_length": 1}, "train_length must be an integer of at least 2, not 1"),
        ({"train_length": -20}, "train_length must be an integer of at least 2, not -20"),
        ({"visibility": "both"}, "visibility must be 'causal' or 'full', not 'both'"),
        ({"rule": "best"}, "unknown rule 'best'"),
        ({"task": "expr:i+1"}, "asks nothing of the new rows 20..29 at length 30"),
        ({"task": "expr:5 if i < 9 else None"}, "asks nothing of the new rows 20..29"),
        ({"task": "expr:i-1 if i >= 20 else None"}, "asks nothing at the training length 20"),
        ({"task": "expr:j"}, "contains 'j', which is unknown"),
        ({"task": "table:[0,0]"}, "the task table ends at position 1 and length 30 needs"),
        ({"task": "table:[0,1,2]"}, "table"),
        ({"encoding": "expr:[1/(i-22)]"}, "division by zero"),
        ({"encoding": "onehot:length=25"}, "position 29 is outside onehot:length=25"),
        ({"encoding": "rope:frequencies=4,base=0"}, "base of rope must be"),
        ({"encoding": "ropes"}, "unknown encoding 'ropes'"),
        ({"parameter": [1, 2]}, "the parameter of affine must be 2 rows of 2 numbers"),
        ({"parameter": np.ones(4)}, r"the parameter has the shape \(4,\); affine takes \(2, 2\)"),
        ({"parameter": np.full((2, 2), np.nan)}, "the parameter contains NaN or infinity"),
        ({"parameter": [[1, 2], [3, float("inf")]]}, "the parameter contains inf"),
        ({"parameter": np.ones((2, 2)) * 1j}, "entries of type complex128"),
        ({"parameter": [["1/0", 1], [1, 1]]}, "division by zero"),
    ],
)
def test_bad_input_gets_one_sentence(change: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {
        "encoding": "affine", "task": "previous", "train_length": 20, "lengths": [30],
    }  # fmt: skip
    asked.update(change)
    with pytest.raises(ValueError, match=message) as caught:
        alpha(asked.pop("encoding"), asked.pop("task"), **asked)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------ other float types


def test_bfloat16_flips_rows_where_exact_decides() -> None:
    result = alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[60])
    found = {check.type: check for check in cross_check(result)}
    assert found["float64"].horizon("first") is found["float64"].horizon("last") is None
    flips = found["bfloat16"].flips("first")
    assert flips and found["bfloat16"].horizon("first") == flips[0]
    outcomes = result[60].decisions.outcomes == HIT
    for row in flips:
        assert outcomes[row - 20] != found["bfloat16"].first[row - 20]


def test_ties_are_won_by_policy_only() -> None:
    """clipped attend-first ties with every offset beyond the table: the first key is the target."""
    result = alpha("clipped:length=20", "attend-first", train_length=20, lengths=[60])
    assert result[60].ties == 40
    check = cross_check(result, ["float64"])[0]
    assert check.first.all() and not check.last.any()
    assert check.flips("first") == list(range(20, 60)) and check.flips("last") == []
    assert check.horizon("first") == 20 and check.horizon("last") is None


def test_positions_beyond_float16_are_not_hits() -> None:
    """65520 is infinite in float16: cosines are NaN there, and NaN never counts."""
    n = 65_600
    result = alpha("rope:theta=[1/100000]", "self", train_length=3, lengths=[n], parameter=[1, 0])
    assert result[n].alpha == 1
    check = cross_check(result, ["float16"])[0]
    assert not check.first[-80:].any()
    assert (check.horizon("first") or n) < 65_520


def test_an_unknown_type_is_an_error() -> None:
    result = alpha("alibi", "self", train_length=3, lengths=[5], parameter=[0, -1])
    with pytest.raises(ValueError, match="unknown float type 'fp8'; known are float64"):
        cross_check(result, ["fp8"])


# ------------------------------------------------------------ certificates


@pytest.mark.parametrize(
    ("spec", "task", "visibility", "given"),
    [
        ("rope:frequencies=16", "attend-first", "causal", None),
        ("sinusoidal:dim=8", "previous", "causal", None),
        ("clipped:length=6", "attend-first", "causal", None),
        ("clamped:length=6", "previous", "causal", None),
        ("t5:bidirectional=true", "reverse", "full", None),
        ("rope:frequencies=4,scaling=yarn,factor=4,original=64", "previous", "causal", None),
        ("sinusoidal:theta=[1]", "expr:max(i-3, 0)", "full", [[-1, 0], [0, -1]]),
        ("scale:affine", "copy", "causal", None),
        ("affine", "attend-first", "causal", [["1/3", "-1/7"], [0, "-2/3"]]),
    ],
)
def test_recheck_accepts_what_is_written(
    spec: str, task: str, visibility: str, given: Any, tmp_path: Path
) -> None:
    result = alpha(
        spec, task, train_length=6, lengths=[9, 14], visibility=visibility, parameter=given
    )
    entries = write(result, tmp_path)
    assert [type(entry) for entry in entries] == [Written] * 3
    assert len(list(tmp_path.iterdir())) == 3
    assert recheck([str(tmp_path)]) == 0


def test_recheck_refuses_another_outcome(tmp_path: Path) -> None:
    result = alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30])
    entry = write(result, tmp_path)[1]
    assert isinstance(entry, Written)
    certificate = json.loads(entry.path.read_text("utf-8"))
    outcomes = certificate["subject"]["outcomes"]
    assert outcomes.count("h") == 8 and len(outcomes) == 10
    certificate["subject"]["outcomes"] = outcomes.replace("m", "h")
    entry.path.write_text(json.dumps(certificate), "utf-8")
    assert recheck([str(entry.path)]) == 1


def test_lengths_beyond_the_kernel_are_skipped_with_a_reason(tmp_path: Path) -> None:
    n = int((4 * PRODUCTS) ** 0.5)
    result = alpha("alibi", "self", train_length=3, lengths=[n], parameter=[0, -1])
    entries = write(result, tmp_path)
    assert isinstance(entries[0], Written)
    assert isinstance(entries[1], Skipped) and "too many" in entries[1].reason
    assert len(list(tmp_path.iterdir())) == 1


def test_a_parameter_is_exact() -> None:
    found = encoding("alibi")
    given = parameter(found, np.array([0.1, -1.5]))
    assert given.exact == (Fraction(0.1), Fraction(-3, 2))
    assert parameter(found, ["0.1", "-3/2"]).exact == (Fraction(1, 10), Fraction(-3, 2))
    assert parameter(found, np.array([2**60 + 1, 1])).exact == (2**60 + 1, 1)
    assert parameter(found, given).exact == given.exact
