"""Enclosures by arb and mpmath against the kernel's; sums of cosines; near-returns."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import kernel
from verify.engines import balls
from verify.kernel import Expression, expression

STANDARD = [expression(f"2**({Fraction(-k, 4)})*5**({Fraction(-k, 4)})") for k in range(16)]
ATOMS = st.sampled_from(
    ["pi", "2**(1/2)", "5**(-3/4)", "cos(1)", "sin(2**(1/3))", "cos(pi*2**(1/2))", "sin(10**9)"]
)
NUMBERS = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 9), ATOMS, ATOMS), max_size=4)


def build(parts: list[tuple[int, int, str, str]]) -> Expression:
    return expression("1/3" + "".join(f" + ({a})/{b}*{x}*{y}**2" for a, b, x, y in parts))


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.sampled_from([32, 64, 200]))
def test_three_enclosures_of_one_number_overlap_and_are_tight(
    parts: list[tuple[int, int, str, str]], bits: int
) -> None:
    p = build(parts)
    ends = [balls.enclose(p, bits), balls.enclose_mpmath(p, bits)]
    ends.append(tuple(Fraction(x, 1 << bits) for x in kernel.enclose(p, bits)))  # type: ignore[arg-type]
    assert max(low for low, _ in ends) <= min(high for _, high in ends)
    for low, high in ends:
        assert high - low <= Fraction(1 << 40, 1 << bits)


def test_the_classics() -> None:
    low, high = balls.enclose(expression("pi"), 100)
    assert Fraction(314159265358979323846, 10**20) < low < high
    assert high < Fraction(314159265358979323847, 10**20)
    low, high = balls.enclose_mpmath(expression("2**(1/2)"), 100)
    assert low**2 < 2 < high**2


@pytest.mark.parametrize("enclose", [balls.enclose, balls.enclose_mpmath])
def test_names_have_no_value(enclose: object) -> None:
    assert callable(enclose)
    with pytest.raises(ValueError, match="x has no numerical value"):
        enclose(expression("2*x"), 64)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("pi - 355/113", -1),
        ("cos(1)**2 + sin(1)**2 - 1", 0),
        ("2**(1/2) - 1414213562373095048801688724209698078569671/10**42", 1),
        ("0", 0),
    ],
)
def test_signs_come_with_the_bits_that_the_kernel_needs(text: str, sign: int) -> None:
    p = expression(text.replace("10**42", str(10**42)))
    found, bits = balls.sign(p)
    assert found == sign
    if sign == 0:
        assert bits == 0
        return
    low, high = kernel.enclose(p, bits)
    assert low > 0 if sign > 0 else high < 0
    low, high = kernel.enclose(p, bits // 2)
    assert low <= 0 <= high


def test_a_sign_beyond_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balls, "MAX_BITS", 16)
    with pytest.raises(ValueError, match="16 bits do not show the sign"):
        balls.sign(expression("pi - 3141592653589793/1000000000000000"))


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, 50), (7, 8), (1000, 1023)])
def test_cosine_sums_agree_with_single_enclosures(start: int, stop: int) -> None:
    table = balls.cosine_sums(STANDARD[:5], start, stop)
    assert len(table) == stop - start
    for m, (low, high) in zip(range(start, stop), table, strict=True):
        total = sum(
            (kernel.apply("cos", (theta * kernel.number(m),)) for theta in STANDARD[:5]),
            start=kernel.number(0),
        )
        one = balls.enclose(total, 128)
        assert low <= one[1]
        assert one[0] <= high
        assert high - low < Fraction(1, 1 << 100)


def test_the_standard_margin_is_that_of_offset_1_up_to_2000() -> None:
    table = balls.cosine_sums(STANDARD, 1, 2000)
    best = max(range(len(table)), key=lambda k: table[k][0])
    assert best == 0
    assert all(high < table[0][0] for _, high in table[1:])
    assert abs(float(16 - table[0][0]) - 0.6863508) < 1e-6


def test_near_returns_of_one_frequency_are_the_convergents_of_pi() -> None:
    """m / 2 pi is near an integer for the denominators of 2 pi: 1, 6, 13?, 19, 25, 44, 710, ..."""
    found = [r.offset for r in balls.near_returns([kernel.number(1)], max_bits=40, step=1)]
    assert {44, 710} <= set(found)
    assert found == sorted(found)


def test_near_returns_are_records_and_their_margins_are_right() -> None:
    found = balls.near_returns(STANDARD, max_bits=64)
    margins = [r.margin for r in found]
    assert margins == sorted(margins, reverse=True)
    assert margins[-1] < 0.1
    for near in found[-2:]:
        total = sum(
            (kernel.apply("cos", (theta * kernel.number(near.offset),)) for theta in STANDARD),
            start=kernel.number(0),
        )
        low, high = balls.enclose(kernel.number(16) - total, 400)
        assert low > 0
        assert math.isclose(float(low), near.margin, rel_tol=1e-9)
        assert high - low < Fraction(1, 1 << 200)


def test_precision_is_given_back() -> None:
    import flint
    import mpmath

    before = flint.ctx.prec, mpmath.iv.prec
    balls.enclose(expression("pi"), 300)
    with pytest.raises(ValueError):
        balls.enclose_mpmath(expression("x"), 300)
    assert (flint.ctx.prec, mpmath.iv.prec) == before


def test_bad_arguments_are_explained() -> None:
    with pytest.raises(ValueError, match="0 <= start < stop"):
        balls.cosine_sums(STANDARD, 5, 5)
    with pytest.raises(ValueError, match="frequencies"):
        balls.near_returns([])
    with pytest.raises(ValueError, match="bits must be at least 2"):
        balls.enclose(expression("pi"), 0)
