"""The product slope * distance stored in bfloat16: near keys stay exact, far ones tie."""

import ml_dtypes
import numpy as np

REPORTS = ["Dao-AILab/flash-attention#846", "bigscience-workshop/Megatron-DeepSpeed#101"]
SLOPE = 2.0**-4  # head 3 of 8


def right_bias(n):
    i = np.arange(n)
    return -SLOPE * (i[:, None] - i)


def bias(n):
    return right_bias(n).astype(ml_dtypes.bfloat16)
