"""A kernel system read once for many questions, and stand-ins for its irrational vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.comparisons import Comparisons, Label, Vector, comparisons
from verify.forms import Matrix, Proof, System, rounded
from verify.theory.text import value

Triple = tuple[int, int, int]  # query, target, key: the target shall beat the key
NEAR = 256  # bits of the enclosures with which multipliers near exact ones are checked
ROUNDED = (100, 400)  # bits of the rational vectors that stand in for irrational ones


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A system read once for many questions. `rational`: its vectors, if all entries are."""

    system: System
    vectors: tuple[Vector, ...]
    rational: tuple[tuple[Fraction, ...], ...] | None
    known: Comparisons
    cache: dict[str, Any] = field(default_factory=dict)

    @property
    def linear(self) -> bool:
        """Whether the parameter is a vector."""
        return bool(self.system["rows"][0][0] < 0)

    def triples(self) -> list[Triple]:
        """The different constraints of the rows."""
        return list(self.labels())

    def labels(self) -> dict[Triple, Label]:
        """The different constraints with the first row and key that ask for each."""
        found: dict[Triple, Label] = {}
        for k, (q, a, b, t) in enumerate(self.system["rows"]):
            for key in range(a, b):
                if key != t:
                    found.setdefault((q, t, key), (k, key))
        return found


def check(claim: dict[str, Any], proof: Proof) -> bool:
    """Whether the kernel accepts this proof of this claim."""
    certificate = {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome == "valid"


def read(system: System) -> Reading:
    """The system with its vectors parsed. kernel.Malformed if it is none."""
    vectors = tuple(tuple(kernel.expression(e) for e in v) for v in system["vectors"])
    values = [[e.constant() for e in v] for v in vectors]
    exact = tuple(tuple(e for e in v if e is not None) for v in values)
    whole = all(len(e) == len(v) for e, v in zip(exact, vectors, strict=True))
    known = comparisons(vectors, system["rows"])
    return Reading(system, vectors, exact if whole else None, known)


def stand_ins(reading: Reading) -> Iterator[list[list[Fraction]]]:
    """Rational vectors near the irrational ones, nearer each time."""
    for bits in ROUNDED:
        yield near_vectors(reading, bits)


def near_vectors(reading: Reading, bits: int) -> list[list[Fraction]]:
    """The vectors rounded to this many bits, computed once."""
    name = f"near {bits}"
    if name not in reading.cache:
        reading.cache[name] = [[rounded(e, bits) for e in v] for v in reading.vectors]
    found: list[list[Fraction]] = reading.cache[name]
    return found


def plausible(reading: Reading, entries: list[Any], goal: Triple | None = None) -> bool:
    """Whether a combination comes to zero, or to the goal, on vectors of many bits.

    The kernel's formal test of one that does not is slow, and known to fail.
    """
    if reading.rational is not None:
        return True
    from verify import enclosed

    rows = reading.system["rows"]
    terms = [((rows[k][0], rows[k][3], key), Fraction(y)) for k, key, y in entries]
    if goal is not None:
        terms.append((goal, Fraction(-1)))
    total = enclosed.total(near_vectors(reading, ROUNDED[-1]), reading.linear, terms)
    size = max(abs(y) for _, y in terms)
    return all(abs(x) <= size / (1 << ROUNDED[-1] // 2) for x in total)


def nearby(reading: Reading, goal: Triple | None = None) -> dict[str, Any] | None:
    """Multipliers near exact ones that combine to zero, or to the goal, for the kernel to check."""
    from verify import enclosed

    floats = float_vectors(reading)
    if floats is None:
        return None
    labels = reading.labels()
    parts = enclosed.combination(
        floats, near_vectors(reading, ROUNDED[-1]), reading.linear, list(labels), goal
    )
    if parts is None:
        return None
    named = list(labels.values())

    def spelling(entries: list[tuple[int, Fraction]]) -> list[list[Any]]:
        return [[*named[k], str(y)] for k, y in entries]

    return {
        "bits": NEAR, "fixed": spelling(parts["fixed"]), "basis": spelling(parts["basis"]),
        "inverse": parts["inverse"],
    }  # fmt: skip


def rescaled(vectors: Sequence[Vector]) -> tuple[tuple[Fraction, ...], ...] | None:
    """The vectors less an irrational factor of each column, if that makes them rational."""
    columns = []
    for column in zip(*vectors, strict=True):
        monomials = {monomial for e in column for monomial, _ in e.terms}
        if len(monomials) > 1:
            return None
        columns.append([e.terms[0][1] if e.terms else Fraction(0) for e in column])
    return tuple(zip(*columns, strict=True))


def float_vectors(reading: Reading) -> Any:
    """The vectors in float64, computed once; None beyond its range."""
    import numpy as np

    if "floats" not in reading.cache:
        try:
            found = np.array([[value(e) for e in v] for v in reading.vectors])
        except OverflowError:
            found = None
        reading.cache["floats"] = found
    return reading.cache["floats"]


def float_parameters(reading: Reading, triples: Sequence[Triple]) -> Iterator[Matrix]:
    """Parameters whose float margins are positive on these constraints; not checked."""
    from verify import descent

    floats = float_vectors(reading)
    if floats is not None:
        yield from descent.proposals(floats, reading.linear, triples)
