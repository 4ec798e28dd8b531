"""The table of packages agrees with pyproject.toml."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

from packaging.requirements import Requirement

from verify import environment

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def names(requirements: list[str]) -> set[str]:
    return {Requirement(text).name for text in requirements}


def test_the_table_names_every_run_time_dependency_and_extra() -> None:
    declared = {"": names(PROJECT["dependencies"])}
    for extra, requirements in PROJECT["optional-dependencies"].items():
        if extra not in ("test", "dev", "docs"):
            declared[extra] = names(requirements)
    table: dict[str, set[str]] = {}
    for package in environment.PACKAGES:
        table.setdefault(package.extra, set()).add(package.distribution)
    assert table == declared


def test_a_missing_package_is_named_with_what_installs_it() -> None:
    assert environment.missing("matplotlib.pyplot") == (
        "this needs matplotlib, which is missing: pip install 'pe-verify[plot]'"
    )
    assert environment.missing("verify.nothing") is None
    assert environment.missing(None) is None


def test_a_broken_package_is_told_from_a_sound_one() -> None:
    click = next(p for p in environment.PACKAGES if p.module == "click")
    assert click.version is not None and environment.fault(click) is None
    gone = replace(click, distribution="pe-verify-nonesuch", module="pe_verify_nonesuch")
    assert gone.version is None
    assert "No module named 'pe_verify_nonesuch'" in (environment.fault(gone) or "")
