"""Relative encodings other than rotary ones: ALiBi, clipped tables, T5 buckets."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from verify.kernel import Expression
from verify.theory.encodings.grid import ONE, require_offset, unit
from verify.theory.numbers import radical, times


@dataclass(frozen=True, slots=True)
class Alibi:
    """psi(o) = [1, m o], with m the slope of one head; plain `alibi` has m = 1.

    Press, Smith, Lewis, Train Short, Test Long, 2022, section 3: the bias of a key at offset o is
    -m o, the parameter [0, -1] here. With n heads, a power of two, head h = 0..n-1 has the slope
    2**(-8 (h+1) / n). For other n the authors' code takes the slopes of the power of two p below
    n, then every second slope of 2p heads: 2**(-8 (2 (h-p) + 1) / (2p)) for h >= p.
    """

    heads: int | None = None
    head: int = 0
    relative: ClassVar[bool] = True
    scale_hinted: ClassVar[bool] = False
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        return "alibi" if self.heads is None else f"alibi:heads={self.heads},head={self.head}"

    @property
    def slope(self) -> Expression:
        """m, exact: a power of two, or a radical of 2."""
        if self.heads is None:
            return ONE
        below = 1 << self.heads.bit_length() - 1
        if self.head < below:
            return radical(2, Fraction(-8 * (self.head + 1), below))
        return radical(2, Fraction(-8 * (2 * (self.head - below) + 1), 2 * below))

    @property
    def dimension(self) -> int:
        """m = 2."""
        return 2

    @property
    def rational(self) -> bool:
        """Whether the slope is."""
        return self.slope.constant() is not None

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """psi(offset)."""
        require_offset(position, length)
        return ONE, times(self.slope, position)


@dataclass(frozen=True, slots=True)
class Clipped:
    """psi(o) = e_min(o, length-1): a learned bias for each offset, shared by all that are larger.

    Shaw, Uszkoreit, Vaswani, Self-Attention with Relative Position Representations, 2018,
    section 3.2, clip(o, -k, k) with k = length - 1. Bidirectional: columns for the offsets
    -k..k, in this order.
    """

    length: int
    bidirectional: bool = False
    relative: ClassVar[bool] = True
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = True
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        return f"clipped:length={self.length}" + ",bidirectional=true" * self.bidirectional

    @property
    def dimension(self) -> int:
        """m."""
        return 2 * self.length - 1 if self.bidirectional else self.length

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """psi(offset)."""
        require_offset(position, length)
        if position < 0 and not self.bidirectional:
            raise ValueError(
                f"clipped:length={self.length} has no column for the offset {position} of a later "
                f"key; add bidirectional=true"
            )
        last = self.length - 1
        clipped = min(max(position, -last), last)
        return unit(clipped + last if self.bidirectional else clipped, self.dimension)


@dataclass(frozen=True, slots=True)
class T5:
    """psi(o): the one-hot vector of the bucket of the offset, `buckets` columns.

    Raffel et al., Exploring the Limits of Transfer Learning, 2020, section 2.1, with the formula
    of the authors' code (`_relative_position_bucket`). Causal: offsets below 0 count as 0, with
    B = buckets. Bidirectional: B = buckets / 2 for each sign, later keys (o < 0) in the second
    half. With e = B // 2, distances a < e have their own bucket, larger ones share
    e + floor((B - e) ln(a/e) / ln(max_distance/e)), at most B - 1. Buckets change where
    a**(B-e) >= max_distance**k * e**(B-e-k): exact integers, no logarithm.
    """

    buckets: int = 32
    max_distance: int = 128
    bidirectional: bool = False
    relative: ClassVar[bool] = True
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = True
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        plain = f"t5:buckets={self.buckets},max_distance={self.max_distance}"
        return plain + ",bidirectional=true" * self.bidirectional

    @property
    def dimension(self) -> int:
        """m = buckets."""
        return self.buckets

    def bucket(self, offset: int) -> int:
        """The bucket of an offset, 0..buckets-1."""
        one_side = self.buckets // 2 if self.bidirectional else self.buckets
        later = one_side if self.bidirectional and offset < 0 else 0
        distance = abs(offset) if self.bidirectional else max(offset, 0)
        return later + bisect_right(_starts(one_side, self.max_distance), distance) - 1

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """psi(offset)."""
        require_offset(position, length)
        return unit(self.bucket(position), self.buckets)


@lru_cache(maxsize=64)
def _starts(buckets: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance of each bucket of one direction (of the empty ones, the next start)."""
    exact = buckets // 2
    steps = buckets - exact
    logarithmic = [_ceil_root(max_distance**k * exact ** (steps - k), steps) for k in range(steps)]
    return (*range(exact), *logarithmic)


def _ceil_root(n: int, k: int) -> int:
    """The smallest integer a with a**k >= n."""
    low, high = 0, 1 << -(-n.bit_length() // k)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**k < n else (low, middle)
    return high
