"""Heads: what a parameter makes of an encoding, and the systems of the kernel that ask about it.

Logits are linear in the parameter: phi(i)^T W phi(j) with a d x d matrix W for an absolute
encoding, w . psi(i - j) with a vector w of m numbers for a relative one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify.kernel import Expression, collect, number
from verify.theory import numbers
from verify.theory.encodings import Encoding
from verify.theory.text import text
from verify.theory.visibility import visible

__all__ = [
    "Grid", "Group", "Parameter", "decisions_claim", "exact_parameter", "forced_claim", "grid",
    "logit", "margin", "realizable_claim", "system", "unrealizable_claim", "visible",
]  # fmt: skip

Group = tuple[int, Sequence[tuple[int, int]]]  # a length and rows (i, t) of it
Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]
Parameter = Vector | Matrix


# ------------------------------------------------------------ where vectors are


@dataclass(frozen=True, slots=True)
class Grid:
    """Which vector of a system is the feature of what.

    points: for each vector its position (or offset) and the length of its grid; origins: for each
    length the index of position (or offset) 0. Lengths share one grid unless features see the
    length. A relative grid runs over offsets in increasing order, from 0 when causal, from
    -(n-1) under full attention; so the visible keys of a row are contiguous in either case.
    """

    relative: bool
    visibility: str
    points: tuple[tuple[int, int], ...]
    origins: dict[int, int]

    def query(self, i: int, n: int) -> int:
        """The index of the query vector of row i at length n; -1 if relative."""
        return -1 if self.relative else self.origins[n] + i

    def key(self, i: int, j: int, n: int) -> int:
        """The index of the vector that key j shows to row i at length n."""
        return self.origins[n] + (i - j if self.relative else j)

    def position(self, i: int, index: int, n: int) -> int:
        """The key j that the vector of this index is to row i at length n; inverse of `key`."""
        shift = index - self.origins[n]
        return i - shift if self.relative else shift

    def row(self, i: int, t: int, n: int) -> list[int]:
        """The kernel's row [query, start, stop, target] for row i with target t at length n."""
        keys = visible(i, n, self.visibility)
        if t not in keys or len(keys) < 2:
            raise ValueError(
                f"row {i} with target {t} at length {n} is not scored: the target must be visible "
                f"and have a competitor"
            )
        ends = sorted((self.key(i, keys[0], n), self.key(i, keys[-1], n)))
        return [self.query(i, n), ends[0], ends[1] + 1, self.key(i, t, n)]


def grid(encoding: Encoding, lengths: Iterable[int], visibility: str = "causal") -> Grid:
    """The vectors that rows of these lengths need. ValueError if there is no length."""
    wanted = sorted(set(lengths))
    if not wanted or wanted[0] < 1:
        raise ValueError("a system needs at least one length, and lengths are positive integers")
    shared = wanted if encoding.scale_hinted else wanted[-1:]
    points: list[tuple[int, int]] = []
    origins: dict[int, int] = {}
    for n in shared:
        first = -(n - 1) if encoding.relative and visibility == "full" else 0
        origins[n] = len(points) - first
        points.extend((p, n) for p in range(first, n))
    for n in wanted:
        origins.setdefault(n, origins[shared[-1]])
    return Grid(encoding.relative, visibility, tuple(points), origins)


# ------------------------------------------------------------ claims


def system(
    encoding: Encoding, groups: Sequence[Group], visibility: str = "causal"
) -> dict[str, Any]:
    """The kernel's system of these groups (length, [(i, t), ...]), all read by one parameter.

    ValueError if no group has a row, a row is not scored, or the encoding ends before a length.
    """
    return _system(encoding, groups, grid(encoding, (n for n, _ in groups), visibility))


def _system(encoding: Encoding, groups: Sequence[Group], layout: Grid) -> dict[str, Any]:
    rows = [layout.row(i, t, n) for n, pairs in groups for i, t in pairs]
    if not rows:
        lengths = ", ".join(str(n) for n, _ in groups)
        raise ValueError(f"the task asks nothing at length {lengths}; choose a larger length")
    vectors = [[text(e) for e in encoding.features(p, n)] for p, n in layout.points]
    return {"vectors": vectors, "rows": rows}


def realizable_claim(
    encoding: Encoding, groups: Sequence[Group], visibility: str = "causal"
) -> dict[str, Any]:
    """The claim that some parameter makes every row of the groups a hit."""
    return {"kind": "realizable", "system": system(encoding, groups, visibility)}


def unrealizable_claim(
    encoding: Encoding, groups: Sequence[Group], visibility: str = "causal"
) -> dict[str, Any]:
    """The claim that no real parameter makes every row of the groups a hit."""
    return {"kind": "unrealizable", "system": system(encoding, groups, visibility)}


