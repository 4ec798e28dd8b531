from __future__ import annotations

from itertools import product
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.hunt import orders
from verify.hunt.subspaces import canonical, rank, subspaces

ROWS = st.lists(
    st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3
).filter(lambda rows: any(map(any, rows)))


@given(ROWS, st.integers(0, 2), st.integers(0, 2), st.integers(-4, 4), st.sampled_from([-3, -1, 2]))
def test_canonical_is_invariant_under_change_of_basis(
    rows: list[list[int]], a: int, b: int, factor: int, scale: int
) -> None:
    a, b = a % len(rows), b % len(rows)
    changed = [list(row) for row in rows]
    if a != b:
        changed[a] = [x + factor * y for x, y in zip(changed[a], changed[b], strict=True)]
    changed[b] = [scale * x for x in changed[b]]
    assert canonical(changed[::-1]) == canonical(rows)
    assert len(canonical(rows)) == rank(rows)
    assert all(gcd(*row) == 1 for row in canonical(rows))


def test_canonical_by_hand() -> None:
    assert canonical([[2, 4, 0], [1, 2, 3]]) == ((1, 2, 0), (0, 0, 1))
    assert canonical([[0, -2, 1], [0, 4, -2]]) == ((0, 2, -1),)


@pytest.mark.parametrize(("width", "dimension", "height"), [(2, 1, 3), (3, 1, 2), (3, 2, 2)])
def test_enumeration_has_every_span_once(width: int, dimension: int, height: int) -> None:
    listed = list(subspaces(width, dimension, height))
    assert len(set(listed)) == len(listed)
    entries = product(range(-height, height + 1), repeat=width * dimension)
    tables = ([e[k : k + width] for k in range(0, len(e), width)] for e in entries)
    spans = {canonical(t) for t in tables if any(map(any, t))}
    small = {
        s for s in spans if len(s) == dimension and max(abs(x) for r in s for x in r) <= height
    }
    assert set(listed) == small  # an RREF of small height is its own small basis


def test_enumeration_goes_by_height() -> None:
    heights = [max(abs(x) for row in s for x in row) for s in subspaces(3, 2, 3)]
    assert heights == sorted(heights)


@given(st.integers(1, 60), st.integers(0, 1000))
def test_random_order_is_a_permutation(count: int, seed: int) -> None:
    places = [orders.position("random", seed, count, k) for k in range(count)]
    assert sorted(places) == list(range(count))


def test_random_order_depends_on_the_seed() -> None:
    shuffled = {tuple(orders.position("random", s, 50, k) for k in range(50)) for s in range(5)}
    assert len(shuffled) > 1
    assert [orders.position("exhaustive", 7, 50, k) for k in range(50)] == list(range(50))
