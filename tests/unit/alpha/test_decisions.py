"""The float bound and the decisions against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.alpha.heads import ABSOLUTE, CAUSAL_ONLY, RELATIVE, heads, margin
from verify import escalation
from verify.decisions import HIT, MISS, OPEN, TIE, decide, region, settle
from verify.engines.floats import absolute, relative
from verify.engines.floats.features import features
from verify.engines.floats.gaps import Rows
from verify.engines.floats.scaling import weights
from verify.kernel import enclose
from verify.parameters import parameter
from verify.theory.encodings import Encoding, encoding
from verify.theory.tasks import rows as exact_rows
from verify.theory.tasks import task

LENGTH = 6
SIGN = {1: HIT, 0: TIE, -1: MISS}


def all_rows(visibility: str, n: int = LENGTH) -> Rows:
    """Every row with every possible target."""
    stop = {i: i + 1 if visibility == "causal" else n for i in range(n)}
    pairs = [(i, t) for i in range(n) for t in range(stop[i]) if stop[i] > 1]
    i, t = np.array(pairs, dtype=np.intp).T
    return Rows(i, t, 0 * i, np.array([stop[k] for k in i.tolist()], dtype=np.intp))


def check(found: Encoding, entries: Any, visibility: str) -> None:
    """Every row is decided as exact arithmetic decides it, and every enclosure holds."""
    w, rows = parameter(found, entries), all_rows(visibility)
    decided = decide(found, w, LENGTH, rows, visibility)
    for k, (i, t) in enumerate(zip(rows.rows.tolist(), rows.targets.tolist(), strict=True)):
        expected, (low, high) = margin(found, w.exact, i, t, LENGTH, visibility)
        assert decided.outcomes[k] == SIGN[expected], (i, t)
        least, most = decided.margin(k)
        assert least <= high and low <= most, (i, t)


@given(heads(ABSOLUTE), st.sampled_from(["causal", "full"]))
@settings(max_examples=30)
def test_absolute_rows_are_decided_as_by_exact_arithmetic(
    head: tuple[Encoding, Any], visibility: str
) -> None:
    check(*head, visibility)


@given(heads(RELATIVE), st.sampled_from(["causal", "full"]))
@settings(max_examples=30)
def test_relative_rows_are_decided_as_by_exact_arithmetic(
    head: tuple[Encoding, Any], visibility: str
) -> None:
    check(*head, visibility)


@given(heads(CAUSAL_ONLY))
@settings(max_examples=20)
def test_relative_rows_without_negative_offsets(head: tuple[Encoding, Any]) -> None:
    check(*head, "causal")


@given(heads(ABSOLUTE + RELATIVE))
@settings(max_examples=50)
def test_the_float_bound_alone_holds(head: tuple[Encoding, Any]) -> None:
    """Without escalation: what floats settle is right, and their enclosures hold."""
    found, entries = head
    w, rows = parameter(found, entries), all_rows("causal")
    if found.relative:
        gaps = relative.gaps(relative.kernel(found, w.data, LENGTH, "causal"), rows)
    else:
        table = features(found, LENGTH)
        gaps, _ = absolute.gaps(table, weights(w.data, table.exponents), rows)
    outcomes, low, high = settle(gaps)
    for k, (i, t) in enumerate(zip(rows.rows.tolist(), rows.targets.tolist(), strict=True)):
        expected, (least, most) = margin(found, w.exact, i, t, LENGTH, "causal")
        unit = Fraction(2) ** gaps.exponent
        assert Fraction(float(low[k])) * unit <= most and least <= Fraction(float(high[k])) * unit
        assert outcomes[k] in (OPEN, SIGN[expected])


@given(
    st.sampled_from(["clipped:length=3", "expr:[o, 1, o**2]", "rope:theta=[1]"]),
    st.sampled_from([40, 60, 100, 300]),
    st.sampled_from([-1, 0, 1]),
    st.fractions(-5, 5, max_denominator=1000),
)
@settings(max_examples=40)
def test_near_ties_of_relative_kernels(spec: str, k: int, direction: int, value: Fraction) -> None:
    """kappa(1) - kappa(0) = direction * 2**-k by construction, and kappa(2) is far below."""
    tiny = direction * Fraction(1, 1 << k)
    if spec.startswith("clipped"):
        entries = [value, value + tiny, value - 1]
    elif spec.startswith("expr"):  # value + (1 + tiny) o - o**2
        entries = [1 + tiny, value, Fraction(-1)]
    else:  # a cosine and a sine cannot be balanced by rationals: a tiny kernel instead
        entries = [Fraction(0), tiny]
    found = encoding(spec)
    decided = decide(found, parameter(found, entries), 3, region(task("previous"), 3))
    assert decided.outcomes[0] == SIGN[direction]
    low, high = decided.margin(0)
    if not spec.startswith("rope"):
        assert low <= tiny <= high


def test_what_floats_cannot_see_goes_to_exact_arithmetic() -> None:
    found = encoding("clipped:length=3")
    third = Fraction(1, 3)
    for k, stage in ((40, "float"), (60, "balls"), (100, "balls")):
        w = parameter(found, [third, third + Fraction(1, 1 << k), 0])
        decided = decide(found, w, 8, region(task("previous"), 8))
        assert decided.text() == "hhhhhhh"
        assert decided.stages[stage] == 7


@pytest.mark.parametrize("k", [40, 60, 100])
@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_near_ties_of_absolute_heads(k: int, direction: int) -> None:
    """Row 2 of cosine features: cos(2 - j) pulled towards key 1 by 2**-k times a one-hot column."""
    found = encoding("expr:[cos(i), sin(i), 1 if i == 0 else 0, 1 if i == 2 else 0]")
    w = np.zeros((4, 4), dtype=object)
    w[0, 0] = w[1, 1] = 1  # cos(i - j)
    w[2, 2] = Fraction(direction, 1 << k)  # in row 0 of full attention, for key 0 alone
    rows = Rows(*(np.array([x], dtype=np.intp) for x in (1, 0, 0, 3)))
    exact = parameter(found, w.tolist())
    decided = decide(found, exact, 3, rows, "full")
    assert decided.outcomes[0] == MISS  # key 1 itself wins: cos 0
    w[0, 0] = w[1, 1] = 0
    w[3, 2], w[3, 3] = Fraction(1, 3) + Fraction(direction, 1 << k), Fraction(1, 3)
    rows = Rows(*(np.array([x], dtype=np.intp) for x in (2, 0, 0, 3)))
    decided = decide(found, parameter(found, w.tolist()), 3, rows, "full")
    assert decided.outcomes[0] == SIGN[direction]
    assert decided.margin(0)[0] <= Fraction(direction, 1 << k) <= decided.margin(0)[1]


def test_formal_ties_of_cosines() -> None:
    """cos(o) is even: keys on both sides of the query tie for every row, exactly."""
    found = encoding("sinusoidal:theta=[1]")
    w = parameter(found, [[1, 0], [0, 1]])  # cos(i - j)
    n, rows = 12, all_rows("full", 12)
    decided = decide(found, w, n, rows, "full")
    for k, (i, t) in enumerate(zip(rows.rows.tolist(), rows.targets.tolist(), strict=True)):
        assert decided.outcomes[k] == (HIT if i == t else MISS)
    w = parameter(found, [[-1, 0], [0, -1]])  # largest where |i - j| is nearest to pi: both sides
    rows = Rows(*(np.array(x, dtype=np.intp) for x in ([3, 3, 3], [0, 6, 3], [0, 0, 0], [7, 7, 7])))
    decided = decide(found, w, 7, rows, "full")
    assert decided.text() == "ttm"
    assert decided.stages == {"float": 1, "balls": 0, "formal": 2}
    assert decided.margin(0) == (0, 0)


def test_large_weights_on_features_that_vanish() -> None:
    """phi = (0, 1) with W = diag(10**6, 1), where a relative bound is wrong by five orders."""
    check(encoding("sinusoidal:theta=[1]"), np.diag([1e6, 1.0]), "causal")


def test_features_far_out_are_within_their_bound() -> None:
    """Where i * theta has lost 18 bits, and sines of float phases with it."""
    found, n = encoding("sinusoidal:frequencies=16,base=10000"), 1 << 18
    table = features(found, n)
    for position in (n - 1, n - 777, 99991):
        for value, exact in zip(table.values[position], found.features(position, n), strict=True):
            low, high = (Fraction(end, 1 << 200) for end in enclose(exact, 200))
            error = max(abs(Fraction(float(value)) - low), abs(Fraction(float(value)) - high))
            assert error < Fraction(float(table.absolute[0]))
    naive = np.sin((n - 1) * 10000.0 ** (-np.arange(16) / 16))
    assert np.abs(naive - table.values[n - 1, :16]).max() > 100 * table.absolute[0]


@given(st.integers(1, 40), st.integers(0, 30), st.sampled_from(["causal", "full"]))
@example(1, 0, "causal")
@settings(max_examples=60)
def test_region_is_the_theory_s(n: int, start: int, visibility: str) -> None:
    for spec in (
        "previous", "skip:k=3", "attend-first", "attend:p=4", "copy", "reverse", "decimate:q=3",
        "next", "self", "expr:i//2", "expr:i-2 if i%2 == 1 else None",
    ):  # fmt: skip
        found = region(task(spec), n, visibility, start)
        expected = [(i, t) for i, t in exact_rows(task(spec), n, visibility) if i >= start]
        assert list(zip(found.rows.tolist(), found.targets.tolist(), strict=True)) == expected


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The streamed gaps equal those of one dense product, whatever the block's size divides."""
    found, n = encoding("learned:dim=7,seed=1"), 700
    w = np.random.default_rng(3).normal(size=(7, 7))
    table, rows = features(found, n), region(task("copy"), n)
    gaps, _ = absolute.gaps(table, weights(w, table.exponents), rows)
    logits = table.values @ w @ table.values.T
    for k, (i, t) in enumerate(zip(rows.rows.tolist(), rows.targets.tolist(), strict=True)):
        others = np.delete(logits[i, : i + 1], t)
        dense = logits[i, t] - others.max()
        assert abs(dense - gaps.gap[k] * 2.0**gaps.exponent) < 1e-12


