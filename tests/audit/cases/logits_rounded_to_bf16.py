"""Content and bias added in bfloat16: one row ties, another is ordered wrongly."""

from fractions import Fraction

import ml_dtypes
import numpy as np

REPORTS = ["ml-explore/mlx-lm#1470", "Pushkinist/rMLX#373"]
CONTENT = [
    [Fraction(100), Fraction(801, 8), Fraction(50)],
    [Fraction(0), Fraction(259), Fraction(257)],
]
BIAS = [[Fraction(0)] * 3, [Fraction(0), Fraction(0), Fraction(5, 2)]]


class Exact:
    def logits(self, n):
        return [
            [c + b for c, b in zip(*row, strict=True)] for row in zip(CONTENT, BIAS, strict=True)
        ]


def logits(n):
    content, bias = (np.array(t, dtype=float).astype(ml_dtypes.bfloat16) for t in (CONTENT, BIAS))
    return content + bias
