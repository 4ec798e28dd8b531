"""Rounding to small parameters, by integers alone."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.feasibility.families import family_system
from verify.engines.feasibility import Witness, decide
from verify.engines.feasibility.answers import as_matrix
from verify.engines.feasibility.integers import Problem, compile_system
from verify.engines.feasibility.rounding import _candidates


@given(
    entries=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6).filter(any),
    whole=st.integers(1, 50),
    bits=st.integers(1, 20),
)
@example(entries=[2, 1, -1], whole=1, bits=1)
@example(entries=[4, 2, -2], whole=3, bits=2)
def test_candidates_are_the_nearest_numbers(entries: list[int], whole: int, bits: int) -> None:
    """By plain fractions: nearest integers, and nearest numbers of so many significant bits."""
    largest = max(map(abs, entries))
    exact = [Fraction(x, largest) for x in entries]
    for candidate, shift in _candidates(entries, largest, ((whole, 0),)):
        assert shift == 0
        assert candidate == [round(x * whole) for x in exact]
    [(candidate, shift)] = _candidates(entries, largest, ((0, bits),))
    for x, found in zip(exact, candidate, strict=True):
        assert abs(Fraction(found, 2**shift) - x) <= abs(x) / 2**bits
        significant = abs(found) >> max(abs(found).bit_length() - bits - 1, 0)
        assert (significant << max(abs(found).bit_length() - bits - 1, 0)) == abs(found)


@pytest.mark.parametrize("family", ["poly2", "circ2", "fs8", "relcirc4"])
def test_integers_proportional_to_a_parameter_satisfy_what_it_does(family: str) -> None:
    system = family_system(family, "previous", 8)
    problem = compile_system(system)
    assert isinstance(problem, Problem)
    answer = decide(system)
    assert isinstance(answer, Witness)
    parameter = as_matrix(answer.parameter)
    for sign in (1, -1):
        entries = [sign * x for row in parameter for x in row]
        common = lcm(*(x.denominator for x in entries))
        whole = [int(x * common) for x in entries]
        assert problem.satisfied_by(whole, problem.factors()) is (sign > 0)
    assert problem.satisfied(parameter)
