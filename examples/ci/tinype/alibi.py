"""ALiBi by the published rule for any number of heads."""

import numpy as np


def slopes(heads):
    """Powers of two for a power of two p, then every other slope of the rule for 2p."""
    power = 1 << (heads.bit_length() - 1)
    own = [2.0 ** (-8 * (h + 1) / power) for h in range(power)]
    more = [2.0 ** (-8 * (h + 1) / (2 * power)) for h in range(0, 2 * (heads - power), 2)]
    return np.array(own + more)


def bias(n, heads=12):
    """Counted from the last key: a constant in each row makes no difference to a softmax."""
    return slopes(heads)[:, None, None] * np.arange(1 - n, 1)
