"""Large instances of exact feasibility, and transfer, with their certificates.

`pytest tests/benchmarks/test_realize.py`; the grid beside solvers is `realize_grid.py`. Times in
the limits are those of one idle core; a busy machine is given four times as long.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import verify
from verify import systems

BUSY = 4 if os.getloadavg()[0] > (os.cpu_count() or 1) / 2 else 1


def random_integers(width: int, length: int) -> dict[str, Any]:
    """`previous` over features drawn from -9..9."""
    rng = random.Random(1000 * width)
    vectors = [[str(rng.randint(-9, 9)) for _ in range(width)] for _ in range(length)]
    return {"vectors": vectors, "rows": [[i, 0, i + 1, i - 1] for i in range(1, length)]}


@pytest.mark.parametrize(("width", "length", "limit"), [(24, 192, 4), (32, 320, 12), (40, 400, 40)])
def test_refutes_large_systems(
    benchmark: BenchmarkFixture, width: int, length: int, limit: float
) -> None:
    """N = 576, 1024 and 1600 unknowns; the certificate has passed the kernel within that time."""
    system = random_integers(width, length)
    answer = benchmark.pedantic(systems.decide, (system,), rounds=1)
    assert isinstance(answer, systems.Refuted)
    assert benchmark.stats.stats.max < BUSY * limit


def test_finds_a_parameter_of_1024_numbers(benchmark: BenchmarkFixture) -> None:
    answer = benchmark.pedantic(systems.decide, (random_integers(32, 128),), rounds=3)
    assert isinstance(answer, systems.Found)
    assert benchmark.stats.stats.median < BUSY


CELLS = (
    ("sinusoidal:dim=32", "previous", 20, 60),
    ("sinusoidal:frequencies=4", "previous", 24, 48),
    ("clamped:length=20", "previous", 20, 60),
    ("clipped:length=20", "skip:k=3", 20, 60),
    ("polynomial:degree=2", "expr:i//2", 20, 60),
    ("rope:frequencies=16", "attend-first", 20, 60),
    ("rope:frequencies=1", "previous", 9, 20),
)


@pytest.mark.parametrize(("spec", "task", "train", "length"), CELLS)
def test_transfer(
    benchmark: BenchmarkFixture, spec: str, task: str, train: int, length: int
) -> None:
    def asked() -> Any:
        return verify.transfer(spec, task, train_length=train, length=length)

    found = benchmark.pedantic(asked, rounds=1)
    assert found.decided
    assert len(found.rows) == length - train


def test_all_cells_within_half_a_minute() -> None:
    began = time.perf_counter()
    for spec, task, train, length in CELLS:
        verify.transfer(spec, task, train_length=train, length=length)
    assert time.perf_counter() - began < BUSY * 30
