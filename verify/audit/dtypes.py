"""Binary floating-point types, and rounding to them, without the libraries that implement them.

Every number of a type up to 64 bits is a float64 number, so float64 carries all of them exactly
and only the rounding has to be reproduced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FloatType:
    """A binary type: `precision` bits of significand (the hidden one included), 2**least_exponent
    the smallest normal number, `largest` the largest finite one."""

    name: str
    precision: int
    least_exponent: int
    largest: float

    @property
    def unit(self) -> float:
        """The unit roundoff 2**-precision: the largest relative error of a rounding."""
        return float(2.0**-self.precision)


FLOAT64: Final = FloatType("float64", 53, -1022, float(np.finfo(np.float64).max))
FLOAT32: Final = FloatType("float32", 24, -126, float(np.finfo(np.float32).max))
FLOAT16: Final = FloatType("float16", 11, -14, 65504.0)
BFLOAT16: Final = FloatType("bfloat16", 8, -126, float.fromhex("0x1.fep127"))
FLOAT_TYPES: Final = {
    kind.name: kind
    for kind in (
        FLOAT64,
        FLOAT32,
        FLOAT16,
        BFLOAT16,
        FloatType("float8_e4m3fn", 4, -6, 448.0),
        FloatType("float8_e5m2", 3, -14, 57344.0),
    )
}
_ALIASES: Final = {
    "double": "float64", "f64": "float64", "fp64": "float64",
    "float": "float32", "f32": "float32", "fp32": "float32",
    "half": "float16", "f16": "float16", "fp16": "float16", "bf16": "bfloat16",
}  # fmt: skip


def float_type(name: str) -> FloatType:
    """The type of this name (`bfloat16`, `bf16`, `half`, ...); ValueError for any other."""
    full = _ALIASES.get(name, name)
    if full not in FLOAT_TYPES:
        raise ValueError(f"dtype {name!r} is not one of {', '.join(FLOAT_TYPES)}")
    return FLOAT_TYPES[full]


def finite_rows(x: Floats) -> Bools:
    """For each row whether all its numbers are finite."""
    rows: Bools = np.logical_and.reduce(np.isfinite(x), axis=1)
    return rows


def ulp(x: Any, kind: FloatType) -> Floats:
    """The unit in the last place at x: the spacing of the type's numbers in x's binade."""
    _, exponent = np.frexp(np.asarray(x, np.float64))
    exponent = np.where(np.asarray(x) == 0, kind.least_exponent, exponent - 1)
    spacing = np.maximum(exponent, kind.least_exponent) - (kind.precision - 1)
    result: Floats = np.ldexp(1.0, spacing)
    return result


def round_to(x: Any, kind: FloatType) -> Floats:
    """The float64 numbers x rounded once to the type, ties to even; too large becomes infinite."""
    exact: Floats = np.asarray(x, np.float64)
    if kind is FLOAT64:
        return exact
    with np.errstate(over="ignore", invalid="ignore"):
        spacing = ulp(np.where(np.isfinite(exact), exact, 0.0), kind)
        rounded = np.rint(exact / spacing) * spacing
        finite: Floats = np.where(np.abs(rounded) > kind.largest, np.inf * rounded, rounded)
    return finite
