"""Kernel systems decided: which proof to offer for them, rational vectors or not.

A *system* is the data of `verify.kernel`: `{"vectors": [...], "rows": [[query, start, stop, t]]}`.
Everything returned has passed `kernel.check`; what cannot be proved is `Open` with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.comparisons import Comparisons, Label, Vector, comparisons
from verify.engines import feasibility
from verify.engines.feasibility import BilinearGrid, LinearGrid, Row, StrictSystem
from verify.theory.text import value

System = dict[str, Any]
Proof = dict[str, Any]
Matrix = tuple[tuple[Fraction, ...], ...]
Triple = tuple[int, int, int]  # query, target, key: the target shall beat the key
BITS = (64, 128, 256, 512, 1024)
ROUNDED = (100, 400)  # bits of the rational vectors that stand in for irrational ones


@dataclass(frozen=True, slots=True)
class Found:
    """A parameter that realizes the system: rows of rationals, or one row if linear."""

    parameter: Matrix
    proof: Proof
    method: str


@dataclass(frozen=True, slots=True)
class Refuted:
    """No parameter does. `rows`: the rows (indices) whose constraints combine to zero."""

    rows: tuple[int, ...]
    proof: Proof
    method: str


@dataclass(frozen=True, slots=True)
class Implied:
    """Every parameter that realizes the system hits the new row too."""

    proof: Proof
    method: str


@dataclass(frozen=True, slots=True)
class Escaped:
    """A parameter that realizes the system and does worse at the new row's target than at `key`."""

    parameter: Matrix
    key: int
    method: str


@dataclass(frozen=True, slots=True)
class Open:
    """Undecided, and why."""

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A system read once for many questions. `rational`: its vectors, if all entries are."""

    system: System
    vectors: tuple[Vector, ...]
    rational: tuple[tuple[Fraction, ...], ...] | None
    known: Comparisons
    floats: list[Any] = field(default_factory=list)

    @property
    def linear(self) -> bool:
        """Whether the parameter is a vector."""
        return bool(self.system["rows"][0][0] < 0)

    def triples(self) -> list[Triple]:
        """Every constraint of the rows."""
        return [(q, t, k) for q, a, b, t in self.system["rows"] for k in range(a, b) if k != t]


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


# ------------------------------------------------------------ is there a parameter?


def decide(
    system: System | Reading,
    *,
    start: Matrix | None = None,
    time_limit: float | None = None,
) -> Found | Refuted | Open:
    """Whether some parameter makes every row a hit.

    start: a parameter to try first. time_limit: in seconds, for the exact engine.
    """
    reading = system if isinstance(system, Reading) else read(system)
    cycle = reading.known.cycle()
    if cycle is not None:
        return _refuted(reading, _ones(cycle), "comparisons")
    if start is not None:
        proof = realizes(reading, start)
        if proof is not None:
            return Found(start, proof, "start")
    if reading.rational is not None:
        return _exact(reading, reading.rational, "", time_limit)
    return _irrational(reading, time_limit)


def realizes(reading: Reading, parameter: Matrix) -> Proof | None:
    """The kernel's proof that this parameter realizes the system, if it can be proved."""
    claim = {"kind": "realizable", "system": reading.system}
    for bits in (None,) if reading.rational is not None else BITS:
        proof = witness(parameter, linear=reading.linear, bits=bits)
        if check(claim, proof):
            return proof
    return None


def _exact(
    reading: Reading, vectors: Sequence[Sequence[Fraction]], what: str, limit: float | None
) -> Found | Refuted | Open:
    """The engine's answer on these vectors, checked on those of the system."""
    answer = feasibility.decide(strict_system(vectors, reading.system["rows"]), time_limit=limit)
    if isinstance(answer, feasibility.Undecided):
        return Open(answer.reason)
    if isinstance(answer, feasibility.Refutation):
        return _refuted(reading, multipliers(reading.system, answer.multipliers), answer.method)
    parameter = rows_of(answer.parameter)
    proof = realizes(reading, parameter)
    if proof is None:
        return Open(f"a parameter was found for {what}, and enclosures do not confirm it")
    return Found(parameter, proof, answer.method)


def _refuted(reading: Reading, entries: list[Any], method: str) -> Refuted | Open:
    proof = {"rule": "farkas", "multipliers": entries}
    if check({"kind": "unrealizable", "system": reading.system}, proof):
        return Refuted(tuple(sorted({row for row, _, _ in entries})), proof, method)
    return Open("rounded vectors admit no parameter, and this is not proved of the exact ones")


