"""Between kernel systems and the exact engine: parameters, rows and multipliers in either form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines.feasibility import BilinearGrid, LinearGrid, Row, StrictSystem

System = dict[str, Any]
Proof = dict[str, Any]
Matrix = tuple[tuple[Fraction, ...], ...]


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
    return StrictSystem((grid,), tuple(found), causal=False)  # type: ignore[arg-type]


def multipliers(
    system: System, found: Sequence[tuple[int, int, int | Fraction]]
) -> list[list[Any]]:
    """The engine's multipliers as the kernel reads them, in its order."""
    linear, last = system["rows"][0][0] < 0, len(system["vectors"]) - 1
    entries = [(row, last - key if linear else key, Fraction(y)) for row, key, y in found]
    return [[row, key, str(y)] for row, key, y in sorted(entries)]


def rounded(e: kernel.Expression, bits: int) -> Fraction:
    """A number to this many bits after the point."""
    low, high = kernel.enclose(e, bits + 28)
    return Fraction((low + high) >> 29, 1 << bits)
