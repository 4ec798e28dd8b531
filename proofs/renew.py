"""Writes the committed certificates anew: `python -m proofs.renew` after a statement has changed.

Every obligation with a proof outline gets its completed proof, so that `check` needs no prover and
a change of a statement or of the prover shows up as a change of these files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from verify import certificates, suite
from verify.statements import Obligation, Profile, Sketch, registry

FOLDER = Path(__file__).parent / "certificates"


def renewed() -> dict[str, certificates.Certificate]:
    """The certificate of every outlined obligation, by file name."""
    found, profile = {}, Profile()
    for statement in registry().values():
        for name, obligation in statement.all_obligations().items():
            if not isinstance(obligation, Obligation):
                continue
            source = obligation.proof_for(profile)
            if isinstance(source, Sketch):
                claim = obligation.claim(profile)
                proof = suite.propose(claim, source)
                subject = {"statement": statement.id, "obligation": name}
                file = suite.file_name(statement.id, name)
                found[file] = certificates.envelope(claim, proof, subject)
    return found


def main() -> None:
    """Replace the folder's certificates by the renewed ones."""
    new = renewed()
    for old in FOLDER.glob("*.json"):
        if old.name not in new:
            old.unlink()
    for name, certificate in new.items():
        certificates.write(FOLDER / name, certificate)
    print(f"{len(new)} certificates in {FOLDER.name}/")


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("python -m proofs.renew takes no arguments: it renews every committed certificate")
    main()
