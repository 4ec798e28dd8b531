"""How long audits take, and what the pytest plugin costs: `pytest tests/benchmarks/test_audit.py`.

The figures to reach: a rotary subject at length 8192 within 10 s, at 1,000,000 within 60 s, less
than 20 ms for the plugin where it has nothing to do.
"""

from __future__ import annotations

import importlib.metadata
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from verify.audit import audit
from verify.audit.precise import ball, precision, waves

ROOT = Path(__file__).parents[2]
DIM = 64
THETA = (10000.0 ** (-np.arange(0, DIM, 2) / DIM)).astype(np.float32)


def features(positions):
    """Sound float32 rotary features, half-split."""
    phase = np.outer(positions.astype(np.float32), THETA)
    return np.hstack([np.cos(phase), np.sin(phase)])


@pytest.mark.parametrize(("length", "seconds"), [(8192, 10), (1_000_000, 60)])
def test_a_rotary_subject(benchmark: BenchmarkFixture, length: int, seconds: int) -> None:
    result = benchmark.pedantic(
        audit, (features, f"rope:dim={DIM}"), {"length": length}, rounds=3, iterations=1
    )
    assert result.clean
    assert benchmark.stats["median"] < seconds


def test_exact_waves(benchmark: BenchmarkFixture) -> None:
    """32 frequencies at 65,536 positions, to 100 bits."""
    with precision():
        thetas = tuple(ball(10000) ** (ball(-k) / 32) for k in range(32))
    cosines, _ = benchmark.pedantic(waves, (thetas, np.arange(1 << 16)), rounds=3, iterations=1)
    assert cosines.shape == (1 << 16, 32)


def test_the_plugin_when_unused(tmp_path: Path) -> None:
    """The import of the plugin and its hooks, beside pytest without it, in processor time.

    The processes run in turn, so that a busy machine disturbs both alike; the median of 15
    differences counts.
    """
    (tmp_path / "test_nothing.py").write_text("def test_nothing(): pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    installed = any(
        point.name == "pe_verify" for point in importlib.metadata.entry_points(group="pytest11")
    )
    with_it = [] if installed else ["-p", "verify.pytest_plugin"]
    without = ["-p", "no:pe_verify"] if installed else []

    def run(options: list[str]) -> float:
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *options, str(tmp_path)],
            cwd=tmp_path, check=True, capture_output=True, env={"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime

    pairs = [(run(with_it), run(without)) for _ in range(15)]
    cost = median(used - bare for used, bare in pairs)
    print(f"\nplugin when unused: {1000 * cost:.1f} ms of {1000 * pairs[0][1]:.0f} ms")
    assert cost < 0.020
