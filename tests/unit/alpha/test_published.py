"""The published numbers as statements: they agree, and would not if anything were off."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from proofs import published as declared
from verify import published, suite
from verify.statements import Profile, registry
from verify.verdicts import Outcome

ROOT = Path(__file__).parents[3]
CLAIMS = tomllib.loads((ROOT / "proofs" / "claims.toml").read_text("utf-8"))["claim"]
FAST = [
    s
    for s in declared.STATEMENTS
    if s.id not in ("learned-absolute-by-dimension", "rescue-by-dimension")
]


@pytest.mark.parametrize("statement", FAST, ids=lambda s: s.id)
def test_comes_out_as_declared_and_agrees(statement: object) -> None:
    verdict = suite.verify(registry()[statement.id], Profile("quick"))  # type: ignore[attr-defined]
    assert verdict.as_declared, verdict.problems
    for finding in verdict.findings:
        assert finding.measured is not None
        assert finding.measured.agrees is not False, finding


def test_every_claim_has_its_statement() -> None:
    assert len({claim["id"] for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert claim["statement"] in registry(), claim["id"]
        assert claim["status"] in ("reproduced", "derived", "ours", "undetermined")
        assert ("open" in claim) == (claim["status"] == "undetermined")
        assert ("published" in claim) == (claim["status"] != "ours")
    named = {claim["statement"] for claim in CLAIMS}
    assert {s.id for s in declared.STATEMENTS} - named == {
        "ce-protocol",
        "ce-approaches-max-margin",
    }


def test_counts_are_what_is_published() -> None:
    """The decimals of the summary, rounded as printed, follow from the counts."""
    for claim in CLAIMS:
        if claim["status"] == "reproduced" and "hits" in claim:
            values = [Fraction(hits) for hits in claim["hits"].values()]
            assert published._rounds_to(values, claim["published"]), claim["id"]
    assert not published._rounds_to([Fraction(8, 10), Fraction(7, 20)], "0.80, 0.40")
    assert not published._rounds_to([Fraction(8, 10)], "0.80, 0.40")


def test_another_number_would_be_noticed() -> None:
    found = published.counts("rope:frequencies=16", "attend-first", {30: "7/10"}, "0.80", 0)
    assert found.agrees is False and found.value == "8/10"
    found = published.counts("rope:frequencies=16", "attend-first", {30: "8/10"}, "0.79", 0)
    assert found.agrees is False
    found = published.counts("rope:frequencies=16", "attend-first", {30: "8/10"}, "0.80", 30)
    assert found.agrees is True and "also decided by the kernel: L = 30" in found.details


def test_a_broken_measurement_is_an_error_not_a_number() -> None:
    """alpha is undefined at L0: the statement comes out as an error."""
    statement = registry()["published-alibi-previous"]
    (measurement,) = statement.obligations

    def run(profile: Profile) -> object:
        return published.counts("alibi", "previous", {20: "0/0"}, None, 0)

    broken = replace(statement, obligations=(replace(measurement, run=run),))  # type: ignore[type-var]
    verdict = suite.verify(broken, Profile("quick"))
    assert verdict.outcome == Outcome.ERROR and not verdict.as_declared
    assert "is not above the training length" in verdict.problems[0]


@pytest.mark.parametrize(("dimension", "expected"), [(6, "0%"), (10, "100%")])
def test_rescue_depends_on_the_dimension(dimension: int, expected: str) -> None:
    found = published.rescues(6, dimension)
    assert found.value.endswith(f"all new rows {expected}")
    assert found.agrees is None and not found.certified


def test_unconditional_rates_depend_on_the_dimension() -> None:
    shares = []
    for dimension in (4, 32):
        value = published.by_dimension(12, dimension).value
        shares.append(int(value.split("L=60: ")[1].split("%")[0]))
    assert shares[0] > shares[1] + 20


def test_measurements_are_data() -> None:
    """What reports get is plain and finite."""
    found = published.by_rule("alibi", "self", [25], "ce:steps=50")
    assert json.loads(json.dumps(found.value)) == "5/5"
