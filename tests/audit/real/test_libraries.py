"""What the audit says of public libraries: `pytest -m real`, with the libraries installed.

    pip install --group real && pip install --no-deps torchscale==0.3.0

docs/audit-findings.md records versions, reproductions and exact values. A finding that disappears
was repaired upstream, one that appears is either a new fault or a false alarm of ours.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from verify.audit import audit

pytestmark = pytest.mark.real

ROPE, SIN = "rope:dim=64", "sinusoidal:dim=64"
TENSOR = "sinusoidal:dim=64,convention=tensor2tensor"
T5, BOTH = "t5:buckets=32", "t5:buckets=32,bidirectional=true"
TABLE = "onehot:length=128"
TRANSFORMERS, X = "transformers", "x_transformers"

# name, library, specification, length, findings in float32, findings in bfloat16 (None: the library
# makes no bfloat16 there)
ROWS = [
    ("llama", TRANSFORMERS, ROPE, 2048, "", ""),
    ("llama_linear", TRANSFORMERS, f"{ROPE},scaling=linear,factor=4", 2048, "", ""),
    ("llama_dynamic", TRANSFORMERS, f"{ROPE},scaling=dynamic,factor=2,original=1024", 2048, "", ""),
    ("llama_yarn", TRANSFORMERS, f"{ROPE},scaling=yarn,factor=4,original=1024", 2048, "", ""),
    ("llama3", TRANSFORMERS,
     f"{ROPE},base=500000,scaling=llama3,factor=8,original=8192", 2048, "", ""),
    ("llama_rotate", TRANSFORMERS, ROPE, 2048, "", ""),
    ("gemma", TRANSFORMERS, ROPE, 2048, "", ""),
    ("qwen2", TRANSFORMERS, ROPE, 2048, "", ""),
    ("esm", TRANSFORMERS, ROPE, 2048, "", ""),
    ("gptj", TRANSFORMERS, ROPE, 2048, "", None),
    ("gptj_rotate", TRANSFORMERS, ROPE, 2048, "", None),
    ("clvp", TRANSFORMERS, ROPE, 2048, "", None),
    ("marian", TRANSFORMERS, SIN, 2048, "", None),
    ("pegasus", TRANSFORMERS, SIN, 2048, "", None),
    ("roformer", TRANSFORMERS, SIN, 2048, "", None),
    ("marian_uninitialized", TRANSFORMERS, SIN, 2048, "flip value", None),
    ("m2m100", TRANSFORMERS, TENSOR, 2048, "", None),
    ("musicgen", TRANSFORMERS, TENSOR, 2048, "", None),
    ("whisper", TRANSFORMERS, TENSOR, 2048, "", None),
    ("opt", TRANSFORMERS, TABLE, 160, "", None),
    ("bart", TRANSFORMERS, TABLE, 160, "", None),
    ("bloom", TRANSFORMERS, "alibi", 512, "", "collision tie"),
    ("falcon", TRANSFORMERS, "alibi", 512, "collision tie value", "collision tie"),
    ("mpt", TRANSFORMERS, "alibi", 512, "", None),
    ("t5_causal", TRANSFORMERS, T5, 2048, "", None),
    ("t5_bidirectional", TRANSFORMERS, BOTH, 2048, "", None),
    ("longt5_bidirectional", TRANSFORMERS, BOTH, 2048, "", None),
    ("mt5_causal", TRANSFORMERS, T5, 2048, "", None),
    ("x_rotary", X, ROPE, 2048, "", None),
    ("x_rotary_interpolated", X, f"{ROPE},scaling=linear,factor=4", 2048, "", None),
    ("x_rotary_ntk", X, f"{ROPE},scaling=ntk,factor=4", 2048, "", None),
    ("x_rotate", X, ROPE, 2048, "", ""),
    ("x_sinusoidal", X, SIN, 2048, "", None),
    ("x_alibi", X, "alibi", 512, "", None),
    ("x_buckets_causal", X, T5, 2048, "", None),
    ("x_buckets_bidirectional", X, BOTH, 2048, "", None),
    ("x_absolute", X, TABLE, 160, "", None),
    ("rotary_torch", "rotary_embedding_torch", ROPE, 1024, "stateful",
     "collision flip stateful tie value"),
    ("encodings_1d", "positional_encodings", SIN, 1024, "stateful", "stateful"),
    ("local", "local_attention", ROPE, 2048, "", None),
    ("torchscale_xpos", "torchscale", ROPE, 2048, "", "collision flip tie value"),
    ("torchscale_buckets_causal", "torchscale", T5, 2048, "", None),
    ("torchscale_buckets_bidirectional", "torchscale", BOTH, 2048, "", None),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def run(name, library, spec, length, dtype, cast=None):
    for needed in ("torch", library):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    given = None if name in ("x_sinusoidal",) else dtype
    subject = f"library_subjects:built_{name}"
    result = audit(subject, spec, length=length, dtype=given, cast=cast)
    return " ".join(sorted({finding.kind for finding in result.findings}))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_float32(row):
    name, library, spec, length, wanted, _ = row
    assert run(name, library, spec, length, "float32") == wanted


HALF = [row for row in ROWS if row[5] is not None]


@pytest.mark.parametrize("row", HALF, ids=[row[0] for row in HALF])
def test_bfloat16(row):
    name, library, spec, length, _, wanted = row
    assert run(name, library, spec, length, "bfloat16") == wanted


CAST = [
    ("llama", "stateful"), ("esm", "stateful"), ("clvp", "stateful"), ("x_rotary", "stateful"),
    ("x_sinusoidal", "stateful"), ("rotary_torch", "stateful"), ("encodings_1d", "stateful"),
    ("local", "stateful"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "wanted"), CAST)
def test_a_cast_narrows_the_frequency_buffer(name, wanted):
    row = next(row for row in ROWS if row[0] == name)
    assert run(*row[:4], "float32", cast="bfloat16") == wanted