@pytest.mark.parametrize(
    ("spec", "zero"),
    [("sinusoidal:dim=32", np.zeros((32, 32))), ("rope:frequencies=16", np.zeros(32))],
)
def test_parameters_that_are_zero_tie_everywhere(spec: str, zero: np.ndarray) -> None:
    """And floats settle it: with all pairs left to exact arithmetic this would take minutes."""
    found, n = encoding(spec), 3000
    decided = decide(found, parameter(found, zero), n, region(task("previous"), n))
    assert decided.count(TIE) == decided.stages["float"] == n - 1
    assert decided.smallest() == (0, 0)


def test_ignored_columns_cost_no_exactness() -> None:
    """All logits are the first feature's square, 1: exact, although the cosine is rounded."""
    found, n = encoding("expr:[1, cos(i)]"), 200
    decided = decide(found, parameter(found, [[1, 0], [0, 0]]), n, region(task("previous"), n))
    assert decided.count(TIE) == decided.stages["float"] == n - 1
    found = encoding("expr:[1, cos(o)]")
    decided = decide(found, parameter(found, [1, 0]), n, region(task("previous"), n))
    assert decided.count(TIE) == decided.stages["float"] == n - 1


def test_equal_relative_comparisons_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """cos(o) ties offsets 3 and -3 in every row: one formal zero test serves them all."""
    found, n, asked = encoding("rope:theta=[1]"), 400, []
    margin_of = escalation.margin

    def counted(*arguments: Any) -> Any:
        asked.append(arguments)
        return margin_of(*arguments)

    monkeypatch.setattr(escalation, "margin", counted)
    i = np.arange(4, n - 4)
    window = Rows(i, i - 3, i - 3, i + 4)
    decided = decide(found, parameter(found, [-1, 0]), n, window, "full")
    assert decided.count(TIE) == decided.stages["formal"] == n - 8
    assert len(asked) == 1


def test_no_row_is_an_error() -> None:
    rows = region(task("previous"), 1)
    with pytest.raises(ValueError, match="there is no row to decide at length 1"):
        decide(encoding("affine"), parameter(encoding("affine"), [[0, 0], [0, 0]]), 1, rows)
