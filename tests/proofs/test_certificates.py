"""The committed certificates are of the statements as they are now, and the kernel accepts them."""

from __future__ import annotations

from verify import certificates, kernel
from verify.statements import claim_for


def test_committed_certificates_are_up_to_date() -> None:
    from proofs import renew

    fresh = renew.renewed()
    committed = {path.name: certificates.read(path) for path in renew.FOLDER.glob("*.json")}
    assert set(committed) == set(fresh)
    # another version of the linear solver may find another proof of the same claim
    changed = [name for name in fresh if committed[name]["claim"] != fresh[name]["claim"]]
    assert changed == [], "run `python -m proofs.renew` and look at what changed"


def test_committed_certificates_prove_the_claims_of_their_subjects() -> None:
    from proofs import renew

    for path in sorted(renew.FOLDER.glob("*.json")):
        certificate = certificates.read(path)
        subject = certificate["subject"]
        claim = claim_for(subject["statement"], subject["obligation"])
        assert kernel.check(claim, certificate).outcome == "valid", path.name
