"""Position ids cast to bfloat16 before the phase: from 256 on neighbours share an id."""

import ml_dtypes
import numpy as np

REPORTS = ["EleutherAI/gpt-neox#1003", "EleutherAI/gpt-neox#1016", "huggingface/candle#3520"]
DIM = 16
THETA = 10000.0 ** (-np.arange(0, DIM, 2) / DIM)


def right_features(positions):
    phase = np.outer(positions, THETA)
    return np.hstack([np.cos(phase), np.sin(phase)])


def features(positions):
    return right_features(positions.astype(ml_dtypes.bfloat16).astype(np.float64))