def _irrational(reading: Reading, limit: float | None) -> Found | Refuted | Open:
    deadline = None if limit is None else time.monotonic() + limit
    for parameter in _float_parameters(reading, reading.triples()):
        proof = realizes(reading, parameter)
        if proof is not None:
            return Found(parameter, proof, "softmax")
    scaled = _scaled(reading.vectors)
    if scaled is not None:  # every column is a number times rationals: exact for refutations
        found = _exact(reading, scaled, "rescaled features", limit)
        if isinstance(found, Refuted):
            return found
    answer: Found | Refuted | Open = Open("")
    for bits in ROUNDED:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return Open(f"the time limit of {limit} s has passed")
        near = [[rounded(e, bits) for e in v] for v in reading.vectors]
        answer = _exact(reading, near, f"vectors rounded to {bits} bits", left)
        if not isinstance(answer, Open):
            return answer
    return answer


# ------------------------------------------------------------ is one more row decided by it?


def implied(
    system: System | Reading, row: Sequence[int], *, time_limit: float | None = None
) -> Implied | Escaped | Open:
    """Whether every parameter that realizes the system (there must be one) hits one more row.

    time_limit: in seconds, for each competitor.
    """
    reading = system if isinstance(system, Reading) else read(system)
    cones, methods, reason = [], set[str](), ""
    for key in range(row[1], row[2]):
        if key == row[3]:
            continue
        if reading.known.void(row, key):
            return Open("the row ties for every parameter")
        chain = reading.known.chain(row, key)
        if chain is not None:
            cones.append(_ones(chain))
            methods.add("comparisons")
            continue
        answer = _beaten(reading, row, key, time_limit)
        if isinstance(answer, Escaped):
            return answer
        if isinstance(answer, Open):
            reason = reason or answer.reason
        else:
            cones.append(answer.proof["cone"])
            methods.add(answer.method)
    if reason:
        return Open(reason)
    claim = {"kind": "forced", "system": reading.system, "row": list(row)}
    proof = {"rule": "cone", "cones": cones}
    if not check(claim, proof):
        return Open("rounded vectors force the row, and this is not proved of the exact ones")
    return Implied(proof, "+".join(sorted(methods)))


def _beaten(
    reading: Reading, row: Sequence[int], key: int, limit: float | None
) -> Implied | Escaped | Open:
    """A realizing parameter with which `key` beats the target, or the cone that excludes it."""
    reversed_row = [row[0], min(key, row[3]), max(key, row[3]) + 1, key]
    if reading.rational is None:
        negated = [*reading.triples(), (row[0], key, row[3])]
        for parameter in _float_parameters(reading, negated):
            if _confirmed(reading, reversed_row, row[3], parameter):
                return Escaped(parameter, key, "softmax")
    trials = (
        [reading.rational]
        if reading.rational is not None
        else [[[rounded(e, bits) for e in v] for v in reading.vectors] for bits in ROUNDED]
    )
    answer: Any = None
    for vectors in trials:
        problem = strict_system(
            vectors, [*reading.system["rows"], reversed_row], only={-1: (row[3],)}
        )
        answer = feasibility.decide(problem, time_limit=limit)
        if isinstance(answer, feasibility.Undecided):
            return Open(answer.reason)
        if isinstance(answer, feasibility.Refutation):
            return _cone(reading, answer)
        parameter = rows_of(answer.parameter)
        if _confirmed(reading, reversed_row, row[3], parameter):
            return Escaped(parameter, key, answer.method)
    return Open("a parameter was found for rounded vectors, and enclosures do not confirm it")


def _cone(reading: Reading, answer: feasibility.Refutation) -> Implied | Open:
    """The refutation of the system with one constraint reversed, solved for that constraint."""
    new = len(reading.system["rows"])
    share = sum((Fraction(y) for row, _, y in answer.multipliers if row == new), Fraction(0))
    rest = [(row, key, Fraction(y) / share) for row, key, y in answer.multipliers if row < new]
    if not rest or not share:
        return Open("the engine refuted the training rows, which a parameter realizes")
    return Implied({"cone": multipliers(reading.system, rest)}, answer.method)


def _confirmed(
    reading: Reading, reversed_row: Sequence[int], target: int, parameter: Matrix
) -> bool:
    """Whether the parameter realizes the system and prefers the reversed row's key to the target.

    The row between key and target has other keys too, so the pair is put side by side.
    """
    vectors = reading.system["vectors"]
    pair = [vectors[target], vectors[reversed_row[3]]]
    system = {
        "vectors": [*vectors, *pair],
        "rows": [
            *reading.system["rows"],
            [reversed_row[0], len(vectors), len(vectors) + 2, len(vectors) + 1],
        ],
    }
    claim = {"kind": "realizable", "system": system}
    for bits in (None,) if reading.rational is not None else BITS:
        if check(claim, witness(parameter, linear=reading.linear, bits=bits)):
            return True
    return False


# ------------------------------------------------------------ which rows conflict


