"""Argmax: the key that `decide(logits, mask)` answers, on ties and on rows without any key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from verify.audit.families.decisions import winners
from verify.audit.families.matrices import LARGEST, tables
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, Refused, wrong_shape
from verify.audit.values import Values

PROPERTIES = ("error", "shape", "leak", "tie", "flip")
_HUGE: Final = {"float64": 1000, "float32": 120, "bfloat16": 120, "float16": 15}


def indices(question: Question, logits: Values, mask: Values, rows: int) -> npt.NDArray[np.int64]:
    """The keys that the subject's `decide` answers."""
    (values, *_) = question.ask("decide", logits, mask)
    array = values.array.squeeze()
    if array.ndim == 0:
        array = array[None]
    if array.shape != (rows,):
        right = f"({rows},)"
        raise wrong_shape(question, "decide", values.shape, right, logits, mask)
    return array.astype(np.int64)


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `decide(logits, mask)` on inputs whose right answers are known."""
    if "logits" in question.session.offered:
        if "mask" not in question.session.offered:
            yield from _given(question)
        return
    n = min(question.length, 64)
    kind = question.dtype or "float32"
    rng = np.random.default_rng(20)
    levels = rng.permutation(n * n).reshape(n, n)
    distinct = levels / 4.0 - n * n / 8.0
    if kind in ("bfloat16", "float16"):
        distinct = np.argsort(np.argsort(rng.random((n, n)), axis=1), axis=1).astype(np.float64)
    causal = np.tril(np.ones((n, n), np.bool_))
    full = np.ones((n, n), np.bool_)
    high = np.where(causal, distinct, 2.0 ** (_HUGE.get(kind, 7)))
    for name, logits, mask in (
        ("distinct logits", distinct, full), ("a causal mask", distinct, causal),
        ("hidden logits that are huge", high, causal),
    ):  # fmt: skip
        found = indices(question, Values(kind, logits), Values("bool", mask), n)
        right = np.where(mask, logits, -np.inf).argmax(axis=1)
        wrong = np.flatnonzero(found != right)
        if len(wrong):
            i = int(wrong[0])
            inside = 0 <= found[i] < n and mask[i, found[i]]
            yield Finding(
                "flip" if inside else "leak", "decide",
                f"with {name}, row {i} answers key {found[i]} where {right[i]} is right; "
                f"{len(wrong)} rows",
                position=i, unit="row", count=len(wrong), exact=str(right[i]),
                observed=str(found[i]), stage=None if inside else "mask",
                reproduce=question.reproduce("decide", logits[i][None], mask[i][None]),
            )  # fmt: skip
            return
    yield from _ties(question, kind, n)
    yield from _empty_row(question, kind, n)


def _ties(question: Question, kind: str, n: int) -> Iterator[Finding | Note]:
    """Tied rows: an index outside the tie set is a flip, else the convention is named."""
    if n < 3:
        return
    rng = np.random.default_rng(21)
    logits = rng.integers(0, 3, (n, n)).astype(np.float64)
    logits[0, :2] = -0.0, 0.0
    logits[0, 2:] = -1.0
    mask = Values("bool", np.ones((n, n), np.bool_))
    found = indices(question, Values(kind, logits), mask, n)
    again = indices(question, Values(kind, logits), mask, n)
    sets = [winners(row) for row in logits]
    wrong = [i for i in range(n) if found[i] not in sets[i]]
    if wrong:
        i = wrong[0]
        yield Finding(
            "flip", "decide", f"row {i} answers {found[i]}, which is not among the winners "
            f"{', '.join(map(str, sets[i][:8]))}",
            position=i, unit="row", count=len(wrong), exact=", ".join(map(str, sets[i][:8])),
            observed=str(found[i]),
            reproduce=question.reproduce("decide", logits[i][None], np.ones((1, n), bool)),
        )  # fmt: skip
        return
    if (found != again).any():
        i = int(np.flatnonzero(found != again)[0])
        yield Finding(
            "tie", "decide", f"row {i}, a tie, is answered {found[i]} once and {again[i]} the next "
            "time", position=i, unit="row", count=int((found != again).sum()),
            exact=", ".join(map(str, sets[i][:8])), observed=f"{found[i]}, {again[i]}",

            reproduce=question.reproduce("decide", logits[i][None], np.ones((1, n), bool)),
        )  # fmt: skip
        return
    first = all(found[i] == s[0] for i, s in enumerate(sets))
    last = all(found[i] == s[-1] for i, s in enumerate(sets))
    name = "first wins" if first else "last wins" if last else "neither first nor last wins"
    yield Note("convention", "decide", name, f"ties: {name}; a tie counts as a failure either way")


def _empty_row(question: Question, kind: str, n: int) -> Iterator[Note]:
    logits = np.zeros((1, n))
    mask = Values("bool", np.zeros((1, n), np.bool_))
    try:
        found = indices(question, Values(kind, logits), mask, 1)
    except Refused as refused:
        text = f"a row with no admissible key is refused: {refused.finding.observed}"
        yield Note("convention", "decide", "empty row raises", text)
        return
    if 0 <= found[0] < n:
        text = (
            f"a row with no admissible key is answered {found[0]}, as if it had one; "
            "leave such rows out of every count"
        )
        yield Note("limit", "decide", "empty row answered", text)


def _given(question: Question) -> Iterator[Finding | Note]:
    """The subject's own logits, decided by it: rows whose answer is not the exact winner. Ties of
    the logits themselves are found where the logits are examined."""
    found = tables(question, "logits", min(question.length, LARGEST), False)
    seen = np.ones((found.rows, found.keys), np.bool_)
    if question.visibility == "causal" and found.rows == found.keys:
        seen = np.tril(seen)
    logits = Values(found.values.kind, found.values.array[0])
    answers = indices(question, logits, Values("bool", seen), found.rows)
    wrong = []
    tied: dict[str, int] = {}
    for i in range(found.rows):
        keys = np.flatnonzero(seen[i])
        want = [int(keys[k]) for k in winners(logits.array[i][keys])]
        if int(answers[i]) not in want:
            wrong.append((i, want, int(answers[i])))
        elif len(want) > 1:
            place = {want[0]: "first wins", want[-1]: "last wins"}
            name = place.get(int(answers[i]), "neither first nor last wins")
            tied[name] = tied.get(name, 0) + 1
    if wrong:
        i, want, have = wrong[0]
        hidden = not seen[i, have] if 0 <= have < found.keys else True
        yield Finding(
            "leak" if hidden else "flip", "decide",
            f"row {i} answers {have} where {', '.join(map(str, want))} is right",
            position=i, unit="row", count=len(wrong), exact=", ".join(map(str, want)),
            observed=str(have), reproduce=question.reproduce("decide", logits, seen),
        )  # fmt: skip
    for name, count in tied.items():
        yield Note("convention", "decide", name, f"{count} tied rows are answered: {name}")
