from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.hunt.instances import instance, oracle_for
from verify.hunt.oracle import NONE, Oracle
from verify.theory.encodings import encoding

LENGTH = 6
Z3 = Callable[..., bool]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[list[int]], bool, list[list[tuple[int, int]]]]:
    """A table, whether it is relative, and several row sets to ask of one oracle."""
    d = draw(st.integers(1, 3))
    table = draw(
        st.lists(
            st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=LENGTH, max_size=LENGTH
        )
    )
    row = st.integers(1, LENGTH - 1).flatmap(lambda i: st.tuples(st.just(i), st.integers(0, i)))
    sets = draw(st.lists(st.lists(row, min_size=1, max_size=4, unique=True), max_size=5))
    return table, draw(st.booleans()), sets


def hit(
    table: list[list[int]], relative: bool, w: tuple[tuple[int, ...], ...], i: int, t: int
) -> bool:
    """By the definition of a logit, in plain loops."""

    def logit(j: int) -> int:
        key = table[i - j] if relative else table[j]
        query = [1] if relative else table[i]
        return sum(
            q * x * k
            for q, line in zip(query, w, strict=True)
            for x, k in zip(line, key, strict=True)
        )

    return all(logit(t) > logit(j) for j in range(i + 1) if j != t)


@given(case=cases())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_answers_agree_with_z3(
    case: tuple[list[list[int]], bool, list[list[tuple[int, int]]]], z3_hits: Z3
) -> None:
    table, relative, sets = case
    oracle = Oracle(table, relative)
    for asked in sets:
        rows = tuple(sorted(asked))
        found = oracle.parameter(rows)
        assert (found is not None) == z3_hits(table, relative, rows)
        if found is not None:
            assert all(hit(table, relative, found, i, t) for i, t in rows)
        else:
            oracle.refutation(rows)  # the engine refutes them again


@given(case=cases())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_forced_rows_agree_with_z3(
    case: tuple[list[list[int]], bool, list[list[tuple[int, int]]]], z3_hits: Z3
) -> None:
    table, relative, sets = case
    oracle = Oracle(table, relative)
    for asked in sets:
        *train, new = asked
        if not train or oracle.parameter(tuple(train)) is None:
            continue
        lost = oracle.losing(tuple(train), new)
        assert (lost is not None) == z3_hits(table, relative, train, new)
        if lost is not None:
            assert all(hit(table, relative, lost, i, t) for i, t in train)
            assert not hit(table, relative, lost, *new)


def test_large_entries_are_exact() -> None:
    table = [[1, 10**9 * k] for k in range(4)]
    oracle = Oracle(table, False)
    big = 10**18
    # logit of key k at any query: big * k + (a gap of one at key 3), beyond 64 bits
    assert oracle.argmax(((0, big), (0, 0))) == [0, 1, 2, 3]
    assert oracle.argmax(((big, 0), (0, 0))) == [0, NONE, NONE, NONE]
    assert oracle.logits(((0, big), (0, 0)))[3][3] == 3 * 10**27


def test_rational_features_become_integers_and_parameters_go_back() -> None:
    oracle = oracle_for(encoding("expr:[1, i/3, i**2/5]"), 4)
    assert oracle.scales == (1, 3, 5)
    assert oracle.table[2] == (1, 2, 4)


def test_classes_of_clamped_rows() -> None:
    # phi(i) = (1, min(i, 2)): rows from 2 on see equal keys
    case = instance("expr:[1, min(i, 2)]", "attend-first", 3, 5)
    assert [case.classify(row) for row in case.new] == ["forced", "forced"]
    case = instance("expr:[1, min(i, 2)]", "expr:min(i, 3)", 3, 5)
    assert [case.classify(row) for row in case.new] == ["impossible", "impossible"]
    case = instance("polynomial:degree=2", "previous", 2, 4)
    assert case.classify((2, 1)) == "free"
