"""Control: float16 cosines of wide phases. Many channels do not move from one position to the next,
but no two positions share all of them."""

import numpy as np

REPORTS = ["ml-explore/mlx-lm#1076"]
DIM = 64
THETA = 1e7 ** (-np.arange(0, DIM, 2) / DIM)


def features(positions):
    phase = np.outer(positions, THETA)
    return np.hstack([np.cos(phase), np.sin(phase)]).astype(np.float16)
