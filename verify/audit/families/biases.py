"""Biases and logits as matrices: values, what is equivalent, collisions of distances, decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from verify.audit.dtypes import FLOAT_TYPES, Bools, Floats, FloatType, round_to, ulp
from verify.audit.families.collisions import classes
from verify.audit.families.matrices import Tables, against, causal, size, tables
from verify.audit.findings import Finding, Note, spell
from verify.audit.precise import Double
from verify.audit.question import Question, wrong_shape
from verify.audit.specifications import (
    SLOPE_RULES,
    Slopes,
    exact_slopes,
    powers_of_two,
    published_slopes,
)

PROPERTIES = (
    "error", "shape", "nonfinite", "value", "collision", "tie", "flip", "not-relative",
)  # fmt: skip
_CELLS: Final = 1 << 23


def examine_bias(question: Question) -> Iterator[Finding | Note]:
    """All checks of `bias(n)`."""
    n, notes = size(question)
    yield from notes
    found = tables(question, "bias", n, True)
    if found.heads * n * n > _CELLS:
        n = max(64, int((_CELLS / found.heads) ** 0.5))
        yield Note("limit", "bias", "length", f"{found.heads} heads are audited at length {n}")
        found = tables(question, "bias", n, True)
    seen = np.tril(np.ones((n, n), np.bool_)) if question.visibility == "causal" else None
    finite = np.isfinite(found.floats)
    bad = np.argwhere(~finite & (True if seen is None else seen))
    if len(bad):
        h, i, j = bad[0].tolist()
        yield Finding(
            "nonfinite", "bias", f"the bias of head {h}, row {i}, key {j} is not finite",
            position=int(bad[:, 1].min()), unit="row", count=len(bad), exact="a finite number",
            observed=str(found.values.array[h, i, j]), reproduce=question.reproduce("bias", n),
        )  # fmt: skip
        return
    expected = question.expect("bias", n)
    if expected is not None:
        exact = np.broadcast_to(expected.array, found.values.shape)
        yield from against(question, "bias", found, exact, causal(question, n, n))
        return
    if not isinstance(question.specification, Slopes):
        yield from _toeplitz(question, found, n)
        return
    specification = question.specification
    if specification.heads not in (None, found.heads) and specification.head is None:
        right = f"({specification.heads}, {n}, {n})"
        raise wrong_shape(question, "bias", found.values.shape, right, n)
    slopes = exact_slopes(specification, found.heads)
    said = [
        (h, answer)
        for h in range(found.heads)
        for answer in _head(question, found, h, slopes[h], n)
    ]
    yield from _merged(said, found.heads)


def _merged(said: list[tuple[int, Finding | Note]], heads: int) -> Iterator[Finding | Note]:
    """What is said of several heads in the same way, once."""
    groups: dict[tuple[str, ...], list[tuple[int, Finding | Note]]] = {}
    for h, answer in said:
        if isinstance(answer, Finding):
            key = (answer.kind, str(answer.details.get("task", "")))
        else:
            key = (answer.kind, answer.name)
        groups.setdefault(key, []).append((h, answer))
    for group in groups.values():
        answer = min(group, key=_first_position)[1]
        if len(group) > 1:
            message = f"{answer.message} ({len(group)} of {heads} heads)"
            answer = replace(answer, message=message)
        if isinstance(answer, Finding):
            answer = replace(answer, details={**answer.details, "heads": [h for h, _ in group]})
        yield answer


def _first_position(said: tuple[int, Finding | Note]) -> tuple[int, int]:
    position = said[1].position if isinstance(said[1], Finding) else None
    return (-1 if position is None else position, said[0])


def _head(
    question: Question, found: Tables, h: int, slope: Double, n: int
) -> Iterator[Finding | Note]:
    """One ALiBi head: minus slope * (i - j), up to a constant in each row and a positive factor."""
    distance = np.arange(n)[:, None] - np.arange(n)
    if question.visibility == "full":
        distance = np.abs(distance)
    observed, seen = found.floats[h], causal(question, n, n)
    model = question.model(found.values)
    exact = Double(-distance.astype(np.float64), np.zeros((n, n))) * Double(
        np.full((n, n), slope.high), np.full((n, n), slope.low)
    )
    bound = model.bound(exact.high, exact.high)
    error = np.abs(exact.error_of(observed))
    wrong = seen & ~(error <= bound)
    if wrong.any():
        diagonal = np.diagonal(observed)[:, None]
        # The constant is as large as the values, and rounding is relative to them.
        wide = model.bound(observed, observed) + model.bound(diagonal, diagonal) + bound
        shifted = np.abs(exact.error_of(observed - diagonal))
        if (shifted <= wide)[seen].all():
            text = f"head {h} differs by a constant in each row, so no decision does"
            yield Note("equivalence", "bias", "row-constant shift", text)
        else:
            factor = _scale(observed - diagonal, exact.high, seen)
            scaled = np.abs(observed - diagonal - factor * exact.high)
            if factor > 0 and (scaled <= 2 * wide * max(1.0, factor))[seen].all():
                named = _named_slope(found.heads, h, factor * float(slope.high))
                text = (
                    f"head {h} is the exact bias times {factor:.6g}{named}, so no decision differs"
                )
                if named:
                    yield _bias_value(
                        question, found, h, exact, error, wrong, model.output, named, 0 * diagonal
                    )
                yield Note("equivalence", "bias", "positive scaling", text)
            else:
                apart = seen & ~(shifted <= wide)
                if apart.sum() < wrong.sum():  # a row constant hides where the fault is
                    error, wrong, base = shifted, apart, diagonal
                else:
                    base = np.zeros((n, 1))
                yield _bias_value(question, found, h, exact, error, wrong, model.output, "", base)
    if question.visibility == "causal":
        yield from _distances(question, found, h, exact, bound, n)
        yield from _nearest_and_farthest(question, found, h, exact, n)


def _scale(shifted: Floats, exact: Floats, seen: Bools) -> float:
    norm = float((exact[seen] ** 2).sum())
    return float((shifted[seen] * exact[seen]).sum()) / norm if norm else 1.0


def _named_slope(heads: int, h: int, slope: float) -> str:
    """The rule, other than the published one, that gives this slope."""
    for name, rule in SLOPE_RULES.items():
        if rule is published_slopes:
            continue
        value = float(powers_of_two(rule(heads)).high[h])
        if abs(slope / value - 1) < 1e-3:
            return f" (slopes: {name})"
    return ""


def _bias_value(
    question: Question, found: Tables, h: int, exact: Double, error: Floats,
    wrong: Bools, output: FloatType, named: str, base: Floats,
) -> Finding:  # fmt: skip
    i, j = (int(k) for k in np.argwhere(wrong)[0])
    margin = float(error[i, j] / ulp(exact.high[i, j], output))
    seen, own = float(found.floats[h, i, j] - base[i, 0]), ""
    if base[i, 0]:
        own = " (less that of the row's own key)"
    return Finding(
        "value", "bias",
        f"the bias of head {h}, row {i}, key {j}{own} is {seen:.9g} where "
        f"{exact.high[i, j]:.9g} is right{named}",
        position=i, unit="row", count=int(wrong.any(axis=1).sum()),
        exact=spell(exact.fraction(i, j)), observed=spell(seen),
        margin=margin, stage=_stage(question, found, h, exact),
        reproduce=question.reproduce("bias", i + 1), details={"head": h, "key": j},
    )  # fmt: skip


def _stage(question: Question, found: Tables, h: int, exact: Double) -> str | None:
    """Which narrowed stage gives the observed bias, up to a constant in each row: the position
    ids, the slope, the product with the distance or with the key, or the bias itself."""
    n = exact.shape[0]
    seen = causal(question, n, n)
    ids = np.arange(n, dtype=np.float64)
    slope = -float(exact.high[n - 1, 0]) / max(n - 1, 1)

    def relative(table: Floats) -> Floats:
        spread = np.broadcast_to(table, (n, n))
        return spread - np.diagonal(spread)[:, None]

    observed, right = relative(found.floats[h])[seen], relative(exact.high)[seen]
    for name in ("bfloat16", "float16", "float32"):
        kind = FLOAT_TYPES[name]
        narrow, distance = round_to(slope, kind), ids[:, None] - ids
        guesses = {
            "position id": slope * (round_to(ids, kind) - round_to(ids, kind)[:, None]),
            "slope": -narrow * distance,
            "bias": round_to(exact.high, kind),
            "product": round_to(-narrow * distance, kind),
            "product with the key": round_to(narrow * round_to(ids, kind), kind),
            "bias by key": round_to(slope * ids, kind),
        }
        for stage, guess in guesses.items():
            close = relative(guess)[seen]
            if np.array_equal(close, observed) and not np.array_equal(close, right):
                return f"{stage} in {name}"
    return None


def _distances(
    question: Question, found: Tables, h: int, exact: Double, bound: Floats, n: int
) -> Iterator[Finding | Note]:
    """Keys of the last row that share a bias, told as distances."""
    last = found.values.array[h, n - 1][::-1]
    shared = classes(last[:, None])
    if not shared:
        return
    pairs = [(int(g[0]), int(g[1])) for g in shared]
    if question.declared is not None:
        gap, far = exact.high[n - 1][::-1], bound[n - 1][::-1]
        pairs = [(a, b) for a, b in pairs if abs(gap[a] - gap[b]) > far[a] + far[b]]
        if not pairs:
            text = f"head {h}: distances share biases as the declared model cannot resolve them"
            yield Note("limit", "bias", "model cannot resolve", text)
            return
    a, b = pairs[0]
    yield Finding(
        "collision", "bias",
        f"head {h}: distances {a} and {b} share one bias; {len(pairs)} classes of distances do",
        position=a, unit="distance", count=sum(map(len, shared)),
        exact=f"{exact.high[n - 1, n - 1 - a]:.9g} and {exact.high[n - 1, n - 1 - b]:.9g}",
        observed=str(found.values.array[h, n - 1, n - 1 - a]),
        stage=_stage(question, found, h, exact),
        reproduce=question.reproduce("bias", n), details={"head": h, "pair": [a, b]},
    )  # fmt: skip


def _nearest_and_farthest(
    question: Question, found: Tables, h: int, exact: Double, n: int
) -> Iterator[Finding | Note]:
    """Two decisions of every row: the nearest key (largest bias), and with the slope negated the
    farthest."""
    lower = np.tril(np.ones((n, n), np.bool_))
    for head, sign in (("nearest key", 1.0), ("farthest key (slope negated)", -1.0)):
        signed = np.where(lower, sign * found.floats[h], -np.inf)
        best = signed.max(axis=1, keepdims=True)
        equal = signed == best
        right = np.arange(n) if sign > 0 else np.zeros(n, np.int64)
        hit = equal[np.arange(n), right]
        for kind, rows in (
            ("tie", np.flatnonzero(hit & (equal.sum(axis=1) > 1))),
            ("flip", np.flatnonzero(~hit)),
        ):
            if not len(rows):
                continue
            i = int(rows[0])
            keys = np.flatnonzero(equal[i])
            gap = np.abs(exact.high[i, right[i]] - exact.high[i, keys]).max()
            margin = gap / float(
                ulp(found.floats[h, i, right[i]], question.model(found.values).output)
            )
            shown = ", ".join(map(str, keys[:6].tolist()))
            what = (
                f"ties between keys {shown}: first-wins returns {keys[0]}, last-wins {keys[-1]}"
                if kind == "tie"
                else f"is won by key {shown}"
            )
            yield Finding(
                kind, "bias", f"head {h}, {head}: row {i} {what}; {len(rows)} rows",
                position=i, unit="row", count=len(rows), exact=str(int(right[i])), observed=shown,
                margin=float(margin), stage=_stage(question, found, h, exact),
                reproduce=question.reproduce("bias", i + 1), details={"head": h, "task": head},
            )  # fmt: skip


def _toeplitz(question: Question, found: Tables, n: int) -> Iterator[Finding | Note]:
    """Without slopes: a relative bias depends on i - j alone, up to a constant in each row."""
    if question.specification is None or not question.specification.relative:
        return
    model, seen = question.model(found.values), causal(question, n, n)
    for h in range(found.heads):
        observed = found.floats[h]
        shifted = observed - np.diagonal(observed)[:, None]
        last = shifted[n - 1][::-1]
        distance = np.arange(n)[:, None] - np.arange(n)
        if question.visibility == "full":
            seen = distance >= 0
        wanted = last[np.maximum(distance, 0)]
        allowed = 2 * (
            ulp(observed, model.output) + ulp(np.diagonal(observed)[:, None], model.output)
        )
        wrong = seen & (np.abs(shifted - wanted) > allowed + 2 * ulp(wanted, model.output))
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            yield Finding(
                "not-relative", "bias",
                f"head {h}: the bias of row {i}, key {j} (less the row's own) is "
                f"{shifted[i, j]:.9g}, that of offset {i - j} in the last row {wanted[i, j]:.9g}",
                position=i, unit="row", count=int(wrong.any(axis=1).sum()),
                exact=f"{wanted[i, j]:.9g}", observed=f"{shifted[i, j]:.9g}",
                reproduce=question.reproduce("bias", n), details={"head": h},
            )  # fmt: skip
