"""Rotations of queries and keys: whether scores depend on the offset alone, and by which layout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT_TYPES, Floats, FloatType
from verify.audit.families import features
from verify.audit.families.values import Source, matrix
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, wrong_shape
from verify.audit.specifications import Waves
from verify.audit.values import Values

PROPERTIES = ("error", "shape", "nonfinite", "not-relative", "value", "collision", "tie", "flip")
_DIMENSION = 4
_NEAR, _FAR = 64, 64


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `rotate(x, positions)`."""
    specification = question.specification
    d = specification.dimension if isinstance(specification, Waves) else _DIMENSION
    positions = question.sampled[:_NEAR]
    if len(question.sampled) > _NEAR:
        far = np.linspace(_NEAR, len(question.sampled) - 2, _FAR).astype(int)
        far = question.sampled[np.unique(np.concatenate([far, far + 1]))]
        positions = np.unique(np.concatenate([positions, far]))
    answer = _rotate(question, np.tile(np.eye(d), (len(positions), 1)), np.repeat(positions, d))
    if not np.isfinite(answer.floats()).all():
        row = int(np.flatnonzero(~np.isfinite(answer.floats()).all(axis=1))[0])
        yield Finding(
            "nonfinite", "rotate", f"rotate is not finite at position {positions[row // d]}",
            position=int(positions[row // d]), exact="a finite number", observed="inf or nan",
            reproduce=question.reproduce("rotate", np.ones((1, d)), positions[row // d :][:1]),
        )  # fmt: skip
        return
    # matrices[p] @ x is x rotated at position p
    matrices = answer.floats().reshape(len(positions), d, d).transpose(0, 2, 1)
    fault = _not_relative(question, positions, matrices, answer)
    if fault is not None:
        yield fault
        return
    partner = _partner(matrices)
    if partner is None or not isinstance(specification, Waves):
        return
    probe = np.zeros(d)
    probe[partner > np.arange(d)] = 1.0
    name = (
        "interleaved" if partner[0] == 1 else "half-split" if partner[0] == d // 2 else "permuted"
    )
    text = f"{name} rotation: channel 0 is paired with channel {partner[0]}"
    yield Note("convention", "rotate", f"{name} rotation", text)

    def ask(where: npt.NDArray[np.int64]) -> Values:
        return _rotate(question, np.tile(probe, (len(where), 1)), where)

    def arguments(where: npt.NDArray[np.int64]) -> tuple[object, ...]:
        return np.tile(probe, (len(where), 1)), where

    yield from features.at(Source(question, "rotate", ask, arguments), question.sampled)


def _rotate(question: Question, x: Floats, positions: npt.NDArray[np.int64]) -> Values:
    kind = question.dtype or "float32"
    found = matrix(question, "rotate", question.ask("rotate", Values(kind, x), positions), len(x))
    if found.shape != x.shape:
        raise wrong_shape(question, "rotate", found.shape, str(x.shape), x, positions)
    return found


def _tolerance(question: Question, answer: Values, positions: Floats, d: int) -> Floats:
    """How far an entry of a product of two of these matrices may be off, by position: each factor
    by 2 ulps of 1 and by the phase error of the fastest frequency, 1."""
    model = question.model(answer)
    output: FloatType = FLOAT_TYPES.get(model.output.name, model.output)
    return 2 * d * (4 * output.unit + positions * 16 * model.phase.unit)


def _not_relative(
    question: Question, positions: npt.NDArray[np.int64], matrices: Floats, answer: Values
) -> Finding | None:
    """The first position whose rotation changes norms, or whose score with its left neighbour is
    not the score of positions 1 and 0."""
    d = matrices.shape[1]
    allowed = _tolerance(question, answer, positions.astype(np.float64), d)
    gram = np.einsum("pki,pkj->pij", matrices, matrices)
    scale = max(1.0, float(np.abs(gram[0]).max()))
    bent = np.abs(gram - gram[0]).max(axis=(1, 2)) / scale
    left = np.flatnonzero(np.diff(positions) == 1) + 1
    pair = np.einsum("pki,pkj->pij", matrices[left], matrices[left - 1])
    shifted = np.zeros(len(positions))
    if len(left):
        shifted[left] = np.abs(pair - pair[0]).max(axis=(1, 2)) / scale
    bad = np.flatnonzero((bent > allowed) | (shifted > allowed))
    if not len(bad):
        return None
    first = int(bad[0])
    if bent[first] > allowed[first]:
        column = int(np.argmax(np.abs(np.diagonal(gram[first] - gram[0]))))
        text = f"the norm of channel vector {column} is changed by the rotation at position"
        exact, seen = gram[0][column, column], gram[first][column, column]
        if abs(exact - seen) <= allowed[first]:
            i, j = np.unravel_index(np.argmax(np.abs(gram[first] - gram[0])), (d, d))
            text = (
                f"the product of channel vectors {i} and {j} is changed by the rotation at position"
            )
            exact, seen = gram[0][i, j], gram[first][i, j]
    else:
        k = int(np.flatnonzero(left == first)[0])
        i, j = np.unravel_index(np.argmax(np.abs(pair[k] - pair[0])), (d, d))
        text = (
            f"score(i, i-1) of channel vectors {i} and {j} is not that of rows 1 and 0 at position"
        )
        exact, seen = pair[0][i, j], pair[k][i, j]
    moved = len(np.unique(np.round(pair, 9).reshape(len(pair), -1), axis=0))
    return Finding(
        "not-relative", "rotate",
        f"{text} {positions[first]}; score(i, i-1) takes {moved} different values for "
        f"{len(pair)} rows",
        position=int(positions[first]), count=len(bad),
        exact=f"{exact:.9g}", observed=f"{seen:.9g}",
        reproduce=question.reproduce("rotate", np.eye(d), np.full(d, positions[first])),
        details={"pairing": _mixed(matrices)},
    )  # fmt: skip


def _mixed(matrices: Floats) -> str:
    """What the wrong rotation looks like, if it mixes the two published layouts."""
    d = matrices.shape[1]
    support = np.abs(matrices).max(axis=0) > 1e-9
    if d >= 4 and support[1, 0] and not support[d // 2, 0]:
        return "channels are paired as interleaved, so the table should be interleaved too"
    if d >= 4 and support[d // 2, 0] and not support[1, 0]:
        return "channels are paired as half-split, so the table should be half-split too"
    return "channels are not paired as in a published layout"


def _partner(matrices: Floats) -> npt.NDArray[np.int64] | None:
    """For each channel the one that it is rotated into, None if they are no disjoint pairs."""
    size = np.abs(matrices).max(axis=0)
    np.fill_diagonal(size, 0.0)
    partner: npt.NDArray[np.int64] = size.argmax(axis=0)
    channels = np.arange(len(partner))
    if (partner[partner] != channels).any() or (partner == channels).any():
        return None
    return partner
