"""Positional encodings, exact by construction: `encoding(spec)` reads the command-line form.

Absolute encodings map a position i to phi(i) in R^d, relative ones an offset o = i - j to psi(o)
in R^m; scale-hinted ones also see the length n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from verify.kernel import Expression
from verify.theory import frequencies, numbers, options, syntax
from verify.theory.encodings.absolute import Clamped, Learned, OneHot, Polynomial
from verify.theory.encodings.custom import Formulas, Table, inline_table, read_table
from verify.theory.encodings.relative import T5, Alibi, Clipped
from verify.theory.encodings.trigonometric import Rope, Sinusoidal
from verify.theory.text import text

__all__ = [
    "T5", "Alibi", "Clamped", "Clipped", "Encoding", "Formulas", "Learned", "OneHot",
    "Polynomial", "Rope", "Sinusoidal", "Table", "encoding",
]  # fmt: skip

_MANY: Final = 1024  # frequencies, degrees of freedom of a schedule; the kernel's exponents
_WIDE: Final = 1 << 16  # columns
_LONG: Final = 10**9  # positions


class Encoding(Protocol):
    """What every encoding offers.

    spec: canonical text, `encoding(spec)` is an equal object; relative: features of the offset;
    scale_hinted: features also see the length; dimension: d or m; rational: every feature is a
    rational number; capacity: how many positions (or offsets from 0) it is defined for, None if
    all.
    """

    @property
    def spec(self) -> str: ...  # noqa: D102
    @property
    def relative(self) -> bool: ...  # noqa: D102
    @property
    def scale_hinted(self) -> bool: ...  # noqa: D102
    @property
    def dimension(self) -> int: ...  # noqa: D102
    @property
    def rational(self) -> bool: ...  # noqa: D102
    @property
    def capacity(self) -> int | None: ...  # noqa: D102

    def features(self, position: int, length: int) -> tuple[Expression, ...]:
        """phi(position), or psi(offset): `dimension` exact numbers.

        `length` is that of the grid. ValueError for a position outside 0..length-1, an offset
        outside -(length-1)..length-1, or where the encoding is not defined.
        """
        ...


def encoding(spec: str) -> Encoding:
    """The encoding that a spec such as `rope:frequencies=16` or `file.json` names.

    ValueError with one sentence if it names none.
    """
    source = spec.strip()
    if source.endswith(".json"):
        return read_table(source)
    name, _, rest = (piece.strip() for piece in source.partition(":"))
    if name == "scale":
        inner, _, rest = (piece.strip() for piece in rest.partition(":"))
        if inner not in _SCALED and inner in _BUILDERS:
            raise ValueError(
                f"scale: does not go with {inner}, whose features cannot see the length; "
                f"use it with {', '.join(_SCALED)}"
            )
        return options.choose("encoding after scale:", inner, _SCALED)(rest)
    return options.choose("encoding", name, _BUILDERS)(rest)


def _affine(rest: str) -> Encoding:
    options.options("affine", rest, ())
    return Polynomial(1)


def _scaled_affine(rest: str) -> Encoding:
    options.options("scale:affine", rest, ())
    return Polynomial(1, True)


def _polynomial(rest: str) -> Encoding:
    return Polynomial(options.options("polynomial", rest, ("degree",)).integer("degree", 0, 64))


def _scaled_polynomial(rest: str) -> Encoding:
    given = options.options("scale:polynomial", rest, ("degree",))
    return Polynomial(given.integer("degree", 0, 64), True)


def _onehot(rest: str) -> Encoding:
    return OneHot(options.options("onehot", rest, ("length",)).integer("length", 1, _WIDE))


def _clamped(rest: str) -> Encoding:
    return Clamped(options.options("clamped", rest, ("length",)).integer("length", 1, _WIDE))


def _learned(rest: str) -> Encoding:
    given = options.options("learned", rest, ("dim", "seed"))
    return Learned(given.integer("dim", 1, _WIDE), given.integer("seed", 0, 1 << 63, 0))


def _count(given: options.Options) -> int:
    """K, from `frequencies=K` or `dim=2K`."""
    if given.given("dim") and given.given("frequencies"):
        raise ValueError(
            f"{given.what} has both frequencies and dim; give one, dim is twice the other"
        )
    if not given.given("dim"):
        return given.integer("frequencies", 1, _MANY)
    dim = given.integer("dim", 2, 2 * _MANY)
    if dim % 2:
        raise ValueError(
            f"dim of {given.what} must be even, two columns for each frequency, not {dim}"
        )
    return dim // 2


def _list(given: options.Options) -> tuple[Expression, ...] | None:
    """The frequencies that `theta=[...]` spells out, if given."""
    if not given.given("theta"):
        return None
    if len(given.values) > 1:
        raise ValueError(
            f"theta of {given.what} gives the frequencies; it goes with no other option"
        )
    thetas = syntax.formulas(given.values["theta"], (), f"theta of {given.what}")
    found = []
    for theta in thetas:
        exact = theta.value()
        p = None if exact is None else syntax.lift(exact)
        if p is None or any(not t.head.isdigit() for m, _ in p.terms for t, _ in m):
            raise ValueError(f"theta of {given.what} must be algebraic numbers, not {theta.text}")
        if numbers.sign(p) <= 0:
            raise ValueError(f"theta of {given.what} must be positive numbers, not {theta.text}")
        found.append(p)
    return tuple(found)


def _sinusoidal(rest: str) -> Encoding:
    given = options.options("sinusoidal", rest, ("frequencies", "dim", "base", "theta"))
    thetas = _list(given)
    if thetas is not None:
        return Sinusoidal(f"sinusoidal:theta={_spelled(thetas)}", thetas)
    count, base = _count(given), given.positive("base", 10000)
    spec = f"sinusoidal:frequencies={count},base={base}"
    return Sinusoidal(spec, frequencies.geometric(count, base))


def _spelled(thetas: tuple[Expression, ...]) -> str:
    return f"[{','.join(map(text, thetas))}]"


_SCALINGS: Final[dict[str, tuple[str, ...]]] = {
    "linear": ("factor",), "ntk": ("factor",), "yarn": ("factor", "original", "fast", "slow"),
    "llama3": ("factor", "original", "low", "high"),
}  # fmt: skip


def _rope(rest: str) -> Encoding:
    scalings = tuple(dict.fromkeys(key for keys in _SCALINGS.values() for key in keys))
    common = ("frequencies", "dim", "base", "scaling", "theta")
    given = options.options("rope", rest, common + scalings)
    thetas = _list(given)
    if thetas is not None:
        return Rope(f"rope:theta={_spelled(thetas)}", thetas)
    scaling = given.values.get("scaling")
    if scaling is not None and scaling not in _SCALINGS:
        hint = syntax.suggestion(scaling, _SCALINGS)
        raise ValueError(f"scaling of rope is {scaling[:60]!r}, which is unknown; {hint}")
    for key in given.values:
        if key in scalings and key not in _SCALINGS.get(scaling or "", ()):
            right = " or ".join(f"scaling={s}" for s, keys in _SCALINGS.items() if key in keys)
            raise ValueError(f"{key} of rope goes with {right} only")
    count, base = _count(given), given.positive("base", 10000)
    spec = f"rope:frequencies={count},base={base}"
    if scaling is None:
        return Rope(spec, frequencies.geometric(count, base))
    factor = given.positive("factor")
    spec += f",scaling={scaling},factor={factor}"
    if factor < 1:
        raise ValueError(f"factor of rope must be at least 1, not {factor}")
    if scaling == "linear":
        return Rope(spec, frequencies.interpolated(count, base, factor))
    if scaling == "ntk":
        return Rope(spec, frequencies.ntk(count, base, factor))
    original = given.integer("original", 1, _LONG)
    if base < 2:
        raise ValueError(f"base of rope with scaling={scaling} must be at least 2, not {base}")
    if scaling == "yarn":
        fast, slow = given.positive("fast", 32), given.positive("slow", 1)
        if fast < slow:
            raise ValueError(f"fast of rope must be at least slow, not {fast} < {slow}")
        spec += f",original={original},fast={fast},slow={slow}"
        ramped = frequencies.yarn(count, base, factor, original, fast, slow)
        return Rope(spec, ramped, frequencies.temperature(factor))
    low, high = given.positive("low", 1), given.positive("high", 4)
    if high <= low:
        raise ValueError(f"high of rope must be above low, not {high} <= {low}")
    spec += f",original={original},low={low},high={high}"
    return Rope(spec, frequencies.llama3(count, base, factor, original, low, high))


def _alibi(rest: str) -> Encoding:
    given = options.options("alibi", rest, ("heads", "head"))
    if not given.values:
        return Alibi()
    heads = given.integer("heads", 1, _MANY)
    return Alibi(heads, given.integer("head", 0, heads - 1))


def _clipped(rest: str) -> Encoding:
    given = options.options("clipped", rest, ("length", "bidirectional"))
    return Clipped(given.integer("length", 1, _WIDE), given.boolean("bidirectional"))


def _t5(rest: str) -> Encoding:
    given = options.options("t5", rest, ("buckets", "max_distance", "bidirectional"))
    both = given.boolean("bidirectional")
    buckets = given.integer("buckets", 4 if both else 2, _MANY, 32)
    if both and buckets % 2:
        raise ValueError(f"buckets of t5 must be even when bidirectional, not {buckets}")
    exact = buckets // (4 if both else 2)
    return T5(buckets, given.integer("max_distance", exact + 1, _LONG, 128), both)


def _expr(rest: str) -> Encoding:
    return Formulas.parse(rest, False)


def _scaled_expr(rest: str) -> Encoding:
    return Formulas.parse(rest, True)


_BUILDERS: Final[dict[str, Callable[[str], Encoding]]] = {
    "affine": _affine, "polynomial": _polynomial, "onehot": _onehot, "clamped": _clamped,
    "learned": _learned, "sinusoidal": _sinusoidal, "rope": _rope, "alibi": _alibi,
    "clipped": _clipped, "t5": _t5, "expr": _expr, "table": inline_table,
}  # fmt: skip
_SCALED: Final[dict[str, Callable[[str], Encoding]]] = {
    "affine": _scaled_affine, "polynomial": _scaled_polynomial, "expr": _scaled_expr,
}  # fmt: skip
