"""Positions under decoding: prefill and steps, and left padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import Floats
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, Refused, wrong_shape
from verify.audit.specifications import Waves

PROPERTIES = ("error", "shape", "nonfinite", "cache", "flip", "padding")
_PADDING: Final = 3
_FARTHEST: Final = 1 << 16  # position id whose decisions are worked out


def examine(question: Question) -> Iterator[Finding | Note]:
    """`positions(prompt, steps)`: the ids of a prompt and of the tokens decoded one at a time."""
    wrong: list[tuple[int, int, int, Floats]] = []
    for prompt in question.prompts:
        ids = _ids(question, prompt, question.steps)
        bad = np.flatnonzero(ids != np.arange(len(ids)))
        if len(bad):
            wrong.append((prompt, int(bad[0]), len(bad), ids))
    if wrong:
        prompt, row, count, ids = wrong[0]
        shown = ", ".join(f"{p:g}" for p in ids[row : row + 4])
        right = ", ".join(map(str, range(row, min(row + 4, len(ids)))))
        yield Finding(
            "cache", "positions",
            f"after a prompt of {prompt}, decoding uses positions {shown} where {right} are right; "
            f"{len(wrong)} of {len(question.prompts)} prompt lengths",
            position=row, unit="row", count=count, exact=str(row), observed=f"{ids[row]:g}",
            stage="position id", reproduce=question.reproduce("positions", prompt, question.steps),
            details={"prompt": prompt, "prompts": [entry[0] for entry in wrong],
                     "ids": ids[:64].tolist()},
        )  # fmt: skip
        whole = (ids == np.rint(ids)).all() and np.abs(ids).max() < _FARTHEST
        if isinstance(question.specification, Waves) and whole:
            whole_ids = ids.astype(np.int64)
            yield from _previous(question, question.specification, prompt, whole_ids)
    if "padding" in question.session.offered["positions"]:
        yield from _left_padding(question)


def _ids(question: Question, prompt: int, steps: int, **keywords: Any) -> Floats:
    (values, *_) = question.ask("positions", prompt, steps, **keywords)
    array = values.array.reshape(-1)
    total = prompt + steps + keywords.get("padding", 0)
    if array.shape != (total,):
        raise wrong_shape(question, "positions", values.shape, f"({total},)", prompt, steps)
    ids: Floats = array.astype(np.float64)
    if not np.isfinite(ids).all():
        row = int(np.flatnonzero(~np.isfinite(ids))[0])
        raise Refused(
            Finding(
                "nonfinite", "positions", f"position id {row} is {ids[row]}", position=row,
                unit="row", exact=str(row), observed=str(ids[row]),
                reproduce=question.reproduce("positions", prompt, steps),
            )
        )  # fmt: skip
    return ids


def _previous(
    question: Question, specification: Waves, prompt: int, ids: npt.NDArray[np.int64]
) -> Iterator[Finding]:
    """Which rows of `previous`, by the head calibrated to look back 1, answer another key."""
    reach = np.arange(-int(np.abs(np.diff(ids, prepend=0)).sum()) - 2, int(ids.max()) + 2)
    truth = specification.truth(reach, question.length).values.high
    curve = truth[:, : truth.shape[1] // 2].sum(axis=1)
    wrong = []
    for i in range(1, len(ids)):
        logits = curve[ids[i] - ids[: i + 1] - 1 - reach[0]]
        best = np.flatnonzero(logits == logits.max())
        if best.tolist() != [i - 1]:
            wrong.append((i, best.tolist()))
    if wrong:
        row, keys = wrong[0]
        yield Finding(
            "flip", "positions",
            f"after a prompt of {prompt}, row {row} of 'previous' answers key "
            f"{', '.join(map(str, keys))} where {row - 1} is right; {len(wrong)} rows",
            position=row, unit="row", count=len(wrong), exact=str(row - 1),
            observed=", ".join(map(str, keys)), stage="position id",
            reproduce=question.reproduce("positions", prompt, question.steps),
            details={"rows": [[i, k, i - 1] for i, k in wrong[:64]]},
        )  # fmt: skip


def _left_padding(question: Question) -> Iterator[Finding]:
    """With left padding the real tokens keep the positions 0, 1, 2, ..."""
    for prompt in question.prompts:
        ids = _ids(question, prompt, question.steps, padding=_PADDING)[_PADDING:]
        bad = np.flatnonzero(ids != np.arange(len(ids)))
        if len(bad):
            row = int(bad[0])
            yield Finding(
                "padding", "positions",
                f"with {_PADDING} positions of left padding, real token {row} of a prompt of "
                f"{prompt} is at position {ids[row]:g}",
                position=row, unit="row", count=len(bad), exact=str(row), observed=f"{ids[row]:g}",
                stage="position id",
                reproduce=question.reproduce("positions", prompt, question.steps),
                details={"prompt": prompt, "padding": _PADDING},
            )  # fmt: skip
            return
