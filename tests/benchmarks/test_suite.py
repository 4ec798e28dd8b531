"""How long a user waits: `pytest tests/benchmarks/test_suite.py`. The bounds are for two cores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

ROOT = Path(__file__).parents[2]
CHECK_SECONDS, RECHECK_SECONDS, IMPORT_SECONDS = 60, 30, 0.3


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter, as on the command line."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_check_quick(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    options = ["--profile", "quick", "--jobs", "2", "--certificates", str(tmp_path)]

    def check() -> None:
        done = run("-m", "verify", "check", *options)
        assert done.returncode == 0, done.stdout + done.stderr

    benchmark.pedantic(check, rounds=1, iterations=1)
    assert benchmark.stats.stats.max < CHECK_SECONDS
    assert len(list(tmp_path.glob("*.json"))) > 50


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The certificates of a quick run."""
    folder = tmp_path_factory.mktemp("certificates")
    run("-m", "verify", "check", "--profile", "quick", "--certificates", str(folder))
    return sorted(map(str, folder.glob("*.json")))


def test_recheck_of_all_certificates(benchmark: BenchmarkFixture, certificates: list[str]) -> None:
    def recheck() -> None:
        done = run("-m", "verify", "recheck", *certificates)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr

    assert len(certificates) > 50
    benchmark.pedantic(recheck, rounds=1, iterations=1)
    assert benchmark.stats.stats.max < RECHECK_SECONDS


def test_import_verify(benchmark: BenchmarkFixture) -> None:
    def load() -> None:
        assert run("-c", "import verify").returncode == 0

    benchmark.pedantic(load, rounds=5, iterations=1, warmup_rounds=1)
    assert benchmark.stats.stats.min < IMPORT_SECONDS
