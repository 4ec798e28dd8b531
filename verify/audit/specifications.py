"""What a subject is compared with: explicit objects, one class for each kind of truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from flint import arb

from verify.audit.dtypes import Floats
from verify.audit.precise import Double, ball, from_balls, from_expressions, precision, waves
from verify.theory import options, syntax
from verify.theory.encodings import T5, Alibi, Rope, Sinusoidal, encoding

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Truth:
    """Exact features at some positions: names of the columns, values (n, m), and the angle behind
    each value (zeros where it is no cosine or sine)."""

    columns: tuple[str, ...]
    values: Double
    angles: Floats


@dataclass(frozen=True, slots=True)
class Waves:
    """Rotary and sinusoidal encodings: cosines and sines of position * frequency.

    `frequencies(length)` gives balls; `base(length)` the base that dynamic scaling has at a length;
    `factors` are the published common factors by name; `alternatives` other published conventions.
    """

    text: str
    relative: bool
    dimension: int
    frequencies: Callable[[int], tuple[arb, ...]]
    base: Callable[[int], arb | None]
    factors: tuple[tuple[str, float], ...] = ()
    alternatives: tuple[Waves, ...] = ()
    name: str = ""
    capacity: int | None = None

    def truth(self, positions: Positions, length: int) -> Truth:
        """All cosines, then all sines."""
        balls = self.frequencies(length)
        cosines, sines = waves(balls, positions)
        names = [f"{f}(p*theta_{k})" for f in ("cos", "sin") for k in range(len(balls))]
        with precision():
            floats = np.array([float(b.mid()) for b in balls])
        angle = np.outer(positions.astype(np.float64), floats)
        values = Double(np.hstack([cosines.high, sines.high]), np.hstack([cosines.low, sines.low]))
        return Truth(tuple(names), values, np.hstack([angle, angle]))


@dataclass(frozen=True, slots=True)
class Rows:
    """Any other encoding of the theory: its exact feature vectors, position by position."""

    text: str
    relative: bool
    dimension: int
    capacity: int | None
    features: Callable[[int, int], Sequence[Any]]

    def truth(self, positions: Positions, length: int) -> Truth:
        """The encoding's own columns."""
        flat = [e for p in positions.tolist() for e in self.features(p, length)]
        exact = from_expressions(flat)
        shape = (len(positions), self.dimension)
        values = Double(exact.high.reshape(shape), exact.low.reshape(shape))
        names = tuple(f"column {k}" for k in range(self.dimension))
        return Truth(names, values, np.zeros(shape))


@dataclass(frozen=True, slots=True)
class Slopes:
    """ALiBi: logits -2**e * offset, one exponent e for each head (`exponents(heads)`)."""

    text: str
    heads: int | None
    head: int | None
    relative: bool = True

    def exponents(self, heads: int) -> tuple[Fraction, ...]:
        """log2 of the slopes, by the published rule."""
        return published_slopes(heads)


@dataclass(frozen=True, slots=True)
class Buckets:
    """T5 buckets of the offset i - j, as the exact floor of the logarithm."""

    text: str
    encoding: T5
    relative: bool = True

    def bucket(self, offset: int) -> int:
        """The published rule."""
        return self.encoding.bucket(offset)


@dataclass(frozen=True, slots=True)
class Reference:
    """Another callable whose answers are taken as exact: the numbers it returns, as they are."""

    text: str
    subject: str
    target: Any = None
    kind: str | None = None
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """Nothing but that scores depend on the offset alone."""

    text: str = "relative"
    relative: bool = True


Specification = Waves | Rows | Slopes | Buckets | Reference | Relative


def of_features(specification: Specification | None) -> Waves | Rows | None:
    """What features are compared with: waves, or the encoding's own columns; None if nothing."""
    if isinstance(specification, Waves | Rows):
        return specification
    known: Alibi | T5
    if isinstance(specification, Buckets):
        known = specification.encoding
    elif isinstance(specification, Slopes) and (
        specification.head is not None or specification.heads is None
    ):
        known = Alibi(specification.heads, specification.head or 0)
    else:
        return None
    return Rows(specification.text, True, known.dimension, None, known.features)


def published_slopes(heads: int) -> tuple[Fraction, ...]:
    """log2 of the ALiBi slopes (Press, Smith, Lewis 2022): 2**(-8(h+1)/p) for the largest power of
    two p <= heads, then every other slope of the rule for 2p."""
    p = 1 << (heads.bit_length() - 1)
    first = [Fraction(-8 * (h + 1), p) for h in range(p)]
    return tuple(first + [Fraction(-8 * (2 * h + 1), 2 * p) for h in range(heads - p)])


def geometric_slopes(heads: int) -> tuple[Fraction, ...]:
    """log2 of the plain rule 2**(-8(h+1)/heads); it is the published one for powers of two only."""
    return tuple(Fraction(-8 * (h + 1), heads) for h in range(heads))


def sorted_slopes(heads: int) -> tuple[Fraction, ...]:
    """The published slopes in decreasing order, as some implementations arrange them."""
    return tuple(sorted(published_slopes(heads), reverse=True))


def exact_slopes(specification: Slopes, found: int) -> Double:
    """The slopes of `found` heads: of the one head that is specified, of all of them, or 1 for
    plain `alibi` and a single head."""
    if specification.head is not None:
        exponents = published_slopes(specification.heads or 1)[specification.head :][:1]
    elif specification.heads is None and found == 1:
        exponents = (Fraction(0),)
    else:
        exponents = published_slopes(specification.heads or found)
    return powers_of_two(exponents)


