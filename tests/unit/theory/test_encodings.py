"""Encodings against hand-computed values, published formulas in floats, and their own specs."""

from __future__ import annotations

import decimal
import hashlib
import json
import math
import pickle
import statistics
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.kernel import Expression, enclose, expression, number
from verify.theory.encodings import T5, Alibi, Learned, Rope, Sinusoidal, encoding
from verify.theory.text import text, value

SPECS = [
    "affine",
    "polynomial:degree=2",
    "onehot:length=20",
    "clamped:length=20",
    "learned:dim=5,seed=3",
    "sinusoidal:frequencies=16,base=10000",
    "sinusoidal:theta=[1,1/3]",
    "rope:frequencies=16,base=10000",
    "rope:frequencies=16,base=10000,scaling=linear,factor=4",
    "rope:frequencies=16,base=10000,scaling=ntk,factor=4",
    "rope:frequencies=16,base=10000,scaling=yarn,factor=4,original=2048,fast=32,slow=1",
    "rope:frequencies=16,base=500000,scaling=llama3,factor=8,original=8192,low=1,high=4",
    "rope:theta=[1,1/10*2**(1/2)]",
    "alibi",
    "alibi:heads=12,head=11",
    "clipped:length=20",
    "clipped:length=20,bidirectional=true",
    "t5:buckets=32,max_distance=128",
    "t5:buckets=32,max_distance=128,bidirectional=true",
    "expr:[1, i, i ** 2]",
    "expr:[1, o, cos(o / 10)]",
    "scale:affine",
    "scale:polynomial:degree=2",
    "scale:expr:[1, i / n, 1 / 4]",
    "table:absolute:[[1,2/3],[0,2**(1/2)],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]]",
    "table:relative,-2:[[1,0],[0,1],[1,0],[1,2],[1,3],[1,3],[1,3],[1,3],[1,3],[1,3]]",
]


@pytest.mark.parametrize("spec", SPECS)
def test_every_encoding_keeps_the_contract(spec: str) -> None:
    e = encoding(spec)
    assert e.spec == spec
    assert encoding(e.spec) == e
    assert hash(pickle.loads(pickle.dumps(e))) == hash(e)  # noqa: S301
    for p in (0, 1, 5, 7):
        found = e.features(p, 8)
        assert len(found) == e.dimension
        assert all(expression(text(x)) == x for x in found)
        if e.rational:
            assert all(x.constant() is not None for x in found)
    outside = 8 if e.relative else -1
    with pytest.raises(ValueError, match="outside a grid of length 8"):
        e.features(outside, 8)
    if e.capacity is not None:
        e.features(e.capacity - 1, 100)
        with pytest.raises(ValueError, match=f"{e.capacity} is outside"):
            e.features(e.capacity, 100)


def spelled(spec: str, position: int, length: int = 100) -> list[str]:
    return [text(x) for x in encoding(spec).features(position, length)]


@pytest.mark.parametrize(
    ("spec", "position", "wanted"),
    [
        ("affine", 7, ["1", "7"]),
        ("polynomial:degree=0", 7, ["1"]),
        ("polynomial:degree=3", 2, ["1", "2", "4", "8"]),
        ("scale:affine", 7, ["1", "7", "100"]),
        ("scale:polynomial:degree=2", 3, ["1", "3", "100", "9", "300", "10000"]),
        ("onehot:length=3", 1, ["0", "1", "0"]),
        ("clamped:length=3", 99, ["0", "0", "1"]),
        ("sinusoidal:frequencies=2", 3, ["sin(3)", "sin(3/100)", "cos(3)", "cos(3/100)"]),
        ("sinusoidal:dim=4", 0, ["0", "0", "1", "1"]),
        ("rope:frequencies=2", -3, ["cos(3)", "cos(3/100)", "-sin(3)", "-sin(3/100)"]),
        ("rope:frequencies=1,base=0.5", 2, ["cos(2)", "sin(2)"]),
        ("alibi", -4, ["1", "-4"]),
        ("alibi:heads=8,head=0", 4, ["1", "2"]),
        ("alibi:heads=12,head=8", 4, ["1", "2*2**(1/2)"]),
        ("clipped:length=3", 1, ["0", "1", "0"]),
        ("clipped:length=3", 50, ["0", "0", "1"]),
        ("clipped:length=2,bidirectional=true", -50, ["1", "0", "0"]),
        ("clipped:length=2,bidirectional=true", 1, ["0", "0", "1"]),
        ("t5:buckets=4,max_distance=8", 7, ["0", "0", "0", "1"]),
        ("expr:[1, i, i**2]", 5, ["1", "5", "25"]),
        ("expr:[o, 0.5]", -5, ["-5", "1/2"]),
        ("scale:expr:[i/n]", 5, ["1/20"]),
    ],
)
def test_features_by_hand(spec: str, position: int, wanted: list[str]) -> None:
    assert spelled(spec, position) == wanted


