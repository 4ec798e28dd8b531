"""Absolute encodings with rational features: polynomials, one-hot and learned tables."""

from __future__ import annotations

import decimal
import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from verify.kernel import Expression, number
from verify.theory.encodings.grid import require_position, unit


@dataclass(frozen=True, slots=True)
class Polynomial:
    """phi(i) = [1, i, ..., i**degree]; scale-hinted: all i**a * n**b, a + b <= degree.

    Degree 1 is `affine`. Monomials are ordered by total degree, then by the power of n. The
    scale hint is that of Chen, Liang, Lin, arXiv 2510.04130, 2025.
    """

    degree: int
    scale_hinted: bool = False
    relative: ClassVar[bool] = False
    rational: ClassVar[bool] = True
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        name = "affine" if self.degree == 1 else f"polynomial:degree={self.degree}"
        return f"scale:{name}" if self.scale_hinted else name

    @property
    def dimension(self) -> int:
        """d."""
        return math.comb(self.degree + 2, 2) if self.scale_hinted else self.degree + 1

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position)."""
        require_position(position, length)
        return tuple(
            number(position ** (total - b) * length**b)
            for total in range(self.degree + 1)
            for b in range(total + 1 if self.scale_hinted else 1)
        )


@dataclass(frozen=True, slots=True)
class OneHot:
    """phi(i) = e_i for i < length, and undefined beyond: what a learned-absolute table can say.

    Gehring et al., Convolutional Sequence to Sequence Learning, 2017, section 3.1 (learned
    position embeddings): any table is this one under a linear map, which the parameter absorbs.
    """

    length: int
    relative: ClassVar[bool] = False
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = True

    @property
    def spec(self) -> str:
        """Canonical text."""
        return f"onehot:length={self.length}"

    @property
    def dimension(self) -> int:
        """d = length."""
        return self.length

    @property
    def capacity(self) -> int | None:
        """Its length."""
        return self.length

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position)."""
        require_position(position, length)
        if position >= self.length:
            raise ValueError(
                f"position {position} is outside onehot:length={self.length}; give it a length "
                f"above {position}, or use clamped, which shares its last row"
            )
        return unit(position, self.length)


@dataclass(frozen=True, slots=True)
class Clamped:
    """phi(i) = e_min(i, length-1): a learned table whose last row serves all later rows."""

    length: int
    relative: ClassVar[bool] = False
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = True
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        return f"clamped:length={self.length}"

    @property
    def dimension(self) -> int:
        """d = length."""
        return self.length

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position)."""
        require_position(position, length)
        return unit(min(position, self.length - 1), self.length)


@dataclass(frozen=True, slots=True)
class Learned:
    """phi(i) in R^dim with independent standard normal entries, rounded to multiples of 2**-20.

    A learned-absolute table whose rows beyond training are random. Every entry is a float32
    number, so all float types start from the same table. Row i depends on the seed and i alone:
    entries come in pairs by Marsaglia's polar method (Marsaglia, Bray, A convenient method for
    generating normal variables, SIAM Review 6, 1964) from the SHA-256 of "seed,i,block", read as
    big-endian 32-bit words w: u = (2 (w >> 6) + 1) / 2**26 - 1. The result is that of correctly
    rounded real arithmetic, whatever the platform's logarithm.
    """

    dim: int
    seed: int = 0
    relative: ClassVar[bool] = False
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = True
    capacity: ClassVar[int | None] = None

    @property
    def spec(self) -> str:
        """Canonical text."""
        return f"learned:dim={self.dim},seed={self.seed}"

    @property
    def dimension(self) -> int:
        """d."""
        return self.dim

    def numerators(self, position: int) -> list[int]:
        """phi(position) * 2**20."""
        found: list[int] = []
        block = 0
        while len(found) < self.dim:
            source = hashlib.sha256(f"{self.seed},{position},{block}".encode("ascii")).digest()
            words = [int.from_bytes(source[k : k + 4], "big") >> 6 for k in range(0, 32, 4)]
            for first, second in zip(words[::2], words[1::2], strict=True):
                pair = 2 * first + 1 - (1 << 26), 2 * second + 1 - (1 << 26)
                square = pair[0] ** 2 + pair[1] ** 2
                if square < 1 << 52:
                    found.extend(_polar(x, square) for x in pair)
            block += 1
        return found[: self.dim]

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position)."""
        require_position(position, length)
        return tuple(number(Fraction(n, 1 << 20)) for n in self.numerators(position))


_PRECISE: Final = decimal.Context(prec=50)


def _polar(x: int, square: int) -> int:
    """round(2**20 * u * sqrt(-2 ln(s) / s)) for u = x / 2**26, s = square / 2**52.

    Float64 decides unless the result is within 1e-6 of a half-integer (its error is below 1e-8,
    with any logarithm good to a few units in the last place); decimal arithmetic, which is
    correctly rounded by specification, decides the rest.
    """
    s = square / (1 << 52)
    quick = math.sqrt(-2 * math.log(s) / s) * x / 64
    if abs(quick - math.floor(quick) - 0.5) > 1e-6:
        return round(quick)
    exact = _PRECISE.divide(decimal.Decimal(square), decimal.Decimal(1 << 52))
    ratio = _PRECISE.divide(_PRECISE.multiply(decimal.Decimal(-2), _PRECISE.ln(exact)), exact)
    return round(Fraction(_PRECISE.sqrt(ratio)) * x / 64)
