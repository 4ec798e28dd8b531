"""Kernel systems decided: which proof to offer for them, rational vectors or not.

A *system* is the data of `verify.kernel`: `{"vectors": [...], "rows": [[query, start, stop, t]]}`.
Everything returned has passed `kernel.check`; what cannot be proved is `Open` with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.comparisons import Label
from verify.engines import feasibility
from verify.forms import (
    Matrix,
    Proof,
    System,
    multipliers,
    rows_of,
    spelled,
    strict_system,
    witness,
)
from verify.readings import (
    Reading,
    Triple,
    check,
    float_parameters,
    nearby,
    plausible,
    read,
    rescaled,
    stand_ins,
)

BITS = (64, 128, 256, 512, 1024)
UNPROVED = "rounded vectors admit no parameter, and this is not proved of the exact ones"


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
    """A parameter that realizes the system with which the new row's target does not beat `key`."""

    parameter: Matrix
    key: int
    method: str


@dataclass(frozen=True, slots=True)
class Open:
    """Undecided, and why."""

    reason: str


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
    claim = {"kind": "unrealizable", "system": reading.system}
    if plausible(reading, entries) and check(claim, proof):
        return Refuted(tuple(sorted({row for row, _, _ in entries})), proof, method)
    return Open(UNPROVED)


def _irrational(reading: Reading, limit: float | None) -> Found | Refuted | Open:
    deadline = None if limit is None else time.monotonic() + limit
    for parameter in float_parameters(reading, reading.triples()):
        proof = realizes(reading, parameter)
        if proof is not None:
            return Found(parameter, proof, "softmax")
    scaled = rescaled(reading.vectors)
    if scaled is not None:  # every column is a number times rationals: exact for refutations
        found = _exact(reading, scaled, "rescaled features", limit)
        if isinstance(found, Refuted):
            return found
    answer: Found | Refuted | Open = Open("")
    for near in stand_ins(reading):
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return Open(f"the time limit of {limit} s has passed")
        answer = _exact(reading, near, "rounded vectors", left)
        if not isinstance(answer, Open):
            return answer
        if answer.reason == UNPROVED:  # the rounded vectors are refuted: try multipliers nearby
            part = nearby(reading)
            proof = {"rule": "farkas-enclosed", **part} if part else None
            if proof and check({"kind": "unrealizable", "system": reading.system}, proof):
                rows = {row for row, _, _ in [*proof["fixed"], *proof["basis"]]}
                return Refuted(tuple(sorted(rows)), proof, "enclosed")
    return answer


# ------------------------------------------------------------ is one more row decided by it?


def implied(
    system: System | Reading, row: Sequence[int], *, time_limit: float | None = None
) -> Implied | Escaped | Open:
    """Whether every parameter that realizes the system (there must be one) hits one more row.

    time_limit: in seconds, for each competitor.
    """
    reading = system if isinstance(system, Reading) else read(system)
    cones: list[Any] = []
    methods, reason = set[str](), ""
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
            cones.append(answer)
            methods.add("cone")
    if reason:
        return Open(reason)
    claim = {"kind": "forced", "system": reading.system, "row": list(row)}
    proof = {"rule": "cone", "cones": cones}
    if not check(claim, proof):
        return Open("rounded vectors force the row, and this is not proved of the exact ones")
    return Implied(proof, "+".join(sorted(methods)))


def _beaten(
    reading: Reading, row: Sequence[int], key: int, limit: float | None
) -> list[Any] | dict[str, Any] | Escaped | Open:
    """A realizing parameter with which the target does not beat `key`, or the cone against it."""
    trials: Iterable[Sequence[Sequence[Fraction]]] = [reading.rational or ()]
    if reading.rational is None:
        for parameter in float_parameters(reading, [*reading.triples(), (row[0], key, row[3])]):
            if _escapes(reading, row, key, parameter):
                return Escaped(parameter, key, "softmax")
        trials = stand_ins(reading)
    for vectors in trials:
        problem = strict_system(vectors, [*reading.system["rows"], row])
        training, new = replace(problem, rows=problem.rows[:-1]), problem.rows[-1]
        seen = len(vectors) - 1 - key if reading.linear else key
        answer = feasibility.implied(training, new, seen, time_limit=limit)
        if isinstance(answer, feasibility.Combination):
            found = multipliers(reading.system, answer.multipliers)
            if reading.rational is not None or _reaches(reading, row, key, found):
                return found
            part = nearby(reading, (row[0], row[3], key))
            if part and _reaches(reading, row, key, part):
                return part
            return Open("rounded vectors force the row, and this is not proved of the exact ones")
        if isinstance(answer, feasibility.Undecided):
            return Open(answer.reason)
        if isinstance(answer, feasibility.Witness):
            parameter = rows_of(answer.parameter)
            if _escapes(reading, row, key, parameter):
                return Escaped(parameter, key, answer.method)
    return Open("rounded vectors do not decide it, and enclosures do not confirm their answer")


