"""Seeded rates and their intervals."""

from __future__ import annotations

import pytest

from verify.measure import Rate, winners


def test_clopper_pearson_against_known_values() -> None:
    low, high = Rate(0, 10, 0.95).interval()
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 10))
    low, high = Rate(10, 10, 0.95).interval()
    assert low == pytest.approx(0.025 ** (1 / 10))
    assert high == 1.0
    assert Rate(5, 10).contains(0.5)
    assert not Rate(5, 10).contains(0.999)


def test_winners_depend_on_the_seed_alone() -> None:
    first = winners(3, train=6, lengths=(8, 10), dimension=4, seed=1)
    assert first == winners(3, train=6, lengths=(8, 10), dimension=4, seed=1)
    assert first != winners(3, train=6, lengths=(8, 10), dimension=4, seed=2)
    assert all(0 <= key < length for length, keys in first.items() for key in keys)


def test_samples_are_independent_of_how_many_are_asked() -> None:
    few, many = winners(2, train=6, lengths=(8,), dimension=4), winners(4, train=6, lengths=(8,),
                                                                        dimension=4)  # fmt: skip
    assert many[8][:2] == few[8]
