"""Text, floats, radicals, signs and floors of exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.kernel import Expression, apply, expression, number
from verify.theory.numbers import floor, radical, sign, times
from verify.theory.text import text, value

rationals = st.fractions(max_denominator=50, min_value=-50, max_value=50)
radicals = st.builds(
    radical,
    st.sampled_from([2, 3, 5, 7, 10, 12]),
    st.fractions(min_value=-3, max_value=3, max_denominator=16),
)
algebraic = st.builds(lambda a, q, b: times(a, q) + number(b), radicals, rationals, rationals)
waves = st.builds(
    lambda head, angle: apply(head, (angle,)), st.sampled_from(["cos", "sin"]), algebraic
)
expressions = st.builds(
    lambda a, b, c, q: a * b + times(c, q), st.one_of(algebraic, waves), waves, algebraic, rationals
)


@given(expressions)
def test_the_kernel_reads_text_back(p: Expression) -> None:
    assert expression(text(p)) == p


@pytest.mark.parametrize(
    ("source", "spelled"),
    [
        ("0", "0"),
        ("-3", "-3"),
        ("5/7 - x", "5/7-x"),
        ("2**(-1/4)*5**(-1/4)", "1/10*2**(3/4)*5**(3/4)"),
        ("-sin(3*2**(1/2))*cos(1/10)", "-cos(1/10)*sin(3*2**(1/2))"),
        ("f(a, 1/2)**2*pi", "f(a, 1/2)**2*pi"),
    ],
)
def test_text_by_hand(source: str, spelled: str) -> None:
    assert text(expression(source)) == spelled


def test_text_splits_powers_and_exponents_that_the_kernel_cannot_read_whole() -> None:
    x = expression("x")
    high = math.prod([x] * 130, start=number(1))
    assert text(high) == "x**64*x**64*x**2"
    wide = radical(2, Fraction(1, 32)) * radical(2, Fraction(1, 127))  # denominator 4064
    assert expression(text(wide)) == wide
    with pytest.raises(ValueError, match="denominator of an exponent"):
        text(radical(2, Fraction(1, 2048)))


@pytest.mark.parametrize(
    ("base", "exponent", "wanted"),
    [
        (10000, Fraction(-1, 4), "1/10"),
        (10000, Fraction(-1, 16), "2**(-1/4)*5**(-1/4)"),
        (Fraction(8, 27), Fraction(2, 3), "4/9"),
        (12, Fraction(1, 2), "2*3**(1/2)"),
        (Fraction(1, 10), Fraction(1, 4), "2**(3/4)*5**(3/4)/10"),
        (0, Fraction(1, 2), "0"),
        (-8, Fraction(3), "-512"),
        (2097169, Fraction(2), "4398117814561"),
    ],
)
def test_radical_by_hand(base: int, exponent: Fraction, wanted: str) -> None:
    assert radical(base, exponent) == expression(wanted)


@pytest.mark.parametrize(
    ("base", "exponent", "message"),
    [
        (-2, Fraction(1, 2), "roots of positive numbers"),
        (0, Fraction(-1), "roots of positive numbers"),
        (2097169, Fraction(1, 2), "prime factors are below"),
    ],
)
def test_radical_refuses(base: int, exponent: Fraction, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        radical(base, exponent)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("0", 0),
        ("-1/3", -1),
        ("2**(1/2) - 3/2", -1),
        ("cos(1)*cos(1) + sin(1)*sin(1) - 1", 0),
        ("2**(1/2)*3**(1/2) - 6**1 + 4", 1),
        # cos x - 1 + x**2/2 is about x**4/24: 10**-161 here, far below 2**-256
        ("cos(1/10**40) - 1 + 1/(2*10**40*10**40)", 1),
    ],
)
def test_sign_by_hand(source: str, wanted: int) -> None:
    assert sign(expression(source)) == wanted
    assert sign(-expression(source)) == -wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("7/2", 3),
        ("-7/2", -4),
        ("2**(1/2)", 1),
        ("-2**(1/2)", -2),
        ("cos(1)*cos(1) + sin(1)*sin(1) + 4", 5),
        ("5 - 1/10**50*2**(1/2)", 4),
        ("5 + 1/10**50*2**(1/2)", 5),
        ("10**40*2**(1/2)", math.isqrt(2 * 10**80)),
    ],
)
def test_floor_by_hand(source: str, wanted: int) -> None:
    assert floor(expression(source)) == wanted


@given(expressions)
def test_sign_and_floor_agree_with_floats_away_from_their_jumps(p: Expression) -> None:
    x = value(p)
    if abs(x) > 1e-9:
        assert sign(p) == math.copysign(1, x)
    if abs(x - round(x)) > 1e-9:
        assert floor(p) == math.floor(x)


@given(st.fractions())
def test_value_rounds_rationals_correctly(q: Fraction) -> None:
    assert value(number(q)) == float(q)


def test_value_is_correctly_rounded() -> None:
    assert value(expression("2**(1/2)")) == math.sqrt(2)
    assert value(expression("cos(1)*cos(1) + sin(1)*sin(1)")) == 1.0
    assert value(expression("cos(1/10**30)")) == 1.0
    # 1 + 2**-53 is half-way between two floats; a hair more must round up, a hair less down
    half = "cos(1)*cos(1) + sin(1)*sin(1) + 1/2**53"
    assert value(expression(f"{half} + 2**(1/2)/10**60")) == math.nextafter(1, 2)
    assert value(expression(f"{half} - 2**(1/2)/10**60")) == 1.0
