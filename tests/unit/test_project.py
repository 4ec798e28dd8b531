"""The project's own files agree with each other: dependencies, lock, lower bounds, import rules."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]

# Not in the lock: a cluster is started only by tests that are asked for by name.
LOCKED_EXTRAS = sorted(EXTRAS.keys() - {"cluster"})
# Tools of this repository alone: the lock fixes them, nobody else installs them.
LOWEST_EXTRAS = sorted(EXTRAS.keys() - {"dev", "docs"})


def requirements(extras: list[str]) -> dict[str, Requirement]:
    declared = PYPROJECT["project"]["dependencies"] + [r for e in extras for r in EXTRAS[e]]
    return {canonicalize_name(r.name): r for r in map(Requirement, declared)}


def pins(name: str) -> dict[str, Version]:
    """The versions of a requirements file that may hold nothing but comments and NAME==VERSION."""
    lines = (ROOT / "requirements" / name).read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): Version(version) for package, version in pairs}


def test_lock_pins_every_dependency_within_its_bounds() -> None:
    locked = pins("ci.txt")
    for name, requirement in requirements(LOCKED_EXTRAS).items():
        assert name in locked, f"requirements/ci.txt does not pin {name}"
        assert requirement.specifier.contains(locked[name]), f"{requirement}: {locked[name]}"


def test_lowest_versions_are_the_declared_lower_bounds() -> None:
    bounds = {}
    for name, requirement in requirements(LOWEST_EXTRAS).items():
        (specifier,) = requirement.specifier
        assert specifier.operator == ">=", f"{requirement} has no plain lower bound"
        bounds[name] = Version(specifier.version)
    assert pins("lowest.txt") == bounds


@pytest.mark.parametrize("contract", ["kernel", "theory", "proofs"])
def test_import_rules_name_every_declared_package(contract: str) -> None:
    imported_as = {"python-flint": "flint", "z3-solver": "z3", "ml-dtypes": "ml_dtypes"}
    run_time = requirements(sorted(EXTRAS.keys() - {"dev", "docs", "test"}))
    rules = {c["id"]: c for c in PYPROJECT["tool"]["importlinter"]["contracts"]}
    forbidden = set(rules[contract]["forbidden_modules"])
    assert {imported_as.get(name, name) for name in run_time} <= forbidden


DECLARE_WITH_THE_STANDARD_LIBRARY_ONLY = """
import importlib, pkgutil, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in sys.stdlib_module_names | {"verify", "proofs"}:
            raise ImportError(f"third-party import: {name}")

sys.meta_path.insert(0, Blocker())
import proofs
for module in pkgutil.walk_packages(proofs.__path__, "proofs."):
    importlib.import_module(module.name)
    print(module.name)
"""


def test_declaring_the_statements_needs_no_third_party_package() -> None:
    run = subprocess.run(
        [sys.executable, "-c", DECLARE_WITH_THE_STANDARD_LIBRARY_ONLY],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "proofs.theorem_1" in run.stdout.splitlines()
