"""Kernels: logits by offset, of one head or of the heads calibrated to look back k."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit import stages
from verify.audit.dtypes import Floats, ulp
from verify.audit.families.collisions import classes
from verify.audit.families.decisions import winners
from verify.audit.findings import Finding, Note, spell
from verify.audit.precise import Double, from_fractions
from verify.audit.question import Question, wrong_shape
from verify.audit.sampling import first_failure
from verify.audit.specifications import Rows, Slopes, Waves, exact_slopes
from verify.audit.values import Values

PROPERTIES = ("error", "shape", "nonfinite", "value", "collision", "tie", "flip")
_TARGETS: Final = 2048  # calibrated heads that are asked
_OFFSETS: Final = 1 << 14


def examine(question: Question) -> Iterator[Finding | Note]:
    """All checks of `kernel(offsets)` or `kernel(offsets, target)`."""
    offsets = question.sampled
    if (
        len(question.session.offered["kernel"]) > 1
        and "target" in question.session.offered["kernel"]
    ):
        yield from _calibrated(question, offsets[:_OFFSETS])
        return
    values = _ask(question, offsets)
    observed = values.floats()
    bad = np.flatnonzero(~np.isfinite(observed))
    if len(bad):
        yield Finding(
            "nonfinite", "kernel", f"kernel is not finite from offset {offsets[bad[0]]} on",
            position=int(offsets[bad[0]]), unit="offset", count=len(bad), exact="a finite number",
            observed=str(values.array[bad[0]]),
            reproduce=question.reproduce("kernel", offsets[bad[:1]]),
        )  # fmt: skip
        return
    truth = _truth(question, offsets, values)
    if truth is None:
        return
    exact, bound = truth
    yield from _value(question, offsets, values, exact, bound)
    yield from _collision(question, offsets, values, exact, bound)
    if isinstance(question.specification, Waves):
        yield from _nearest(question, offsets, values, exact)


def _ask(question: Question, offsets: npt.NDArray[np.int64], *target: int) -> Values:
    (values, *_) = question.ask("kernel", offsets, *target)
    array = values.array
    while array.ndim > 1 and 1 in array.shape:
        array = array.squeeze(array.shape.index(1))
    if array.shape != offsets.shape:
        right = f"({len(offsets)},)"
        raise wrong_shape(question, "kernel", values.shape, right, offsets, *target)
    return Values(values.kind, array)


def _truth(
    question: Question, offsets: npt.NDArray[np.int64], values: Values
) -> tuple[Double, Floats] | None:
    """Exact logits, and what the rounding model allows; None if the specification gives no kernel.

    Waves: the sum of the cosines. ALiBi: minus slope times offset. One-dimensional: the feature.
    """
    specification, model = question.specification, question.model(values)
    if isinstance(specification, Waves):
        truth = specification.truth(offsets, question.length)
        count = len(truth.columns) // 2
        total = truth.values[:, 0]
        for k in range(1, count):
            total = total + truth.values[:, k]
        angle = np.abs(truth.angles[:, :count]).sum(axis=1)
        return total, count * ulp(np.full(len(offsets), float(count)), model.output) + model.bound(
            total.high, angle
        )
    if isinstance(specification, Slopes):
        slope = exact_slopes(specification, 1)[0]
        distance = from_fractions([Fraction(-int(o)) for o in offsets])
        total = distance * Double(slope.high[None], slope.low[None])
        return total, model.bound(total.high, total.high)
    if isinstance(specification, Rows) and specification.dimension == 1:
        exact = specification.truth(offsets, question.length).values[:, 0]
        return exact, model.bound(exact.high, np.zeros(len(offsets)))
    return None


def _value(
    question: Question, offsets: npt.NDArray[np.int64], values: Values, exact: Double, bound: Floats
) -> Iterator[Finding]:
    observed = values.floats()
    error = np.abs(exact.error_of(observed))
    bad = np.flatnonzero(~(error <= bound))
    if not len(bad):
        return
    first = int(bad[0])
    if first and offsets[first] - offsets[first - 1] > 1:

        def fails(between: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
            again = _ask(question, between)
            truth = _truth(question, between, again)
            assert truth is not None
            wrong: npt.NDArray[np.bool_] = ~(np.abs(truth[0].error_of(again.floats())) <= truth[1])
            return wrong

        start = first_failure(int(offsets[first - 1]), int(offsets[first]), fails)
    else:
        start = int(offsets[first])
    yield Finding(
        "value", "kernel",
        f"the logit of offset {offsets[first]} is {observed[first]:.9g} where "
        f"{exact.high[first]:.9g} is right",
        position=start, unit="offset", count=len(bad), exact=spell(exact.fraction(first)),
        observed=spell(float(observed[first])),
        margin=float(error[first] / ulp(exact.high[first], question.model(values).output)),
        reproduce=question.reproduce("kernel", np.array([start])),
    )  # fmt: skip


def _collision(
    question: Question, offsets: npt.NDArray[np.int64], values: Values, exact: Double, bound: Floats
) -> Iterator[Finding | Note]:
    """Offsets that share a logit although the exact kernel is strictly monotone there."""
    if not (np.diff(exact.high) < 0).all() and not (np.diff(exact.high) > 0).all():
        return
    found = classes(values.array[:, None])
    if question.declared is not None:
        gaps = [abs(float(exact.high[g[-1]] - exact.high[g[0]])) for g in found]
        found = [g for g, gap in zip(found, gaps, strict=True) if gap > bound[g[-1]] + bound[g[0]]]
    if not found:
        return
    members = [offsets[group] for group in found]
    yield Finding(
        "collision", "kernel",
        f"offsets {members[0][0]} and {members[0][1]} have one logit, the exact ones differ; "
        f"{len(members)} such classes",
        position=int(members[0][0]), unit="offset", count=sum(map(len, members)),
        exact="different logits", observed=str(values.array[found[0][0]]),
        reproduce=question.reproduce("kernel", members[0][:2]),
        details={"first_class": members[0][:64].tolist(), "classes": len(members)},
    )  # fmt: skip


def _nearest(
    question: Question, offsets: npt.NDArray[np.int64], values: Values, exact: Double
) -> Iterator[Finding]:
    if offsets[0] != 0 or len(offsets) < 2 or exact.high[0] <= exact.high[1:].max():
        return
    best = winners(values.array)
    if best == [0]:
        return
    gap = float(exact.high[0] - exact.high[best[-1]])
    yield Finding(
        "tie" if 0 in best else "flip", "kernel",
        f"offset {offsets[best[-1]]} wins or ties where offset 0 should win alone",
        position=int(offsets[best[-1]]), unit="offset", count=len(best), exact="0",
        observed=", ".join(str(offsets[k]) for k in best[:8]),
        margin=gap / float(ulp(exact.high[0], question.model(values).output)),
        reproduce=question.reproduce("kernel", offsets[[0, best[-1]]]),
    )  # fmt: skip


def _calibrated(question: Question, offsets: npt.NDArray[np.int64]) -> Iterator[Finding | Note]:
    """Each head `kernel(offsets, k)` should be won by offset k, as it is exactly."""
    specification = question.specification
    strict = np.ones(len(offsets), np.bool_)
    gaps = np.full(len(offsets), np.nan)
    if isinstance(specification, Waves):
        reach = np.arange(int(offsets[-1]) + 1) if len(offsets) == offsets[-1] + 1 else offsets
        truth = specification.truth(reach, question.length).values.high
        count = truth.shape[1] // 2
        curve = truth[:, :count].sum(axis=1)
        gaps[:] = count - curve[1:].max(initial=-np.inf)
        strict[:] = gaps > 1e-9
    targets = np.flatnonzero(strict)
    if len(targets) > _TARGETS:
        targets = targets[np.unique(np.linspace(0, len(targets) - 1, _TARGETS).astype(int))]
    wrong: list[tuple[int, list[int], Values]] = []
    for index in targets.tolist():
        values = _ask(question, offsets, int(offsets[index]))
        best = winners(np.nan_to_num(values.floats(), nan=-np.inf))
        if best != [index]:
            wrong.append((index, best, values))
    for tied in (True, False):
        rows = [entry for entry in wrong if (entry[0] in entry[1]) == tied]
        if not rows:
            continue
        index, best, values = rows[0]
        k, seen = int(offsets[index]), [int(offsets[b]) for b in best]
        scale = float(np.abs(values.floats()).max())
        spacing = float(ulp(scale, question.model(values).output))
        yield Finding(
            "tie" if tied else "flip", "kernel",
            f"the head that looks back {k} is won by offset {seen[0]}" if not tied else
            f"the head that looks back {k} ties between offsets {', '.join(map(str, seen[:8]))}",
            position=k, unit="offset", count=len(rows), exact=str(k),
            observed=", ".join(map(str, seen[:8])),
            margin=None if np.isnan(gaps[index]) else float(gaps[index]) / spacing,
            stage=_stage(question, offsets, index, values),
            reproduce=question.reproduce("kernel", np.array(sorted({*seen[:1], k})), k),
            details={"offsets": [int(offsets[entry[0]]) for entry in rows[:64]]},
        )  # fmt: skip


def _stage(
    question: Question, offsets: npt.NDArray[np.int64], index: int, values: Values
) -> str | None:
    """Which narrowed stage reproduces the logits of one calibrated head."""
    if not isinstance(question.specification, Waves):
        return None
    frequencies = stages.frequencies(question.specification, question.length)
    own = int(offsets[index]) * frequencies

    def logits(angles: Floats) -> Floats:
        total: Floats = np.cos(angles - own).sum(axis=1)
        return total

    exact: Any = logits(np.outer(offsets.astype(np.float64), frequencies))
    return stages.explain(
        values.floats(), exact, offsets.astype(np.float64), frequencies, logits,
        question.model(values).output,
    )  # fmt: skip
