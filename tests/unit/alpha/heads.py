"""Random heads for the tests of this folder, and their margins by plain exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from verify.kernel import enclose
from verify.theory.encodings import Encoding, encoding
from verify.theory.heads import logit, visible
from verify.theory.numbers import sign

Interval = tuple[Fraction, Fraction]
BITS = 400

ABSOLUTE = [
    "affine", "polynomial:degree=0", "polynomial:degree=2", "polynomial:degree=5",
    "scale:polynomial:degree=2", "onehot:length=9", "clamped:length=4", "learned:dim=3,seed=5",
    "sinusoidal:frequencies=2,base=10000", "sinusoidal:theta=[1, 2**(1/2)/7, 3]",
    "expr:[1, 1/(i+1), i%3]", "expr:[10**30*i, 10**-30, 1]", "expr:[sqrt(i), 1]",
    "expr:[cos(i), sin(i), 1]", "scale:expr:[i/n, 1, i]", "expr:[i**40, 1]",
    "table:absolute:[[1,2/3],[0,1],[1,2/3],[5,1/7],[1,1],[1,2/3],[0,0],[2,2],[3,1]]",
]  # fmt: skip
RELATIVE = [
    "alibi", "alibi:heads=8,head=2", "alibi:heads=12,head=9", "clipped:length=4,bidirectional=true",
    "t5:buckets=8,max_distance=16", "t5:buckets=8,max_distance=12,bidirectional=true",
    "rope:frequencies=2", "rope:frequencies=3,scaling=ntk,factor=4", "rope:theta=[1, 1, 1/3]",
    "expr:[1, o, o**2]", "expr:[abs(o), 1/(o**2+1)]", "scale:expr:[1, o/n]",
    "expr:[cos(o/2), sin(2*o), 1]",
]  # fmt: skip
CAUSAL_ONLY = [
    "clipped:length=4",
    "table:relative:[[1,0],[0,1],[1,0],[3,1/3],[3,1/3],[2,2],[2,1],[2,0],[1,1]]",
]


def numbers() -> st.SearchStrategy[Any]:
    """Entries of parameters: many zeros and small integers, all sizes of floats, fractions."""
    return st.one_of(
        st.sampled_from([0, 0, 1, -1, 2]),
        st.floats(-4, 4),
        st.floats(allow_nan=False, allow_infinity=False),
        st.fractions(-3, 3, max_denominator=97),
        st.builds(
            lambda m, k: Fraction(m) * Fraction(2) ** k, st.integers(-9, 9), st.integers(-120, 3)
        ),
    )


@st.composite
def heads(draw: st.DrawFn, specs: list[str]) -> tuple[Encoding, list[Any]]:
    """An encoding and a parameter of it."""
    found = encoding(draw(st.sampled_from(specs)))
    d = found.dimension
    if found.relative:
        return found, draw(st.lists(numbers(), min_size=d, max_size=d))
    entries = draw(st.lists(numbers(), min_size=d * d, max_size=d * d))
    return found, [entries[k : k + d] for k in range(0, d * d, d)]


def margin(
    found: Encoding, parameter: Any, i: int, t: int, n: int, visibility: str
) -> tuple[int, Interval]:
    """The sign of the row's margin and an enclosure at 400 bits, from the definition alone."""
    wanted = logit(found, parameter, i, t, n)
    gaps = [wanted - logit(found, parameter, i, j, n) for j in visible(i, n, visibility) if j != t]
    ends = [enclose(p, BITS) for p in gaps]
    low, high = (Fraction(min(e[side] for e in ends), 1 << BITS) for side in (0, 1))
    least = min(sign(p) for p in gaps)
    return least, (low, high)
