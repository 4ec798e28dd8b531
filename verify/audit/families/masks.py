"""Masks: empty rows, keys that leak, constants that are too small, padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT64, Floats, round_to
from verify.audit.families.arguments import indices
from verify.audit.families.decisions import winners
from verify.audit.families.matrices import Tables, exactly, tables
from verify.audit.findings import Finding, Note, spell
from verify.audit.question import Question, wrong_shape
from verify.audit.values import Values
from verify.theory.visibility import visible

PROPERTIES = ("error", "shape", "nonfinite", "empty-row", "leak", "padding", "tie", "flip")
_LARGEST: Final = 1024
_PADDING: Final = 3


@dataclass(frozen=True, slots=True)
class Mask:
    """(rows, keys): which keys are admissible, and the additive constants (0 where admissible;
    None for boolean masks, which hide for certain)."""

    admissible: npt.NDArray[np.bool_]
    added: Floats | None
    values: Values
    inverted: bool


def read(question: Question, n: int, **keywords: Any) -> Mask:
    """The answer of `mask(n)`: boolean or 0/1 (True may be seen, or the reverse if only that fits
    a causal mask), or additive, where 0 is admissible and anything below hides."""
    (values, *_) = question.ask("mask", n, **keywords)
    array = values.array
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 3:
        array = array[0]
    if array.ndim != 2 or array.shape[1] != n or array.shape[0] not in (1, n):
        raise wrong_shape(question, "mask", values.shape, f"({n}, {n})", n)
    array = np.broadcast_to(array, (n, n))
    numbers = array.astype(np.float64)
    if values.kind == "bool" or (values.float_type is None and set(np.unique(numbers)) <= {0, 1}):
        admissible = numbers != 0
        own = np.diagonal(admissible)
        inverted = n > 1 and not own.any() and bool(np.triu(admissible, 1).any())
        return Mask(~admissible if inverted else admissible, None, values, inverted)
    return Mask(numbers == 0, numbers, values, False)


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `mask(n)`, with `logits(n)` and `decide` of the same subject if it has them."""
    n = min(question.length, _LARGEST)
    if n < question.length:
        text = f"masks are audited at length {_LARGEST}, not {question.length}"
        yield Note("limit", "mask", "length", text)
    mask = read(question, n)
    if mask.inverted:
        yield Note("convention", "mask", "True hides", "True marks the hidden keys, as in torch")
    if mask.added is not None and np.isnan(mask.added).any():
        row = int(np.argwhere(np.isnan(mask.added))[0][0])
        yield Finding(
            "nonfinite", "mask", f"row {row} of the mask holds NaN (zero times infinity?)",
            position=row, unit="row",
            count=len({int(i) for i, _ in np.argwhere(np.isnan(mask.added))}),
            exact="0 or minus infinity", observed="nan", reproduce=question.reproduce("mask", n),
        )  # fmt: skip
        return
    yield from _empty(question, mask, n, "")
    yield from _beyond(question, mask, n)
    if mask.added is not None:
        yield from _constants(question, mask, n)
    if "logits" in question.session.offered:
        yield from _with_logits(question, mask, n)
    if "padding" in question.session.offered["mask"]:
        yield from _padding(question, n)


def _empty(question: Question, mask: Mask, n: int, when: str) -> Iterator[Finding]:
    rows = np.flatnonzero(~mask.admissible.any(axis=1))
    if len(rows):
        first = int(rows[0])
        yield Finding(
            "empty-row", "mask",
            f"row {first} has no admissible key{when}: it is neither hit nor miss, its softmax is "
            f"NaN (or uniform over masked keys), an argmax answers 0; {len(rows)} rows",
            position=first, unit="row", count=len(rows), exact="one admissible key at least",
            observed="none", reproduce=question.reproduce("mask", n),
            details={"rows": rows[:64].tolist()},
        )  # fmt: skip


def _beyond(question: Question, mask: Mask, n: int) -> Iterator[Finding | Note]:
    """Admissible keys that the visibility hides, and the reverse."""
    allowed = np.zeros((n, n), np.bool_)
    for i in range(n):
        seen = visible(i, n, question.visibility)
        allowed[i, seen.start : seen.stop] = True
    wrong = np.argwhere(mask.admissible & ~allowed)
    if len(wrong):
        i, j = wrong[0].tolist()
        yield Finding(
            "leak", "mask", f"row {i} may see key {j}, which {question.visibility} attention hides",
            position=i, unit="row", count=len(np.unique(wrong[:, 0])), exact="hidden",
            observed="admissible", stage="mask", reproduce=question.reproduce("mask", n),
            details={"key": j},
        )  # fmt: skip
    hidden = allowed & ~mask.admissible & mask.admissible.any(axis=1, keepdims=True)
    if hidden.any():
        row = int(np.argwhere(hidden)[0][0])
        text = f"from row {row} on the mask hides keys that {question.visibility} attention shows"
        yield Note("convention", "mask", "hides more", text)


