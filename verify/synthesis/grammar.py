"""The stated grammar of encodings, in order of the number of parameter entries.

Relative ones over the offset o: monomials, clipped one-hot offsets, buckets, one or two rotations
with rational or algebraic frequencies, a monomial times a rotation. Absolute ones over the position
i: monomials, rotations, a monomial times a rotation. With Scale Hint: monomials in i and n.
"""

from __future__ import annotations

from verify.theory.encodings import Encoding, encoding

OFFSETS = ("expr:[o]", "expr:[o, o**2]", "expr:[o, o**2, o**3]")
CLIPPED = tuple(f"clipped:length={k}" for k in range(2, 9))
BUCKETS = ("t5:buckets=4,max_distance=8", "t5:buckets=8,max_distance=32")
TURNS = ("rope:theta=[1]", "rope:theta=[1, 1/10]", "rope:theta=[1, 10**(-1/2)]")
PRODUCTS = ("expr:[o*cos(o), o*sin(o)]", "expr:[i*cos(i), i*sin(i)]")
POSITIONS = (
    "expr:[i]", "expr:[1, i]", "expr:[i, i**2]", "expr:[1, i, i**2]", "expr:[1, i, i**2, i**3]",
)  # fmt: skip
WAVES = ("sinusoidal:theta=[1]", "sinusoidal:theta=[1, 1/10]")
HINTED = (
    "scale:expr:[i, n]", "scale:expr:[1, i, n]", "scale:expr:[1, i, i**2]",
    "scale:expr:[i, i**2, n]", "scale:expr:[1, i, i**2, n]", "scale:expr:[1, i, n, i**2, i*n]",
    "scale:polynomial:degree=2",
)  # fmt: skip


def size(e: Encoding) -> int:
    """How many numbers a parameter has: m if relative, d^2 if absolute."""
    return e.dimension if e.relative else e.dimension**2


def candidates(*, hint: bool, causal: bool) -> list[Encoding]:
    """The encodings of the grammar, smallest parameter first, relative before absolute.

    Clipped offsets and buckets are for causal attention.
    """
    if hint:
        specs = [s for s in HINTED if "n" in s.removeprefix("scale:").replace("polynomial", "n")]
    else:
        discrete = (*CLIPPED, *BUCKETS) if causal else ()
        specs = [*OFFSETS, *discrete, *TURNS, *POSITIONS, *WAVES, *PRODUCTS]
    return sorted(map(encoding, specs), key=lambda e: (size(e), not e.relative))
