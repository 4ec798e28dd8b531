"""At which stage the bits were lost: matching values against "as if this stage were in type X"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT32, FLOAT_TYPES, Floats, FloatType, round_to
from verify.audit.models import ALLOWANCE
from verify.audit.precise import precision
from verify.audit.specifications import Waves
from verify.audit.values import Values

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


_NAMES: Final = {
    "position": ("position", "positions", "position_ids", "t"),
    "frequency": ("frequency", "frequencies", "inv_freq", "theta"),
    "phase": ("phase", "phases", "angle", "angles", "freqs"),
}


def replay(
    specification: Waves, length: int, positions: npt.NDArray[np.int64], shown: Mapping[str, Values]
) -> tuple[str | None, list[str]]:
    """The first shown stage that loses bits, and what each of them shows.

    Each stage is compared with the previous ones continued in float64: positions with the ids asked
    for, frequencies with the exact ones, phases with the product of the *shown* positions and
    frequencies. A loss is more than ALLOWANCE units of the type that the stage is in.
    """
    ids, thetas = positions.astype(np.float64), frequencies(specification, length)
    first, told = None, []
    for stage, names in _NAMES.items():
        found = next((shown[name] for name in names if name in shown), None)
        if found is None:
            continue
        kind = found.float_type or FLOAT32
        wide = kind if kind.precision >= FLOAT32.precision else FLOAT32
        seen = found.floats()
        right = {"position": ids, "frequency": thetas, "phase": np.outer(ids, thetas)}[stage]
        if seen.size == 2 * right.size:  # a table that repeats every angle, in either layout
            halves = seen.reshape(*right.shape[:-1], -1)
            tiled = np.concatenate([right, right], axis=-1)
            paired = np.repeat(right, 2, axis=-1)
            near = np.abs(halves - tiled).sum() <= np.abs(halves - paired).sum()
            seen, right = halves, tiled if near else paired
        if seen.size != right.size:
            told.append(f"stage {stage}: shape {found.shape} is not understood")
            continue
        error = np.abs(seen.reshape(right.shape) - right)
        units = float((error / np.where(right == 0, 1.0, np.abs(right))).max() / wide.unit)
        loses = units > (0.0 if stage == "position" else ALLOWANCE)
        told.append(
            f"stage {stage} ({found.kind}): off by up to {units:.3g} units of 2^-{wide.precision}"
            + (", lost here" if loses and first is None else "")
        )
        if loses and first is None:
            first = f"{stage if stage != 'position' else 'position id'} in {found.kind}"
        if stage == "position":
            ids = seen.reshape(ids.shape)
        elif stage == "frequency" and found.floats().size == thetas.size:
            thetas = found.floats().reshape(thetas.shape)
    return first, told


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
