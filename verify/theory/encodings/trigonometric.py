"""Sinusoidal and rotary encodings: cosines and sines of exact frequencies.

Engines vectorize these: column c is the cosine or sine of position (or offset) times a frequency,
as `columns[c] = ("cos" or "sin", k)` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from verify.kernel import Expression, apply
from verify.theory.encodings.grid import require_offset, require_position
from verify.theory.numbers import times

_ONE: Final = (Fraction(1), Fraction(1))


@dataclass(frozen=True, slots=True)
class Sinusoidal:
    """phi(i): sin(i theta_k) for all k, then cos(i theta_k) for all k.

    Vaswani et al., Attention Is All You Need, 2017, section 3.5, there with sines and cosines
    interleaved: a permutation of columns, which the parameter absorbs. Make one with
    `encoding("sinusoidal:frequencies=16,base=10000")`.
    """

    spec: str
    frequencies: tuple[Expression, ...] = field(repr=False, compare=False)
    relative: ClassVar[bool] = False
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = False
    capacity: ClassVar[int | None] = None

    @property
    def columns(self) -> tuple[tuple[str, int], ...]:
        """For each column its function and the index of its frequency."""
        count = range(len(self.frequencies))
        return (*(("sin", k) for k in count), *(("cos", k) for k in count))

    @property
    def dimension(self) -> int:
        """d = 2K."""
        return 2 * len(self.frequencies)

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position)."""
        require_position(position, length)
        angles = [(times(theta, position),) for theta in self.frequencies]
        return (*(apply("sin", a) for a in angles), *(apply("cos", a) for a in angles))


@dataclass(frozen=True, slots=True)
class Rope:
    """psi(o): cos(o theta_k) for all k, then sin(o theta_k) for all k.

    Su et al., RoFormer, 2021, section 3.2: query and key rotated by their positions have the
    product sum_k c_k cos(o theta_k) + s_k sin(o theta_k), with (c, s) free. `temperature` bounds
    the positive factor that YaRN puts on all logits; features leave it out, as no decision
    depends on it. Make one with `encoding("rope:frequencies=16,base=10000")`.
    """

    spec: str
    frequencies: tuple[Expression, ...] = field(repr=False, compare=False)
    temperature: tuple[Fraction, Fraction] = field(default=_ONE, repr=False, compare=False)
    relative: ClassVar[bool] = True
    scale_hinted: ClassVar[bool] = False
    rational: ClassVar[bool] = False
    capacity: ClassVar[int | None] = None

    @property
    def columns(self) -> tuple[tuple[str, int], ...]:
        """For each column its function and the index of its frequency."""
        count = range(len(self.frequencies))
        return (*(("cos", k) for k in count), *(("sin", k) for k in count))

    @property
    def dimension(self) -> int:
        """m = 2K."""
        return 2 * len(self.frequencies)

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """psi(offset)."""
        require_offset(position, length)
        angles = [(times(theta, position),) for theta in self.frequencies]
        return (*(apply("cos", a) for a in angles), *(apply("sin", a) for a in angles))