def _reaches(reading: Reading, row: Sequence[int], key: int, cone: Any) -> bool:
    """Whether the kernel accepts this cone for this key, put beside the target."""
    if isinstance(cone, list) and not plausible(reading, cone, (row[0], row[3], key)):
        return False
    vectors = reading.system["vectors"]
    system = {
        "vectors": [*vectors, vectors[row[3]], vectors[key]],
        "rows": reading.system["rows"],
    }
    pair = [row[0], len(vectors), len(vectors) + 2, len(vectors)]
    claim = {"kind": "forced", "system": system, "row": pair}
    return check(claim, {"rule": "cone", "cones": [cone]})


def _escapes(reading: Reading, row: Sequence[int], key: int, parameter: Matrix) -> bool:
    """Whether the parameter realizes the system and the target of `row` does not beat `key`.

    By the kernel, from target and key put side by side; ties of irrational vectors do not count.
    """
    vectors = reading.system["vectors"]
    pair = [row[0], len(vectors), len(vectors) + 2, len(vectors)]
    system = {
        "vectors": [*vectors, vectors[row[3]], vectors[key]],
        "rows": [*reading.system["rows"], pair],
    }
    hits = "h" * len(reading.system["rows"])
    spelling = spelled(parameter, linear=reading.linear)
    for bits in (None,) if reading.rational is not None else BITS[:3]:
        for outcome in "mt":
            claim = {
                "kind": "decisions", "system": system, "parameter": spelling,
                "outcomes": hits + outcome, "margin": "0",
            }  # fmt: skip
            if check(claim, {"rule": "evaluate"} | ({} if bits is None else {"bits": bits})):
                return True
    return False


# ------------------------------------------------------------ which rows conflict


def core(
    system: System, found: Refuted, *, time_limit: float | None = None
) -> tuple[tuple[int, ...], bool]:
    """Rows (indices) that no parameter realizes together, though some does any fewer of them.

    found: the refutation to begin with. The flag says that each proper subset was shown to be
    realizable; without it, that was not done within the limit (seconds).
    """
    reading = read(system)
    if reading.rational is not None:
        given = [(row, key, Fraction(y)) for row, key, y in found.proof["multipliers"]]
        problem, last = strict_system(reading.rational, system["rows"]), len(reading.rational) - 1
        entries = [(row, last - key if reading.linear else key, y) for row, key, y in given]
        known = feasibility.Refutation(tuple(entries), found.method)
        least = feasibility.irreducible(problem, known, time_limit=time_limit)
        return least.rows, least.irreducible
    end = None if time_limit is None else time.monotonic() + time_limit
    left, sure, place = list(found.rows), True, 0
    size = max(len(left) // 2, 1)  # rows that are left out together: halves first
    while len(left) > 1 and size:
        if place >= len(left):
            size, place = size // 2, 0
            continue
        over = None if end is None else end - time.monotonic()
        if over is not None and over <= 0:
            return tuple(left), False
        kept = left[:place] + left[place + size :]
        answer = (
            decide({**system, "rows": [system["rows"][k] for k in kept]}, time_limit=over)
            if kept
            else Open("no rows")
        )
        if isinstance(answer, Refuted):
            left = [kept[k] for k in answer.rows]
            continue  # rows before `place` were needed by more rows than these, so they are left
        sure &= size > 1 or isinstance(answer, Found)
        place += size
    return tuple(left), sure


# ------------------------------------------------------------ parts


def _ones(labels: Iterable[Label]) -> list[list[Any]]:
    return [[row, key, "1"] for row, key in sorted(labels)]


def proposals(reading: Reading, wanted: Sequence[Triple]) -> Iterator[Matrix]:
    """Float guesses at parameters that realize the system and satisfy these constraints too."""
    yield from float_parameters(reading, [*reading.triples(), *wanted])


def evaluation(claim: dict[str, Any]) -> Proof:
    """The kernel's proof of a `decisions` claim. ValueError if none is accepted."""
    for bits in (None, *BITS):
        proof: Proof = {"rule": "evaluate"} | ({} if bits is None else {"bits": bits})
        try:
            if check(claim, proof):
                return proof
        except kernel.Malformed:  # irrational vectors need bits
            continue
    raise ValueError("the kernel does not confirm these outcomes at 1024 bits")


def propose(claim: dict[str, Any]) -> Proof | None:
    """A proof of a `realizable`, `unrealizable` or `forced` claim; None if it is not so."""
    if claim["kind"] == "forced":
        found = implied(claim["system"], claim["row"])
        return found.proof if isinstance(found, Implied) else None
    answer = decide(claim["system"])
    wanted = Found if claim["kind"] == "realizable" else Refuted
    return answer.proof if isinstance(answer, wanted) else None
