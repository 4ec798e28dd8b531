"""Subjects in MLX, whose bfloat16 has no buffer format."""

import mlx.core as mx

THETA = 10000.0 ** (-mx.arange(0, 16, 2) / 16)


def features(positions, dtype=mx.float32):
    phase = positions.astype(mx.float32)[:, None] * THETA
    return mx.concatenate([mx.cos(phase), mx.sin(phase)], axis=1).astype(dtype)


def narrow_features(positions, dtype=mx.bfloat16):
    phase = positions.astype(dtype)[:, None] * THETA.astype(dtype)
    return mx.concatenate([mx.cos(phase), mx.sin(phase)], axis=1)
