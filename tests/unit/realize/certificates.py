"""Certificates read back the way `pe-verify recheck` does: from their subjects."""

from __future__ import annotations

from typing import Any

from verify import certificates, kernel, recheck


def rechecked(certificate: dict[str, Any] | None) -> str:
    """The kernel's outcome on a certificate that went through its file format."""
    assert certificate is not None
    read = certificates.loads(certificates.dumps(certificate))
    _, claim = recheck.rebuild(read["subject"], {})
    return kernel.check(claim, read).outcome
