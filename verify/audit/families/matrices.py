"""Matrices of logits or biases: reading them, and comparing the winners of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT_TYPES, Bools, Floats, round_to, ulp
from verify.audit.families.decisions import winners
from verify.audit.findings import Finding, Note, spell
from verify.audit.question import Question, wrong_shape
from verify.audit.values import Values
from verify.theory.visibility import visible

LOGITS_PROPERTIES = ("error", "shape", "nonfinite", "tie", "flip")
LARGEST: Final = 2048


@dataclass(frozen=True, slots=True)
class Tables:
    """(heads, rows, keys) as returned, an axis of length 1 spread out."""

    values: Values
    floats: Floats
    heads: int
    rows: int
    keys: int


def tables(question: Question, kind: str, n: int, square: bool) -> Tables:
    """The answer of `bias(n)` or `logits(n)` as (heads, rows, keys)."""
    (values, *_) = question.ask(kind, n)
    array = values.array
    while array.ndim > 3 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 1:
        array = array[None, None, :]
    elif array.ndim == 2:
        array = array[None]
    right = f"({n}, {n}) or (heads, {n}, {n})"
    if array.ndim != 3 or 0 in array.shape:
        raise wrong_shape(question, kind, values.shape, right, n)
    heads, rows, keys = array.shape
    if square and (keys != n or rows not in (1, n)):
        raise wrong_shape(question, kind, values.shape, right, n)
    rows = n if square else rows
    array = np.broadcast_to(array, (heads, rows, keys))
    spread = Values(values.kind, array)
    return Tables(spread, spread.floats(), heads, rows, keys)


def size(question: Question) -> tuple[int, list[Note]]:
    """The length at which matrices are audited, with a note if it is less than asked for."""
    if question.length <= LARGEST:
        return question.length, []
    text = f"matrices are audited at length {LARGEST}, not {question.length}"
    return LARGEST, [Note("limit", "bias", "length", text)]


def causal(question: Question, rows: int, keys: int) -> Bools:
    """Which keys each row sees, all of them where rows and keys are of different numbers."""
    if rows != keys:
        return np.ones((rows, keys), np.bool_)
    result = np.zeros((rows, keys), np.bool_)
    for i in range(rows):
        seen = visible(i, keys, question.visibility)
        result[i, seen.start : seen.stop] = True
    return result


def examine_logits(question: Question) -> Iterator[Finding | Note]:
    """All checks of `logits(n)` as they are; masks are applied by the family of masks."""
    n, notes = size(question)
    yield from notes
    found = tables(question, "logits", n, False)
    if "mask" in question.session.offered:
        return
    seen = causal(question, found.rows, found.keys)
    # Minus infinity hides a key; a row of nothing else, NaN and plus infinity decide nothing.
    hidden = np.where(seen, found.floats == -np.inf, True).all(axis=2, keepdims=True)
    bad = np.argwhere((np.isnan(found.floats) | (found.floats == np.inf) | hidden) & seen)
    if len(bad):
        h, i, j = bad[0].tolist()
        yield Finding(
            "nonfinite", "logits",
            f"the logit of head {h}, row {i}, key {j} is {found.floats[h, i, j]}",
            position=i, unit="row", count=len(bad), exact="a finite number",
            observed=str(found.floats[h, i, j]), reproduce=question.reproduce("logits", n),
        )  # fmt: skip
        return
    expected = question.expect("logits", n)
    exact = found.values.array if expected is None else expected.array
    exact = np.broadcast_to(exact, found.values.shape)
    yield from against(question, "logits", found, exact, seen)


def exactly(element: Any) -> Fraction | None:
    """An element of an array of numbers as a rational, None if it is not finite."""
    if isinstance(element, Fraction):
        return element
    number = element.item()
    return Fraction(number) if np.isfinite(number) else None


_Case = tuple[int, int, list[int], list[int]]  # head, row, winners as computed, exact winners


def best(row: npt.NDArray[Any], keys: Iterable[int]) -> list[int]:
    """Which of these keys have the largest logit."""
    chosen = np.fromiter(keys, np.int64)
    return [int(chosen[k]) for k in winners(row[chosen])]


def against(
    question: Question, kind: str, found: Tables, exact: npt.NDArray[Any],
    seen: Bools,
) -> Iterator[Finding | Note]:  # fmt: skip
    """Every row's winners beside the exact ones: ties of either, and flips."""
    ties, flips = list[_Case](), list[_Case]()
    for h in range(found.heads):
        for i in range(found.rows):
            keys = np.flatnonzero(seen[i]).tolist()
            if len(keys) < 2:
                continue
            have, want = best(found.values.array[h, i], keys), best(exact[h, i], keys)
            if len(want) > 1 or (len(have) > 1 and want[0] in have):
                ties.append((h, i, have, want))
            elif have != want:
                flips.append((h, i, have, want))
    for name, rows in (("tie", ties), ("flip", flips)):
        if rows:
            yield _decision(question, kind, name, found, exact, rows)


def _decision(
    question: Question, kind: str, name: str, found: Tables, exact: npt.NDArray[Any],
    rows: list[_Case],
) -> Finding:  # fmt: skip
    h, i, have, want = rows[0]
    row = exact[h, i]
    rival = next((k for k in have if k not in want), have[-1])
    ends = exactly(row[want[0]]), exactly(row[rival])
    gap = Fraction(0) if ends[0] is None or ends[1] is None else ends[0] - ends[1]
    output = question.model(found.values).output
    margin = float(gap) / float(ulp(float(found.floats[h, i, have[0]]), output)) if gap else None
    head = f"head {h}, " if found.heads > 1 else ""
    if name == "tie":
        text = (
            f"{head}row {i} ties between keys {', '.join(map(str, have))}: first-wins returns "
            f"{have[0]}, last-wins {have[-1]}"
        )
        if question.targets is not None and i < len(question.targets):
            text += f"; the target is {question.targets[i]}, and a tie is no hit"
    else:
        text = f"{head}row {i} is won by key {have[0]} where {want[0]} is right"
    if len(want) == 1 and gap:
        text += f" (exact margin {spell(gap)})"
    text += f"; {len(rows)} rows"
    return Finding(
        name, kind, text, position=i, unit="row", count=len(rows),
        exact=", ".join(map(str, want)), observed=", ".join(map(str, have)), margin=margin,
        stage=_rounding(found, exact, h, i), reproduce=question.reproduce(kind, found.rows),
        details={"rows": [entry[1] for entry in rows[:64]], "head": h},
    )  # fmt: skip


def _rounding(found: Tables, exact: npt.NDArray[Any], h: int, i: int) -> str | None:
    """Whether the row is the exact one rounded to a narrow type, to one unit."""
    wanted, seen = exact[h, i].astype(np.float64), found.floats[h, i]
    if np.array_equal(wanted, seen):
        return None
    for name in (found.values.kind, "bfloat16", "float16", "float32"):
        kind = FLOAT_TYPES.get(name)
        if kind is None or not np.array_equal(round_to(seen, kind), seen):
            continue
        if (np.abs(round_to(wanted, kind) - seen) <= ulp(wanted, kind)).all():
            return f"logits in {name}"
    return None
