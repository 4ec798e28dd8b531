"""Validation of numeric implementations of positional encodings against the exact ones.

    from verify.audit import audit
    audit("mylib.rope:features", "rope:dim=64,base=10000", length=8192).findings

Names are loaded when first used: the process that runs a subject needs few of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.audit.findings import Audit as Audit
    from verify.audit.findings import Finding as Finding
    from verify.audit.findings import Note as Note
    from verify.audit.run import audit as audit
    from verify.audit.specifications import specification as specification

__all__ = ["Audit", "Finding", "Note", "audit", "specification"]
_MODULES = {
    "Audit": "findings",
    "Finding": "findings",
    "Note": "findings",
    "audit": "run",
    "specification": "specifications",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'verify.audit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"verify.audit.{_MODULES[name]}"), name)
