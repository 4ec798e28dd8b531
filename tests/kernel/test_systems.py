"""Random systems of rows: the kernel against plain sums over fractions and against mpmath."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel import independent
from tests.kernel.cases import decide, envelope

NUMBERS = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))
WAVES = st.builds(
    "{}({}*2**({}/4))".format,
    st.sampled_from(["cos", "sin"]),
    st.integers(-6, 6),
    st.integers(-3, 3),
)


@st.composite
def systems(draw: st.DrawFn, entries: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Up to six vectors of up to three numbers, up to four rows of one kind."""
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    vectors = [[str(draw(entries)) for _ in range(d)] for _ in range(n)]
    linear, rows = draw(st.booleans()), []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, n - 2))
        stop = draw(st.integers(start + 2, n))
        query = -1 if linear else draw(st.integers(0, n - 1))
        rows.append([query, start, stop, draw(st.integers(start, stop - 1))])
    return {"vectors": vectors, "rows": rows}


def parameters(draw: st.DrawFn, system: dict[str, Any]) -> Any:
    d = len(system["vectors"][0])
    line = st.lists(NUMBERS.map(str), min_size=d, max_size=d)
    linear = system["rows"][0][0] == -1
    return draw(line if linear else st.lists(line, min_size=d, max_size=d))


def logit(system: dict[str, Any], parameter: Any, query: int, key: int) -> Fraction:
    vectors = [[Fraction(e) for e in v] for v in system["vectors"]]
    left = [Fraction(1)] if query == -1 else vectors[query]
    matrix = [parameter] if query == -1 else parameter
    return sum(
        (
            a * Fraction(w) * b
            for a, line in zip(left, matrix, strict=True)
            for w, b in zip(line, vectors[key], strict=True)
        ),
        Fraction(0),
    )


@given(st.data())
@settings(max_examples=200)
def test_outcomes_of_rational_systems(data: st.DataObject) -> None:
    system = data.draw(systems(NUMBERS))
    parameter = parameters(data.draw, system)
    gaps = []
    for query, start, stop, target in system["rows"]:
        others = [logit(system, parameter, query, k) for k in range(start, stop) if k != target]
        gaps.append(logit(system, parameter, query, target) - max(others))
    right = "".join("h" if gap > 0 else "m" if gap < 0 else "t" for gap in gaps)
    margin = min((gap for gap in gaps if gap > 0), default=Fraction(5))
    claim = {
        **{"kind": "decisions", "system": system, "parameter": parameter},
        **{"outcomes": right, "margin": str(margin)},
    }
    assert decide(claim, envelope(claim, {"rule": "evaluate"})) == "valid"
    wanted = data.draw(st.text("hmt", min_size=len(right), max_size=len(right)))
    for outcomes, floor in ((wanted, margin), (right, margin + Fraction(1, 10**9))):
        other = {**claim, "outcomes": outcomes, "margin": str(floor)}
        expected = outcomes == right and (floor == margin or "h" not in right)
        assert (decide(other, envelope(other, {"rule": "evaluate"})) == "valid") == expected
    realizable = {"kind": "realizable", "system": system}
    witness = {"rule": "witness", "parameter": parameter}
    hits = set(right) == {"h"}
    assert (decide(realizable, envelope(realizable, witness)) == "valid") == hits


@given(st.data())
@settings(max_examples=100)
def test_outcomes_of_irrational_systems(data: st.DataObject) -> None:
    system = data.draw(systems(WAVES))
    system["vectors"][0][0] = "cos(1)"  # not all are rational
    parameter = parameters(data.draw, system)
    with mpmath.workdps(100):
        numbers = independent.system(system)
        given_ = independent._parameter(parameter)
        zero = mpmath.mpf(0)
        right = "".join(independent.outcome(numbers, given_, r, zero) for r in numbers.rows)
    claim = {
        **{"kind": "decisions", "system": system, "parameter": parameter},
        **{"outcomes": right, "margin": "0"},
    }
    assert decide(claim, envelope(claim, {"rule": "evaluate", "bits": 128})) == "valid"
    wrong = data.draw(st.text("hmt", min_size=len(right), max_size=len(right)))
    bits = data.draw(st.sampled_from([8, 16, 64]))
    other = {**claim, "outcomes": wrong}
    if decide(other, envelope(other, {"rule": "evaluate", "bits": bits})) == "valid":
        assert wrong == right


@given(st.data())
@settings(max_examples=200)
def test_combinations(data: st.DataObject) -> None:
    """farkas is valid iff the sum is zero, cone iff it is the new row's constraint."""
    system = data.draw(systems(st.integers(-1, 1)))
    vectors = [[Fraction(e) for e in v] for v in system["vectors"]]

    def constraint(row: list[int], key: int) -> list[Fraction]:
        gap = [a - b for a, b in zip(vectors[row[3]], vectors[key], strict=True)]
        return gap if row[0] == -1 else [a * b for a in vectors[row[0]] for b in gap]

    places = [
        (k, key)
        for k, row in enumerate(system["rows"])
        for key in range(row[1], row[2])
        if key != row[3]
    ]
    chosen = sorted(data.draw(st.sets(st.sampled_from(places), min_size=1)))
    ys = [data.draw(st.builds(Fraction, st.integers(1, 2), st.integers(1, 2))) for _ in chosen]
    constraints = [constraint(system["rows"][k], key) for k, key in chosen]
    columns = zip(*constraints, strict=True)
    total = [sum(y * c for y, c in zip(ys, column, strict=True)) for column in columns]
    entries = [[k, key, str(y)] for (k, key), y in zip(chosen, ys, strict=True)]
    claim = {"kind": "unrealizable", "system": system}
    found = decide(claim, envelope(claim, {"rule": "farkas", "multipliers": entries}))
    assert (found == "valid") == (not any(total))
    new = data.draw(st.sampled_from(system["rows"]))
    new = [new[0], new[1], new[1] + 2, data.draw(st.sampled_from([new[1], new[1] + 1]))]
    (key,) = {new[1], new[1] + 1} - {new[3]}
    forced = {"kind": "forced", "system": system, "row": new}
    found = decide(forced, envelope(forced, {"rule": "cone", "cones": [entries]}))
    assert (found == "valid") == (total == constraint(new, key))
