"""Assertions and hypothesis strategies for anyone's test suite; a failure's message is the finding.

from verify.testing import assert_encoding
def test_rope():
    assert_encoding("mylib.rope:features", "rope:dim=64,base=10000", length=8192)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.audit.findings import Audit

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from verify.theory.encodings import Encoding
    from verify.theory.tasks import Task

__all__ = [
    "assert_alpha",
    "assert_decisions",
    "assert_encoding",
    "assert_kernel",
    "assert_mask",
    "encodings",
    "tasks",
]


def _clean(result: Audit) -> Audit:
    from verify.audit.report import text

    if result.findings:
        raise AssertionError("\n".join(text(finding) for finding in result.findings))
    return result


def assert_encoding(subject: Any, spec: str | None, *, length: int = 2048, **options: Any) -> Audit:
    """Nothing is found in the subject; options are those of `verify.audit.audit`.

    Returns the audit, whose notes name conventions, equivalences and limits. AssertionError with
    the findings; ValueError for bad arguments.
    """
    from verify.audit.run import audit

    return _clean(audit(subject, spec, length=length, **options))


def assert_kernel(kernel: Any, spec: str, *, length: int = 2048, **options: Any) -> Audit:
    """Nothing is found in `kernel(offsets)` or `kernel(offsets, target)`; see `assert_encoding`."""
    return assert_encoding(kernel, spec, length=length, kind="kernel", **options)


def assert_mask(
    mask: Any, *, length: int = 64, visibility: str = "causal", **options: Any
) -> Audit:
    """No row of `mask(n)` is empty, no hidden key is admitted, no constant leaks.

    With an object that has `logits(n)` (and `decide`) too, its decisions are judged as well.
    """
    kind = "mask" if callable(mask) and not hasattr(mask, "mask") else None
    return assert_encoding(mask, None, length=length, kind=kind, visibility=visibility, **options)


def assert_decisions(
    logits: Any, exact: Callable[[int], Any], *, length: int = 64, visibility: str = "causal",
    **options: Any,
) -> Audit:  # fmt: skip
    """Every row of `logits(n)` is won by the key that wins the row of `exact(n)`, alone.

    exact: returns (n, n) exact numbers (Fraction, int, or floats taken as they are).
    """
    from verify.audit.run import audit
    from verify.audit.specifications import Reference

    reference = Reference("the exact logits", "exact", target=exact, kind="logits")
    return _clean(
        audit(logits, reference, length=length, kind="logits", visibility=visibility, **options)
    )


def assert_alpha(
    logits: Any, task: str, *, train: int, length: int, at_least: Fraction | int = 1,
    visibility: str = "causal", seconds: float = 60.0,
) -> Fraction:  # fmt: skip
    """alpha of `logits(length)` on the new rows of the task, exactly as the numbers are; returned.

    A tie is no hit. AssertionError names the first row that is no hit and its winners; ValueError
    if the task has no new row between `train` and `length`.
    """
    from verify.audit.families.matrices import best, tables
    from verify.audit.question import Refused, question_for
    from verify.theory.tasks import rows
    from verify.theory.tasks import task as read
    from verify.theory.visibility import visible

    known = read(task)
    new = [(i, t) for i, t in rows(known, length, visibility) if i >= train]
    if not new:
        raise ValueError(f"task {task} has no new row between {train} and {length}")
    with question_for(logits, "logits", length, seconds) as question:
        try:
            found = tables(question, "logits", length, True)
        except Refused as refused:
            raise AssertionError(refused.finding.message) from None
    wrong = []
    for i, t in new:
        seen = visible(i, length, visibility)
        keys = best(found.values.array[0, i], seen)
        if keys != [t]:
            wrong.append((i, t, keys))
    alpha = 1 - Fraction(len(wrong), len(new))
    if alpha < at_least:
        i, t, keys = wrong[0]
        what = "ties between" if t in keys else "is won by"
        shown = ", ".join(map(str, keys[:8]))
        raise AssertionError(
            f"alpha is {alpha}, at least {at_least} is wanted: row {i} {what} {shown} where {t} is "
            f"the target of {known.spec}; {len(wrong)} of {len(new)} new rows are no hits"
        )
    return alpha


# ------------------------------------------------------------ hypothesis strategies


def encodings(
    *, relative: bool | None = None, rational: bool | None = None, length: int = 16
) -> SearchStrategy[Encoding]:
    """Encodings of the project, defined for `length` positions at least.

    relative, rational: only such encodings, or only others; None for both. Shrinks towards
    `affine` (or, where that is excluded, the simplest allowed one) and small parameters.
    """
    from hypothesis import strategies as st

    from verify.theory.encodings import encoding

    small, base = st.integers(1, 6), st.sampled_from([10000, 500000, 100, 10])
    seed, far = st.integers(0, 8), st.integers(32, 128)
    kinds = [
        (False, True, st.just("affine")),
        (False, True, st.builds("polynomial:degree={}".format, st.integers(0, 4))),
        (False, True, st.builds("onehot:length={}".format, st.integers(length, length + 8))),
        (False, True, st.builds("clamped:length={}".format, st.integers(1, length))),
        (False, True, st.builds("learned:dim={},seed={}".format, small, seed)),
        (False, False, st.builds("sinusoidal:frequencies={},base={}".format, small, base)),
        (True, True, st.just("alibi")),
        (True, True, st.builds("clipped:length={}".format, st.integers(1, length))),
        (
            True, True,
            st.builds("t5:buckets={},max_distance={}".format, st.integers(2, 16), far),
        ),
        (True, False, st.builds("rope:frequencies={},base={}".format, small, base)),
    ]  # fmt: skip
    allowed = [
        spec
        for is_relative, is_rational, spec in kinds
        if relative in (None, is_relative) and rational in (None, is_rational)
    ]
    return st.one_of(allowed).map(encoding)


def tasks(*, length: int = 16) -> SearchStrategy[Task]:
    """Tasks of the project that ask something of some row at this length; shrinks to `previous`."""
    from hypothesis import strategies as st

    from verify.theory.tasks import rows, task

    last = max(1, length - 1)
    specs: Sequence[SearchStrategy[str]] = [
        st.just("previous"),
        st.just("attend-first"),
        st.just("copy"),
        st.just("reverse"),
        st.builds("skip:k={}".format, st.integers(1, last)),
        st.builds("attend:p={}".format, st.integers(0, last)),
        st.builds("decimate:q={}".format, st.integers(1, last)),
        st.builds("expr:i//{}".format, st.integers(1, last)),
    ]
    return st.one_of(*specs).map(task).filter(lambda found: bool(rows(found, length)))
