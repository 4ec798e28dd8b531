"""An odd dimension has one cosine less than it has sines."""

import numpy as np

REPORTS = ["codertimo/BERT-pytorch#78", "gc-os-ai/pyaptamer#527"]
DIM = 5


def _phase(positions, dim=DIM):
    return np.outer(positions, 10000.0 ** (-np.arange(0, dim, 2) / DIM))


def features(positions):
    table = np.zeros((len(positions), DIM))
    table[:, 0::2] = np.sin(_phase(positions))
    table[:, 1::2] = np.cos(_phase(positions))  # three columns into two
    return table


def silent_features(positions):
    phase = _phase(positions, DIM - 1)
    return np.hstack([np.sin(phase), np.cos(phase)])


def right_features(positions):
    table = np.zeros((len(positions), DIM))
    table[:, 0::2] = np.sin(_phase(positions))
    table[:, 1::2] = np.cos(_phase(positions))[:, : DIM // 2]
    return table
