"""Machine-checked verification of the positional realizability theory.

    import verify

    verify.check("proposition-1").outcome
    verify.alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30, 40, 60])
    verify.realize("affine", "previous", length=3)
    verify.transfer("clamped:length=12", "previous", train_length=12, length=24)

Importing the package imports nothing else: each of these functions is loaded when it is first used.
Three of them share their name with the module that defines them. Here the name is always the
function, whatever was imported before; the module's other names are reached as
`from verify.alpha import ...`.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.alpha import alpha as alpha
    from verify.checking import check as check
    from verify.checking import check_all as check_all
    from verify.realize import realize as realize
    from verify.transfer import transfer as transfer

__version__ = "0.1.0"
__all__ = ["__version__", "alpha", "check", "check_all", "realize", "transfer"]

_MODULES = {
    "alpha": "verify.alpha",
    "check": "verify.checking",
    "check_all": "verify.checking",
    "realize": "verify.realize",
    "transfer": "verify.transfer",
}


class _Package(ModuleType):
    """The package, where a function keeps its name.

    After importing `verify.alpha` the import system binds that module as the attribute `alpha` of
    the package; this is the binding that is declined.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    function = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Package