def powers_of_two(exponents: Sequence[Fraction]) -> Double:
    """2**e for each exponent."""
    with precision():
        return from_balls([arb(2) ** ball(e) for e in exponents])


SLOPE_RULES: Final = {
    "interpolated (Press et al. 2022)": published_slopes,
    "geometric 2**(-8(h+1)/heads)": geometric_slopes,
    "interpolated, sorted": sorted_slopes,
}


# ------------------------------------------------------------ reading specifications


def specification(text: str) -> Specification:
    """Read a specification: an encoding of the project, or one of those that only audits know.

    These are `rope:dim=64,scaling=dynamic,factor=2,original=2048`,
    `sinusoidal:dim=64,convention=tensor2tensor` (odd dims too), `alibi:heads=12` (all heads),
    `reference:MODULE:NAME` and `relative`. ValueError in one sentence if it is none of these.
    """
    name, _, rest = (piece.strip() for piece in text.strip().partition(":"))
    if name == "relative":
        return Relative()
    if name == "reference":
        if ":" not in rest:
            raise ValueError(f"reference {rest!r} is not of the form MODULE:NAME")
        return Reference(text, rest)
    if name == "alibi":
        return _alibi(text, rest)
    if name == "sinusoidal" and "theta" not in rest:
        return _sinusoidal(text, rest)
    if name == "rope" and "scaling=dynamic" in rest.replace(" ", ""):
        return _dynamic(text, rest)
    known = encoding(text)
    if isinstance(known, Rope | Sinusoidal):
        return _waves(text, known, rest)
    if isinstance(known, T5):
        return Buckets(text, known)
    return Rows(text, known.relative, known.dimension, known.capacity, known.features)


def _alibi(text: str, rest: str) -> Slopes:
    found = options.options("alibi", rest, ("heads", "head"))
    heads = found.integer("heads", 1, 1 << 12) if found.given("heads") else None
    head = found.integer("head", 0, (heads or 1) - 1) if found.given("head") else None
    return Slopes(text, heads, head)


def _waves(text: str, known: Rope | Sinusoidal, rest: str) -> Waves:
    """The theory's encoding; only the base, which its frequencies have absorbed, is read again."""
    balls = tuple(ball(theta) for theta in known.frequencies)
    given = dict(part.partition("=")[::2] for part in rest.replace(" ", "").split(","))
    base: arb | None = None
    if "theta" not in rest:
        with precision():
            base = ball(syntax.rational(given.get("base", "10000"), "base"))
            if given.get("scaling") == "ntk":
                factor = ball(syntax.rational(given["factor"], "factor"))
                base = base * factor ** (arb(len(balls)) / (len(balls) - 1))
    factors: tuple[tuple[str, float], ...] = ()
    if isinstance(known, Rope) and known.temperature[0] != 1:
        square = float(known.temperature[0])
        factors = (
            ("YaRN's 0.1 ln(factor) + 1 on queries and keys", math.sqrt(square)),
            ("YaRN's factor on the logits", square),
        )
    relative = isinstance(known, Rope)
    return Waves(text, relative, known.dimension, lambda _: balls, lambda _: base, factors)


def _dynamic(text: str, rest: str) -> Waves:
    """The base grows with the length n beyond the original one:
    base * (factor * n / original - (factor - 1))**(d/(d-2)), the rule that transformers uses."""
    allowed = ("frequencies", "dim", "base", "scaling", "factor", "original")
    found = options.options("rope", rest, allowed)
    dimension = found.integer("dim", 2, 1 << 12) if found.given("dim") else (
        2 * found.integer("frequencies", 1, 1 << 11)
    )  # fmt: skip
    plain, factor = found.positive("base", 10000), found.positive("factor")
    original = found.positive("original")
    if dimension % 2 or dimension < 4:
        raise ValueError(
            f"dim of rope with dynamic scaling must be even and 4 at least, not {dimension}"
        )

    def base(length: int) -> arb:
        stretch = max(factor * length / original - (factor - 1), Fraction(1))
        with precision():
            return ball(plain) * ball(stretch) ** (arb(dimension) / (dimension - 2))

    def frequencies(length: int) -> tuple[arb, ...]:
        with precision():
            return tuple(base(length) ** (arb(-2 * k) / dimension) for k in range(dimension // 2))

    return Waves(text, True, dimension, frequencies, base)


def _sinusoidal(text: str, rest: str) -> Waves:
    """Both published choices of the exponents: 2k/d (Vaswani et al. 2017), and k/(d/2 - 1) as in
    tensor2tensor and its descendants. An odd d has one cosine less."""
    found = options.options("sinusoidal", rest, ("frequencies", "dim", "base", "convention"))
    dimension = found.integer("dim", 1, 1 << 12) if found.given("dim") else (
        2 * found.integer("frequencies", 1, 1 << 11)
    )  # fmt: skip
    base = found.positive("base", 10000)
    convention = found.values.get("convention", "paper")
    count = (dimension + 1) // 2
    steps = {"paper": Fraction(2, dimension), "tensor2tensor": Fraction(1, max(count - 1, 1))}
    if convention not in steps:
        raise ValueError(f"convention {convention!r} is not one of {', '.join(steps)}")

    def make(which: str, others: tuple[Waves, ...]) -> Waves:
        with precision():
            balls = tuple(ball(base) ** ball(-steps[which] * k) for k in range(count))
        name = (
            f"exponents of {'the paper, 2k/d' if which == 'paper' else 'tensor2tensor, k/(d/2-1)'}"
        )
        return Waves(
            text, False, dimension, lambda _: balls, lambda _: ball(base), (), others, name
        )

    return make(convention, tuple(make(which, ()) for which in steps if which != convention))
