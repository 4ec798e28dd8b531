"""Good and bad certificates for every rule, named by what is wrong with them."""

from __future__ import annotations

import json

import pytest

from tests.kernel.cases import Case, table
from tests.kernel.independent import Refused, confirm

GOOD, BAD = table("accept"), table("reject")


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_accepted(case: Case) -> None:
    assert case.decide() == "valid"
    confirm(case.claim, case.proof)


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_refused(case: Case) -> None:
    assert case.decide() == case.outcome
    assert case.outcome != "valid"


def test_every_rule_has_good_and_bad_cases() -> None:
    rules = {
        *("fix", "induct", "use", "split", "apart", "tighten", "rewrite", "finite", "close"),
        *("sign", "zero", "compute", "witness", "farkas", "cone", "evaluate", "farkas-enclosed"),
    }
    used = json.dumps([case.proof for case in GOOD])
    refused = json.dumps([case.proof for case in BAD])
    assert {rule for rule in rules if f'"rule": "{rule}"' in used} == rules
    assert {rule for rule in rules if f'"rule": "{rule}"' in refused} == rules


@pytest.mark.parametrize(
    "name",
    [
        "close: x >= 0, p > 0, -x*p >= 0 hold together at x = 0",
        "tighten: p <= -1 from p < 0 for a real p",
        "enclosed: nothing is fixed: only zero multipliers cancel",
        "evaluate: a near tie called a tie",
    ],
)
def test_the_second_checker_refuses_too(name: str) -> None:
    (case,) = [case for case in BAD if case.name == name]
    with pytest.raises(Refused):
        confirm(case.claim, case.proof)
