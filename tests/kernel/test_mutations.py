"""Small changes of accepted certificates: refused, or still a proof of the same claim and listed.

Digests are computed anew, so that no checksum does the work. A mutant that the kernel accepts must
be confirmed by the independent checker. Those of the tables are listed in `still_valid.json`;
`python -m tests.kernel.test_mutations` writes that list anew, for review.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.cases import FOLDER, Case, decide, envelope, table
from tests.kernel.independent import confirm
from tests.kernel.mutations import mutants
from verify import certificates, kernel
from verify.statements import claim_for

GOOD = table("accept")
LIST = FOLDER / "still_valid.json"
COMMITTED = sorted((Path(__file__).parents[2] / "proofs" / "certificates").glob("*.json"))
OUTCOMES = {"valid", "invalid", "holey", "malformed"}

# In committed certificates nothing survives but another order, other bits of an enclosure, another
# fact in a sum or another case to split at, and terms and multipliers, most of them spelled anew.
HARMLESS = re.compile(
    r"[a-z]+(/\d+)* \S+ and \S+ exchanged|bits = \d+|sum/\d+/1/\d+ = \d+|equal/\d+/0 = .+"
    r"|(?!fact|by|low|high|nonzero|of|rule|term|name)[A-Za-z]\w* = .+"
)


def survivors(claim: dict[str, Any], proof: Any, step: int = 1) -> Iterator[str]:
    """What was changed in each mutant that is accepted; each is confirmed."""
    for what, mutant in islice(mutants(proof), 0, None, step):
        outcome = decide(claim, envelope(claim, mutant))
        assert outcome in OUTCOMES
        if outcome == "valid":
            confirm(claim, mutant)
            yield what


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_mutants_of_the_tables(case: Case) -> None:
    listed = json.loads(LIST.read_text("utf-8"))
    assert list(survivors(case.claim, case.proof)) == listed.get(case.name, [])


def test_the_list_names_cases_that_exist() -> None:
    assert set(json.loads(LIST.read_text("utf-8"))) <= {case.name for case in GOOD}


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_a_proof_of_a_changed_claim(case: Case) -> None:
    """A certificate that is accepted for another claim proves that one."""
    for _, claim in mutants(case.claim):
        if decide(claim, envelope(claim, case.proof)) == "valid":
            confirm(claim, case.proof)


def test_the_digest_of_another_claim() -> None:
    for case, other in zip(GOOD, GOOD[1:] + GOOD[:1], strict=True):
        if case.claim != other.claim:
            moved = {**envelope(case.claim, case.proof), "claim": kernel.digest(other.claim)}
            assert decide(case.claim, moved) == "invalid"
            assert decide(other.claim, envelope(case.claim, case.proof)) == "invalid"


@pytest.mark.parametrize("case", GOOD[::7], ids=lambda case: case.name)
def test_mutants_of_the_envelope(case: Case) -> None:
    certificate = {"format": "1.0", "claim": kernel.digest(case.claim), "subject": {"a": 1}}
    for what, changed in mutants(certificate):
        whole = {**changed, "proof": case.proof} if isinstance(changed, dict) else changed
        outcome = decide(case.claim, whole)
        information = what.startswith("/subject") and what != "/subject null"
        assert (outcome == "valid") == (information or what == " without subject"), what


def _committed(path: Path, step: int) -> None:
    certificate = certificates.read(path)
    subject = certificate["subject"]
    claim = claim_for(subject["statement"], subject["obligation"])
    confirm(claim, certificate["proof"])
    for what in survivors(claim, certificate["proof"], step):
        assert HARMLESS.fullmatch(re.sub("^.*/(?=[a-z])", "", what)), what


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_some_mutants_of_committed_certificates(path: Path) -> None:
    _committed(path, 499)


@pytest.mark.slow
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_all_mutants_of_committed_certificates(path: Path) -> None:
    _committed(path, 1)


if __name__ == "__main__":
    found = {case.name: list(survivors(case.claim, case.proof)) for case in GOOD}
    LIST.write_text(json.dumps({k: v for k, v in found.items() if v}, indent=1) + "\n", "utf-8")