def _constants(question: Question, mask: Mask, n: int) -> Iterator[Finding | Note]:
    """The constants of an additive mask: their safety, and a mask that was added twice."""
    assert mask.added is not None
    hidden = mask.added[~mask.admissible]
    constants = sorted({float(c) for c in hidden}, reverse=True)
    if not constants:
        return
    if constants[0] > 0:
        row = int(np.argwhere(mask.added > 0)[0][0])
        yield Finding(
            "leak", "mask", f"row {row} adds the positive number {constants[0]:.6g} to a logit",
            position=row, unit="row", exact="0 or below", observed=f"{constants[0]:.17g}",
            stage="mask", reproduce=question.reproduce("mask", n),
        )  # fmt: skip
        return
    finite = [c for c in constants if np.isfinite(c)]
    kind = mask.values.float_type or FLOAT64
    twice = [c for c in finite if float(round_to(2 * c, kind)) in constants]
    if twice:
        double = float(round_to(2 * twice[0], kind))
        text = f"the mask was added twice: it holds {twice[0]:.6g} and {double:.6g}"
        if np.isinf(double):
            row = int(np.argwhere(mask.added == double)[0][0])
            yield Finding(
                "leak", "mask",
                text + f", which overflows {kind.name}: a row of it gives NaN where a row of the "
                "single constant does not",
                position=row, unit="row", count=int((mask.added == double).any(axis=1).sum()),
                exact=f"{twice[0]:.17g}", observed=str(double), stage="mask",
                reproduce=question.reproduce("mask", n),
            )  # fmt: skip
        else:
            yield Note("equivalence", "mask", "added twice", text + ", which hides the same keys")
    if finite:
        text = (
            f"the mask subtracts {-finite[0]:.6g} from hidden keys: safe only while a hidden logit "
            f"exceeds the best admissible one by less"
        )
        yield Note("limit", "mask", "finite constant", text)


def _with_logits(question: Question, mask: Mask, n: int) -> Iterator[Finding | Note]:
    """The decisions under the mask: of exact masking, and of what is computed."""
    found = tables(question, "logits", n, False)
    if (found.rows, found.keys) != mask.admissible.shape:
        raise wrong_shape(question, "logits", found.values.shape, str(mask.admissible.shape), n)
    answers = _decided(question, found, mask)
    leaks, ties, flips = list[Any](), list[Any](), list[Any]()
    needed: Fraction | None = None
    for i in range(found.rows):
        seen = mask.admissible[i]
        if not seen.any():
            continue
        row = found.values.array[0, i]
        keys, others = np.flatnonzero(seen), np.flatnonzero(~seen)
        want = [int(keys[k]) for k in winners(row[keys])]
        answer = answers[i]
        if mask.added is not None and len(others):
            top, best = exactly(row[others].max()), exactly(row[keys].max())
            if top is not None and best is not None:
                needed = top - best if needed is None else max(needed, top - best)
        if any(k not in keys for k in answer):
            leaks.append((i, want, [k for k in answer if k not in keys]))
        elif len(want) > 1:
            ties.append((i, want, answer))
        elif answer != want:
            (ties if set(want) < set(answer) else flips).append((i, want, answer))
    constant = None
    if mask.added is not None and (~mask.admissible).any():
        constant = float(mask.added[~mask.admissible].max())
    if leaks:
        i, want, have = leaks[0]
        safe = "" if needed is None else f"; the smallest safe constant is above {spell(needed)}"
        used = "" if constant is None else f" (the mask subtracts {-constant:.6g})"
        yield Finding(
            "leak", "mask",
            f"row {i} answers the hidden key {have[0]} where {want[0]} is right{used}{safe}; "
            f"{len(leaks)} rows",
            position=i, unit="row", count=len(leaks), exact=", ".join(map(str, want)),
            observed=", ".join(map(str, have)), stage="mask",
            reproduce=question.reproduce("mask", n),
            details={"rows": [entry[0] for entry in leaks[:64]],
                     "needed_above": None if needed is None else str(needed)},
        )  # fmt: skip
    for name, rows in (("tie", ties), ("flip", flips)):
        if rows:
            i, want, have = rows[0]
            tied = want if len(want) > 1 else have
            text = (
                f"row {i} ties between keys {', '.join(map(str, tied))}: first-wins returns "
                f"{tied[0]}, last-wins {tied[-1]}"
                if name == "tie"
                else f"row {i} answers {have[0]} where {want[0]} is right"
            )
            yield Finding(
                name, "logits", f"{text}; {len(rows)} rows", position=i, unit="row",
                count=len(rows), exact=", ".join(map(str, want)),
                observed=", ".join(map(str, have)), reproduce=question.reproduce("logits", n),
                details={"rows": [entry[0] for entry in rows[:64]]},
            )  # fmt: skip


def _decided(question: Question, found: Tables, mask: Mask) -> list[list[int]]:
    """What each row answers: the subject's own `decide`, else all winners of logits plus mask in
    the logits' type."""
    if "decide" in question.session.offered:
        logits = Values(found.values.kind, found.values.array[0])
        return [[int(k)] for k in indices(question, logits, mask.values, found.rows)]
    floats = found.floats[0]
    if mask.added is None:
        masked = np.where(mask.admissible, floats, -np.inf)
    else:
        masked = round_to(floats + mask.added, found.values.float_type or FLOAT64)
    return [winners(row) for row in masked]


def _padding(question: Question, n: int) -> Iterator[Finding | Note]:
    """`mask(n, padding=p)`: the last n - p rows see what the rows of an unpadded mask see."""
    p = min(_PADDING, n - 1)
    if p < 1:
        return
    padded = read(question, n, padding=p)
    yield from _empty(question, padded, n, f" when the first {p} positions are padding")
    plain = read(question, n - p)
    real = padded.admissible[p:]
    wrong = np.argwhere((real[:, p:] != plain.admissible) | real[:, :p].any(axis=1, keepdims=True))
    if len(wrong):
        i, j = (int(k) + p for k in wrong[0])
        yield Finding(
            "padding", "mask",
            f"with {p} positions of left padding row {i} does not see what row {i - p} sees "
            "without it",
            position=i, unit="row", count=len(np.unique(wrong[:, 0])),
            exact=str(np.flatnonzero(plain.admissible[i - p])[:8].tolist()),
            observed=str((np.flatnonzero(real[i - p]) - p)[:8].tolist()),
            reproduce=question.reproduce("mask", n), details={"padding": p, "key": j},
        )  # fmt: skip
