"""Causal attention masks."""

import numpy as np


class Causal:
    """Hidden keys get minus infinity, never a finite constant."""

    def mask(self, n):
        """0 where a key may be seen."""
        return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)
