"""Each part of the float bound by itself, where nothing else can hide that it is missing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.unit.alpha.heads import ABSOLUTE, CAUSAL_ONLY, RELATIVE
from verify.decisions import region
from verify.engines.floats import absolute, relative
from verify.engines.floats.features import features
from verify.engines.floats.gaps import Gaps, Rows
from verify.engines.floats.scaling import UNIT, units, weights
from verify.kernel import enclose
from verify.parameters import parameter
from verify.theory.encodings import encoding
from verify.theory.heads import logit
from verify.theory.tasks import task

EXTRA = [
    "polynomial:degree=30", "scale:polynomial:degree=9", "alibi:heads=2,head=1",
    "sinusoidal:frequencies=16,base=10000", "rope:frequencies=8,scaling=yarn,factor=8,original=64",
    "rope:frequencies=8,scaling=llama3,factor=8,original=64", "expr:[1/(i+1)**60, i**60/7]",
]  # fmt: skip


@pytest.mark.parametrize("spec", [*ABSOLUTE, *RELATIVE, *CAUSAL_ONLY, *EXTRA])
def test_every_feature_is_within_its_bound(spec: str) -> None:
    found, n = encoding(spec), 9
    full = found.relative and spec not in CAUSAL_ONLY
    table = features(found, n, "full" if full else "causal")
    for k in range(table.count):
        row = k if table.index is None else int(table.index[k])
        for a, exact in enumerate(found.features(table.first + k, n)):
            value = Fraction(float(table.values[row, a]))
            bound = Fraction(float(table.absolute[a])) + Fraction(float(table.relative[a])) * abs(
                value
            )
            unit = Fraction(2) ** int(table.exponents[a])
            # Features of degree 60 need 400 bits before the point and 400 after it.
            low, high = (Fraction(end, 1 << 800) / unit for end in enclose(exact, 800))
            assert low - bound <= value <= high + bound, (k, a)


@pytest.mark.parametrize("n", [2, 33, 1000])
def test_mirrored_waves_are_those_of_the_offsets(n: int) -> None:
    found = encoding("rope:frequencies=3")
    full, half = features(found, n, "full").values, features(found, n).values
    assert np.array_equal(full[n - 1 :], half)
    assert np.array_equal(full[: n - 1, :3], half[:0:-1, :3])
    assert np.array_equal(full[: n - 1, 3:], -half[:0:-1, 3:])


def test_products_alone() -> None:
    """Exact features and parameter: only the two products round, and they do."""
    found, n = encoding("learned:dim=32,seed=2"), 40
    w = np.random.default_rng(0).normal(size=(32, 32))
    table, rows = features(found, n), region(task("previous"), n)
    gaps, _ = absolute.gaps(table, weights(w, table.exponents), rows)
    entries = np.array([found.numerators(i) for i in range(n)], dtype=object)
    dyadic = np.array([[int(Fraction(x) * 2**80) for x in row] for row in w.tolist()], dtype=object)
    assert all(int(x) == Fraction(y) * 2**80 for x, y in zip(dyadic.flat, w.flat, strict=True))
    logits = entries @ dyadic @ entries.T
    worst = 0.0
    for k, i in enumerate(rows.rows.tolist()):
        best = max(logits[i, j] for j in range(i + 1) if j != i - 1)
        exact = Fraction(int(logits[i, i - 1] - best), 2**120) / Fraction(2) ** gaps.exponent
        error = abs(exact - Fraction(float(gaps.gap[k])))
        assert error <= Fraction(float(gaps.error[k]))
        worst = max(worst, float(error) / (UNIT * abs(float(exact))))
    assert worst > 2  # so that the rounding of the last difference alone does not explain it


def test_an_absolute_feature_error_is_not_a_relative_one() -> None:
    """sin(355) is 3e-5, so its absolute error counts, times a large weight: phi = (~0, 1)."""
    found, n, i = encoding("sinusoidal:theta=[1]"), 356, 355
    w = parameter(found, [[2**40, 0], [0, 1]])
    table = features(found, n)
    target = 33  # sin(33) = 0.9999 and sin(11) = -0.9999 make the gap as large as it can be
    rows = Rows(*(np.array([x], dtype=np.intp) for x in (i, target, 0, n)))
    gaps, _ = absolute.gaps(table, weights(w.data, table.exponents), rows)
    exact = logit(found, w.exact, i, target, n) - max(
        (logit(found, w.exact, i, j, n) for j in range(n) if j != target),
        key=lambda p: enclose(p, 200)[0],
    )
    low, high = (
        Fraction(end, 1 << 300) / Fraction(2) ** gaps.exponent for end in enclose(exact, 300)
    )
    gap, error = Fraction(float(gaps.gap[0])), Fraction(float(gaps.error[0]))
    assert gap - error <= low and high <= gap + error
    relative_only = 40 * UNIT * abs(float(gap))  # what |phi| |W| |phi| alone would give
    assert abs(float(low) - float(gap)) > relative_only


def test_relative_products_alone() -> None:
    """A kernel of 31 columns against integers."""
    formulas = ", ".join(f"(o*{k * k + 3} + {k}) % 1009" for k in range(31))
    found, n = encoding(f"expr:[{formulas}]"), 60
    w = np.random.default_rng(1).normal(size=31)
    kernel = relative.kernel(found, w, n, "causal")
    worst = 0.0
    for o in range(n):
        exact = (
            sum(
                Fraction(x) * e.constant()  # type: ignore[operator]
                for x, e in zip(w.tolist(), found.features(o, n), strict=True)
            )
            / Fraction(2) ** kernel.exponent
        )
        error = abs(exact - Fraction(float(kernel.values[o])))
        assert error <= Fraction(float(kernel.error[o]))
        worst = max(worst, float(error) / (UNIT * abs(float(exact))))
    assert worst > 1


@pytest.mark.parametrize("visibility", ["causal", "full"])
def test_rotary_kernels_alone(visibility: str) -> None:
    """The factored kernel of 16 frequencies, far out, against balls."""
    found, n = encoding("rope:frequencies=16"), 3000
    w = parameter(found, np.random.default_rng(1).normal(size=32))
    kernel = relative.kernel(found, w.data, n, visibility)
    unit = Fraction(2) ** kernel.exponent
    for o in (0, 1, 63, 64, 65, 1023, 2048, n - 1):
        for offset in {o, -o} if visibility == "full" else {o}:
            exact = logit(found, w.exact, max(offset, 0), max(-offset, 0), n)
            low, high = (Fraction(end, 1 << 200) / unit for end in enclose(exact, 200))
            value = Fraction(float(kernel.values[offset - kernel.first]))
            error = Fraction(float(kernel.error[offset - kernel.first]))
            assert low - error <= value <= high + error
            assert error < Fraction(1, 10**14) * 32


def test_small_integers_have_no_error() -> None:
    """-(i - 1 - j)**2: integers far below 2**53, so every margin is exactly 1."""
    found, n = encoding("polynomial:degree=2"), 2000
    w = parameter(found, [[-1, -2, -1], [2, 2, 0], [-1, 0, 0]])
    table = features(found, n)
    gaps, _ = absolute.gaps(table, weights(w.data, table.exponents), region(task("previous"), n))
    assert (gaps.error == 0).all()
    assert (gaps.gap * 2.0**gaps.exponent == 1).all()


def test_large_integers_have_an_error() -> None:
    """Beyond 2**52 units exactness is not claimed."""
    found, n = encoding("polynomial:degree=2"), 40
    w = parameter(found, [[0, 0, 0], [0, 0, 0], [2**45 + 1, 0, 1]])
    table = features(found, n)
    gaps: Gaps = absolute.gaps(
        table, weights(w.data, table.exponents), region(task("previous"), n)
    )[0]
    assert gaps.error[-1] > 0


def test_units_are_lowest_bits() -> None:
    assert units(np.array([[6.0, 0.75], [4.0, 0.0]]), axis=0).tolist() == [2.0, 0.25]
    assert units(np.zeros((2, 1)), axis=0).tolist() == [np.inf]
    assert units(np.array([1 / 3])) == 2.0**-54
