"""Checks and constants that all encodings share."""

from __future__ import annotations

from typing import Final

from verify.kernel import Expression, number

ZERO: Final = number(0)
ONE: Final = number(1)


def require_position(i: int, length: int) -> None:
    """ValueError unless i is a position of a grid of this length."""
    if not 0 <= i < length:
        raise ValueError(f"position {i} is outside a grid of length {length}")


def require_offset(o: int, length: int) -> None:
    """ValueError unless o is an offset between two positions of a grid of this length."""
    if not -length < o < length:
        raise ValueError(f"offset {o} is outside a grid of length {length}")


def unit(index: int, dimension: int) -> tuple[Expression, ...]:
    """The row `index` of the identity matrix."""
    return (ZERO,) * index + (ONE,) + (ZERO,) * (dimension - index - 1)
