"""The stated grammar of encodings, in order of the number of parameter entries.

Relative ones over the offset o: monomials, clipped one-hot offsets, one or two rotations. Absolute
ones over the position i: monomials, rotations. With Scale Hint: monomials in i and n.
"""

from __future__ import annotations

from verify.theory.encodings import Encoding, encoding

OFFSETS = ("expr:[o]", "expr:[o, o**2]", "expr:[o, o**2, o**3]")
CLIPPED = tuple(f"clipped:length={k}" for k in range(2, 9))
TURNS = ("rope:theta=[1]", "rope:theta=[1, 1/10]")
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

    Clipped offsets are for causal attention. ValueError never.
    """
    if hint:
        specs = [s for s in HINTED if "n" in s.removeprefix("scale:").replace("polynomial", "n")]
    else:
        specs = [*OFFSETS, *(CLIPPED if causal else ()), *TURNS, *POSITIONS, *WAVES]
    return sorted(map(encoding, specs), key=lambda e: (size(e), not e.relative))
