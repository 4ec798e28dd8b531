"""Decisions: which key wins, computed and exact; ties and flips.

Features are asked through two heads whose exact decisions are known: `attend to yourself`, with
logits phi(i) . phi(j), and for rotary features `look back k`, calibrated exactly. A row counts only
if its exact winner is strict; a difference within the rounding model is a limit, not a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from verify.audit import stages
from verify.audit.dtypes import FLOAT32, Floats, finite_rows, ulp
from verify.audit.families.values import Compared, Source
from verify.audit.findings import Finding, Note
from verify.audit.specifications import Rows, Waves

_CELLS: Final = 1 << 22  # logits in memory at once
_WORK: Final = 1 << 34  # multiplications of one family


@dataclass(frozen=True, slots=True)
class Row:
    """One row whose decision is not the exact one: what wins, exactly and as computed."""

    row: int
    index: int
    exact: int
    observed: int
    tied: bool
    gap: float
    margin: float
    within_model: bool


def winners(logits: npt.NDArray[np.generic]) -> list[int]:
    """All keys with the largest logit."""
    return [int(k) for k in np.flatnonzero(logits == logits.max())]


def _dot(a: npt.NDArray[np.generic], b: npt.NDArray[np.generic]) -> Fraction:
    return sum(
        (Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)),
        Fraction(0),
    )


def narrow(compared: Compared, position: int) -> bool:
    """Whether the output type is too narrow for this position, in features that are no waves and
    so have no phase that could excuse it; float32 beyond 2**24 is a limit of the format."""
    output = compared.model.output
    wide = output.precision >= FLOAT32.precision and position >= 2**output.precision
    return isinstance(compared.specification, Rows) and not wide


def itself(
    positions: npt.NDArray[np.int64], observed: Floats, compared: Compared | None, strict: bool
) -> list[Row]:
    """Rows that do not attend strictly to themselves although the exact features do.

    Without a specification (compared is None) only ties are reported, of features whose rows have
    one norm, since then identical features are the only way to lose a strict win.
    """
    usable = finite_rows(observed)
    keys = np.where(usable[:, None], observed, 0.0)
    norms = (keys * keys).sum(axis=1)
    if compared is None and np.ptp(norms) > 1e-3 * norms.max(initial=1.0):
        return []
    found: list[Row] = []
    rows = np.arange(1, len(positions))
    rows = rows[usable[1:]]
    most = max(64, _WORK // max(1, len(positions) * observed.shape[1]))
    if len(rows) > most:
        rows = rows[np.unique(np.linspace(0, len(rows) - 1, most).astype(int))]
    slack = 2.0**-50 * observed.shape[1] * norms.max(initial=1.0)
    for block in np.array_split(rows, max(1, len(rows) * len(positions) // _CELLS)):
        computed = keys[block] @ keys.T
        later = np.arange(len(positions))[None, :] >= block[:, None]
        computed[later | ~usable[None, :]] = -np.inf
        rivals = computed.argmax(axis=1)
        gaps = norms[block] - computed[np.arange(len(block)), rivals]
        for k in np.flatnonzero(gaps <= slack):
            row, rival = int(block[k]), int(rivals[k])
            exactly = _dot(observed[row], observed[row]) - _dot(observed[row], observed[rival])
            if exactly > 0:
                continue
            margin, within = 0.0, False
            if compared is not None:
                margin, allowed = _exact_margin(compared, row, rival)
                if margin <= 0:
                    continue
                within = margin <= allowed and not (
                    strict and narrow(compared, int(positions[row]))
                )
            found.append(
                Row(int(positions[row]), row, int(positions[row]), int(positions[rival]),
                    exactly == 0, float(exactly), margin, within)
            )  # fmt: skip
    return found


def _exact_margin(compared: Compared, row: int, rival: int) -> tuple[float, float]:
    """phi(i) . (phi(i) - phi(j)), exactly enough, and what the model can change in it."""
    own, gap = compared.exact[row], compared.exact[row] - compared.exact[rival]
    product = own * gap
    margin = float(product.high.sum() + product.low.sum())
    slack = compared.bound[row] * np.abs(gap.high) + (
        compared.bound[row] + compared.bound[rival]
    ) * np.abs(own.high)
    return margin, float(slack.sum())


def look_back(compared: Compared) -> list[Row]:
    """Offsets k at which the head calibrated to look back k (weights cos(k theta), sin(k theta),
    exact) is not won by offset k, reading the subject's features as those of offsets."""
    if not isinstance(compared.specification, Waves) or compared.layout is None:
        return []
    usable = finite_rows(compared.observed)
    offsets, keys = compared.positions, np.where(usable[:, None], compared.observed, 0.0)
    weights = compared.exact.high  # the head's parameter, rounded once: its error is in the slack
    heads = np.flatnonzero(usable)
    most = max(64, _WORK // max(1, len(offsets) * keys.shape[1]))
    if len(heads) > most:
        heads = heads[np.unique(np.linspace(0, len(heads) - 1, most).astype(int))]
    slack = 2.0**-49 * keys.shape[1]
    found: list[Row] = []
    for block in np.array_split(heads, max(1, len(heads) * len(offsets) // _CELLS)):
        logits = weights[block] @ keys.T
        logits[:, ~usable] = -np.inf
        own = logits[np.arange(len(block)), block].copy()
        logits[np.arange(len(block)), block] = -np.inf
        rivals = logits.argmax(axis=1)
        gaps = own - logits[np.arange(len(block)), rivals]
        for k in np.flatnonzero(gaps <= slack):
            head, rival = int(block[k]), int(rivals[k])
            same = bool((keys[head] == keys[rival]).all())
            exactly = Fraction(0) if same else _exact_gap(compared, keys, head, rival)
            if exactly > 0:
                continue
            margin, allowed = _exact_margin(compared, head, rival)
            if margin <= 0:
                continue
            found.append(
                Row(int(offsets[head]), head, int(offsets[head]), int(offsets[rival]), same,
                    float(exactly), margin, margin <= allowed)
            )  # fmt: skip
    return found


def _exact_gap(compared: Compared, keys: Floats, head: int, rival: int) -> Fraction:
    """Logit of the right offset less its rival's, weights to about 2**-100."""
    total = Fraction(0)
    for c in range(keys.shape[1]):
        gap = Fraction(float(keys[head, c])) - Fraction(float(keys[rival, c]))
        total += compared.exact.fraction(head, c) * gap if gap else 0
    return total


def report(
    source: Source, head: str, unit: str, found: list[Row], compared: Compared | None, scale: float
) -> Iterator[Finding | Note]:  # fmt: skip
    """Findings for the rows that are decided otherwise: one for ties, one for flips."""
    faults = [row for row in found if not row.within_model]
    limits = len(found) - len(faults)
    if limits:
        first = next(row for row in found if row.within_model)
        text = (
            f"{head}: {limits} decisions differ by less than the rounding model resolves, "
            f"first at {unit} {first.row} (exact margin {first.margin:.3g})"
        )
        yield Note("limit", source.kind, "below the model's resolution", text)
    output = compared.model.output if compared is not None else None
    for tied in (True, False):
        rows = [row for row in faults if row.tied == tied]
        if not rows:
            continue
        first = min(rows, key=lambda row: row.row)
        margin = first.margin / float(ulp(scale, output)) if output and first.margin else None
        stage = None
        if compared is not None:
            stage = stages.lost(compared, np.array(sorted(row.index for row in rows)))
        count = len(rows)
        low, high = sorted((first.exact, first.observed))
        if tied:
            text = (
                f"{head}: {unit} {first.row} ties between {low} and {high}; first-wins returns "
                f"{low}, last-wins {high}; {count} {unit}s tie"
            )
            seen = f"tie of {low} and {high}"
        else:
            text = (
                f"{head}: {unit} {first.row} is won by {first.observed}, by {-first.gap:.3g}, "
                f"where {first.exact} is right; {count} {unit}s are decided otherwise"
            )
            seen = str(first.observed)
        yield Finding(
            "tie" if tied else "flip", source.kind, text,
            position=first.row, unit=unit, count=count,
            exact=str(first.exact), observed=seen, margin=margin, stage=stage,
            reproduce=source.reproduce(np.array(sorted({first.observed, first.exact}), np.int64)),
            details={"head": head, "rows": sorted(row.row for row in rows)[:64]},
        )  # fmt: skip
