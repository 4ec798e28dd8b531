"""Positional heads of trained models, certified.

    from verify.checkpoints import heads

    heads("model/", channel="table")["0.5"].share

Weights are dyadic rationals, so the positional logit of a head is exact. The channel is what a head
would do if the residual stream held positions alone; what that leaves out is listed in the result.
"""

from __future__ import annotations

from verify.checkpoints.reading import heads
from verify.checkpoints.results import Head, Heads

__all__ = ["Head", "Heads", "heads"]
