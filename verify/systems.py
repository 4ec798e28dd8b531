"""Kernel systems decided: which proof to offer for them, rational vectors or not.

A *system* is the data of `verify.kernel`: `{"vectors": [...], "rows": [[query, start, stop, target]]}`.
Everything returned has passed `kernel.check`; what cannot be proved is `Open` with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines import feasibility
from verify.engines.feasibility import BilinearGrid, LinearGrid, Row, StrictSystem

System = dict[str, Any]
Proof = dict[str, Any]
BITS = (64, 128, 256, 512, 1024)
ROUNDED = 100  # bits of the rational vectors that stand in for irrational ones


@dataclass(frozen=True, slots=True)
class Found:
    """A parameter that realizes the system: rows of rationals, or one row if linear."""

    parameter: tuple[tuple[Fraction, ...], ...]
    proof: Proof
    method: str


@dataclass(frozen=True, slots=True)
class Refuted:
    """No parameter does. `rows`: the rows (indices) whose constraints combine to zero."""

    rows: tuple[int, ...]
    proof: Proof
    method: str


@dataclass(frozen=True, slots=True)
class Open:
    """Undecided, and why."""

    reason: str


def check(claim: dict[str, Any], proof: Proof) -> bool:
    """Whether the kernel accepts this proof of this claim."""
    certificate = {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome == "valid"


def decide(system: System, *, time_limit: float | None = None) -> Found | Refuted | Open:
    """Whether some parameter makes every row a hit. time_limit in seconds."""
    expressions = [[kernel.expression(e) for e in v] for v in system["vectors"]]
    rational = _rational(expressions)
    if rational is not None:
        return _offer(system, strict_system(rational, system["rows"]), None, time_limit)
    alike = _classes(expressions)
    free = [[Fraction(int(k == c)) for k in range(max(alike) + 1)] for c in alike]
    linear = system["rows"][0][0] < 0
    if linear or max(alike) + 1 < len(alike):
        # a refutation that holds for every choice of vectors, equal ones kept equal
        answer = feasibility.decide(strict_system(free, system["rows"]), time_limit=time_limit)
        if isinstance(answer, feasibility.Refutation):
            found = _refutation(system, answer)
            if isinstance(found, Refuted):
                return found
    near = [[_rounded(e) for e in v] for v in expressions]
    return _offer(system, strict_system(near, system["rows"]), BITS, time_limit)


def _offer(
    system: System, problem: StrictSystem, bits: Sequence[int] | None, limit: float | None
) -> Found | Refuted | Open:
    answer = feasibility.decide(problem, time_limit=limit)
    if isinstance(answer, feasibility.Undecided):
        return Open(answer.reason)
    if isinstance(answer, feasibility.Refutation):
        return _refutation(system, answer)
    parameter = rows_of(answer.parameter)
    for b in bits or (None,):
        proof = witness(parameter, linear=not problem.bilinear, bits=b)
        if check({"kind": "realizable", "system": system}, proof):
            return Found(parameter, proof, answer.method)
    return Open("a parameter was found for rounded vectors, and enclosures do not confirm it")


def rows_of(parameter: Any) -> tuple[tuple[Fraction, ...], ...]:
    """A matrix as it is, a vector as its only row; entries as Fractions."""
    rows = parameter if isinstance(parameter[0], tuple) else (parameter,)
    return tuple(tuple(Fraction(e) for e in row) for row in rows)


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
    vectors: Sequence[Sequence[Fraction]], rows: Sequence[Sequence[int]]
) -> StrictSystem:
    """The engine's form of a kernel system with rational vectors."""
    table = tuple(tuple(v) for v in vectors)
    last = len(table) - 1
    if rows[0][0] < 0:  # the engine speaks of offsets: key j of query `last` has offset last - j
        grid: BilinearGrid | LinearGrid = LinearGrid(table, len(table))
        found = [Row(0, last, last - t, tuple(last - k for k in range(a, b) if k != t))
                 for _, a, b, t in rows]  # fmt: skip
    else:
        grid = BilinearGrid(table)
        found = [Row(0, q, t, tuple(k for k in range(a, b) if k != t)) for q, a, b, t in rows]
    return StrictSystem((grid,), tuple(found), causal=False)


def multipliers(system: System, found: Sequence[tuple[int, int, int | Fraction]]) -> list[Any]:
    """The engine's multipliers as the kernel reads them, in its order."""
    linear, last = system["rows"][0][0] < 0, len(system["vectors"]) - 1
    entries = [(row, last - key if linear else key, Fraction(y)) for row, key, y in found]
    return [[row, key, str(y)] for row, key, y in sorted(entries)]


def _refutation(system: System, answer: feasibility.Refutation) -> Refuted | Open:
    proof = {"rule": "farkas", "multipliers": multipliers(system, answer.multipliers)}
    if check({"kind": "unrealizable", "system": system}, proof):
        rows = tuple(sorted({row for row, _, _ in answer.multipliers}))
        return Refuted(rows, proof, answer.method)
    return Open("rounded vectors admit no parameter, and this is not proved of the exact ones")


def _rational(vectors: Sequence[Sequence[kernel.Expression]]) -> list[list[Fraction]] | None:
    values = [[e.constant() for e in v] for v in vectors]
    if any(e is None for v in values for e in v):
        return None
    return [[e for e in v if e is not None] for v in values]


def _classes(vectors: Sequence[Sequence[kernel.Expression]]) -> list[int]:
    """A number for each vector, the same for formally equal ones."""
    known: dict[tuple[kernel.Expression, ...], int] = {}
    return [known.setdefault(tuple(v), len(known)) for v in vectors]


def _rounded(e: kernel.Expression) -> Fraction:
    low, high = kernel.enclose(e, ROUNDED + 28)
    return Fraction((low + high) >> 29, 1 << ROUNDED)


def propose(claim: dict[str, Any]) -> Proof | None:
    """A proof of a `realizable` or `unrealizable` claim; None if the answer is not the claimed one."""
    answer = decide(claim["system"])
    wanted = Found if claim["kind"] == "realizable" else Refuted
    return answer.proof if isinstance(answer, wanted) else None