def forced_claim(
    encoding: Encoding,
    groups: Sequence[Group],
    row: tuple[int, int, int],
    visibility: str = "causal",
) -> dict[str, Any]:
    """The claim that every parameter that does so also hits one more row, `row` = (n, i, t)."""
    n, i, t = row
    layout = grid(encoding, [*(length for length, _ in groups), n], visibility)
    return {
        "kind": "forced",
        "system": _system(encoding, groups, layout),
        "row": layout.row(i, t, n),
    }


def decisions_claim(
    encoding: Encoding,
    groups: Sequence[Group],
    parameter: Parameter,
    outcomes: str,
    margin: Fraction | int = 0,
    visibility: str = "causal",
) -> dict[str, Any]:
    """The claim that the rows of the groups, in order, are what `outcomes` says ('h', 'm', 't').

    Every hit has at least this margin.
    """
    exact = exact_parameter(encoding, parameter)
    count = sum(len(pairs) for _, pairs in groups)
    if len(outcomes) != count or set(outcomes) - set("hmt"):
        raise ValueError(f"outcomes must be one of h, m, t for each of the {count} rows")
    if encoding.relative:
        spelled: list[Any] = [str(x) for x in exact]
    else:
        spelled = [[str(x) for x in line] for line in _matrix(exact)]
    return {
        "kind": "decisions",
        "system": system(encoding, groups, visibility),
        "parameter": spelled,
        "outcomes": outcomes,
        "margin": str(Fraction(margin)),
    }


# ------------------------------------------------------------ logits


def exact_parameter(encoding: Encoding, data: Iterable[Any]) -> Parameter:
    """A parameter of the encoding from numbers (int, Fraction, float, rational string), exactly.

    Shape (d, d) if absolute, (m,) if relative. ValueError for another shape, NaN or infinity.
    """
    d = encoding.dimension
    lines = [data] if encoding.relative else list(data)
    shape = f"{d} numbers" if encoding.relative else f"{d} rows of {d} numbers"
    found = []
    for line in lines:
        if isinstance(line, str) or not isinstance(line, Iterable):
            raise ValueError(f"the parameter of {encoding.spec} must be {shape}")
        found.append(tuple(map(_entry, line)))
    if len(found) != (1 if encoding.relative else d) or any(len(line) != d for line in found):
        raise ValueError(f"the parameter of {encoding.spec} must be {shape}")
    return found[0] if encoding.relative else tuple(found)


def _entry(x: Any) -> Fraction:
    try:
        return x if isinstance(x, Fraction) else Fraction(x)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(
            f"the parameter contains {x!r}; every entry must be a finite number"
        ) from None


def _matrix(parameter: Parameter) -> Matrix:
    return parameter  # type: ignore[return-value]


def _dot(weights: Sequence[Expression], features: Sequence[Expression]) -> Expression:
    return collect(
        term for w, f in zip(weights, features, strict=True) if w.terms for term in (w * f).terms
    )


def _weights(encoding: Encoding, parameter: Parameter, i: int, n: int) -> list[Expression]:
    """What a row multiplies key features by: w, or phi(i)^T W."""
    exact = exact_parameter(encoding, parameter)
    if encoding.relative:
        return [number(x) for x in exact]  # type: ignore[arg-type]
    query = encoding.features(i, n)
    columns = zip(*_matrix(exact), strict=True)
    return [
        collect(t for x, q in zip(column, query, strict=True) for t in numbers.times(q, x).terms)
        for column in columns
    ]


def logit(encoding: Encoding, parameter: Parameter, i: int, j: int, n: int) -> Expression:
    """P[i, j] at length n, exact."""
    shown = encoding.features(i - j if encoding.relative else j, n)
    return _dot(_weights(encoding, parameter, i, n), shown)


def margin(
    encoding: Encoding,
    parameter: Parameter,
    i: int,
    t: int,
    n: int,
    visibility: str = "causal",
) -> Expression:
    """P[i, t] less the largest other visible logit, exact; its sign decides the row.

    ValueError if the target is not visible or has no competitor. The best competitor is found by
    exact comparison, which is meant for single rows, not for grids.
    """
    keys = visible(i, n, visibility)
    if t not in keys or len(keys) < 2:
        raise ValueError(f"row {i} with target {t} at length {n} is not scored")
    weights = _weights(encoding, parameter, i, n)
    logits = {
        j: _dot(weights, encoding.features(i - j if encoding.relative else j, n)) for j in keys
    }
    target = logits.pop(t)
    gaps = list(dict.fromkeys(target - other for other in logits.values()))
    best = gaps[0]
    for gap in gaps[1:]:
        if numbers.sign(best - gap) > 0:
            best = gap
    return best
