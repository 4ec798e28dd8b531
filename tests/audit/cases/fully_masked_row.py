"""A query row with no admissible key: its softmax is NaN and numpy's argmax says 0."""

import numpy as np

REPORTS = ["pytorch/pytorch#103963", "ml-explore/mlx#2395", "iree-org/iree#24175"]
MASK = np.array([[True, False, False], [False, False, False], [True, True, True]])


class Masked:
    mask_table = MASK

    def mask(self, n):
        return self.mask_table

    def logits(self, n):
        return np.array([[1.0, 2.0, 3.0]] * 3, np.float32)

    def decide(self, logits, mask):
        return np.where(mask, logits, -np.inf).argmax(axis=1)


class Right(Masked):
    mask_table = np.tri(3, dtype=bool)
