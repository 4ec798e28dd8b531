"""Control: biases that differ from the published one by a constant in each row: no fault."""

import numpy as np

REPORTS = ["mosaicml/llm-foundry#186", "vllm-project/vllm#945"]
SLOPE = 0.5  # head 0 of 8


def one_row_bias(n):
    return np.broadcast_to(SLOPE * (np.arange(n) - (n - 1.0)), (n, n))


def shifted_bias(n):
    i = np.arange(n)
    return SLOPE * (i - i[:, None] + 1.0)
