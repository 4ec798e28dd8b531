"""Rotary encodings, half-split, in float32."""

import numpy as np

DIM, BASE = 64, 10000.0
THETA = (BASE ** (-np.arange(0, DIM, 2) / DIM)).astype(np.float32)


def features(positions):
    """Cosines and sines, each frequency twice."""
    phase = np.outer(positions.astype(np.float32), THETA)
    phase = np.hstack([phase, phase])
    return np.cos(phase), np.sin(phase)


def rotate(x, positions):
    """The rows of x, each rotated at its position."""
    cosines, sines = features(positions)
    half = x.shape[1] // 2
    turned = np.hstack([-x[:, half:], x[:, :half]])
    return x * cosines + turned * sines


def features_half(positions):
    """For old callers only: positions in half precision, so that 2048 and 2049 are the same one.

    Its failures up to length 1024 are in known_failures.txt.
    """
    phase = np.outer(positions.astype(np.float16), THETA.astype(np.float16))
    return np.hstack([np.cos(phase), np.sin(phase)])
