"""The packages that pe-verify uses: which are installed, and what a missing one would add.

Read from package metadata; no solver is imported here.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib import metadata


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution, the name it is imported by, its extra (empty: always installed), its use."""

    distribution: str
    module: str
    extra: str
    adds: str

    @property
    def version(self) -> str | None:
        """The installed version; None when it is missing."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None

    @property
    def command(self) -> str:
        """What installs it."""
        return f"pip install 'pe-verify[{self.extra}]'" if self.extra else "pip install pe-verify"


PACKAGES = (
    Package("z3-solver", "z3", "", "proofs over reals and integers, small integer witnesses"),
    Package("sympy", "sympy", "", "algebra: the symbolic proofs"),
    Package("python-flint", "flint", "", "exact rationals, balls, lattice reduction"),
    Package("highspy", "highspy", "", "fast linear programs behind the exact answers"),
    Package("mpmath", "mpmath", "", "interval enclosures, independent of the others"),
    Package("numpy", "numpy", "", "float64 evaluation with a proved error bound"),
    Package("scipy", "scipy", "", "confidence intervals, sparse factorizations"),
    Package("safetensors", "safetensors", "", "weights of trained models"),
    Package("threadpoolctl", "threadpoolctl", "", "small matrix products at full speed"),
    Package("click", "click", "", "the command line"),
    Package("latex2mathml", "latex2mathml", "", "formulas in HTML reports"),
    Package("rich", "rich", "", "tables and progress on a terminal"),
    Package("cvc5", "cvc5", "smt", "a second SMT solver's own opinion"),
    Package("matplotlib", "matplotlib", "plot", "pictures (SVG, PNG)"),
    Package("ml_dtypes", "ml_dtypes", "checkpoints", "checkpoints with bfloat16 weights"),
    Package("dask", "dask", "cluster", "counterexample campaigns on a cluster"),
    Package("distributed", "distributed", "cluster", "counterexample campaigns on a cluster"),
    Package("ml_dtypes", "ml_dtypes", "audit", "bfloat16 and other small float types"),
)

SOLVERS = ("z3-solver", "cvc5", "sympy", "python-flint", "highspy", "mpmath")


def solver_versions() -> dict[str, str | None]:
    """The installed version of every solver; None for a missing one."""
    return {p.distribution: p.version for p in PACKAGES if p.distribution in SOLVERS}


def missing(module: str | None) -> str | None:
    """One sentence for an import of `module` that failed; None if it is none of our packages."""
    for package in PACKAGES:
        if module and module.partition(".")[0] == package.module:
            return f"this needs {package.distribution}, which is missing: {package.command}"
    return None


def fault(package: Package) -> str | None:
    """Why an installed package cannot be imported; None when it can."""
    try:
        importlib.import_module(package.module)
    except Exception as problem:  # a broken native library raises anything
        return f"{type(problem).__name__}: {problem}"
    return None
