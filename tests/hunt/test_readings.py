from __future__ import annotations

import pytest

from verify.hunt.conjectures import NOT_APPLICABLE
from verify.hunt.instances import instance
from verify.hunt.oracle import Oracle
from verify.hunt.parts import certificate, decided, refuted
from verify.hunt.readings import READINGS
from verify.hunt.readings.selected import max_margin
from verify.hunt.readings.span import vanishing

SQUARES = "expr:[1, i, i**2]"
CLASSES = (
    "expr:[1 if i == 0 else 0, 1 if i == 1 else 0, 1 if i > 1 and i % 2 == 0 else 0,"
    " 1 if i > 1 and i % 2 == 1 else 0]"
)
CASES = [
    ("span", SQUARES, "previous", 2, 6, "counterexample"),
    ("span", "affine", "attend-first", 3, 6, "holds"),
    ("span", "affine", "previous", 3, 6, "not applicable"),
    ("cone", CLASSES, "expr:i % 2", 6, 10, "holds"),
    ("cone", "expr:[1, o, o**2]", "previous", 4, 7, "holds"),
    ("dichotomy-finite", SQUARES, "expr:i//2", 6, 12, "counterexample"),
    ("dichotomy-finite", "affine", "expr:i//2", 3, 8, "holds"),
    ("dichotomy-finite", SQUARES, "previous", 3, 8, "not applicable"),
    ("dichotomy-forced", CLASSES, "expr:i % 2", 6, 12, "counterexample"),
    ("dichotomy-forced", SQUARES, "expr:i//2", 6, 12, "holds"),
    ("selected", SQUARES, "expr:i//2", 4, 12, "holds"),
    ("selected", CLASSES, "expr:i % 2", 6, 12, "undecided"),
    ("deep-row", SQUARES, "expr:i - 1 if i < 4 else 0", 4, 6, "counterexample"),
    ("deep-row", "expr:[1, o]", "expr:i - 1 if i < 4 else 0", 4, 6, "not applicable"),
    ("deep-row", "expr:[1 if o == 1 else 0]", "expr:i - 1 if i < 4 else 0", 4, 6, "holds"),
    ("deep-row-if", SQUARES, "previous", 3, 6, "counterexample"),
    ("deep-row-if", "expr:[1 if o == 1 else 0]", "previous", 3, 6, "holds"),
]


@pytest.mark.parametrize(("name", "encoding", "task", "train", "length", "outcome"), CASES)
def test_named_cases(
    name: str, encoding: str, task: str, train: int, length: int, outcome: str
) -> None:
    case = instance(encoding, task, train, length)
    verdict = READINGS[name].judge(case)
    assert verdict.outcome == outcome, verdict.reason
    if outcome == "counterexample":
        assert verdict.parts is not None
        for part in verdict.parts():
            certificate(part)  # raises unless the kernel accepts it


def test_a_false_part_is_refused() -> None:
    case = instance(SQUARES, "previous", 3, 5)
    part = decided(case, ((0, 0, 0), (0, 0, 0), (0, 0, 0)), case.new)
    assert part.subject["outcomes"] == "tttt"
    part.subject["outcomes"] = "hhtt"
    with pytest.raises(ValueError, match="kernel does not accept"):
        certificate(part)


def test_refuted_parts_pass_the_kernel() -> None:
    certificate(refuted(instance("affine", "previous", 2, 4), [(2, 1), (3, 2)]))


def test_parts_of_rational_features_speak_of_the_features_as_written() -> None:
    case = instance("expr:[1, i/3, i**2/5]", "previous", 3, 5)
    found = case.parameter((*case.train, *case.new))
    assert found is not None
    part = decided(case, found, case.new)
    assert part.subject["outcomes"] == "hhhh"
    certificate(part)


def test_vanishing() -> None:
    assert vanishing([[1, 2, 0], [0, 0, 1]], [[2, 4, 5]]) == []
    found = vanishing([[1, 2, 0], [0, 0, 1]], [[1, 0, 0]])
    assert found[0] + 2 * found[1] == 0 == found[2] and found[0]


def test_max_margin_by_hand() -> None:
    # offset 1 beats offsets 0 and 2: gaps (1, 0) and (-1, 1); the least w is (1, 2)
    oracle = Oracle([[0, 0], [1, 0], [2, -1]], True)
    assert sorted(oracle.constraints((2, 1))) == [[-1, 1], [1, 0]]
    assert max_margin(oracle, ((1, 0),)) == ((1, 0),)
    assert max_margin(oracle, ((2, 1),)) == ((1, 2),)


def test_selected_says_that_it_only_ranks() -> None:
    verdict = READINGS["selected"].judge(instance(CLASSES, "expr:i % 2", 6, 12))
    assert verdict.score == 6 and "for all lengths" in verdict.reason
    assert NOT_APPLICABLE.parts is None
