"""Certified against float, float against bare matrix products, memory, and growth with the length.

Both sides of a ratio run in turn in one process, and the median of the ratios counts, so that a
busy machine disturbs both alike. `pytest tests/benchmarks/test_alpha.py`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from verify.alpha import alpha, choose
from verify.decisions import decide, region
from verify.engines.floats import absolute, plain
from verify.engines.floats.products import tile
from verify.parameters import Parameter, parameter
from verify.selection import rule
from verify.theory.encodings import encoding
from verify.theory.tasks import task

ROOT = Path(__file__).parents[2]
L0 = 20
SINUSOIDAL, ROPE = encoding("sinusoidal:dim=32"), encoding("rope:frequencies=16")
PREVIOUS = task("previous")


def fitted(which: str) -> Parameter:
    return choose(encoding(which), PREVIOUS, L0, rule("ce"))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ratios(above: Callable[[], object], below: Callable[[], object], rounds: int) -> list[float]:
    """above / below, alternating; the first round warms up."""
    return [seconds(above) / seconds(below) for _ in range(rounds + 1)][1:]


def bare_products(n: int) -> None:
    """The products of the same blocks of the same triangle, and nothing else."""
    d = SINUSOIDAL.dimension
    high, wide = tile(d)
    generator = np.random.default_rng(0)
    left = generator.normal(size=(-(-n // absolute.ROWS) * absolute.ROWS, d))
    left = left.reshape(-1, 1, high, d)
    keys = generator.normal(size=(1, -(-n // wide), d, wide))
    block = np.empty((absolute.ROWS // high, absolute.KEYS // wide, high, wide))
    for low in range(L0, n, absolute.ROWS):
        rows = left[(low - L0) // high : (low - L0 + absolute.ROWS) // high]
        for first in range(0, min(low + absolute.ROWS, n), absolute.KEYS):
            part = keys[:, first // wide : (first + absolute.KEYS) // wide]
            np.matmul(rows, part, out=block[: len(rows), : part.shape[1]])


@pytest.mark.parametrize(("n", "rounds"), [(4096, 15), (16384, 5)])
def test_certified_over_float(n: int, rounds: int, benchmark: BenchmarkFixture) -> None:
    w, rows = fitted("sinusoidal:dim=32"), region(PREVIOUS, n, start=L0)
    floats = w.nearest

    def certified() -> object:
        return decide(SINUSOIDAL, w, n, rows)

    def simple() -> object:
        return plain.gaps(SINUSOIDAL, floats, n, rows)

    found = ratios(certified, simple, rounds)
    benchmark.extra_info["certified / float"] = median(found)
    benchmark.pedantic(certified, rounds=3)
    assert median(found) <= 1.3, found


@pytest.mark.parametrize(("n", "rounds"), [(4096, 15), (16384, 5)])
def test_float_over_bare_products(n: int, rounds: int, benchmark: BenchmarkFixture) -> None:
    floats, rows = fitted("sinusoidal:dim=32").nearest, region(PREVIOUS, n, start=L0)

    def simple() -> object:
        return plain.gaps(SINUSOIDAL, floats, n, rows)

    found = ratios(simple, lambda: bare_products(n), rounds)
    benchmark.extra_info["float / products"] = median(found)
    benchmark.pedantic(simple, rounds=3)
    assert median(found) <= 2, found


def test_memory_at_65536(benchmark: BenchmarkFixture) -> None:
    """Peak resident memory of a fresh process that certifies sinusoidal previous at L = 65536."""
    code = (
        "import resource, sys\n"
        "from verify.alpha import alpha\n"
        "r = alpha('sinusoidal:dim=32', 'previous', train_length=20, lengths=[65536])\n"
        "assert r[65536].scored == 65516\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    peaks: list[int] = []

    def run() -> None:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout))

    benchmark.pedantic(run, rounds=1, iterations=1)
    benchmark.extra_info["peak MiB"] = max(peaks) / 1024
    assert max(peaks) < 1024 * 1024


def test_relative_growth(benchmark: BenchmarkFixture) -> None:
    """L = 10**4, 10**5, 10**6 of a rotary kernel, certified: linear, 2 s at the end."""
    w, lengths = fitted("rope:frequencies=16"), (10**4, 10**5, 10**6)

    def certified(n: int) -> None:
        found = decide(ROPE, w, n, region(PREVIOUS, n, start=L0))
        assert len(found.outcomes) == n - L0

    certified(lengths[0])
    times = {n: median(seconds(lambda n=n: certified(n)) for _ in range(5)) for n in lengths}
    slope = np.polyfit(np.log(lengths), np.log([times[n] for n in lengths]), 1)[0]
    benchmark.extra_info["seconds"] = {str(n): t for n, t in times.items()}
    benchmark.extra_info["slope of log time over log length"] = slope
    benchmark.pedantic(certified, args=(10**6,), rounds=3)
    assert times[10**6] < 2
    assert slope < 1.1
    assert times[10**6] / times[10**5] < 15


def test_relative_question_at_a_million(benchmark: BenchmarkFixture) -> None:
    """The whole question, selection and result included."""

    def ask() -> None:
        found = alpha("rope:frequencies=16", "previous", train_length=L0, lengths=[10**6])
        assert found[10**6].scored == 10**6 - L0

    benchmark.pedantic(ask, rounds=3, warmup_rounds=1)
    assert benchmark.stats.stats.median < 2


def test_certified_copy_at_17665(benchmark: BenchmarkFixture) -> None:
    """sin(d theta_min): every new row is a certified hit, the smallest margin is 8.3e-9."""
    w = np.zeros((32, 32))
    w[15, 31], w[31, 15] = 1, -1
    given = parameter(SINUSOIDAL, w)

    def ask() -> None:
        found = alpha(
            "sinusoidal:dim=32", "copy", train_length=L0, lengths=[17665], parameter=given
        )
        assert found[17665].alpha == 1

    benchmark.pedantic(ask, rounds=5, warmup_rounds=1)
    assert benchmark.stats.stats.median < 1
