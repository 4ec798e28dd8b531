"""At which stage the bits were lost: matching values against "as if this stage were in type X"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT_TYPES, Floats, FloatType, round_to
from verify.audit.precise import precision
from verify.audit.specifications import Waves

if TYPE_CHECKING:
    from verify.audit.families.values import Compared

_TYPES: Final = ("float32", "float16", "bfloat16")
_ROWS: Final = 512


def frequencies(specification: Waves, length: int) -> Floats:
    """The frequencies as float64 numbers."""
    with precision():
        return np.array([float(f.mid()) for f in specification.frequencies(length)])


def angle_hypotheses(positions: Floats, thetas: Floats, kind: FloatType) -> dict[str, Floats]:
    """The angles (positions, frequencies) that each narrowed stage would give."""
    narrow_p, narrow_f = round_to(positions, kind), round_to(thetas, kind)
    return {
        "position id": np.outer(narrow_p, thetas),
        "frequency": np.outer(positions, narrow_f),
        "phase": round_to(np.outer(positions, thetas), kind),
        "position id and frequency": np.outer(narrow_p, narrow_f),
        "product": round_to(np.outer(narrow_p, narrow_f), kind),
    }


def explain(
    observed: Floats, exact: Floats, positions: Floats, thetas: Floats,
    feature: Callable[[Floats], Floats], output: FloatType,
) -> str | None:  # fmt: skip
    """The stage and type under which `feature(angles)`, rounded to the output type, comes nearest
    to the observed values, such as `frequency in bfloat16`.

    A hypothesis must leave less than an eighth of the error against the exact values.
    """
    if not np.isfinite(observed).all():
        return None
    best = (float(np.abs(observed - exact).mean()) / 8, "")
    for name in _TYPES:
        kind = FLOAT_TYPES[name]
        for stage, angles in angle_hypotheses(positions, thetas, kind).items():
            error = np.abs(observed - round_to(feature(angles), output)).mean()
            best = min(best, (float(error), f"{stage} in {name}"))
        error = np.abs(observed - round_to(exact, kind)).mean()
        best = min(best, (float(error), f"sin/cos in {name}"))
    return best[1] or None


def lost(compared: Compared, rows: npt.NDArray[np.int64]) -> str | None:
    """The stage that explains the features at the failing rows, None if no single one does."""
    layout = compared.layout
    if not isinstance(compared.specification, Waves) or layout is None:
        return None
    some = rows[np.linspace(0, len(rows) - 1, min(_ROWS, len(rows))).astype(int)]

    def feature(angles: Floats) -> Floats:
        waves: Floats = np.hstack([np.cos(angles), np.sin(angles)])[:, layout.order]
        return waves * layout.signs

    return explain(
        compared.observed[some], compared.exact.high[some],
        compared.positions[some].astype(np.float64),
        frequencies(compared.specification, compared.length), feature, compared.model.output,
    )  # fmt: skip