def test_the_standard_frequencies_are_radicals_of_two_and_five() -> None:
    e = encoding("rope:dim=32")
    assert isinstance(e, Rope)
    for k, theta in enumerate(e.frequencies):
        assert theta == expression(f"2**(-{k}/4)*5**(-{k}/4)")
    assert e.frequencies[4] == expression("1/10")
    assert e.columns[:2] == (("cos", 0), ("cos", 1))
    assert e.columns[16:18] == (("sin", 0), ("sin", 1))
    s = encoding("sinusoidal:frequencies=16")
    assert isinstance(s, Sinusoidal)
    assert s.columns[0] == ("sin", 0)
    assert s.columns[31] == ("cos", 15)
    for head, k in s.columns:
        index = s.columns.index((head, k))
        assert value(s.features(9, 10)[index]) == pytest.approx(
            getattr(math, head)(9 * 10000 ** (-k / 16)), abs=1e-14
        )


# ------------------------------------------------------------ scaled rotary frequencies


def floats(spec: str) -> list[float]:
    e = encoding(spec)
    assert isinstance(e, Rope)
    return [value(theta) for theta in e.frequencies]


def test_linear_scaling_divides_and_ntk_scaling_keeps_the_first_and_divides_the_last() -> None:
    plain = encoding("rope:frequencies=16")
    linear = encoding("rope:frequencies=16,scaling=linear,factor=4")
    ntk = encoding("rope:frequencies=16,scaling=ntk,factor=4")
    assert isinstance(plain, Rope) and isinstance(linear, Rope) and isinstance(ntk, Rope)
    quarter = number(Fraction(1, 4))
    assert linear.frequencies == tuple(theta * quarter for theta in plain.frequencies)
    assert ntk.frequencies[0] == plain.frequencies[0]
    assert ntk.frequencies[15] == plain.frequencies[15] * quarter
    base = 10000 * 4 ** (32 / 30)
    assert [value(t) for t in ntk.frequencies] == pytest.approx(
        [base ** (-k / 16) for k in range(16)]
    )
    assert ntk.temperature == (1, 1)


@pytest.mark.parametrize(
    ("count", "base", "factor", "original", "fast", "slow"),
    [
        (64, 10000, 4, 2048, 32, 1),
        (32, 10000, 16, 4096, 32, 1),
        (64, 1000000, 2.5, 32768, 32, 1),
        (16, 10000, 4, 3, 32, 1),
        (4, 100, 8, 64, 2, 2),
        (8, 10, 4, 10**7, 10**6, 1),
    ],
)
def test_yarn_agrees_with_the_published_code_in_floats(
    count: int, base: int, factor: float, original: int, fast: int, slow: int
) -> None:
    def dimension(turns: float) -> float:
        return 2 * count * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(dimension(fast)), 0)
    high = min(math.ceil(dimension(slow)), 2 * count - 1)
    high = high + 0.001 if low == high else high
    wanted = []
    for k in range(count):
        keep = 1 - min(max((k - low) / (high - low), 0), 1)
        theta = base ** (-k / count)
        wanted.append(theta / factor * (1 - keep) + theta * keep)
    spec = (
        f"rope:frequencies={count},base={base},scaling=yarn,factor={factor},"
        f"original={original},fast={fast},slow={slow}"
    )
    assert floats(spec) == pytest.approx(wanted, rel=1e-12)
    e = encoding(spec)
    assert isinstance(e, Rope)
    lowest, highest = e.temperature
    assert 0 < lowest < highest < lowest + Fraction(1, 10**30)
    assert float(lowest) == pytest.approx((0.1 * math.log(factor) + 1) ** 2)


