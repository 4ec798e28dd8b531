"""What a positional channel feeds to the projections of a head, in float64 and exactly.

table: the rows p_i of the position table. biases: the same, and the biases of queries and keys.
norm: the layer norm of p_i + c, with c the mean embedding of all words, and the biases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from verify.checkpoints.exact import BITS, ONE, Exact, Row, Vector, dot, integers
from verify.checkpoints.layouts import Learned, Norm, Projections
from verify.engines.floats.features import UNIT
from verify.engines.floats.products import product
from verify.engines.floats.scaling import gamma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Channel = Literal["table", "biases", "norm"]
CHANNELS: Final = ("table", "biases", "norm")
UNDERFLOW: Final = 2.0**-700  # far above what underflow can do to products of entries below 2**100
_UP: Final = 1 + 1e-9  # on bounds that are sums of non-negative numbers, fewer than 2**22 of them


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Rows x_i = u_i / s_i + shift. values: (n, d), in float64; row(i): u_i and s_i**2, exactly.

    error: (n,), a bound on the Euclidean norm of the errors of a row of `values`. shift: (d,).
    """

    values: Floats
    error: Floats
    shift: Floats
    row: Callable[[int], Row]


def inputs(model: Learned, channel: Channel, layer: int, length: int) -> Inputs:
    """The first `length` rows of the channel before this layer's projections."""
    positions = model.positions[:length]
    if channel == "norm":
        return normed(positions, model.content(), model.norm(layer))

    def row(i: int) -> Row:
        entries, shift = integers(positions[i])
        return Row(Vector(entries, shift), ONE)

    n, d = positions.shape
    return Inputs(positions, np.zeros(n), np.zeros(d), row)


def normed(positions: Floats, content: Floats, norm: Norm) -> Inputs:
    """Layer norm of p_i + content, all of it from integers; only the last steps are rounded.

    With x = p_i + content: u = gain * (d x - sum x), s**2 = d sum x**2 - (sum x)**2 + d**2 epsilon.
    """
    n, d = positions.shape
    whole, scale = integers(np.vstack([positions, content]))
    gains, gain_scale = integers(norm.gain)
    *rows, mean = whole
    centred: list[list[int]] = []
    squares: list[Fraction] = []
    values, error = np.empty((n, d)), np.empty(n)
    size = np.abs(norm.gain)
    for i, line in enumerate(rows):
        x = [p + c for p, c in zip(line, mean, strict=True)]
        total = sum(x)
        centred.append([d * entry - total for entry in x])
        spread = d * sum(entry * entry for entry in x) - total * total
        squares.append(_scaled(spread, 2 * scale) + d * d * norm.epsilon)
        # u / s without the gain, rounded once: s as an integer of BITS bits at least
        square, more = squares[-1], BITS
        more += max(0, square.denominator.bit_length() - square.numerator.bit_length())
        more += max(0, 2 * scale)
        s = math.isqrt((square.numerator << 2 * more) // square.denominator)
        top = more - scale
        unit = [(e << top) / s if top >= 0 else e / (s << -top) for e in centred[-1]]
        z = np.array(unit)
        values[i] = norm.gain * z + norm.shift
        parts = 4 * UNIT * (size * np.abs(z) + np.abs(values[i]))
        error[i] = frobenius(parts)

    def row(i: int) -> Row:
        u = [g * e for g, e in zip(gains, centred[i], strict=True)]
        return Row(Vector(u, scale + gain_scale), squares[i])

    return Inputs(values, error, norm.shift, row)


def _scaled(x: int, shift: int) -> Fraction:
    return Fraction(x, 1 << shift) if shift >= 0 else Fraction(x << -shift)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Queries or keys of one head: values (n, width); error: (n,), in Euclidean norm.

    size: (n,), norms of the rows of values, rounded up.
    """

    values: Floats
    error: Floats
    size: Floats


def table(source: Inputs, weight: Floats, bias: Floats) -> Table:
    """W x_i + b for all rows, in float64, with proved errors.

    Per row, with e_i the error of x_i: |W| e_i + gamma(d + 1) (|W| |x_i| + |b|) by Cauchy-Schwarz,
    with Frobenius and Euclidean norms (Higham, section 3.5).
    """
    values = product(source.values, weight.T) + bias
    norm, size = frobenius(weight), norms(source.values)
    rounding = 1.01 * gamma(weight.shape[1] + 1)
    error = norm * (1 + rounding) * source.error
    error += rounding * (norm * size + frobenius(bias))
    return Table(values, error * _UP + UNDERFLOW, norms(values))


def frobenius(values: Floats) -> float:
    """The root of the sum of all squares, rounded up. (BLAS would start threads for it.)"""
    return float(np.sqrt(np.square(values).sum())) * _UP + UNDERFLOW


def norms(values: Floats) -> Floats:
    """The Euclidean norm of each row, rounded up."""
    return np.asarray(np.sqrt(np.einsum("nd,nd->n", values, values)) * _UP + UNDERFLOW)


def head(model: Learned, channel: Channel, layer: Projections, index: int) -> Projections:
    """The projections of one head; without biases in the channel `table`."""
    found = layer.head(index, model.width)
    if channel != "table":
        return found
    zero = np.zeros(model.width)
    return Projections(found.query, zero, found.key, zero)


def exact(source: Inputs, projections: Projections) -> Exact:
    """The same head in rational arithmetic."""
    query, key = integers(projections.query), integers(projections.key)
    return Exact(
        source.row, query, key,
        _shifted(query, source.shift, projections.query_bias),
        _shifted(key, source.shift, projections.key_bias),
    )  # fmt: skip


def _shifted(matrix: tuple[Any, int], shift: Floats, bias: Floats) -> tuple[Fraction, ...]:
    """W shift + b."""
    offsets = tuple(map(Fraction, bias.tolist()))
    if not shift.any():
        return offsets
    lines, scale = matrix
    exact = [Fraction(x) for x in shift.tolist()]
    unit = Fraction(2) ** -scale
    return tuple(dot(line, exact) * unit + b for line, b in zip(lines, offsets, strict=True))
