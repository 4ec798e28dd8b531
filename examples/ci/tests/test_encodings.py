from fractions import Fraction

import numpy as np
from tinype.alibi import bias
from tinype.masks import Causal

from verify.testing import assert_alpha, assert_decisions, assert_encoding, assert_mask


def test_rope_at_long_range():
    assert_encoding("tinype.rope:features", "rope:dim=64,base=10000", length=100_000)


def test_masks():
    assert_mask(Causal())


def test_the_nearest_key_wins_under_alibi():
    def exact(n):
        return [[Fraction(j - i) for j in range(n)] for i in range(n)]

    assert_decisions(lambda n: bias(n, heads=1)[0] + np.zeros((n, 1)), exact, length=300)


def test_a_head_for_the_previous_token_still_works_at_length_200():
    def logits(n):
        offset = np.arange(n)[:, None] - np.arange(n)
        return -np.abs(offset - 1.0)

    assert assert_alpha(logits, "previous", train=20, length=200) == 1
