"""Running an audit: the subject in its process, one family of checks after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from verify.audit import sampling
from verify.audit.dtypes import float_type
from verify.audit.families import (
    arguments,
    biases,
    decoding,
    features,
    history,
    kernels,
    masks,
    matrices,
    rotations,
    tables,
)
from verify.audit.findings import Audit, Finding, Note
from verify.audit.models import model as read_model
from verify.audit.question import PROMPTS, Question, Refused, Unfit
from verify.audit.specifications import Reference, Specification, specification
from verify.audit.subjects import Session, Subject, subject

Examiner = Callable[[Question], Iterator[Finding | Note]]
EXAMINERS: Final[dict[str, tuple[Examiner, tuple[str, ...]]]] = {
    "features": (features.examine, features.PROPERTIES),
    "rotate": (rotations.examine, rotations.PROPERTIES),
    "kernel": (kernels.examine, kernels.PROPERTIES),
    "bias": (biases.examine_bias, biases.PROPERTIES),
    "logits": (matrices.examine_logits, matrices.LOGITS_PROPERTIES),
    "mask": (masks.examine, masks.PROPERTIES),
    "decide": (arguments.examine, arguments.PROPERTIES),
    "slopes": (tables.examine_slopes, tables.SLOPE_PROPERTIES),
    "buckets": (tables.examine_buckets, tables.BUCKET_PROPERTIES),
    "parameters": (tables.examine_parameters, tables.PARAMETER_PROPERTIES),
    "positions": (decoding.examine, decoding.PROPERTIES),
}
SECONDS: Final = 60.0
LONGEST: Final = 1 << 40  # positions; int64 and float64 hold all that is computed from them


def audit(
    target: Any,
    spec: str | Specification | None = None,
    *,
    length: int = 2048,
    kind: str | None = None,
    dtype: str | None = None,
    model: str | None = None,
    positions: Sequence[int] | None = None,
    visibility: str = "causal",
    prompts: Sequence[int] | None = None,
    steps: int = 4,
    targets: Sequence[int] | None = None,
    cast: str | None = None,
    seconds: float = SECONDS,
) -> Audit:
    """Audit a callable, or an object with several, against an exact specification.

    target: `module:name`, or an object; it runs in a process of its own, `seconds` for each call.
    spec: an encoding of the project (`rope:dim=64,base=10000`), see `specification`; None for
    checks that need none. length: context to audit, in positions. dtype: given to callables that
    take one. model: the declared rounding model. positions: examine these instead of the sampled
    ones. visibility: `causal` or `full`, where the subject has no mask. prompts, steps: of decoding
    checks. targets: the right key of each row of given logits. cast: also audit the subject after a
    cast to this type. ValueError for bad arguments or a subject that does not exist; whatever the
    subject does is a finding.
    """
    started = time.perf_counter()
    if not 1 <= length <= LONGEST:
        raise ValueError(f"length must be from 1 to {LONGEST}, not {length}")
    for name in (dtype, cast):
        if name is not None:
            float_type(name)
    if model is not None:
        read_model(model, None)
    known = specification(spec) if isinstance(spec, str) else spec
    if positions is None:
        sampled = sampling.positions(length)
    else:
        sampled = np.unique(np.asarray(positions, np.int64))
        if not len(sampled) or sampled[0] < 0 or sampled[-1] >= length:
            raise ValueError(f"positions must lie in 0..{length - 1}")
    what: Subject = subject(target, kind)
    with Session(what, seconds) as session:
        reference = None
        if isinstance(known, Reference):
            reference = Session(Subject(known.subject, known.target, known.kind), seconds)
            reference.start()
        question = Question(
            session, known, length, sampled, dtype, model, visibility,
            tuple(prompts) if prompts else PROMPTS,
            steps, targets, cast, reference,
        )  # fmt: skip
        try:
            findings, notes, left = _examine(question)
        finally:
            if reference is not None:
                reference.close()
        names = _properties(session, cast)
        versions, sources = dict(session.versions), dict(session.sources)
    return Audit(
        what.reference, getattr(known, "text", None), length, dtype,
        model or "the default for the type of the answers", tuple(findings), tuple(notes),
        names, tuple(name for name in names if name not in left), versions,
        time.perf_counter() - started, sources,
    )  # fmt: skip


def properties(target: Any, kind: str | None = None, cast: str | None = None) -> tuple[str, ...]:
    """What an audit of this subject examines, `callable::kind`; ValueError as in `audit`."""
    with Session(subject(target, kind), SECONDS) as session:
        return _properties(session, cast)


def _properties(session: Session, cast: str | None) -> tuple[str, ...]:
    if session.failure is not None:
        return ("import::error",)
    names = ["import::error"]
    for kind in session.offered:
        if kind in EXAMINERS:
            later = history.PROPERTIES if kind in history.KINDS else ()
            names += [f"{kind}::{name}" for name in (*EXAMINERS[kind][1], *later)]
    if cast is not None:
        names += ["cast::error", "cast::stateful"]
    return tuple(names)


def _examine(question: Question) -> tuple[list[Finding], list[Note], set[str]]:
    """Findings, notes, and the properties that could not be examined."""
    findings: list[Finding] = []
    notes: list[Note] = []
    left: set[str] = set()
    if question.session.failure is not None:
        text = question.session.failure.text
        finding = Finding("error", "import", f"the subject cannot be loaded: {text}", observed=text)
        return [finding], [], set()
    for kind in list(question.session.offered):
        if kind not in EXAMINERS:
            continue
        examiner, kinds = EXAMINERS[kind]
        try:
            complete = _collect(examiner(question), findings, notes)
        except Unfit as unfit:
            if len(question.session.offered) == 1:
                raise
            notes.append(Note("limit", kind, "not compared", str(unfit)))
            complete = False
        if complete and kind in history.KINDS:
            _collect(history.examine(question, kind), findings, notes)
        if not complete:
            left |= {f"{kind}::{name}" for name in (*kinds, *history.PROPERTIES)}
    if question.cast is not None:
        _collect(history.examine_cast(question), findings, notes)
    return findings, notes, left - {finding.identity for finding in findings}


def _collect(answers: Iterable[Finding | Note], findings: list[Finding], notes: list[Note]) -> bool:
    """Gather what a family of checks says; False if the subject refused to answer one of them."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is judged, not warned of
            for answer in answers:
                if isinstance(answer, Finding):
                    findings.append(answer)
                else:
                    notes.append(answer)
    except Refused as refused:
        findings.append(refused.finding)
        return False
    return True
