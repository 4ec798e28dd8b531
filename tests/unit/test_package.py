"""`import verify` is light, and its functions keep their names whatever was imported before."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import verify

ROOT = Path(__file__).parents[2]


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["alpha", "realize", "transfer"])
@pytest.mark.parametrize(
    "imports",
    [
        "import verify",
        "import verify, verify.{name}",
        "from verify.{name} import {name}; import verify",
        "import verify; verify.{name}; import verify.{name}",
        "import importlib, verify; importlib.import_module('verify.{name}')",
    ],
)
def test_the_function_keeps_its_name(name: str, imports: str) -> None:
    code = imports.format(name=name)
    assert run(f"{code}; print(callable(verify.{name}), verify.{name}.__module__)") == (
        f"True verify.{name}\n"
    )


@pytest.mark.parametrize("name", ["alpha", "realize", "transfer"])
def test_function_and_module_are_the_same_thing_by_both_ways(name: str) -> None:
    code = f"""
from verify import {name} as by_package
from verify.{name} import {name} as by_module
import sys
assert by_package is by_module
assert sys.modules["verify.{name}"].{name} is by_module
"""
    run(code)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import verify; print(*(set(sys.modules) - before))"
    )
    loaded = {name.partition(".")[0] for name in run(code).split()}
    assert loaded <= {"verify", *sys.stdlib_module_names}
    assert {name for name in run(code).split() if name.startswith("verify")} == {"verify"}


def test_every_public_name_is_there() -> None:
    assert set(verify.__all__) <= set(dir(verify))
    for name in verify.__all__:
        assert getattr(verify, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'verify' has no attribute 'alhpa'"):
        verify.alhpa  # noqa: B018


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert verify.__version__ == project["version"]
