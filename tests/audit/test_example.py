"""The example project passes as a user would run it, and its known failure is a real one."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "examples" / "ci"


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.slow
def test_the_example_project():
    installed = any(
        point.name == "pe_verify" for point in importlib.metadata.entry_points(group="pytest11")
    )
    plugin = () if installed else ("-p", "verify.pytest_plugin")
    options = ("-c", "pyproject.toml", "-q", "-p", "no:cacheprovider")
    done = run("pytest", *plugin, *options, cwd=PROJECT)
    assert done.returncode == 0, done.stdout
    assert "65 passed, 1 xfailed" in done.stdout


def test_the_known_failure_of_the_example_project(tmp_path):
    (known,) = (
        line.partition("#")[0].strip()
        for line in (PROJECT / "known_failures.txt").read_text().splitlines()
        if line.partition("#")[0].strip()
    )
    report = tmp_path / "comment.md"
    subject = "tinype.rope:features_half"
    done = run(
        "verify", "audit", subject, "--spec", "rope:dim=64", "--length", "1024",
        "--markdown", str(report), cwd=PROJECT,
    )  # fmt: skip
    assert done.returncode == 1
    assert known == f"{subject}::features::value"
    assert f"| `{subject}` | value | position" in report.read_text()
