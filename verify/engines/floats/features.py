"""Feature tables in float64, each entry with a proved error bound.

Cosines and sines are products of two table entries, cos((aB+b)t) = cos(aBt) cos(bt) - sin(aBt)
sin(bt): the tables are balls of radius below 2**-60 rounded to float64, and the products use
nothing but IEEE additions and multiplications, so no library's sine has to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.kernel import Expression, enclose
from verify.theory.encodings import (
    T5,
    Alibi,
    Clamped,
    Clipped,
    Encoding,
    Learned,
    OneHot,
    Polynomial,
    Rope,
    Sinusoidal,
)
from verify.theory.numbers import times
from verify.theory.text import value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

UNIT: Final = 2.0**-53  # half an ulp of 1: the relative error of one rounding
ENTRY: Final = 1.01 * UNIT  # of a table entry: rounding (in any direction) and the ball's radius
_CHUNK: Final = 1024
WAVE: Final = 5 * UNIT  # of a product of entries: 2 sqrt(2) ENTRY + 2 UNIT, and higher orders


@dataclass(frozen=True, slots=True)
class Features:
    """Features at `count` consecutive positions (or offsets), from `first` on.

    values: (u, d). index: (count,), the row of `values` of each position, None if position k is
    row k; positions that share a row have identical features. exponents: (d,), column a holds the
    exact feature times 2**-exponents[a] up to an error of absolute[a] + relative[a] * |entry|.
    """

    values: Floats
    index: Ints | None
    first: int
    count: int
    exponents: Ints
    absolute: Floats
    relative: Floats


def features(encoding: Encoding, length: int, visibility: str = "causal") -> Features:
    """All features that the grid of this length needs: positions 0..n-1 or offsets.

    Offsets run over 0..n-1 when causal, over -(n-1)..n-1 under full attention. ValueError (from
    the encoding) where it is not defined.
    """
    first = -(length - 1) if encoding.relative and visibility == "full" else 0
    count = length - first
    for end in (first, length - 1):
        encoding.features(end, length)  # raises where the encoding ends
    positions = np.arange(first, length)
    match encoding:
        case Sinusoidal() | Rope():
            return _waves(encoding, first, count)
        case Polynomial() if encoding.degree:
            return _polynomial(encoding, positions, length)
        case OneHot():
            return _units(positions, encoding.dimension, first)
        case Clamped():
            return _units(np.minimum(positions, encoding.length - 1), encoding.dimension, first)
        case Clipped():
            last = encoding.length - 1
            column = np.clip(positions, -last, last) + last * encoding.bidirectional
            return _units(column, encoding.dimension, first)
        case T5():
            far = min(encoding.max_distance, length - 1)  # the last bucket begins before
            buckets = [encoding.bucket(o) for o in range(-far, far + 1)]
            column = np.array(buckets, dtype=np.intp)[np.clip(positions, -far, far) + far]
            return _units(column, encoding.dimension, first)
        case Alibi():
            return _alibi(encoding, positions)
        case Learned():
            return _learned(encoding, length)
    return _distinct(encoding, positions, length, first)


# ------------------------------------------------------------ cosines and sines


@dataclass(frozen=True, slots=True)
class Turns:
    """cos and sin of k * step * theta for k = 0, 1, ...: two tables (counts, frequencies)."""

    cos: Floats
    sin: Floats


def turns(frequencies: Sequence[Expression], step: int, count: int) -> Turns:
    """The tables of `count` multiples of step * theta, each entry within ENTRY of the exact value.

    frequencies: sums of rational multiples of products of radicals.
    """
    from flint import arb, ctx

    cos, sin = np.empty((count, len(frequencies))), np.empty((count, len(frequencies)))
    for k, theta in enumerate(frequencies):
        bits, total = 128 + (step * count).bit_length(), arb(0)
        while True:
            with ctx.workprec(bits):
                turn = ball(theta) * step
                for m in range(count):
                    s, c = (turn * m).sin_cos()
                    cos[m, k], sin[m, k] = float(c), float(s)
                    total += s
                    total += c  # the radius of a sum is at least that of every summand
            if total.rad() < 2.0**-60:
                break
            bits, total = 2 * bits, arb(0)
    return Turns(cos, sin)


def ball(p: Expression) -> Any:
    """A flint ball around a sum of rational multiples of radicals, at the working precision."""
    from flint import arb, fmpq

    total = arb(0)
    for monomial, coefficient in p.terms:
        exponent = arb(0)
        for term, power in monomial:
            exponent += arb(int(term.head)).log() * fmpq(power.numerator, power.denominator)
        total += exponent.exp() * fmpq(coefficient.numerator, coefficient.denominator)
    return total


def split(count: int) -> tuple[int, int]:
    """(B, A) with A * B >= count: the sizes of the fine and the coarse table."""
    fine = 1 << max(count - 1, 1).bit_length() // 2
    return fine, -(-count // fine)


def _waves(encoding: Sinusoidal | Rope, first: int, count: int) -> Features:
    ahead = first + count  # positions 0..ahead-1, mirrored for negative offsets
    fine, coarse = split(ahead)
    near = turns(encoding.frequencies, 1, fine)
    far = turns(encoding.frequencies, fine, coarse)
    runs = {name: _runs(encoding.columns, name) for name in ("cos", "sin")}
    values = np.empty((count, encoding.dimension))
    chunk = max(1, _CHUNK // fine)  # coarse rows whose products stay in the cache
    for low in range(0, coarse, chunk):
        c, s = far.cos[low : low + chunk, None], far.sin[low : low + chunk, None]
        wave = {
            "cos": (c * near.cos - s * near.sin).reshape(-1, c.shape[2]),
            "sin": (s * near.cos + c * near.sin).reshape(-1, c.shape[2]),
        }
        at = low * fine  # the position of the chunk's first row
        for name, mirror in (("cos", 1.0), ("sin", -1.0)):
            for start, stop, k in runs[name]:
                part = wave[name][: ahead - at, k : k + stop - start]
                here = at - first
                values[here : here + len(part), start:stop] = part
                if first:  # offsets -at, -at-1, ...: cosines are even, sines odd
                    back = values[here - 2 * at - len(part) + 1 : here - 2 * at + 1]
                    back[::-1, start:stop] = mirror * part
    zero = np.zeros(encoding.dimension, dtype=np.intp)
    none = np.zeros(encoding.dimension)
    return Features(values, None, first, count, zero, none + WAVE, none)


def _runs(columns: Sequence[tuple[str, int]], function: str) -> list[tuple[int, int, int]]:
    """Maximal runs (start, stop, frequency of start) of columns with consecutive frequencies."""
    found: list[tuple[int, int, int]] = []
    for c, (name, k) in enumerate(columns):
        if name != function:
            continue
        if found and found[-1][1] == c and k == found[-1][2] + c - found[-1][0]:
            found[-1] = (found[-1][0], c + 1, found[-1][2])
        else:
            found.append((c, c + 1, k))
    return found


# ------------------------------------------------------------ rational features


def _polynomial(encoding: Polynomial, positions: Ints, length: int) -> Features:
    """Monomials i**a * n**b of (i / 2**m) <= 1 by repeated products: `degree` roundings at most."""
    m = length.bit_length()
    x, y = positions / 2.0**m, length / 2.0**m
    degree, columns = encoding.degree, []
    powers = [np.ones(len(positions))]
    for _ in range(degree):
        powers.append(powers[-1] * x)
    tops = [1.0]
    for _ in range(degree):
        tops.append(tops[-1] * y)
    exponents = []
    for total in range(degree + 1):
        for b in range(total + 1 if encoding.scale_hinted else 1):
            columns.append(powers[total - b] * tops[b])
            exponents.append(m * total)
    powers_of_two = np.array(exponents, dtype=np.intp)
    rounded = powers_of_two > 53  # below, all entries are integers that float64 holds
    relative = np.where(rounded, 1.01 * (2 * degree) * UNIT, 0)
    absolute = np.where(rounded, 2.0**-1060, 0)
    values = np.stack(columns, axis=1)
    return Features(values, None, 0, len(positions), powers_of_two, absolute, relative)


def _alibi(encoding: Alibi, positions: Ints) -> Features:
    slope = value(encoding.slope)
    exact = encoding.slope.constant() == Fraction(slope)
    values = np.stack([np.ones(len(positions)), positions * slope], axis=1)
    small = int(np.abs(positions).max()).bit_length() + _significant(slope) <= 53
    relative = np.array([0, 0 if exact and small else 2.02 * UNIT])
    zero = np.zeros(2, dtype=np.intp)
    first, count = int(positions[0]), len(positions)
    return Features(values, None, first, count, zero, np.zeros(2), relative)


def _significant(x: float) -> int:
    """The number of significant bits of a float."""
    numerator = abs(x.as_integer_ratio()[0])
    return (numerator // (numerator & -numerator)).bit_length() if numerator else 0


def _learned(encoding: Learned, length: int) -> Features:
    rows = [encoding.numerators(position) for position in range(length)]
    values = np.array(rows, dtype=np.float64) / 2.0**20
    zero, none = np.zeros(encoding.dim, dtype=np.intp), np.zeros(encoding.dim)
    return Features(values, None, 0, length, zero, none, none)


def _units(column: Ints, dimension: int, first: int) -> Features:
    """Position k has the unit vector of column `column[k]`."""
    used, index = np.unique(column, return_inverse=True)
    values = np.zeros((len(used), dimension))
    values[np.arange(len(used)), used] = 1
    own = len(used) == len(column) and bool((np.diff(column) > 0).all())
    zero, none = np.zeros(dimension, dtype=np.intp), np.zeros(dimension)
    return Features(values, None if own else index, first, len(column), zero, none, none)


def _distinct(encoding: Encoding, positions: Ints, length: int, first: int) -> Features:
    """Any encoding: one exact evaluation for each position, equal ones merged."""
    known: dict[tuple[Expression, ...], int] = {}
    index = [
        known.setdefault(encoding.features(position, length), len(known))
        for position in positions.tolist()
    ]
    return _table(list(known), np.array(index, dtype=np.intp), first)


def _table(vectors: list[tuple[Expression, ...]], index: Ints, first: int) -> Features:
    """Correctly rounded entries, column by column scaled into the range of float64."""
    known: dict[tuple[Expression, int], tuple[float, bool]] = {}
    columns = list(zip(*vectors, strict=True))
    exponents = [_exponent(column) for column in columns]
    values, rounded = np.empty((len(vectors), len(columns))), np.zeros(len(columns), dtype=bool)
    for a, (column, k) in enumerate(zip(columns, exponents, strict=True)):
        for row, entry in enumerate(column):
            if (entry, k) not in known:
                known[entry, k] = _rounded(entry, k)
            values[row, a], exact = known[entry, k]
            rounded[a] |= not exact
    own, powers = len(vectors) == len(index), np.array(exponents, dtype=np.intp)
    # Rounding to nearest; a result below the normal range is off by less than 2**-1074.
    absolute, relative = np.where(rounded, 2.0**-1060, 0), np.where(rounded, 1.01 * UNIT, 0)
    return Features(values, None if own else index, first, len(index), powers, absolute, relative)


def _exponent(column: Sequence[Expression]) -> int:
    """k with |entry| < 2**(k+1) for all entries; 0 if that is near enough to 1 not to matter."""
    largest = max((_magnitude(entry) for entry in column if entry.terms), default=0)
    return largest if abs(largest) > 64 else 0


def _magnitude(entry: Expression) -> int:
    constant = entry.constant()
    if constant is not None:
        return constant.numerator.bit_length() - constant.denominator.bit_length()
    return max(abs(end) for end in enclose(entry, 64)).bit_length() - 64


def _rounded(entry: Expression, k: int) -> tuple[float, bool]:
    """entry * 2**-k to nearest, and whether that is exact."""
    scaled = times(entry, Fraction(2) ** -k) if k else entry
    near = value(scaled)
    return near, scaled.constant() == Fraction(near)
