"""Values: features against the exact ones, by phase error, and their layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from verify.audit import stages
from verify.audit.dtypes import Bools, Floats, finite_rows, ulp
from verify.audit.findings import Finding, Note, spell
from verify.audit.layouts import Layout, recognise
from verify.audit.models import Model
from verify.audit.precise import Double
from verify.audit.question import Question, wrong_shape
from verify.audit.sampling import first_failure
from verify.audit.specifications import Rows, Truth, Waves
from verify.audit.values import Values

_PROBES = 256


@dataclass(frozen=True, slots=True)
class Compared:
    """A subject's features beside the exact ones in the same columns. `exact` includes the signs of
    the layout, its factor is taken out of `observed`, `bound` is what the model allows."""

    positions: npt.NDArray[np.int64]
    observed: Floats
    exact: Double
    angles: Floats
    bound: Floats
    layout: Layout | None
    truth: Truth
    model: Model
    specification: Waves | Rows
    length: int


def matrix(question: Question, kind: str, answer: Sequence[Values], rows: int) -> Values:
    """The answer as one (rows, d) array: leading axes of length 1 dropped, pairs side by side."""
    parts = []
    for values in answer:
        array = values.array
        while array.ndim > 2 and array.shape[0] == 1:
            array = array[0]
        if array.ndim == 1 and rows != 1 and array.shape[0] == rows:
            array = array[:, None]
        if array.ndim != 2 or array.shape[0] != rows or array.shape[1] == 0:
            right = f"({rows}, d)"
            raise wrong_shape(question, kind, values.shape, right, np.arange(rows))
        parts.append(array)
    return Values(answer[0].kind, np.hstack(parts))


@dataclass(frozen=True, slots=True)
class Source:
    """Where features come from: `features(positions)` itself, or vectors that `rotate` turned.

    `answer` gives the (n, d) features at n positions, or raises Refused; `arguments` are those of
    the call, for reproduction.
    """

    question: Question
    kind: str
    answer: Callable[[npt.NDArray[np.int64]], Values]
    arguments: Callable[[npt.NDArray[np.int64]], tuple[Any, ...]]

    def reproduce(self, positions: npt.NDArray[np.int64]) -> str:
        """One line of Python that shows the features at these positions."""
        return self.question.reproduce(self.kind, *self.arguments(positions))


def features(question: Question) -> Source:
    """The subject's own features."""

    def answer(positions: npt.NDArray[np.int64]) -> Values:
        return matrix(question, "features", question.ask("features", positions), len(positions))

    return Source(question, "features", answer, lambda positions: (positions,))


def compare(
    source: Source,
    specification: Waves | Rows,
    positions: npt.NDArray[np.int64],
    values: Values,
    layout: Layout | None = None,
) -> Compared:
    """Put the values beside the truth; Refused if their number of columns fits no layout."""
    question = source.question
    truth = specification.truth(positions, question.length)
    observed, model = values.floats(), question.model(values)
    exact, angles = truth.values, truth.angles
    if isinstance(specification, Waves):
        if layout is None:
            finite = np.flatnonzero(finite_rows(observed))
            chosen = finite[np.linspace(0, len(finite) - 1, min(_PROBES, len(finite))).astype(int)]
            layout = recognise(observed[chosen], exact.high[chosen], specification.dimension)
            if layout is not None:
                layout = _published_factor(specification, layout)
        if layout is None:
            d = specification.dimension
            right = f"({len(positions)}, {d})"
            raise wrong_shape(
                question, source.kind, observed.shape, right, *source.arguments(positions)
            )
        exact = Double(
            exact.high[:, layout.order] * layout.signs, exact.low[:, layout.order] * layout.signs
        )
        angles = angles[:, layout.order]
        observed = observed / layout.factor
    elif observed.shape[1] != exact.shape[1]:
        right = f"({len(positions)}, {exact.shape[1]})"
        raise wrong_shape(
            question, source.kind, observed.shape, right, *source.arguments(positions)
        )
    bound = model.bound(exact.high, angles, layout is not None and layout.factor != 1)
    return Compared(
        positions, observed, exact, angles, bound, layout, truth, model, specification,
        question.length,
    )  # fmt: skip


def _published_factor(specification: Waves, layout: Layout) -> Layout:
    """The layout with the published common factor instead of the estimated one near it."""
    for _, factor in specification.factors:
        if abs(layout.factor / factor - 1) < 1e-4:
            return replace(layout, factor=factor)
    return layout


def choose(
    source: Source, specification: Waves | Rows, positions: npt.NDArray[np.int64], values: Values
) -> tuple[Compared, list[Note]]:
    """The comparison under the convention that the subject follows: the specified one unless
    another published one fits far better (then the value finding will say so)."""
    compared = compare(source, specification, positions, values)
    notes = []
    if compared.layout is not None:
        name = compared.layout.name
        notes.append(Note("convention", source.kind, name, f"layout: {name}"))
        notes += _factor(source.kind, compared)
    return compared, notes


