"""A learned table of 16 rows, indexed past its end with clamping instead of an error."""

import numpy as np

REPORTS = ["jax-ml/jax#278", "huggingface/transformers#32154", "facebookresearch/ParlAI#1717"]
TABLE = np.eye(16)


def features(positions):
    return TABLE[np.minimum(positions, len(TABLE) - 1)]


def strict_features(positions):
    return TABLE[positions]
