"""Which encoding to choose for a task: the built-in ones and the synthesized one, ranked.

Nothing new is decided here; the answers of `realize`, `transfer`, `alpha` and `synthesize` are put
side by side, each with the result that explains it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify.alpha import alpha
from verify.synthesis.search import synthesize
from verify.theory import tasks
from verify.theory.encodings import Encoding, encoding
from verify.theory.tasks import Task
from verify.transfer import Transfer, transfer

Progress = Callable[[str, int, int], None]
# names of tasks whose targets depend on the tokens: outside the theory (scope S1-S3)
CONTENT = ("addition", "induction", "multiplication", "parity", "sorting")


@dataclass(frozen=True, slots=True)
class Advice:
    """What one encoding can do for the task. Shares are None where they are undefined.

    realizable: at L0 by some parameter (None: undecided). alpha_forced, alpha_possible: bounds over
    all parameters that realize L0. alpha: of the parameter that `ce` selects; selected: whether it
    realizes L0. proved: a synthesized parameter realizes every length. why: the statements that
    explain the row, with a few words.
    """

    encoding: str
    realizable: bool | None
    alpha_forced: Fraction | None
    alpha_possible: Fraction | None
    alpha: Fraction | None
    selected: bool | None
    proved: bool
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """Advice for a task, best first."""

    task: str
    train_length: int
    length: int
    rows: tuple[Advice, ...]

    def __repr__(self) -> str:
        return f"Report({self.task}, L0 = {self.train_length}, L = {self.length}: {self.rows[0]})"


def built_in(train_length: int, length: int) -> list[str]:
    """The encodings that are compared, with tables of the lengths asked for."""
    return [
        "affine", "polynomial:degree=2", f"onehot:length={length}",
        f"clamped:length={train_length}", "learned:dim=12,seed=0", "sinusoidal:frequencies=16",
        "rope:frequencies=16", "alibi", f"clipped:length={train_length}",
        "t5:buckets=32,max_distance=128",
    ]  # fmt: skip


def advise(
    task: str | Task,
    *,
    train_length: int = 12,
    length: int = 24,
    progress: Progress | None = None,
) -> Report:
    """Advice for a task trained at L0 and used up to L. ValueError for bad input."""
    if isinstance(task, str) and task.strip().lower() in CONTENT:
        raise ValueError(
            f"{task.strip()!r} depends on the content of the tokens, so the positional channel"
            f" is not the"
            " binding constraint and the theory does not apply; name a task of positions alone"
        )
    found = tasks.task(task) if isinstance(task, str) else task
    specs = built_in(train_length, length)
    rows = []
    for k, spec in enumerate(specs):
        if progress:
            progress(spec, k, len(specs) + 1)
        rows.append(_built_in(found, encoding(spec), train_length, length))
    if progress:
        progress("synthesis", len(specs), len(specs) + 1)
    rows += _synthesized(found, train_length, length)
    return Report(found.spec, train_length, length, tuple(sorted(rows, key=_rank)))


def _rank(row: Advice) -> tuple[bool, Fraction, Fraction, Fraction, str]:
    """Proved at all lengths first, then forced rows, what ce reaches, what is possible."""
    shares = (row.alpha_forced, row.alpha if row.selected else None, row.alpha_possible)
    first, second, third = (-(share or Fraction(0)) for share in shares)
    return not row.proved, first, second, third, row.encoding


def _built_in(task: Task, e: Encoding, train_length: int, length: int) -> Advice:
    classes = transfer(e, task, train_length=train_length, length=length, time_limit=20.0)
    if not classes.training.realizable:
        why = _why_not(e, task)
        return Advice(e.spec, classes.training.realizable, None, None, None, None, False, why)
    chosen = alpha(e, task, train_length=train_length, lengths=[length])
    return Advice(
        e.spec,
        True,
        classes.alpha_forced,
        classes.alpha_possible if classes.decided else None,
        chosen.lengths[0].alpha,
        chosen.realizes_train,
        False,
        _why(e, task, classes),
    )


def _synthesized(task: Task, train_length: int, length: int) -> list[Advice]:
    found = synthesize(task, train_length=train_length, length=length)
    rows = []
    for side in (found.plain, found.hinted):
        if side.proved is not None:
            hint = " that sees the length (scale-hint.suffices)" if side.hint else ""
            why = (
                f"synthesized{hint}: logit {side.proved.lifted.logit}" if side.proved.lifted else ""
            )
            one = Fraction(1)
            rows.append(Advice(side.proved.spec, True, None, one, None, None, True, why))
            break  # the length is only worth its price where it is needed
    return rows


def _family(e: Encoding) -> str:
    return e.spec.partition(":")[0]


def _why_not(e: Encoding, task: Task) -> str:
    if _family(e) in ("affine", "alibi"):
        return "proposition-1: affine logits have their argmax at an endpoint"
    if e.relative and task.spec == "reverse":
        return "corollary-reverse: no relative encoding realizes it at any n >= 5"
    return "no parameter realizes the rows at L0 together (a refutation is certified)"


def _why(e: Encoding, task: Task, classes: Transfer) -> str:
    count = len(classes.rows)
    if not classes.decided:
        return "some rows are undecided"
    if classes.count("impossible") == count:
        if _family(e) == "clamped":
            return "proposition-4: positions beyond L0 share one feature row"
        return "no realizing parameter can hit a new row (certified refutations)"
    if classes.count("forced") == count:
        return "conjecture-1.cone: every new row is forced by the training rows"
    if classes.count("forced") + classes.count("impossible") == count:
        return "conjecture-1.cone: every new row is forced or impossible"
    if _family(e) == "learned":
        return "proposition-2: new rows are at or below chance for rules that see trained rows only"
    if e.relative and task.spec in ("copy", "reverse"):
        return f"corollary-{task.spec}: a unique maximizer pins the offset of deep rows"
    if e.relative:
        return "theorem-2: it transfers if the selected kernel has its unique maximum at the offset"
    return "free: the selection rule decides (existence is not selection, proposition-3)"


def document(report: Report) -> dict[str, Any]:
    """The JSON of a report."""
    return {
        "task": report.task,
        "train_length": report.train_length,
        "length": report.length,
        "advice": [
            {
                "encoding": row.encoding,
                "realizable": row.realizable,
                "alpha_forced": _share(row.alpha_forced),
                "alpha_possible": _share(row.alpha_possible),
                "alpha": _share(row.alpha),
                "selected_realizes": row.selected,
                "all_lengths": row.proved,
                "why": row.why,
            }
            for row in report.rows
        ],
    }


def _share(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