def _factor(kind: str, compared: Compared) -> Iterator[Note]:
    assert isinstance(compared.specification, Waves) and compared.layout is not None
    known = dict(compared.specification.factors)
    factor = compared.layout.factor
    if factor == 1 and not known:
        return
    name = next((n for n, f in known.items() if abs(factor / f - 1) < 1e-2), None)
    if name is not None:
        yield Note("convention", kind, name, f"all features carry {name} = {factor:.6g}")
    elif factor == 1:
        text = f"features carry no factor; published are {', '.join(known)}"
        yield Note("convention", kind, "no common factor", text)
    else:
        text = f"all features carry the positive factor {factor:.6g}, which changes no decision"
        yield Note("equivalence", kind, "positive scaling", text)


def nonfinite(kind: str, positions: npt.NDArray[np.int64], values: Values) -> Iterator[Finding]:
    """Infinities and NaN where the exact features are finite."""
    if values.array.dtype == object:
        return
    bad = ~np.isfinite(values.floats())
    rows = np.flatnonzero(bad.any(axis=1))
    if len(rows):
        column = int(np.flatnonzero(bad[rows[0]])[0])
        yield Finding(
            "nonfinite", kind, f"{kind} is not finite from position {positions[rows[0]]} on",
            position=int(positions[rows[0]]), count=len(rows), exact="a finite number",
            observed=str(values.array[rows[0], column]), details={"column": column},
        )  # fmt: skip


def failing(compared: Compared) -> Bools:
    """Where |error| is beyond the bound (NaN fails)."""
    error = compared.exact.error_of(compared.observed)
    wrong: Bools = ~(np.abs(error) <= compared.bound)
    return wrong


def value(source: Source, compared: Compared) -> Iterator[Finding | Note]:
    """The finding for values beyond the model, or the measured phase error of sound ones."""
    with np.errstate(invalid="ignore"):
        error = np.abs(compared.exact.error_of(compared.observed))
        spacing = ulp(compared.exact.high, compared.model.output)
        if compared.layout is not None and compared.layout.factor != 1:
            spacing = 2 * spacing  # one more rounding
        if isinstance(compared.specification, Waves):
            safe = np.where(compared.angles == 0, 1.0, np.abs(compared.angles))
            excess = np.maximum(error - spacing, 0) / safe / compared.model.phase.unit
            units = float(np.nanmax(excess, initial=0.0))
        else:
            units = 0.0
    bad = failing(compared)
    rows = np.flatnonzero(bad.any(axis=1))
    if not len(rows):
        if isinstance(compared.specification, Waves):
            unit = f"2^-{compared.model.phase.precision}"
            text = f"largest phase error {units:.2f} units of {unit} ({compared.model.text})"
            yield Note("value", source.kind, "phase error", text)
        return
    first = _first(source, compared, rows)
    only = compare(source, compared.specification, first, source.answer(first), compared.layout)
    deviation = np.abs(only.exact.error_of(only.observed))[0]
    column = int(np.argmax(np.where(np.isfinite(deviation), deviation - only.bound[0], np.inf)))
    exact, observed = only.exact.fraction(0, column), float(only.observed[0, column])
    function = _column(compared, column)
    margin = deviation[column] / ulp(only.exact.high[0, column], only.model.output)
    stage = stages.lost(compared, rows)
    text = f"{function} is {observed:.9g} where {float(exact):.9g} is right"
    if isinstance(compared.specification, Waves):
        unit = f"2^-{compared.model.phase.precision}"
        text += f"; the phase is off by up to {units:.3g} units of {unit}"
    text += _other_convention(source.question, compared, rows)
    yield Finding(
        "value", source.kind, text, position=int(first[0]), count=len(rows), exact=spell(exact),
        observed=spell(observed), margin=float(margin), stage=stage,
        reproduce=source.reproduce(first),
        details={"column": column, "function": function, "phase_units": units},
    )  # fmt: skip


def _first(
    source: Source, compared: Compared, rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The first failing position, also between the sampled ones."""
    bad = int(compared.positions[rows[0]])
    good = int(compared.positions[rows[0] - 1]) if rows[0] else -1
    if bad - good > 1:

        def fails(positions: npt.NDArray[np.int64]) -> Bools:
            values = source.answer(positions)
            again = compare(source, compared.specification, positions, values, compared.layout)
            wrong: Bools = np.logical_or.reduce(failing(again), axis=1)
            return wrong

        bad = first_failure(good, bad, fails)
    return np.array([bad], np.int64)


def _column(compared: Compared, column: int) -> str:
    if compared.layout is None:
        return compared.truth.columns[column]
    sign = "-" if compared.layout.signs[column] < 0 else ""
    return f"{sign}{compared.truth.columns[compared.layout.order[column]]}"


def _other_convention(question: Question, compared: Compared, rows: npt.NDArray[np.int64]) -> str:
    """The end of the message if another published convention explains the values."""
    if not isinstance(compared.specification, Waves) or compared.layout is None:
        return ""
    some = rows[:_PROBES]
    mean = np.abs(compared.exact.error_of(compared.observed))[some].mean()
    for other in compared.specification.alternatives:
        exact = other.truth(compared.positions[some], question.length).values.high
        layout = recognise(compared.observed[some], exact, other.dimension)
        if layout is not None and layout.error < mean / 64:
            return f"; the values follow the {other.name}"
    return ""
