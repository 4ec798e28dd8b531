"""Numbers of the kernel against mpmath and sympy: normal form, enclosures, formal cancellation."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import kernel
from verify.kernel import Expression, apply, enclose, expression, is_zero, linear, number

BITS = st.sampled_from([8, 9, 12, 16, 24, 33, 53, 64, 128, 257, 512])
FRACTIONS = st.builds(Fraction, st.integers(-50, 50), st.integers(1, 12))
SMALL = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))


def real(p: Expression, digits: int = 400) -> mpmath.mpf:
    """The value of a number, by mpmath."""
    with mpmath.workdps(digits):
        return _real(p)


def _real(p: Expression) -> mpmath.mpf:
    total = mpmath.mpf(0)
    for monomial, c in p.terms:
        product = mpmath.mpf(c.numerator) / c.denominator
        for term, e in monomial:
            if term.head.isdigit():
                product *= mpmath.root(int(term.head), e.denominator) ** e.numerator
            elif term.head == "pi":
                product *= mpmath.pi ** int(e)
            else:
                product *= getattr(mpmath, term.head)(_real(term.args[0])) ** int(e)
        total += product
    return total


def inside(p: Expression, bits: int) -> int:
    """Assert that the enclosure holds; its width."""
    low, high = enclose(p, bits)
    with mpmath.workdps(400):
        scaled = real(p) * 2**bits
        assert low <= scaled <= high
    return high - low


RADICALS = st.builds(
    lambda p, n, d: number(p) ** Fraction(n, d),
    st.sampled_from([2, 3, 5, 7, 101, 65537]),
    st.integers(-7, 7),
    st.sampled_from([1, 2, 3, 4, 16, 64]),
)
ALGEBRAIC = st.builds(lambda c, a, b: number(c) * a * b, FRACTIONS, RADICALS, RADICALS)
ANGLES = st.builds(lambda a, b, c: a + b + number(c), ALGEBRAIC, ALGEBRAIC, FRACTIONS)
WAVES = st.builds(lambda head, a: apply(head, (a,)), st.sampled_from(["cos", "sin"]), ANGLES)
NUMBERS = st.recursive(
    st.one_of(FRACTIONS.map(number), RADICALS, st.just(expression("pi")), WAVES),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner), st.builds(lambda a, b: a * b, inner, inner)
    ),
    max_leaves=5,
)


@given(NUMBERS, BITS)
@settings(max_examples=300)
def test_enclosures_hold(p: Expression, bits: int) -> None:
    inside(p, bits)


FACTORS = st.one_of(WAVES, RADICALS, st.just(expression("pi")), st.just(expression("cos(3)")))


@given(st.lists(FACTORS, min_size=2, max_size=4), FRACTIONS, BITS)
@settings(max_examples=150)
def test_enclosures_of_products_hold(factors: list[Expression], c: Fraction, bits: int) -> None:
    """Negative and positive factors, in every order."""
    inside(math.prod(factors, start=number(c)), bits)


@given(ANGLES, BITS, st.sampled_from(["cos", "sin"]))
@settings(max_examples=100)
def test_enclosures_of_waves_are_narrow(angle: Expression, bits: int, head: str) -> None:
    """A few units, and what the angle is not known to."""
    width = inside(apply(head, (angle,)), bits)
    assert width <= 2 * inside(angle, bits) + 4 * bits + 80


@pytest.mark.parametrize("bits", [8, 16, 53, 200])
@pytest.mark.parametrize("exponent", [0, 1, 5, 20, 60, 300])
@pytest.mark.parametrize("sign", [1, -1])
def test_huge_and_tiny_angles(bits: int, exponent: int, sign: int) -> None:
    for angle in (Fraction(sign * 10**exponent), Fraction(sign, 10**exponent)):
        for head in ("cos", "sin"):
            with mpmath.workdps(800):
                value = getattr(mpmath, head)(mpmath.mpf(angle.numerator) / angle.denominator)
                low, high = enclose(apply(head, (number(angle),)), bits)
                assert low <= value * 2**bits <= high
                assert high - low < 100 + 8 * bits


@pytest.mark.parametrize("bits", [8, 53, 128])
def test_angles_at_multiples_of_half_pi(bits: int) -> None:
    """Where cosine and sine turn, and where the reduction modulo 2 pi jumps."""
    for k in range(-9, 10):
        for shift in ("0", "1/2**60", "-1/2**60"):
            for head in ("cos", "sin"):
                inside(expression(f"{head}({k}*pi/2 + {shift})"), bits)


@pytest.mark.parametrize("bits", [1, 2, 8, 64, 1000, 5000])
def test_pi(bits: int) -> None:
    low, high = enclose(expression("pi"), bits)
    with mpmath.workprec(bits + 100):
        assert low <= mpmath.pi * 2**bits <= high
    assert high - low <= 2


@pytest.mark.parametrize("bits", [8, 15, 16, 17, 64, 1000])
@pytest.mark.parametrize("prime", [2, 3, 5, 1048573])
def test_roots_are_exact_to_a_unit(bits: int, prime: int) -> None:
    for e in (Fraction(1, 2), Fraction(2, 3), Fraction(15, 16), Fraction(1, 1000)):
        low, high = enclose(number(prime) ** e, bits)
        assert high - low == 1
        assert low**e.denominator <= prime**e.numerator << bits * e.denominator
        assert high**e.denominator > prime**e.numerator << bits * e.denominator


def test_what_is_too_costly_is_refused() -> None:
    with pytest.raises(kernel.Invalid, match="costly"):
        enclose(expression("2**(1/4095)"), 1 << 13)
    with pytest.raises(kernel.Invalid, match="too large"):
        enclose(apply("cos", (number(1 << (kernel.MAX_BITS * 2)),)), 64)
    with pytest.raises(kernel.Invalid, match="no numerical value"):
        enclose(expression("cos(x)"), 64)


# ---------------------------------------------------------------- normal form

NAMES = st.sampled_from(["x", "y", "f(x)", "f(x, y)", "2**(1/2)", "3**(-2/3)", "pi"])
POLYNOMIALS = st.recursive(
    st.one_of(NAMES, SMALL.map(lambda c: f"({c})")),
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("({} * {})".format, inner, inner),
        st.builds("(-{})".format, inner),
        st.builds("({})**{}".format, inner, st.integers(0, 3)),
    ),
    max_leaves=6,
)


def symbolic(text: str) -> sympy.Expr:
    names = {n: sympy.Symbol(n, positive=True) for n in "xy"}
    read = sympy.parse_expr(text, local_dict={**names, "f": sympy.Function("f")})
    return sympy.expand(sympy.nsimplify(read, rational=True))


@given(POLYNOMIALS, POLYNOMIALS)
@settings(max_examples=150)
def test_equal_polynomials_have_equal_normal_forms(one: str, two: str) -> None:
    same = sympy.expand(symbolic(one) - symbolic(two)) == 0
    assert (expression(one) == expression(two)) == same
    assert expression(f"({one}) - ({one})") == number(0)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@settings(max_examples=100)
def test_ring_laws(a: str, b: str, c: str) -> None:
    p, q, r = map(expression, (a, b, c))
    assert p * (q + r) == p * q + p * r
    assert (p + q) + r == p + (q + r)
    assert p * q == q * p
    assert p - q == -(q - p)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@settings(max_examples=100)
def test_substitution_is_at_once(p: str, x: str, y: str) -> None:
    change = {kernel.Term("x", ()): expression(x), kernel.Term("y", ()): expression(y)}
    by_text = p.replace("x", "\0").replace("y", f"({y})").replace("\0", f"({x})")
    assert expression(p).substitute(change) == expression(by_text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("cos(-x)", "cos(x)"),
        ("sin(-x)", "-sin(x)"),
        ("cos(y - x)", "cos(x - y)"),
        ("sin(0)", "0"),
        ("cos(0*x)", "1"),
        ("f(x - (x - y))", "f(y)"),
        ("2**(7/4)", "2*2**(3/4)"),
        ("2**(-1/4)", "2**(3/4)/2"),
        ("2**(1/2)*2**(1/2)", "2"),
        ("(1 + 2**(1/2))*(1 - 2**(1/2))", "-1"),
        ("2**-3", "1/8"),
        ("x**0", "1"),
        ("-2**2", "-4"),
        ("2**3**2", "512"),
    ],
)
def test_normal_form(text: str, same: str) -> None:
    assert expression(text) == expression(same)


@pytest.mark.parametrize(
    ("text", "p", "relation"),
    [
        ("x > y", "x - y", ">"),
        ("x < y", "y - x", ">"),
        ("x >= y", "x - y", ">="),
        ("x <= y", "y - x", ">="),
        ("x == y", "x - y", "=="),
        ("x != y", "x - y", "!="),
    ],
)
def test_atoms_and_their_negations(text: str, p: str, relation: str) -> None:
    assert kernel.atom(text) == (expression(p), relation)
    assert kernel.negation(kernel.negation(kernel.atom(text))) == kernel.atom(text)
    for x in range(-1, 2):
        for y in range(-1, 2):
            change = {kernel.Term("x", ()): number(x), kernel.Term("y", ()): number(y)}
            holds = []
            for q, r in (kernel.atom(text), kernel.negation(kernel.atom(text))):
                value = q.substitute(change).constant()
                assert value is not None
                holds.append(
                    {">": value > 0, ">=": value >= 0, "==": value == 0}.get(r, value != 0)
                )
            assert holds == [eval(text, {"x": x, "y": y}), not eval(text, {"x": x, "y": y})]  # noqa: S307


# ---------------------------------------------------------------- formal cancellation

PRODUCTS = st.lists(
    st.builds(
        lambda c, waves: number(c) * waves[0] * waves[1] * waves[2],
        FRACTIONS,
        st.tuples(WAVES, WAVES, st.one_of(WAVES, st.just(number(1)))),
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: sum(parts, number(0)))


@given(PRODUCTS)
@settings(max_examples=100)
def test_product_to_sum_keeps_the_value(p: Expression) -> None:
    with mpmath.workdps(100):
        assert abs(real(p) - real(linear(p))) < mpmath.mpf(10) ** -80
    for monomial, _ in linear(p).terms:
        assert sum(e for t, e in monomial if t.head in ("cos", "sin")) <= 1


@given(PRODUCTS)
@settings(max_examples=100)
def test_zero_is_found_exactly_when_it_is(p: Expression) -> None:
    with mpmath.workdps(100):
        small = abs(real(p)) < mpmath.mpf(10) ** -80
    assert is_zero(p) == small


@given(ANGLES, ANGLES)
@settings(max_examples=60)
def test_the_addition_theorems_cancel(a: Expression, b: Expression) -> None:
    def wave(head: str, x: Expression) -> Expression:
        return apply(head, (x,))

    assert is_zero(
        wave("cos", a + b) - wave("cos", a) * wave("cos", b) + wave("sin", a) * wave("sin", b)
    )
    assert is_zero(
        wave("sin", a - b) - wave("sin", a) * wave("cos", b) + wave("cos", a) * wave("sin", b)
    )
    assert is_zero(wave("cos", a) * wave("cos", a) + wave("sin", a) * wave("sin", a) - number(1))


def test_long_powers_and_products() -> None:
    assert is_zero(expression("cos(x)**64 - cos(-x)**64"))
    assert not is_zero(expression("cos(1)**64"))
    with pytest.raises(kernel.Invalid, match="too many"):
        is_zero(expression("*".join(f"cos({k}*x)" for k in range(1, 40))))


@pytest.mark.parametrize("text", ["-3", "5/7", "0", "-12/5"])
def test_canonical_rationals(text: str) -> None:
    assert kernel.rational(text) == Fraction(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "+1", " 1", "1 ", "01", "-0", "1/1", "2/4", "0/2", "1/0", "1/-2", "--1", "1/02"),
        *("1.0", "1e3", "1_000", "٣", "1/2/3", "½", "inf", "nan", None, 1, 1.0, True, ["1"], {}),
    ],
)
def test_other_spellings_are_refused(text: object) -> None:
    with pytest.raises(kernel.Malformed):
        kernel.rational(text)
