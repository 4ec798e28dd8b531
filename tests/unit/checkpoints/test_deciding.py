"""Ties, margins far below float64's resolution, and bounds, for heads of position tables."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.checkpoints import synthetic
from verify.checkpoints import channels, deciding, heads, horizons, matching
from verify.checkpoints.carrying import carry, geometry
from verify.checkpoints.exact import Exact, Row, Vector, integers, root, sign
from verify.checkpoints.layouts import Norm, Projections
from verify.decisions import HIT, MISS, TIE, region
from verify.engines.floats import narrow
from verify.parameters import parameter
from verify.theory.encodings import encoding
from verify.theory.tasks import task
from verify.transfer import transfer

SMALL = st.integers(-4, 4)
RATIONAL = st.fractions(-3, 3, max_denominator=7)


@given(RATIONAL, RATIONAL, st.fractions(0, 5, max_denominator=9))
def test_signs_with_a_root(a: Fraction, b: Fraction, square: Fraction) -> None:
    low, high = root(square, 200)
    ends = sorted((a + b * low, a + b * high))
    expected = 1 if ends[0] > 0 else -1 if ends[1] < 0 else 0
    assert sign(a, b, square) == expected
    assert low**2 <= square <= high**2


@given(st.lists(st.floats(-(2.0**99), 2.0**99), min_size=1, max_size=8))
def test_integers_are_exact(values: list[float]) -> None:
    found, shift = integers(np.array(values))
    assert [x * Fraction(2) ** -shift for x in found] == list(map(Fraction, values))


def source(positions: Any) -> channels.Inputs:
    table = np.float64(positions)
    rows = lambda i: Row(Vector(*integers(table[i])), Fraction(1))  # noqa: E731
    return channels.Inputs(table, np.zeros(len(table)), np.zeros(table.shape[1]), rows)


def decided(found: channels.Inputs, head: Projections, spec: str, visibility: str) -> Any:
    q = channels.table(found, head.query, head.query_bias)
    k = channels.table(found, head.key, head.key_bias)
    peaks = deciding.peaks(q.values, k.values, visibility)
    rows = region(task(spec), len(found.values), visibility)
    return deciding.decide(q, k, peaks, rows, lambda: channels.exact(found, head))


def plain(query: Any, key: Any) -> Projections:
    q, k = np.float64(query), np.float64(key)
    return Projections(q, np.zeros(len(q)), k, np.zeros(len(k)))


@settings(max_examples=60, deadline=None)
@given(
    st.data(), st.sampled_from(["causal", "full"]), st.sampled_from(["previous", "self", "next"])
)
def test_small_integers_against_plain_counting(data: Any, visibility: str, spec: str) -> None:
    draw = lambda *shape: np.array(  # noqa: E731
        data.draw(st.lists(SMALL, min_size=math.prod(shape), max_size=math.prod(shape)))
    ).reshape(shape)
    x, q, k = draw(6, 3), draw(2, 3), draw(2, 3)
    if spec == "next" and visibility == "causal":
        return
    found = decided(source(x), plain(q, k), spec, visibility)
    logits = (x @ q.T) @ (x @ k.T).T
    for n, (i, t) in enumerate(zip(found.rows.rows, found.rows.targets, strict=True)):
        seen = [j for j in range(6) if j != t and (visibility == "full" or j <= i)]
        margin = int(logits[i, t] - logits[i, seen].max())
        assert found.outcomes[n] == (HIT if margin > 0 else MISS if margin < 0 else TIE)
        low, high = found.margin(n)
        assert low <= margin <= high


@pytest.mark.parametrize("direction", [1, 0, -1])
def test_margins_below_the_resolution_of_float64(direction: int) -> None:
    x = np.eye(3)
    key = np.array([[1.0, 1.0 + direction * 2.0**-52, 0.0]]) * 3.0
    query = np.array([[2.0**40 + 1] * 3])
    # a second channel cancels most of both logits and leaves direction * 2**-60
    head = plain(
        np.vstack([query, query]),
        np.vstack([key, -np.array([[3.0, 3.0 + direction * (3 * 2.0**-52), 0.0]])]),
    )
    head.key[1, 1] += direction * 2.0**-100 if direction else 0.0
    found = decided(source(x), head, "attend:p=1", "full")
    expected = {1: HIT, 0: TIE, -1: MISS}
    exact = [Fraction(a) + Fraction(b) for a, b in zip(*head.key.tolist(), strict=True)]
    gap = (exact[1] - max(exact[0], exact[2])) * Fraction(2**40 + 1)
    assert found.stages["balls"] == 3
    assert {found.margin(n) for n in range(3)} == {(gap, gap)}
    assert set(found.outcomes) == {HIT if gap > 0 else MISS if gap < 0 else TIE}
    assert direction or set(found.outcomes) == {expected[0]}


def test_rounded_sums_mislead_floats_but_no_decision() -> None:
    """2**60 + 1 - 2**60 is 0 in float64, in any order but one; the target has 1/2, a rival 1/4."""
    big = 2.0**60
    keys = np.array([[big, 1, -big], [0.5, 0, 0], [0.25, 0, 0], [big, -1, -big]]).T
    head = plain(np.ones((3, 4)), keys)
    found = decided(source(np.eye(4)), head, "attend:p=1", "full")
    assert set(found.outcomes) == {MISS} and found.stages["balls"] == 4
    assert {found.margin(k) for k in range(4)} == {(Fraction(-1, 2), Fraction(-1, 2))}
    found = decided(source(np.eye(4)), head, "attend-first", "full")
    assert set(found.outcomes) == {HIT} and {found.margin(k)[0] for k in range(4)} == {0.5}


def norm(d: int) -> Norm:
    return Norm(np.full(d, 3.0), np.full(d, 0.5), Fraction(1, 1000))


def test_ties_under_a_layer_norm_are_found_formally() -> None:
    # keys 0 and 2 are one vector; 1 and 3 are a permutation that the projections cannot tell apart
    x = np.array([[1.0, 2, 4, 7], [1, 2, 7, 4], [1.0, 2, 4, 7], [1, 2, 4, 7]])
    x[3] = [1, 2, 7, 4]
    found = channels.normed(x, np.array([0.25, 0, 0, 0]), norm(4))
    head = plain([[1.0, 0, 1, 1]], [[0.0, 1, 3, 3]])
    result = decided(found, head, "attend:p=2", "full")
    assert set(result.outcomes) == {TIE} and result.stages["balls"] == 4
    assert {result.margin(k) for k in range(4)} == {(0, 0)}


@pytest.mark.parametrize("power", [-30, -48, -200])
def test_near_ties_under_a_layer_norm(power: int) -> None:
    x = np.array([[1.0, 2, 4, 0], [1, 2, 4, 0], [3, 1, 0, 1]])
    x[1, 3] += 2.0**power
    content = np.array([0.25, 0, 0, 0])
    head = Projections(*map(np.float64, ([[1, 0, 1, 1]], [2], [[0, 1, 3, -3]], [1])))
    exact = channels.exact(channels.normed(x, content, norm(4)), head)
    with mpmath.workdps(200):

        def input_row(i: int) -> list[Any]:
            row = [mpmath.mpf(a) + b for a, b in zip(x[i].tolist(), content.tolist(), strict=True)]
            mean = sum(row) / 4
            variance = sum((e - mean) ** 2 for e in row) / 4
            s = mpmath.sqrt(variance + mpmath.mpf(1) / 1000)
            return [3 * (e - mean) / s + mpmath.mpf(0.5) for e in row]

        def by_hand(i: int, j: int) -> Any:
            (a, b), (q, k) = (input_row(i), input_row(j)), (head.query[0], head.key[0])
            left = sum(int(w) * e for w, e in zip(q, a, strict=True)) + 2
            return left * (sum(int(w) * e for w, e in zip(k, b, strict=True)) + 1)

        for i in range(3):
            low, high = exact.gap(i, 0, 1)
            wanted = by_hand(i, 0) - by_hand(i, 1)
            assert low > 0 or high < 0
            ends = [mpmath.mpf(e.numerator) / e.denominator for e in (low, high)]
            assert ends[0] <= wanted <= ends[1]
            assert 0 < abs(wanted) < 2.0 ** (power + 8)


@pytest.mark.parametrize("shift", [0, Fraction(1, 3), Fraction(-5)])
def test_ties_between_rows_of_different_norms(shift: Fraction) -> None:
    """1 / sqrt(2) = 2 / sqrt(8), and 1 / sqrt(2) > 2 / sqrt(9)."""
    rows = [Row(Vector([u], 0), Fraction(s)) for u, s in ((1, 2), (2, 8), (2, 9), (7, 5))]
    exact = Exact(rows.__getitem__, ([[1]], 0), ([[1]], 0), (Fraction(shift),), (Fraction(0),))
    for i in range(4):
        assert exact.gap(i, 0, 1) == exact.gap(i, 1, 0) == (0, 0)
        query = 1 if shift >= 0 else -1  # 7 / sqrt(5) < 5
        low, high = exact.gap(i, 0, 2)
        assert low > 0 if query > 0 else high < 0


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_error_bounds_cover_exact_tables(seed: int) -> None:
    """Of the inputs, of tables of exact inputs, and of both together; and they are not loose."""
    g = np.random.default_rng(seed)
    x, content = g.normal(size=(5, 6)), g.normal(size=6)
    normed = channels.normed(x, content, Norm(g.normal(size=6), g.normal(size=6), Fraction(1, 9)))
    head = Projections(*(g.normal(size=s) for s in ((2, 6), 2, (2, 6), 2)))
    for i in range(5):
        row = normed.row(i)
        s = root(row.square, 300)[0]
        unit = Fraction(2) ** -row.u.shift
        entries = [u * unit / s + Fraction(b) for u, b in zip(row.u.entries, normed.shift.tolist(),
                                                              strict=True)]  # fmt: skip
        assert distance(normed.values[i], entries) <= normed.error[i] < 1e-13
    for found in (normed, source(x)):
        table = channels.table(found, head.query, head.query_bias)
        exact = channels.exact(found, head)
        for i in range(5):
            vector, square = exact.project("query", i)
            s = root(square, 300)[0]
            entries = [a / s + b for a, b in zip(vector, exact.query_shift, strict=True)]
            assert distance(table.values[i], entries) <= table.error[i] < 1e-12


def test_errors_of_inputs_and_of_tables_reach_the_gap() -> None:
    """Inputs that may be off by 1/4, moved so far in the direction that W stretches most."""
    x, weight = np.array([[1.0, 0], [0, 1]]), np.array([[3.0, 4.0]])
    loose = channels.Inputs(x, np.full(2, 0.25), np.zeros(2), source(x).row)
    table = channels.table(loose, weight, np.zeros(1))
    moved = (x + 0.25 * weight / 5) @ weight.T
    assert (table.error >= np.abs(moved - table.values)[:, 0]).all()
    exact = channels.table(source(x), weight, np.zeros(1))
    rows = region(task("self"), 2, "full")
    for queries, keys in ((table, exact), (exact, table), (table, table)):
        peaks = deciding.peaks(queries.values, keys.values, "full")
        found = deciding.gaps(queries, keys, peaks, rows)
        for k in range(2):  # every corner of what the errors allow
            q = queries.values[k, 0] + queries.error[k] * np.array([-1, 1])
            own = keys.values[k, 0] + keys.error[k] * np.array([-1, 1])
            other = keys.values[1 - k, 0] + keys.error[1 - k] * np.array([-1, 1])
            corners = [a * (b - c) for a in q for b in own for c in other]
            assert max(abs(c - found.gap[k]) for c in corners) <= found.error[k]


def distance(values: Any, exact: list[Fraction]) -> float:
    return math.hypot(
        *(float(Fraction(v) - e) for v, e in zip(values.tolist(), exact, strict=True))
    )


# ------------------------------------------------------------ tasks


@pytest.mark.parametrize(
    ("key", "visibility", "wanted"),
    [
        ([0, 0, 1, 2], "causal", "previous"),
        ([1, 2, 3, 3], "full", "next"),
        ([2, 3, 3, 3], "full", "attend:p=3"),
        ([2, 3, 4, 5, 0, 0], "full", "expr:i + 2"),
        ([0, 1, 0, 1, 2, 3], "causal", "skip:k=2"),
        ([0, 1, 2, 0], "causal", "self"),
        ([0, 0, 0, 0], "causal", "attend-first"),
        ([3, 3, 3, 3], "full", "attend:p=3"),
        ([0, 0, 2], "causal", "self"),  # row 0 sees one key: self and previous have one row each
    ],
)
def test_closest_task(key: list[int], visibility: str, wanted: str) -> None:
    found = matching.closest(np.array(key), visibility)
    assert found == wanted == task(found).spec


# ------------------------------------------------------------ float types


@pytest.mark.parametrize("kind", narrow.TYPES)
def test_types_agree_with_the_engine_for_one_table(kind: str) -> None:
    """q_i . k_j with Wq = I is phi(i)^T W phi(j), which `narrow` computes in the same steps."""
    g = np.random.default_rng(5)
    x, w = g.integers(-3, 4, size=(9, 4)).astype(float), g.normal(size=(4, 4)).astype(np.float16)
    rows = region(task("previous"), 9)
    head = plain(np.float64(w).T, np.eye(4))
    found = horizons.picks(source(x), head, rows.rows, False, kind)
    table = f"table:absolute:{[[int(e) for e in r] for r in x]}"
    basis = encoding(table)
    wanted = narrow.picks(basis, parameter(basis, np.float64(w)).nearest, 9, rows, "causal", kind)
    assert found.first.tolist() == wanted.first.tolist()
    assert found.last.tolist() == wanted.last.tolist()


def test_overflow_picks_nothing() -> None:
    head = plain(np.eye(2) * 3000, np.eye(2) * 3000)
    x = source([[100.0, -100], [100, 100], [-100, 100]])
    found = horizons.picks(x, head, np.arange(3), True, "float16")
    assert set(found.first) | set(found.last) <= {-1, 0, 1, 2} and -1 in found.first


# ------------------------------------------------------------ how far tables carry


@pytest.mark.parametrize(("spec", "visibility"), [("previous", "causal"), ("next", "full")])
def test_free_rows_are_those_of_transfer(spec: str, visibility: str) -> None:
    g = np.random.default_rng(6)
    x = g.integers(-4, 5, size=(6, 5)).astype(float)
    found = carry(geometry(x, 3), spec, visibility)
    table = f"table:absolute:{[[int(e) for e in r] for r in x]}"
    wanted = transfer(table, spec, train_length=3, length=6, visibility=visibility)
    kinds = {row.row: row.kind for row in wanted.rows}
    assert found.free + len(found.open) == len(kinds) and found.free > 0
    assert all(kind == "free" for i, kind in kinds.items() if i not in found.open)


def test_repeated_rows_are_open_and_dependent_training_rows_leave_all_open() -> None:
    x = np.eye(6)
    x[4] = x[3]
    found = carry(geometry(x, 2), "previous", "causal")
    assert found.free == 2 and found.open == (4, 5) and not found.decided  # targets 3 and 4
    x = np.vstack([np.eye(3), np.eye(3)[:1] + 1])
    x[1] = x[0] * 2
    found = carry(geometry(x, 2), "previous", "causal")
    assert not found.independent and found.free == 0 and found.open == (2, 3)
    assert found.to_json()["alpha_forced"] is None


def test_a_row_in_the_span_is_not_called_free() -> None:
    x = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
    found = carry(geometry(x, 2), "self", "full")
    assert 2 in found.open
    with pytest.raises(ValueError, match="train must be from 2 to 3, not 4"):
        geometry(x, 4)


def test_carries_of_a_checkpoint(tmp_path: Path) -> None:
    folder = synthetic.save(tmp_path, *synthetic.bert(n=7, d=8))
    found = heads(folder, train_length=4)
    assert found.carries and all(c.decided for c in found.carries)
    assert found.to_json()["carries"][0]["alpha_possible"] == "1"
