"""Synthesis of six tasks to length 64, each within 30 s, all lifted to all lengths."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from verify.synthesis.search import synthesize


@pytest.mark.parametrize(
    "task", ["previous", "skip-3", "attend-first", "expr:i//2", "copy", "reverse"]
)
def test_synthesis(benchmark: BenchmarkFixture, task: str) -> None:
    found = benchmark.pedantic(synthesize, (task,), {"length": 64}, rounds=3, warmup_rounds=0)
    assert found.hinted.proved is not None
    assert benchmark.stats is None or benchmark.stats["median"] < 30
