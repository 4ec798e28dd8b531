"""sympy's opinion on identities, and the endpoint lemma, from the kernel's own expressions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import kernel
from verify.engines.symbolic import affine_endpoint, from_sympy, identity, to_sympy
from verify.kernel import Expression, expression


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(x + y)**2", "x**2 + 2*x*y + y**2"),
        ("cos(x - y)", "cos(x)*cos(y) + sin(x)*sin(y)"),
        ("cos(x)**2 + sin(x)**2", "1"),
        ("4*cos(x)**3 - 3*cos(x)", "cos(3*x)"),
        ("cos(2**(1/2)*x)*cos(3**(1/2)*x)*2",
         "cos(2**(1/2)*x + 3**(1/2)*x) + cos(2**(1/2)*x - 3**(1/2)*x)"),
        ("2**(3/4)*2**(1/4)", "2"),
        ("sin(pi*2/3)", "3**(1/2)/2"),
        ("f(i - (i - d))", "f(d)"),
    ],
)  # fmt: skip
def test_identities(left: str, right: str) -> None:
    assert identity(expression(left), expression(right)).outcome == "proved"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(x + y)**2", "x**2 + y**2"),
        ("cos(x + y)", "cos(x)*cos(y) + sin(x)*sin(y)"),
        ("2**(1/2)", "7/5"),
        ("cos(x)", "1"),
    ],
)
def test_what_differs_is_refuted_at_a_point(left: str, right: str) -> None:
    answer = identity(expression(left), expression(right))
    assert answer.outcome == "refuted"
    assert answer.model is not None
    assert "difference is about" in answer.reason


def test_unknown_functions_are_left_open() -> None:
    assert identity(expression("f(x)"), expression("f(y)")).outcome == "unknown"


WAVE = st.sampled_from(["cos(a)", "sin(a)", "cos(b)", "sin(b)", "cos(a + b)", "sin(a - b)", "a"])
SUMS = st.lists(st.tuples(st.integers(-2, 2), WAVE, WAVE), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None)
@given(SUMS)
def test_sympy_and_formal_cancellation_agree(parts: list[tuple[int, str, str]]) -> None:
    """The kernel's product-to-sum normal form is zero exactly when sympy's exponentials cancel."""
    gap = expression(" + ".join(f"({c})*{u}*{v}" for c, u, v in parts))
    flat = kernel.linear(gap)
    assert identity(gap, flat).outcome == "proved"
    assert (identity(gap, kernel.number(0)).outcome == "proved") == kernel.is_zero(gap)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 2), st.integers(0, 2))))
def test_polynomials_survive_the_round_trip(terms: list[tuple[int, int, int]]) -> None:
    p = expression("0" + "".join(f" + ({c})*x**{a}*y**{b}/3" for c, a, b in terms))
    assert from_sympy(to_sympy(p)) == p


def affine(*texts: str) -> list[Expression]:
    return [expression(text) for text in texts]


def test_affine_features_have_the_endpoint_property() -> None:
    found = affine_endpoint(affine("1", "i"), "i", relative=False)
    assert found.slope == expression("W0_1 + W1_1*i")
    assert found.intercept == expression("W0_0 + W1_0*i")
    assert found.certificate == kernel.number(0)


def test_so_has_alibi() -> None:
    found = affine_endpoint(affine("1", "o"), "o", relative=True)
    assert found.slope == expression("-w1")
    assert found.intercept == expression("w0 + w1*i")
    assert found.certificate == kernel.number(0)


@pytest.mark.parametrize("feature", ["i**2", "cos(i)", "f(i)", "i*2**(1/2)*i"])
def test_other_features_are_named(feature: str) -> None:
    with pytest.raises(ValueError, match="is not affine in i"):
        affine_endpoint(affine("1", feature), "i", relative=False)
