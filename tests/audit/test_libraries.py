"""Subjects written with PyTorch, JAX and MLX: `pytest -m torch`."""

from __future__ import annotations

import pytest

from verify.audit import audit

pytestmark = pytest.mark.torch
ROPE = "rope:dim=16"


@pytest.mark.parametrize("library", ["torch", "jax", "mlx"])
@pytest.mark.parametrize("dtype", [None, "bfloat16", "float16"])
def test_sound_features(library, dtype):
    pytest.importorskip(library)
    result = audit(f"{library}_subjects:features", ROPE, length=1024, dtype=dtype)
    assert result.findings == ()
    assert library in result.versions


@pytest.mark.parametrize("library", ["torch", "jax", "mlx"])
def test_narrow_features(library):
    pytest.importorskip(library)
    result = audit(f"{library}_subjects:narrow_features", ROPE, length=512, dtype="bfloat16")
    assert result.of("value")[0].stage == "product in bfloat16"
    assert result.of("collision")[0].position == 256


def test_a_module_and_its_cast():
    pytest.importorskip("torch")
    assert audit("torch_subjects:Rotary", ROPE, length=512).clean
    result = audit("torch_subjects:Rotary", ROPE, length=512, cast="bfloat16")
    assert {finding.kind for finding in result.findings} == {"stateful"}
    assert result.findings[0].stage == "frequency in bfloat16"
    assert "import torch" in result.findings[0].reproduce


def test_rotation_mask_and_argmax():
    pytest.importorskip("torch")
    assert audit("torch_subjects:rotate", ROPE, length=512).clean
    assert audit("torch_subjects:rotate", ROPE, length=512, dtype="float16").clean
    assert audit("torch_subjects:mask", length=32).clean
    result = audit("torch_subjects:decide", length=32, dtype="bfloat16")
    assert result.clean
    assert result.notes[0].name in ("first wins", "last wins", "neither first nor last wins")
