"""The numbers under an audit: types and rounding, exact waves, models, layouts, sampling."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.audit.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, float_type, round_to, ulp
from verify.audit.families.collisions import classes
from verify.audit.layouts import published, recognise
from verify.audit.models import default_model, model
from verify.audit.precise import Double, ball, from_fractions, precision, waves
from verify.audit.sampling import first_failure, positions
from verify.audit.specifications import (
    SLOPE_RULES,
    Buckets,
    Waves,
    published_slopes,
    specification,
)

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(finite)
def test_rounding_to_numpy_types_is_numpys(x):
    with np.errstate(over="ignore"):
        assert round_to(x, FLOAT32) == np.float64(np.float32(x))
        assert round_to(x, FLOAT16) == np.float64(np.float16(x))
    assert round_to(x, FLOAT64) == x


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_rounding_to_bfloat16_is_that_of_ml_dtypes(x):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with np.errstate(over="ignore"):
        assert round_to(x, BFLOAT16) == np.float64(ml_dtypes.bfloat16(np.float32(x)))


def test_rounding_once_where_rounding_twice_differs():
    halfway = 1 + 2.0**-8 + 2.0**-40  # float32 would lose the last term and tie to even
    assert round_to(halfway, BFLOAT16) == 1 + 2.0**-7


@given(finite.filter(lambda x: 1e-300 < abs(x) < 1e308))
def test_ulp_is_the_spacing(x):
    assert ulp(x, FLOAT64) == np.spacing(abs(x))
    if 1e-30 < abs(x) < 1e30:
        below = np.float32(2.0 ** np.floor(np.log2(abs(x))))
        assert ulp(float(below), FLOAT32) == np.spacing(below)


def test_ulp_at_zero_and_of_subnormal_numbers():
    assert ulp(0.0, FLOAT32) == 2.0**-149
    assert ulp(2.0**-140, FLOAT32) == 2.0**-149
    assert ulp(1.0, BFLOAT16) == 2.0**-7
    assert ulp([1.0, 2.0], FLOAT16).tolist() == [2.0**-10, 2.0**-9]


def test_names_of_types():
    assert float_type("bf16") is BFLOAT16
    assert float_type("half") is FLOAT16
    with pytest.raises(ValueError, match="dtype 'int8' is not one of float64"):
        float_type("int8")


small = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)


@given(small, small)
def test_double_arithmetic_against_rationals(a, b):
    x, y = from_fractions([a]), from_fractions([b])
    for found, right in ((x + y, a + b), (x - y, a - b), (x * y, a * b)):
        assert abs(found.fraction(0) - right) <= abs(a * b) * Fraction(1, 2**98) + Fraction(
            1, 2**85
        )


@given(st.integers(-(10**6), 10**6), st.integers(0, 15))
def test_waves_against_mpmath(position, k):
    with precision():
        theta = ball(10000) ** (ball(-k) / 16)
    cosine, sine = waves([theta], np.array([position]))
    with mpmath.workprec(200):
        angle = position * mpmath.mpf(10000) ** (mpmath.mpf(-k) / 16)
        for found, right in ((cosine, mpmath.cos(angle)), (sine, mpmath.sin(angle))):
            got = mpmath.mpf(float(found.high[0, 0])) + mpmath.mpf(float(found.low[0, 0]))
            assert abs(got - right) < mpmath.mpf(2) ** -98


def test_the_error_of_an_observed_value_survives_cancellation():
    exact = from_fractions([Fraction(1, 3)])
    nearest = 1 / 3
    right = float(Fraction(nearest) - Fraction(1, 3))
    assert exact.error_of([nearest])[0] == pytest.approx(right, rel=1e-12)
    assert right != 0


def test_models():
    assert default_model(BFLOAT16).phase is FLOAT32
    assert default_model(FLOAT64).phase is FLOAT64
    declared = model("float32 phase, then cast to bfloat16", FLOAT32)
    assert (declared.phase, declared.output) == (FLOAT32, BFLOAT16)
    assert model("bfloat16 product", FLOAT32).phase is BFLOAT16
    assert model("float32 frequency, bfloat16 positions", None).phase is BFLOAT16
    assert model("float16", FLOAT16).phase is FLOAT16
    for bad in ("a b c", "bfloat16 gears", "float9 phase", ""):
        with pytest.raises(ValueError, match=r"not understood|is not one of"):
            model(bad, None)


def test_the_bound_is_an_ulp_and_a_share_of_the_angle():
    bound = default_model(FLOAT32).bound(np.array([1.0, 0.0]), np.array([0.0, 1024.0]))
    assert bound[0] == 2.0**-23
    assert bound[1] == pytest.approx(1024 * 16 * 2.0**-24)


THETA = 10000.0 ** (-np.arange(4) / 4)
GRID = np.outer(np.arange(64), THETA)
TRUTH = np.hstack([np.cos(GRID), np.sin(GRID)])


@pytest.mark.parametrize("index", range(8))
def test_published_layouts_are_told_apart(index):
    name, order = published(4, 8)[index]
    found = recognise(TRUTH[:, order], TRUTH, 8)
    assert found is not None
    assert found.name == name
    assert found.factor == 1


@given(st.permutations(range(8)), st.lists(st.sampled_from([1.0, -1.0]), min_size=8, max_size=8))
def test_any_permutation_with_signs_is_recognised(order, signs):
    found = recognise(2 * np.array(signs) * TRUTH[:, list(order)] / 2, TRUTH, 8)
    assert found is not None
    assert found.error < 1e-12
    assert (found.signs * TRUTH[:, found.order] == np.array(signs) * TRUTH[:, list(order)]).all()


def test_a_common_factor_is_taken_out_only_if_it_explains_the_values():
    found = recognise(1.25 * TRUTH, TRUTH, 8)
    assert found is not None
    assert found.factor == pytest.approx(1.25)
    noisy = recognise(TRUTH * np.linspace(1, 1.5, 64)[:, None], TRUTH, 8)
    assert noisy is not None
    assert noisy.factor == 1
    assert recognise(TRUTH[:, :5], TRUTH, 8) is None


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_classes_are_the_groups_of_equal_rows(labels):
    table = np.array([[0.1 * x, -0.0 if x else 0.0] for x in labels])
    found = [group.tolist() for group in classes(table)]
    right = [[i for i, y in enumerate(labels) if y == x] for x in sorted(set(labels))]
    assert found == sorted((group for group in right if len(group) > 1), key=lambda g: g[0])


def test_classes_of_rationals_and_of_nan():
    table = np.empty((3, 1), dtype=object)
    table[:, 0] = [Fraction(1, 3), Fraction(1), Fraction(1, 3)]
    assert [group.tolist() for group in classes(table)] == [[0, 2]]
    assert classes(np.full((3, 2), np.nan)) == []
    assert [group.tolist() for group in classes(np.array([[0.0], [1.0], [-0.0]]))] == [[0, 2]]


@given(st.integers(1, 3_000_000))
def test_sampled_positions(length):
    found = positions(length, exhaustive=4096)
    assert (np.diff(found) > 0).all()
    assert found[0] == 0
    assert found[-1] == length - 1
    assert len(found) <= 12_000
    if length > 4096:
        powers = [1 << k for k in range(1, length.bit_length()) if 1 << k < length - 1]
        assert {*powers, *(p + 1 for p in powers)} <= set(found.tolist())


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_the_first_failure_of_a_lasting_fault(good, gap):
    start = good + 1 + gap // 2
    asked = []

    def fails(where):
        asked.extend(where.tolist())
        return where >= start

    assert first_failure(good, good + gap + 1, fails) == start
    assert len(asked) <= 4096 + 64


def test_slope_rules():
    for heads in (1, 2, 4, 8, 16, 32, 64, 128):
        assert {rule(heads) for rule in SLOPE_RULES.values()} == {published_slopes(heads)}
    twelve = published_slopes(12)
    assert twelve[8:] == tuple(Fraction(-k, 2) for k in (1, 3, 5, 7))
    assert len({*twelve}) == 12


@pytest.mark.parametrize("heads", range(1, 33))
def test_slopes_are_those_of_the_exact_encoding(heads):
    from verify.theory.encodings import Alibi
    from verify.theory.text import value

    for head, exponent in enumerate(published_slopes(heads)):
        assert value(Alibi(heads, head).slope) == pytest.approx(2.0 ** float(exponent), rel=1e-15)


def test_specifications():
    yarn = specification("rope:dim=64,scaling=yarn,factor=4,original=4096")
    assert isinstance(yarn, Waves)
    assert yarn.factors[0][0].startswith("YaRN")
    dynamic = specification("rope:dim=4,scaling=dynamic,factor=2,original=2048")
    assert isinstance(dynamic, Waves)
    assert [float(dynamic.base(n) or 0) for n in (100, 2048, 3072, 4096)] == [1e4, 1e4, 4e4, 9e4]
    buckets = specification("t5:buckets=16,max_distance=128")
    assert isinstance(buckets, Buckets)
    assert [buckets.bucket(n) for n in (7, 8, 90, 91, 127, 128, 10**6)] == [
        7,
        8,
        14,
        15,
        15,
        15,
        15,
    ]
    paper = specification("sinusoidal:dim=6")
    assert isinstance(paper, Waves)
    (other,) = paper.alternatives
    assert float(paper.frequencies(1)[2]) == pytest.approx(10000.0 ** (-2 / 3))
    assert float(other.frequencies(1)[2]) == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rope:dim=6,scaling=dynamic,factor=2", "needs original"),
        ("rope:dim=2,scaling=dynamic,factor=2,original=9", "must be even and 4 at least"),
        (
            "sinusoidal:dim=8,convention=mine",
            "convention 'mine' is not one of paper, tensor2tensor",
        ),
        ("alibi:heads=4,head=4", "from 0 to 3"),
        ("rope:dim=8,scaling=cubic", "did you mean|is unknown"),
    ],
)
def test_bad_specifications(text, words):
    with pytest.raises(ValueError, match=words):
        specification(text)


def test_features_of_other_encodings_come_from_the_theory():
    table = specification("polynomial:degree=2").truth(np.array([0, 3, 10**9]), 10**9 + 1).values
    assert isinstance(table, Double)
    assert [table.fraction(2, c) for c in range(3)] == [1, 10**9, 10**18]