def core(
    system: System, rows: Iterable[int] | None = None, *, time_limit: float | None = None
) -> tuple[tuple[int, ...], bool]:
    """Rows (indices) that no parameter realizes together though it can any fewer of them.

    rows: rows that are refuted together (default: all). The flag says that each proper subset was
    shown to be realizable; without it some subset stayed undecided within the limit.
    """
    left = list(range(len(system["rows"]))) if rows is None else sorted(set(rows))
    sure, place = True, 0
    while place < len(left) and len(left) > 1:
        kept = left[:place] + left[place + 1 :]
        answer = decide(
            {**system, "rows": [system["rows"][k] for k in kept]}, time_limit=time_limit
        )
        if isinstance(answer, Refuted):
            left = [kept[k] for k in answer.rows]
            place = sum(k < place for k in answer.rows)
            continue
        sure &= isinstance(answer, Found)
        place += 1
    return tuple(left), sure


# ------------------------------------------------------------ between the engine and the kernel


def rows_of(parameter: Any) -> Matrix:
    """A matrix as it is, a vector as its only row; entries as Fractions."""
    rows = parameter if isinstance(parameter[0], tuple) else (parameter,)
    return tuple(tuple(Fraction(e) for e in row) for row in rows)


def matrix(spelling: Sequence[Any], *, linear: bool) -> Matrix:
    """A parameter from the kernel's spelling."""
    lines = [spelling] if linear else spelling
    return tuple(tuple(Fraction(e) for e in line) for line in lines)


def spelled(parameter: Sequence[Sequence[Fraction]], *, linear: bool) -> list[Any]:
    """A parameter as the kernel reads it."""
    lines = [[str(e) for e in row] for row in parameter]
    return list(lines[0]) if linear else lines


def witness(
    parameter: Sequence[Sequence[Fraction]], *, linear: bool, bits: int | None = None
) -> Proof:
    """The kernel's proof that a parameter realizes a system."""
    extra = {} if bits is None else {"bits": bits}
    return {"rule": "witness", "parameter": spelled(parameter, linear=linear), **extra}


def strict_system(
    vectors: Sequence[Sequence[Fraction]],
    rows: Sequence[Sequence[int]],
    only: dict[int, tuple[int, ...]] | None = None,
) -> StrictSystem:
    """The engine's form of a kernel system with rational vectors.

    only: for some rows (by index, -1 is the last) the competitors that count.
    """
    table = tuple(tuple(v) for v in vectors)
    last, chosen = len(table) - 1, {k % len(rows): keys for k, keys in (only or {}).items()}
    linear, found = rows[0][0] < 0, []
    for k, (q, a, b, t) in enumerate(rows):
        keys = chosen.get(k) or [key for key in range(a, b) if key != t]
        if linear:  # the engine speaks of offsets: key j of query `last` has offset last - j
            found.append(Row(0, last, last - t, tuple(last - key for key in keys)))
        else:
            found.append(Row(0, q, t, tuple(keys)))
    grid: BilinearGrid | LinearGrid = (
        LinearGrid(table, len(table)) if linear else BilinearGrid(table)
    )
    return StrictSystem((grid,), tuple(found), causal=False)  # type: ignore[arg-type]


def multipliers(
    system: System, found: Sequence[tuple[int, int, int | Fraction]]
) -> list[list[Any]]:
    """The engine's multipliers as the kernel reads them, in its order."""
    linear, last = system["rows"][0][0] < 0, len(system["vectors"]) - 1
    entries = [(row, last - key if linear else key, Fraction(y)) for row, key, y in found]
    return [[row, key, str(y)] for row, key, y in sorted(entries)]


def _ones(labels: Iterable[Label]) -> list[list[Any]]:
    return [[row, key, "1"] for row, key in sorted(labels)]


def rounded(e: kernel.Expression, bits: int) -> Fraction:
    """A number to this many bits after the point."""
    low, high = kernel.enclose(e, bits + 28)
    return Fraction((low + high) >> 29, 1 << bits)


def _scaled(vectors: Sequence[Vector]) -> tuple[tuple[Fraction, ...], ...] | None:
    """The vectors less an irrational factor of each column, if that makes them rational."""
    columns = []
    for column in zip(*vectors, strict=True):
        monomials = {monomial for e in column for monomial, _ in e.terms}
        if len(monomials) > 1:
            return None
        columns.append([e.terms[0][1] if e.terms else Fraction(0) for e in column])
    return tuple(zip(*columns, strict=True))


def _float_parameters(reading: Reading, triples: Sequence[Triple]) -> Iterator[Matrix]:
    import numpy as np

    from verify import descent

    if not reading.floats:
        try:
            reading.floats.append(np.array([[value(e) for e in v] for v in reading.vectors]))
        except OverflowError:
            return
    yield from descent.proposals(reading.floats[0], reading.linear, triples)


def propose(claim: dict[str, Any]) -> Proof | None:
    """A proof of a `realizable`, `unrealizable` or `forced` claim; None if it is not so."""
    if claim["kind"] == "forced":
        found = implied(claim["system"], claim["row"])
        return found.proof if isinstance(found, Implied) else None
    answer = decide(claim["system"])
    wanted = Found if claim["kind"] == "realizable" else Refuted
    return answer.proof if isinstance(answer, wanted) else None
