"""The committed certificates are those that the prover makes now, and the kernel accepts them."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

from proofs import renew
from verify import certificates, kernel
from verify.statements import claim_for

LOCK = Path(__file__).parents[2] / "requirements" / "ci.txt"


def _locked(package: str) -> str:
    """The version that CI uses."""
    found = re.search(rf"^{package}==(\S+)", LOCK.read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def test_committed_certificates_are_up_to_date() -> None:
    fresh = renew.renewed()
    committed = {path.name: certificates.read(path) for path in renew.FOLDER.glob("*.json")}
    assert set(committed) == set(fresh)
    # Another release of the linear solver may find another proof of the same claim.
    same_solver = version("highspy") == _locked("highspy")
    parts = ("claim", "subject", *(("proof", "format") if same_solver else ()))
    changed = [
        name for name in fresh if any(committed[name][part] != fresh[name][part] for part in parts)
    ]
    assert changed == [], "run `python -m proofs.renew` and look at what changed"


def test_committed_certificates_prove_the_claims_of_their_subjects() -> None:
    for path in sorted(renew.FOLDER.glob("*.json")):
        certificate = certificates.read(path)
        subject = certificate["subject"]
        claim = claim_for(subject["statement"], subject["obligation"])
        assert kernel.check(claim, certificate).outcome == "valid", path.name