@pytest.mark.parametrize(("base", "dim", "factor"), [(500000, 128, 8), (500000, 64, 32)])
def test_llama3_frequencies_are_float32_numbers_near_the_formula(
    base: int, dim: int, factor: int
) -> None:
    np = pytest.importorskip("numpy")
    found = floats(f"rope:dim={dim},base={base},scaling=llama3,factor={factor},original=8192")
    assert [float(np.float32(x)) for x in found] == found
    plain = [1 / base ** (2 * k / dim) for k in range(dim // 2)]
    wanted, classes = [], set()
    for theta in plain:
        turns = 8192 * theta / (2 * math.pi)
        smooth = min(max((turns - 1) / 3, 0), 1)
        classes.add("low" if smooth == 0 else "high" if smooth == 1 else "medium")
        wanted.append((1 - smooth) * theta / factor + smooth * theta)
    assert classes == {"low", "medium", "high"}
    assert found == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("count", "factor"), [(64, 8), (512, 3.3)])
def test_llama3_rounds_after_each_operation(count: int, factor: float) -> None:
    """Against numpy, where each float32 operation but the power is correctly rounded by IEEE."""
    np = pytest.importorskip("numpy")
    f = np.float32
    wanted = []
    for k in range(count):
        power = f(
            float(decimal.Decimal(500000) ** (decimal.Decimal(k) / count))
        )  # k/count is exact
        theta = f(1) / power
        wave = f(2 * math.pi) / theta
        if wave > 8192:
            theta = theta / f(factor)
        elif wave >= 2048:
            smooth = (f(8192) / wave - f(1)) / f(3)
            theta = (f(1) - smooth) * theta / f(factor) + smooth * theta
        wanted.append(float(theta))
    spec = f"rope:frequencies={count},base=500000,scaling=llama3,factor={factor},original=8192"
    assert floats(spec) == wanted


# ------------------------------------------------------------ ALiBi, T5


def published_slopes(n: int) -> list[float]:
    if n & (n - 1) == 0:
        return [2 ** (-8 * (k + 1) / n) for k in range(n)]
    below = 1 << n.bit_length() - 1
    return published_slopes(below) + published_slopes(2 * below)[::2][: n - below]


@pytest.mark.parametrize("heads", [1, 2, 3, 8, 12, 20, 71])
def test_alibi_slopes_follow_the_published_rule_for_any_number_of_heads(heads: int) -> None:
    slopes = [value(Alibi(heads, head).slope) for head in range(heads)]
    assert slopes == pytest.approx(published_slopes(heads), rel=1e-15)


def test_alibi_slopes_by_hand() -> None:
    assert [text(Alibi(8, h).slope) for h in range(3)] == ["1/2", "1/4", "1/8"]
    assert text(Alibi(16, 0).slope) == "1/2*2**(1/2)"


def test_t5_boundaries_by_hand() -> None:
    e = encoding("t5")
    assert isinstance(e, T5)
    starts = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert [o for o in range(1, 500) if e.bucket(o) != e.bucket(o - 1)] == [*range(1, 16), *starts]
    assert (e.bucket(-3), e.bucket(10**6)) == (0, 31)
    both = encoding("t5:bidirectional=true")
    assert isinstance(both, T5)
    # 8 * 16**(k/8) is an integer at k = 2, 4, 6: the boundaries that floating point can miss
    assert [both.bucket(o) for o in (15, 16, 31, 32, 63, 64)] == [9, 10, 11, 12, 13, 14]
    assert [both.bucket(o) for o in (0, -1, -7, -8, -(10**6))] == [0, 17, 23, 24, 31]


@given(st.integers(2, 40), st.integers(1, 400), st.booleans(), st.integers(-600, 600))
def test_t5_agrees_with_the_published_float_formula_away_from_boundaries(
    half: int, spread: int, bidirectional: bool, offset: int
) -> None:
    buckets = 2 * half
    one_side = half if bidirectional else buckets
    exact = one_side // 2
    max_distance = exact + spread
    wanted = half if bidirectional and offset < 0 else 0
    distance = abs(offset) if bidirectional else max(offset, 0)
    if distance < exact:
        wanted += distance
    else:
        step = math.log(distance / exact) / math.log(max_distance / exact) * (one_side - exact)
        if abs(step - round(step)) < 1e-9:
            return
        wanted += min(exact + int(step), one_side - 1)
    assert T5(buckets, max_distance, bidirectional).bucket(offset) == wanted


# ------------------------------------------------------------ learned tables


def test_learned_rows_are_the_documented_numbers() -> None:
    context = decimal.Context(prec=40)
    wanted: list[int] = []
    for block in range(4):
        digest = hashlib.sha256(f"7,11,{block}".encode()).digest()
        units = [
            Fraction(2 * (int.from_bytes(digest[k : k + 4], "big") >> 6) + 1, 1 << 26) - 1
            for k in range(0, 32, 4)
        ]
        for u, v in zip(units[::2], units[1::2], strict=True):
            s = u * u + v * v
            if s < 1:
                d = context.divide(decimal.Decimal(s.numerator), decimal.Decimal(s.denominator))
                root = Fraction(context.sqrt(context.divide(-2 * context.ln(d), d)))
                wanted.extend(round(x * root * 2**20) for x in (u, v))
    assert len(wanted) >= 9
    assert Learned(9, 7).numerators(11) == wanted[:9]
    assert Learned(9, 7).features(11, 12) == tuple(number(Fraction(n, 1 << 20)) for n in wanted[:9])


def test_learned_rows_do_not_depend_on_how_many_are_asked_and_look_normal() -> None:
    e = Learned(8, 1)
    assert e.features(4, 5) == e.features(4, 500)
    assert Learned(5, 1).features(4, 5) == e.features(4, 5)[:5]
    assert Learned(8, 2).features(4, 5) != e.features(4, 5)
    sample = [n / 2**20 for i in range(2000) for n in e.numerators(i)]
    assert abs(statistics.fmean(sample)) < 0.03
    assert abs(statistics.pstdev(sample) - 1) < 0.02
    tail = sum(abs(x) > 1.959964 for x in sample) / len(sample)
    assert abs(tail - 0.05) < 0.006


# ------------------------------------------------------------ tables


def test_a_table_file_gives_a_table_that_its_spec_holds(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    rows = [["1", "2/3", 0.1], [0, "sqrt(2)", "1e-3"]]
    path.write_text(json.dumps({"kind": "absolute", "features": rows}))
    e = encoding(str(path))
    assert e.spec == "table:absolute:[[1,2/3,1/10],[0,2**(1/2),1/1000]]"
    assert encoding(e.spec) == e
    assert (e.relative, e.dimension, e.capacity, e.rational) == (False, 3, 2, False)
    path.write_text(json.dumps({"kind": "relative", "first": -1, "features": [[1], [2], [3]]}))
    e = encoding(str(path))
    assert [spelled(e.spec, o) for o in (-1, 0, 1)] == [["1"], ["2"], ["3"]]
    with pytest.raises(
        ValueError, match=r"offset 2 is outside the table, whose 3 rows are for -1\.\.1"
    ):
        e.features(2, 9)


BAD_FILES = {
    "[1": "is not JSON",
    "[]": "must be",
    '{"kind": "absolute"}': "must be",
    '{"kind": "absolute", "features": [[1]], "more": 1}': "must be",
    '{"kind": "absolute", "kind": "relative", "features": [[1]]}': "repeats a key",
    '{"kind": "cubic", "features": [[1]]}': "'absolute' or 'relative'",
    '{"kind": "absolute", "features": []}': "a list of numbers for each position",
    '{"kind": "absolute", "features": [[]]}': "0 numbers in row 0",
    '{"kind": "absolute", "features": [[1], [1, 2]]}': "2 numbers in row 1 and 1 in row 0",
    '{"kind": "absolute", "features": [[1], [true]]}': "'True' in row 1; give exact numbers",
    '{"kind": "absolute", "features": [[1], [null]]}': "'None' in row 1; give exact numbers",
    '{"kind": "absolute", "features": [["x"]]}': "row 0 of the encoding file .* contains 'x'",
    '{"kind": "absolute", "features": [["1/0"]]}': "division by zero",
    '{"kind": "absolute", "features": [[NaN]]}': "numbers must be finite",
    '{"kind": "absolute", "features": [[1]], "first": -1}': "negative offset if relative",
    '{"kind": "relative", "features": [[1]], "first": 2}': "negative offset if relative",
}


@pytest.mark.parametrize("content", BAD_FILES)
def test_bad_table_files_are_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=BAD_FILES[content]) as caught:
        encoding(str(path))
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------ bad input

BAD = {
    "": "unknown encoding ''",
    "ropes:frequencies=4": "unknown encoding 'ropes'; did you mean 'rope'",
    "missing.json": "cannot be read: No such file",
    "affine:degree=2": "has no option 'degree'; write affine alone",
    "polynomial": "needs degree: an integer",
    "polynomial:degree": "option 'degree'; write key=value",
    "polynomial:degree=": "write key=value",
    "polynomial:degree=-1": "degree of polynomial must be an integer from 0 to 64, not -1",
    "polynomial:degree=1.5": "must be an integer",
    "polynomial:degree=2,degree=3": "the option degree twice",
    "polynomial:degre=2": "has no option 'degre'; did you mean 'degree'",
    "polynomial:degree=x": "degree of polynomial contains 'x', which is unknown",
    "polynomial:degree=2**10**9": "more than 16384 bits",
    "onehot:length=0": "from 1 to",
    "onehot:length=-5": "from 1 to",
    "clamped": "needs length",
    "learned:seed=0": "needs dim",
    "learned:dim=0": "from 1 to",
    "sinusoidal": "needs frequencies",
    "sinusoidal:frequencies=0": "frequencies of sinusoidal must be an integer from 1",
    "sinusoidal:dim=5": "dim of sinusoidal must be even",
    "sinusoidal:dim=4,frequencies=2": "has both frequencies and dim",
    "sinusoidal:frequencies=4,base=0": "base of sinusoidal must be a positive number",
    "sinusoidal:frequencies=4,base=-10000": "must be a positive number",
    "sinusoidal:frequencies=4,base=1/0": "division by zero",
    "sinusoidal:frequencies=4,base=sqrt(2)": "must be a rational number",
    "sinusoidal:frequencies=4,base=2097169": "prime factors are below",
    "sinusoidal:theta=[]": "must be a list",
    "sinusoidal:theta=[0]": "must be positive numbers",
    "sinusoidal:theta=[cos(1)]": "must be algebraic",
    "sinusoidal:theta=[None]": "must be algebraic",
    "sinusoidal:theta=[1],base=3": "no other option",
    "rope:frequencies=4,scaling=yarm,factor=4": "'yarm', which is unknown; did you mean 'yarn'",
    "rope:frequencies=4,scaling=linear": "needs factor",
    "rope:frequencies=4,factor=4": "factor of rope goes with scaling=linear or scaling=ntk",
    "rope:frequencies=4,scaling=ntk,factor=4,fast=3": "fast of rope goes with scaling=yarn only",
    "rope:frequencies=4,scaling=linear,factor=0.5": "at least 1",
    "rope:frequencies=1,scaling=ntk,factor=4": "two frequencies at least",
    "rope:frequencies=4,scaling=yarn,factor=4": "needs original",
    "rope:frequencies=4,scaling=yarn,factor=4,original=64,fast=1,slow=2": "at least slow",
    "rope:frequencies=4,base=1.01,scaling=yarn,factor=4,original=64": "at least 2",
    "rope:frequencies=4,scaling=llama3,factor=8,original=64,low=4,high=4": "must be above low",
    "alibi:heads=8": "needs head",
    "alibi:heads=8,head=8": "from 0 to 7",
    "clipped:length=20,bidirectional=yes": "must be true or false",
    "t5:buckets=1": "from 2 to",
    "t5:buckets=7,bidirectional=true": "must be even",
    "t5:buckets=32,max_distance=16": "max_distance of t5 must be an integer from 17",
    "expr:i": "must be a list",
    "expr:[i, o]": "uses both i and o",
    "expr:[1, n]": "write scale:expr",
    "expr:[1, x]": "contains 'x', which is unknown",
    "scale:rope:frequencies=4": "scale: does not go with rope",
    "scale:polinomial:degree=2": "unknown encoding after scale: 'polinomial'; did you mean",
    "table:[[1]]": "must be table:absolute",
    "table:absolute:[]": "a list of rows",
    "table:relative,1/2:[[1]]": "must be an integer",
}


@pytest.mark.parametrize("spec", BAD)
def test_bad_specs_are_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(ValueError, match=BAD[spec]) as caught:
        encoding(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "position", "message"),
    [
        ("expr:[1/(i - 3)]", 3, r"'1 / \(i - 3\)' at i = 3: division by zero"),
        ("expr:[1 if i < 3 else None]", 3, "is None at 3; give a number"),
        ("onehot:length=3", 3, "position 3 is outside onehot:length=3; give it a length above 3"),
        ("clipped:length=3", -1, "add bidirectional=true"),
        ("table:absolute:[[1],[2]]", 2, r"2 rows are for 0\.\.1; give a longer table"),
    ],
)
def test_undefined_positions_are_refused_with_a_sentence(
    spec: str, position: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        encoding(spec).features(position, 9)


def test_features_of_one_wave_are_enclosed_where_floats_say() -> None:
    (angle,) = (e for e in encoding("rope:frequencies=3").features(5, 9)[1:2])
    assert isinstance(angle, Expression)
    low, high = enclose(angle, 80)
    assert low / 2**80 <= math.cos(5 * 10000 ** (-1 / 3)) + 1e-15
    assert high / 2**80 >= math.cos(5 * 10000 ** (-1 / 3)) - 1e-15
