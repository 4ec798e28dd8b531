"""Float types: the streamed picks against dense matrices, and what the types are known to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.alpha.heads import ABSOLUTE, RELATIVE
from verify.decisions import region
from verify.engines.floats.gaps import Rows
from verify.engines.floats.narrow import TYPES, dtype, picks, typed_features
from verify.theory.encodings import Encoding, encoding
from verify.theory.tasks import task


def dense(found: Encoding, w: Any, n: int, rows: Rows, visibility: str, name: str) -> np.ndarray:
    """The first and the last key of the largest logit of each row, from whole matrices."""
    kind, wide = dtype(name), np.dtype(np.float64 if name == "float64" else np.float32)
    with np.errstate(all="ignore"):
        table = typed_features(found, n, visibility, kind).astype(wide)
        weights = w.astype(kind).astype(wide)
        if found.relative:
            kernel = (table @ weights).astype(kind).astype(wide)
            logits = np.array([[kernel[(i - j) % len(kernel)] for j in range(n)] for i in range(n)])
            if visibility == "full":  # offsets start at -(n - 1)
                logits = np.array([[kernel[i - j + n - 1] for j in range(n)] for i in range(n)])
        else:
            left = (table @ weights).astype(kind).astype(wide)
            logits = (left @ table.T).astype(kind).astype(wide)
    found_keys = []
    for i, start, stop in zip(rows.rows, rows.start, rows.stop, strict=True):
        row = logits[i, start:stop]
        best = np.flatnonzero(row == row.max())
        broken = np.isnan(row).any()
        found_keys.append((-1, -1) if broken else (start + best[0], start + best[-1]))
    return np.array(found_keys)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("visibility", ["causal", "full"])
def test_picks_are_those_of_dense_matrices(name: str, visibility: str) -> None:
    generator = np.random.default_rng(0)
    specs = [s for s in [*ABSOLUTE, *RELATIVE] if "10**30" not in s]
    for spec in specs:
        found, n = encoding(spec), 9
        d = found.dimension
        w = generator.integers(-2, 3, size=(d,) if found.relative else (d, d)).astype(float)
        rows = region(task("attend-first"), n, visibility)
        picked = picks(found, w, n, rows, visibility, name)
        both = np.stack([picked.first, picked.last], axis=1)
        assert np.array_equal(both, dense(found, w, n, rows, visibility, name)), spec


@pytest.mark.parametrize("spec", ["learned:dim=3,seed=1", "rope:frequencies=3"])
def test_picks_do_not_depend_on_blocks(spec: str) -> None:
    found, n = encoding(spec), 1100
    d = found.dimension
    w = np.random.default_rng(1).normal(size=(d,) if found.relative else (d, d))
    rows = region(task("previous"), n)
    picked = picks(found, w, n, rows, "causal", "bfloat16")
    both = np.stack([picked.first, picked.last], axis=1)
    assert (both[:, 0] != both[:, 1]).any()  # bfloat16 does tie
    assert np.array_equal(both, dense(found, w, n, rows, "causal", "bfloat16"))


def test_float32_ties_three_offsets_of_the_lowest_frequency() -> None:
    """sin(d theta_min) near its maximum: offsets 8832, 8833 and 8834 are one float32 number."""
    found, n = encoding("rope:frequencies=16"), 8836
    w = np.zeros(32)
    w[31] = 1
    rows = Rows(*(np.array([x], dtype=np.intp) for x in (n - 1, 0, 0, n)))
    single = picks(found, w, n, rows, "causal", "float32")
    exact = picks(found, w, n, rows, "causal", "float64")
    assert n - 1 - exact.first[0] == n - 1 - exact.last[0] == 8833
    assert single.first[0] <= n - 1 - 8834 < n - 1 - 8832 <= single.last[0]


def test_types_are_what_they_are_called() -> None:
    assert [dtype(name).itemsize for name in TYPES] == [8, 4, 2, 2]
    with pytest.raises(ValueError, match="unknown float type 'double'"):
        dtype("double")
