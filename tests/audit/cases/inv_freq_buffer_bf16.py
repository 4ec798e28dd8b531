"""Only the buffer of frequencies went through bfloat16: nothing collides, long look-backs drift."""

import ml_dtypes
import numpy as np

REPORTS = ["huggingface/transformers#25681", "huggingface/transformers#29496"]
DIM = 128
THETA = 500000.0 ** (-np.arange(0, DIM, 2) / DIM)
NARROW = THETA.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)


def _head(theta, offsets, target):
    """Logits by offset; the head is calibrated, with the exact frequencies, to look back."""
    return np.cos(np.outer(offsets, theta) - THETA * target).sum(axis=1)


def kernel(offsets, target):
    return _head(NARROW, offsets, target)


def right_kernel(offsets, target):
    return _head(THETA, offsets, target)


def features(positions):
    phase = np.outer(positions, NARROW)
    return np.hstack([np.cos(phase), np.sin(phase)])
