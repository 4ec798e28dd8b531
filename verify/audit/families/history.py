"""Answers that depend on history: caches, types and lengths used before, casts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT64, Floats, ulp
from verify.audit.families import features as feature_checks
from verify.audit.families import values as value_checks
from verify.audit.findings import Finding, Note
from verify.audit.question import Question, Refused, wrong_shape
from verify.audit.specifications import Specification, Waves
from verify.audit.values import Values

PROPERTIES = ("cache", "stateful")
KINDS: Final = ("features", "rotate", "kernel", "bias", "mask", "slopes", "parameters")
_SHORT: Final = 16
_LONG: Final = 1024
_LARGEST: Final = 128  # of a matrix
_BY_LENGTH: Final = ("bias", "mask", "slopes", "parameters")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that should not change the answer to another one."""

    name: str
    arguments: tuple[Any, ...]
    dtype: str | None = None


def examine(question: Question, kind: str) -> Iterator[Finding | Note]:
    """The same call in a fresh process, after other calls, and one position at a time."""
    short, long = _lengths(question)
    wrap = _wrapper(question, kind)
    others = [_Call("a longer call", wrap(0, long)), _Call("a shorter call", wrap(0, short // 2))]
    if kind not in _BY_LENGTH:
        others.insert(1, _Call("a call at an offset", wrap(long - short, long)))
    rounds = [(wrap(0, short), others, others[:1])]
    if "dtype" in question.session.offered[kind]:
        typed = [
            _Call(
                f"a call in {_other_type(question, kind)}",
                wrap(0, long),
                _other_type(question, kind),
            )
        ]
        rounds.append((wrap(0, long), typed, typed))
    for first, after, before in rounds:
        found = yield from _round(question, kind, first, after, before)
        if found:
            return
    yield from _by_length(question, kind)
    if kind in ("features", "rotate"):
        question.session.fresh()
        baseline = _answer(question, kind, wrap(0, short))
        if baseline is not None:
            yield from _one_by_one(question, kind, wrap(0, short), baseline)


def _by_length(question: Question, kind: str) -> Iterator[Finding]:
    """Positions, or the leading block of a relative bias, under two lengths.

    Nothing may change if the specification does not see the length; that of a bias only by a
    constant in each row.
    """
    specification = question.specification
    if specification is None or _sees_length(specification):
        return
    short, long = _lengths(question)
    question.session.fresh()
    worst: tuple[float, str, str, int] | None
    if kind == "bias" and specification.relative:
        tables = [_answer(question, kind, (max(1, min(n, _LARGEST)),)) for n in (short, long)]
        worst = _blocks_differ(tables, short)
    elif "length" in question.session.offered[kind]:
        call = _wrapper(question, kind)(0, short)
        lengths = (question.length, 2 * question.length)
        worst = _same([_answer(replace(question, length=n), kind, call) for n in lengths])
    else:
        return
    if worst is None or worst[0] > 4.0:
        call = (short,) if kind == "bias" else _wrapper(question, kind)(0, short)
        yield _stateful(question, kind, call, "a change of the length alone", worst)


def _same(
    answers: Sequence[tuple[Values, ...] | None],
) -> tuple[float, str, str, int] | None:
    one, two = answers
    return None if one is None or two is None else _difference(one, two)


def _sees_length(specification: Specification) -> bool:
    if isinstance(specification, Waves):
        one, two = (specification.frequencies(n)[-1] for n in (1, 1 << 30))
        return float(one.mid()) != float(two.mid())
    return specification.text.startswith("scale:")


def _blocks_differ(
    tables: Sequence[tuple[Values, ...] | None], n: int
) -> tuple[float, str, str, int] | None:
    """The largest difference of the leading n rows and keys of two biases, less the own key's value
    of each row, in ulps of the largest value that was rounded; None if they are not comparable."""
    blocks, largest = [], 1.0
    for answer in tables:
        if answer is None or answer[0].array.ndim < 2 or answer[0].array.shape[-1] < n:
            return None
        array = answer[0].floats()
        rows = min(n, array.shape[-2])
        block = array[..., :rows, :n]
        largest = max(largest, float(np.abs(block[np.isfinite(block)]).max(initial=0.0)))
        own = block[..., np.arange(rows), np.arange(rows)][..., None]
        # What is hidden in one table may be hidden in the other; a causal bias may hide the future.
        blocks.append(np.where(np.arange(n) <= np.arange(rows)[:, None], block - own, 0.0))
    one, two = blocks
    if one.shape != two.shape:
        return None
    gap = np.nan_to_num(np.abs(one - two), nan=np.inf)
    gap[one == two] = 0.0
    place = np.unravel_index(int(gap.argmax()), gap.shape)
    kind = next((a[0].float_type for a in tables if a is not None), None) or FLOAT64
    return (
        float(gap[place] / ulp(largest, kind)), str(one[place]), str(two[place]), int(place[-2])
    )  # fmt: skip


def _round(
    question: Question, kind: str, first: tuple[Any, ...], after: list[_Call], before: list[_Call]
) -> Generator[Finding, None, bool]:
    """Whether some call changes the answer to the first one, made before it or after it.

    A cache that is filled once answers as it was filled, so some calls also come before the first
    one of a fresh process.
    """
    question.session.fresh()
    baseline = _answer(question, kind, first)
    if baseline is None:
        return True
    steps = [(call, call.name, False) for call in after]
    steps += [(call, f"{call.name} that came first", True) for call in before]
    for call, name, anew in steps:
        if anew:
            question.session.fresh()
        _answer(replace(question, dtype=call.dtype or question.dtype), kind, call.arguments)
        again = _answer(question, kind, first)
        worst = None if again is None else _difference(baseline, again)
        if worst is None or worst[0] > 2.0:
            yield _stateful(question, kind, first, name, worst)
            question.session.fresh()
            return True
    return False


def _lengths(question: Question) -> tuple[int, int]:
    short, long = min(_SHORT, question.length), min(_LONG, question.length)
    capacity = getattr(question.specification, "capacity", None)
    return (short, long) if capacity is None else (min(short, capacity), min(long, capacity))


def _other_type(question: Question, kind: str) -> str:
    """A narrow type that the subject's library has, other than the one that is audited."""
    if question.dtype in ("bfloat16", "float16"):
        return "float32"
    library = question.session.libraries.get(kind, "numpy")
    return "bfloat16" if library in ("torch", "jax", "mlx") else "float16"


def _wrapper(question: Question, kind: str) -> Callable[[int, int], tuple[Any, ...]]:
    """From the positions start..stop-1 (the length stop) to the arguments of the callable."""
    if kind in _BY_LENGTH:
        return lambda start, stop: (max(1, min(stop, _LARGEST)),)

    def wrap(start: int, stop: int) -> tuple[Any, ...]:
        positions = np.arange(start, max(stop, start + 1), dtype=np.int64)
        if kind == "rotate":
            return _rotated(question, positions)
        if kind == "kernel" and "target" in question.session.offered[kind]:
            return positions, 1
        return (positions,)

    return wrap


def _rotated(question: Question, positions: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    specification = question.specification
    d = specification.dimension if isinstance(specification, Waves) else 4
    x = Values(question.dtype or "float32", np.ones((len(positions), d)))
    return x, positions


def _answer(question: Question, kind: str, arguments: tuple[Any, ...]) -> tuple[Values, ...] | None:
    try:
        return question.ask(kind, *arguments)
    except Refused:
        return None


def _difference(
    one: tuple[Values, ...], two: tuple[Values, ...]
) -> tuple[float, str, str, int] | None:
    """The largest difference in ulps of the values' type (at 1 or at the value, the larger), with
    the values and the row; None if the answers are not comparable."""
    worst = (0.0, "", "", 0)
    if len(one) != len(two):
        return None
    for a, b in zip(one, two, strict=True):
        if a.shape != b.shape or a.kind != b.kind:
            return None
        if a.array.dtype == object or a.float_type is None:
            same: Floats = (a.array == b.array).astype(np.float64)
            units = np.where(same == 1, 0.0, np.inf)
        else:
            x, y = a.floats(), b.floats()
            spacing = ulp(np.maximum(np.abs(np.nan_to_num(x)), 1.0), a.float_type or FLOAT64)
            with np.errstate(invalid="ignore"):
                gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
            units = np.where(np.isfinite(gap), gap, np.inf) / spacing
        if units.size and float(units.max()) > worst[0]:
            place = np.unravel_index(int(units.argmax()), units.shape)
            first = (
                int(np.argwhere(units > 2.0)[0][max(0, units.ndim - 2)]) if (units > 2).any() else 0
            )
            worst = (float(units.max()), str(a.array[place]), str(b.array[place]), first)
    return worst


def _stateful(
    question: Question, kind: str, call: tuple[Any, ...], after: str,
    worst: tuple[float, str, str, int] | None,
) -> Finding:  # fmt: skip
    exact, observed, row = ("an array of the same shape and type", "another", 0)
    if worst is not None:
        exact, observed, row = worst[1], worst[2], worst[3]
    return Finding(
        "stateful", kind,
        f"{kind} answers differently after {after}: {observed} instead of {exact}",
        position=row, exact=exact, observed=observed,
        margin=worst[0] if worst is not None and np.isfinite(worst[0]) else None,
        reproduce=question.reproduce(kind, *call), details={"after": after},
    )  # fmt: skip


def _one_by_one(
    question: Question, kind: str, call: tuple[Any, ...], baseline: tuple[Values, ...]
) -> Iterator[Finding | Note]:
    """Prefill and step-by-step decoding: the same positions, asked one at a time."""
    positions = call[-1]
    whole = value_checks.matrix(question, kind, baseline, len(positions))
    model = question.model(whole)
    for row, position in enumerate(positions.tolist()):
        single = np.array([position], np.int64)
        given = _rotated(question, single) if kind == "rotate" else (single,)
        part = value_checks.matrix(question, kind, question.ask(kind, *given), 1)
        if part.shape[1] != whole.shape[1]:
            raise wrong_shape(question, kind, part.shape, f"(1, {whole.shape[1]})", *given)
        gap = np.abs(part.floats()[0] - whole.floats()[row])
        allowed = model.bound(np.ones(1), np.array([float(position)]), True) * 2
        if not (gap <= allowed).all():
            column = int(np.argmax(np.nan_to_num(gap, nan=np.inf)))
            yield Finding(
                "cache", kind,
                f"{kind} of position {position} asked alone differs from the same position in one "
                "call, so step-by-step decoding differs from prefill",
                position=position, exact=str(whole.array[row, column]),
                observed=str(part.array[0, column]), reproduce=question.reproduce(kind, *given),
            )  # fmt: skip
            return


def examine_cast(question: Question) -> Iterator[Finding | Note]:
    """The subject after a cast to another type (not built anew): its findings, as `stateful`."""
    assert question.cast is not None
    question.session.fresh()
    reply = question.session.cast(question.cast)
    if reply.status != "value":
        text = f"the cast to {question.cast} failed: {reply.text}"
        yield Finding("error", "cast", text, exact="a cast subject", observed=reply.text)
        return
    try:
        found = list(feature_checks.examine(question))
    except Refused as refused:
        found = [refused.finding]
    for entry in found:
        if isinstance(entry, Finding):
            yield Finding(
                "stateful", "cast", f"after a cast to {question.cast}: {entry.message}",
                position=entry.position, unit=entry.unit, count=entry.count, exact=entry.exact,
                observed=entry.observed, margin=entry.margin, stage=entry.stage,
                reproduce=entry.reproduce, details={"kind": entry.kind, **entry.details},
            )  # fmt: skip
    question.session.fresh()
