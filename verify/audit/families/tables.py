"""Slopes, buckets and length-dependent parameters: tables with one exact value in each place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from flint import arb

from verify.audit.dtypes import FLOAT64, ulp
from verify.audit.findings import Finding, Note, spell
from verify.audit.precise import Double, from_balls, precision
from verify.audit.question import Question, Unfit, wrong_shape
from verify.audit.specifications import (
    SLOPE_RULES,
    Buckets,
    Slopes,
    Waves,
    powers_of_two,
    published_slopes,
)

SLOPE_PROPERTIES = ("error", "shape", "nonfinite", "value")
BUCKET_PROPERTIES = ("error", "shape", "value")
PARAMETER_PROPERTIES = ("error", "shape", "nonfinite", "value")
_HEADS: Final = 128
_ULPS: Final = 4.0  # a power function of the type
# A slope is often the power of a rounded ratio, so its relative error grows with the head.
_ULPS_PER_HEAD: Final = 1.0
_OFFSETS: Final = 1 << 13


def examine_slopes(question: Question) -> Iterator[Finding | Note]:
    """`slopes(heads)` against the published rule, at the specified head count or at 1..128."""
    specification = question.specification
    if specification is not None and not isinstance(specification, Slopes):
        raise Unfit(f"slopes are compared with alibi, not with {specification.text!r}")
    given = specification.heads if isinstance(specification, Slopes) else None
    counts = [given] if given else list(range(1, min(_HEADS, max(question.length, 1)) + 1))
    wrong: list[tuple[int, int, str, str, float, int]] = []
    rules = dict.fromkeys(SLOPE_RULES, 0)
    for heads in counts:
        (values, *_) = question.ask("slopes", heads)
        array = values.array.reshape(-1)
        if array.shape != (heads,):
            raise wrong_shape(question, "slopes", values.shape, f"({heads},)", heads)
        observed = array.astype(np.float64)
        if not np.isfinite(observed).all():
            head = int(np.flatnonzero(~np.isfinite(observed))[0])
            yield Finding(
                "nonfinite", "slopes", f"slope {head} of {heads} heads is not finite",
                position=head, unit="head", exact="a finite number", observed=str(array[head]),
                reproduce=question.reproduce("slopes", heads),
            )  # fmt: skip
            return
        kind = values.float_type or FLOAT64
        exact = powers_of_two(published_slopes(heads))
        spacing = ulp(exact.high, kind)
        error = np.abs(exact.error_of(observed)) / spacing
        allowed = _ULPS + _ULPS_PER_HEAD * np.arange(heads)
        bad = np.flatnonzero(~(error <= allowed))
        for name, rule in SLOPE_RULES.items():
            other = powers_of_two(rule(heads))
            same = np.abs(other.error_of(observed)) <= allowed * ulp(other.high, kind)
            rules[name] += bool(same.all())
        if len(bad):
            h = int(bad[0])
            right, seen = spell(exact.fraction(h)), spell(float(observed[h]))
            wrong.append((heads, h, right, seen, float(error[h]), len(bad)))
    followed = [name for name, count in rules.items() if count == len(counts)]
    if followed:
        text = f"all head counts examined follow the rule {followed[0]}"
        yield Note("convention", "slopes", followed[0], text)
    if wrong:
        heads, h, right, seen, margin, bad_heads = wrong[0]
        text = f"with {heads} heads, slope {h} is {seen} where {right} is right"
        if len(counts) > 1:
            text += f"; {len(wrong)} of {len(counts)} head counts are wrong, {heads} is the first"
        if followed:
            text += f"; the slopes follow the rule {followed[0]}"
        yield Finding(
            "value", "slopes", text, position=h if given else heads,
            unit="head" if given else "head count", count=bad_heads if given else len(wrong),
            exact=right, observed=seen, margin=margin, stage="slope",
            reproduce=question.reproduce("slopes", heads),
            details={"head_counts": [entry[0] for entry in wrong], "wrong_heads": bad_heads},
        )  # fmt: skip


def examine_buckets(question: Question) -> Iterator[Finding | Note]:
    """`buckets(offsets)`, offsets i - j, against the exact T5 buckets."""
    specification = question.specification
    if not isinstance(specification, Buckets):
        raise Unfit("buckets are compared with t5; give for instance --spec t5:buckets=32")
    offsets = question.sampled[:_OFFSETS]
    if specification.encoding.bidirectional:
        offsets = np.concatenate([-offsets[:0:-1], offsets])
    (values, *_) = question.ask("buckets", offsets)
    array = values.array.squeeze() if values.array.ndim > 1 else values.array
    if array.shape != offsets.shape:
        right = f"({len(offsets)},)"
        raise wrong_shape(question, "buckets", values.shape, right, offsets)
    exact = np.array([specification.bucket(int(o)) for o in offsets])
    # The first wrong one is the nearest to zero, whatever its sign.
    wrong = np.flatnonzero(array.astype(np.float64) != exact)
    if not len(wrong):
        return
    first = int(wrong[np.argmin(np.abs(offsets[wrong]))])
    last = specification.encoding.buckets - 1
    outside = array[first] > last or array[first] < 0
    text = f"offset {offsets[first]} is in bucket {array[first]} where {exact[first]} is right"
    if outside:
        text += f"; the table ends at {last}"
    text += _sign_convention(specification, offsets, array)
    yield Finding(
        "value", "buckets", f"{text}; {len(wrong)} offsets are wrong", position=int(offsets[first]),
        unit="offset", count=len(wrong), exact=str(exact[first]), observed=str(array[first]),
        stage="clamp" if outside else None,
        reproduce=question.reproduce("buckets", offsets[first : first + 1]),
        details={"wrong": offsets[wrong][:64].tolist(), "out_of_range": bool(outside)},
    )  # fmt: skip


def _sign_convention(
    specification: Buckets, offsets: npt.NDArray[np.int64], array: npt.NDArray[np.generic]
) -> str:
    mirrored = np.array([specification.bucket(-int(o)) for o in offsets])
    if np.array_equal(array.astype(np.float64), mirrored):
        return "; the subject takes j - i, as transformers does: pass it minus the offset"
    return ""


def examine_parameters(question: Question) -> Iterator[Finding | Note]:
    """`parameters(length)`: the base (or a dict with `base` and `inv_freq`) that a length needs."""
    specification = question.specification
    if not isinstance(specification, Waves):
        text = "parameters are compared with rope; give for instance --spec rope:dim=64,scaling=..."
        raise Unfit(text)
    wrong: dict[str, list[tuple[int, str, str, float]]] = {}
    for length in _lengths(question):
        reply = question.session.call("parameters", length)
        if reply.status != "value":
            question.ask("parameters", length)  # raises the refusal
        for name, values in zip(reply.names, reply.values, strict=True):
            exact = _parameter(specification, name, length)
            if exact is None:
                continue
            array = values.array.reshape(-1)
            if array.shape != exact.shape:
                right = str(exact.shape)
                raise wrong_shape(question, "parameters", values.shape, right, length)
            kind = values.float_type or FLOAT64
            error = np.abs(exact.error_of(array.astype(np.float64))) / ulp(exact.high, kind)
            bad = np.flatnonzero(~(error <= 2 * _ULPS))
            if len(bad):
                k = int(bad[0])
                right = f"{exact.high[k]:.17g}"
                entry = (length, right, str(array[k]), float(error[k]))
                wrong.setdefault(name or "base", []).append(entry)
    for name, entries in wrong.items():
        length, right, seen, margin = entries[0]
        shown = ", ".join(str(entry[0]) for entry in entries[:6])
        yield Finding(
            "value", "parameters",
            f"at length {length} {name} is {seen} where {right} is right; wrong lengths: {shown}",
            position=length, unit="length", count=len(entries), exact=right, observed=seen,
            margin=margin, stage="frequency", reproduce=question.reproduce("parameters", length),
            details={"table": [list(entry[:3]) for entry in entries[:64]], "parameter": name},
        )  # fmt: skip


def _lengths(question: Question) -> list[int]:
    """The sampled positions as lengths, thinned: each call is one length."""
    lengths = question.sampled[question.sampled > 0]
    lengths = np.union1d(lengths, [question.length])
    if len(lengths) <= 256:
        return [int(n) for n in lengths]
    powers = [1 << k for k in range(question.length.bit_length())]
    near = [n + e for n in powers for e in (-1, 0, 1)]
    even = np.linspace(1, question.length, 128).astype(int).tolist()
    return [int(n) for n in sorted({*near, *even}) if 0 < n <= question.length]


def _parameter(specification: Waves, name: str, length: int) -> Double | None:
    """The exact parameter of this name, None if it has none."""
    if name in ("", "base", "theta", "rope_theta"):
        base = specification.base(length)
        return None if base is None else from_balls([base])
    with precision():
        frequencies = specification.frequencies(length)
        if name in ("inv_freq", "frequencies"):
            return from_balls(frequencies)
        if name == "wavelengths":
            return from_balls([2 * arb.pi() / f for f in frequencies])
    return None
