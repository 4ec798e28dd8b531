"""Cycles and chains of comparisons, for vectors of which only equality is known."""

from __future__ import annotations

from verify import kernel
from verify.comparisons import comparisons

A, B, C, D, ZERO = (tuple(map(kernel.expression, pair)) for pair in ("10", "01", "11", "23", "00"))


def test_a_cycle_of_three_is_found_with_its_rows_and_keys() -> None:
    # a beats b, b beats c, c beats a
    known = comparisons([A, B, C, A], [[-1, 0, 2, 0], [-1, 1, 3, 1], [-1, 2, 4, 2]])
    assert sorted(known.cycle() or []) == [(0, 1), (1, 2), (2, 3)]


def test_no_cycle_without_the_last_comparison() -> None:
    assert comparisons([A, B, C, A], [[-1, 0, 2, 0], [-1, 1, 3, 1]]).cycle() is None


def test_rows_of_different_queries_do_not_combine() -> None:
    # query 0 says a beats b, query 3 says b beats a
    rows = [[0, 0, 2, 0], [3, 0, 2, 1]]
    assert comparisons([A, B, C, D], rows).cycle() is None
    assert sorted(comparisons([A, B, C, A], rows).cycle() or []) == [(0, 1), (1, 0)]


def test_a_competitor_equal_to_the_target_is_a_cycle_of_one() -> None:
    assert comparisons([A, A, B], [[-1, 0, 2, 0]]).cycle() == [(0, 1)]
    assert comparisons([A, B], [[-1, 0, 2, 0]]).cycle() is None


def test_a_zero_query_ties_everything() -> None:
    known = comparisons([ZERO, A, B], [[0, 1, 3, 1]])
    assert known.cycle() == [(0, 2)]
    assert known.void([0, 1, 3, 1], 2)
    assert not known.void([1, 1, 3, 1], 2)


def test_a_chain_joins_comparisons_in_order() -> None:
    known = comparisons([A, B, C, D], [[-1, 0, 2, 0], [-1, 1, 3, 1]])
    assert sorted(known.chain([-1, 0, 3, 0], 2) or []) == [(0, 1), (1, 2)]
    assert known.chain([-1, 0, 4, 0], 3) is None
    assert known.chain([-1, 0, 3, 2], 0) is None  # chains have a direction
