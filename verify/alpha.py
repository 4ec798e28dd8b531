"""alpha_L: the share of new rows that a parameter chosen at L0 hits on the longer grid, certified.

    from verify.alpha import alpha

    alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30, 40, 60])

A rule selects one parameter from the rows below L0 (`verify.selection`). It is read exactly, and
every row in [L0, L) of the task's own query region is decided (`verify.decisions`): hit, miss or
tie. Ties count as failures. Without a new row alpha_L is undefined, which is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from verify import parameters, selection
from verify.decisions import HIT, MISS, TIE, Decisions, decide, region
from verify.engines.floats import narrow
from verify.engines.floats.features import features
from verify.engines.floats.gaps import Rows
from verify.escalation import Interval
from verify.parameters import Parameter
from verify.selection import Rule, Training
from verify.theory.encodings import Encoding, encoding
from verify.theory.tasks import Task, task
from verify.theory.visibility import VISIBILITIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]  # what is being done, done, in all


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """The rows of one length, decided. Counts are exact; `decisions` holds every row."""

    decisions: Decisions

    @property
    def length(self) -> int:
        """L (or L0 for the training rows)."""
        return self.decisions.length

    @property
    def scored(self) -> int:
        """How many rows were decided."""
        return len(self.decisions.outcomes)

    @property
    def hits(self) -> int:
        """Rows whose target beats every other visible key."""
        return self.decisions.count(HIT)

    @property
    def misses(self) -> int:
        """Rows where some key beats the target."""
        return self.decisions.count(MISS)

    @property
    def ties(self) -> int:
        """Rows whose target equals the best other key exactly."""
        return self.decisions.count(TIE)

    @property
    def alpha(self) -> Fraction:
        """Hits over rows."""
        return Fraction(self.hits, self.scored)

    @property
    def float_hits(self) -> int:
        """Hits according to rounded float64 logits alone."""
        return int(np.count_nonzero(self.decisions.float_hits))

    @property
    def disagreements(self) -> list[int]:
        """The rows where these float64 logits and the certified outcome differ."""
        differ = self.decisions.float_hits != (self.decisions.outcomes == HIT)
        return [int(i) for i in self.decisions.rows.rows[differ]]

    @property
    def smallest_margin(self) -> Interval:
        """An enclosure of the smallest margin of all rows; not positive unless all are hits."""
        return self.decisions.smallest()

    def __repr__(self) -> str:
        ties = f", {self.ties} ties" if self.ties else ""
        return f"L={self.length}: {self.hits}/{self.scored}{ties}"


@dataclass(frozen=True, slots=True, eq=False)
class AlphaResult:
    """What `alpha` found. train: all rows of length L0; lengths: the new rows of each length."""

    encoding: Encoding
    task: Task
    visibility: str
    train_length: int
    rule: str
    parameter: Parameter
    train: Score
    lengths: tuple[Score, ...]

    @property
    def realizes_train(self) -> bool:
        """Whether the parameter hits every row at the training length."""
        return self.train.hits == self.train.scored

    def __getitem__(self, length: int) -> Score:
        """The score of this length; KeyError if it was not asked for."""
        for score in self.lengths:
            if score.length == length:
                return score
        raise KeyError(length)

    def __repr__(self) -> str:
        does = "realizes" if self.realizes_train else "does not realize"
        lines = [
            f"alpha of {self.encoding.spec} on {self.task.spec}, rule {self.rule}, L0 = "
            f"{self.train_length} ({does} it)"
        ]
        lines += [f"  {score!r}, alpha = {float(score.alpha):.4g}" for score in self.lengths]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The document of `pe-verify alpha --json`; its schema is `alpha`."""
        return {
            "encoding": self.encoding.spec,
            "task": self.task.spec,
            "visibility": self.visibility,
            "rule": self.rule,
            "train_length": self.train_length,
            "realizes_train": self.realizes_train,
            "train": _document(self.train),
            "lengths": [_document(score) for score in self.lengths],
        }


_LISTED = 100  # rows that a document names one by one


def _document(score: Score) -> dict[str, Any]:
    low, high = score.smallest_margin
    return {
        "length": score.length,
        "hits": score.hits,
        "misses": score.misses,
        "ties": score.ties,
        "scored": score.scored,
        "alpha": str(score.alpha),
        "float": {
            "hits": score.float_hits,
            "alpha": score.float_hits / score.scored,
            "disagreements": score.disagreements[:_LISTED],
        },
        "smallest_margin": below(low),
        "smallest_margin_enclosure": [str(low), str(high)],
        "settled_by": dict(score.decisions.stages),
    }


def below(x: Fraction) -> float:
    """The largest float64 that is at most x (the largest finite one if x is beyond all)."""
    try:
        near = float(x)
    except OverflowError:
        return -np.inf if x < 0 else float(np.finfo(np.float64).max)
    return near if Fraction(near) <= x else float(np.nextafter(near, -np.inf))


# ------------------------------------------------------------ the question


def alpha(
    encoding: str | Encoding,
    task: str | Task,
    *,
    train_length: int,
    lengths: Iterable[int],
    rule: str | Rule = "ce",
    parameter: Any = None,
    visibility: str = "causal",
    progress: Progress | None = None,
) -> AlphaResult:
    """Select a parameter at `train_length` and decide the new rows of every length.

    encoding, task, rule: specs as on the command line, or objects. parameter: instead of a rule,
    an array (d x d absolute, m relative), nested lists of numbers, or a Parameter. progress: called
    with (what, done, in all). ValueError for bad input, and where alpha_L is undefined.
    """
    encoded, target = read_encoding(encoding), read_task(task)
    wanted = _lengths(train_length, lengths)
    if visibility not in VISIBILITIES:
        raise ValueError(f"visibility must be 'causal' or 'full', not {visibility!r}")
    regions = {n: new_rows(encoded, target, train_length, n, visibility) for n in wanted}
    chosen = selection.rule(rule) if isinstance(rule, str) else rule
    name = "given" if parameter is not None else chosen.spec
    w = choose(encoded, target, train_length, chosen, parameter, visibility)
    old = region(target, train_length, visibility)
    train = Score(decide(encoded, w, train_length, old, visibility))
    scores = []
    for n, rows in regions.items():
        call = None if progress is None else _named(progress, f"L = {n}")
        scores.append(Score(decide(encoded, w, n, rows, visibility, call)))
    return AlphaResult(encoded, target, visibility, train_length, name, w, train, tuple(scores))


def _named(progress: Progress, name: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(name, done, total)


def read_encoding(encoded: str | Encoding) -> Encoding:
    """The encoding of a spec; an encoding as it is."""
    return encoding(encoded) if isinstance(encoded, str) else encoded


def read_task(named: str | Task) -> Task:
    """The task of a spec; a task as it is."""
    return task(named) if isinstance(named, str) else named


def _lengths(train_length: int, lengths: Iterable[int]) -> list[int]:
    if not _integer(train_length) or train_length < 2:
        raise ValueError(f"train_length must be an integer of at least 2, not {train_length!r}")
    wanted = list(dict.fromkeys(lengths))
    if not wanted:
        raise ValueError(f"lengths must name at least one length above {train_length}")
    for n in wanted:
        if not _integer(n) or n < 1:
            raise ValueError(f"lengths must be positive integers, not {n!r}")
        if n <= train_length:
            raise ValueError(
                f"length {n} is not above the training length {train_length}; alpha counts new "
                f"rows only"
            )
    return [int(n) for n in wanted]


def _integer(n: Any) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool)


def new_rows(
    encoded: Encoding, target: Task, train_length: int, n: int, visibility: str = "causal"
) -> Rows:
    """The rows of the task in [L0, n); ValueError if there is none, as alpha is undefined then.

    Also if the encoding is not defined at the length n.
    """
    rows = region(target, n, visibility, train_length)
    if not len(rows.rows):
        raise ValueError(
            f"the task {target.spec} asks nothing of the new rows {train_length}..{n - 1} at "
            f"length {n}, so alpha is undefined there; choose a larger length"
        )
    encoded.features(n - 1, n)
    return rows


# ------------------------------------------------------------ selecting the parameter


def choose(
    encoded: Encoding,
    target: Task,
    train_length: int,
    rule: Rule,
    given: Any = None,
    visibility: str = "causal",
) -> Parameter:
    """The parameter that a rule selects at the training length, or the given one.

    ValueError if the task asks nothing at this length, or the rule finds no parameter.
    """
    problem = training(encoded, target, train_length, visibility)
    if given is not None:
        return parameters.parameter(encoded, given)
    if rule.name == "given":
        return parameters.read(rule.path, encoded)
    return parameters.parameter(encoded, selection.select(rule, problem))


def training(
    encoded: str | Encoding, named: str | Task, train_length: int, visibility: str = "causal"
) -> Training:
    """What selection rules see: float64 features of the rows and keys below L0.

    ValueError if the task asks nothing at this length.
    """
    encoding, target = read_encoding(encoded), read_task(named)
    rows = region(target, train_length, visibility)
    if not len(rows.rows):
        raise ValueError(
            f"the task {target.spec} asks nothing at the training length {train_length}; choose a "
            f"larger one"
        )
    table = features(encoding, train_length, visibility)
    values = np.ldexp(table.values, table.exponents.astype(np.intc))
    values = values if table.index is None else values[table.index]
    if not np.isfinite(values).all():
        raise ValueError(f"features of {encoding.spec} are beyond the range of float64")
    keys = np.arange(train_length)
    visible = (keys >= rows.start[:, None]) & (keys < rows.stop[:, None])
    if not encoding.relative:
        return selection.absolute(values[rows.rows], values, visible, rows.targets)
    offset = np.where(visible, rows.rows[:, None] - keys, 0) - table.first
    return selection.relative(values[offset], visible, rows.targets)


# ------------------------------------------------------------ other float types


@dataclass(frozen=True, slots=True, eq=False)
class TypeCheck:
    """One float type on the new rows of one length, beside the certified outcomes.

    first, last: the rows it hits when the first, or the last, of equal logits wins (boolean, as
    the rows). A row flips when that differs from being a certified hit.
    """

    type: str
    score: Score
    first: NDArray[np.bool_]
    last: NDArray[np.bool_]

    def flips(self, policy: str) -> list[int]:
        """The rows that flip under the policy 'first' or 'last'."""
        picked = {"first": self.first, "last": self.last}[policy]
        differ = picked != (self.score.decisions.outcomes == HIT)
        return [int(i) for i in self.score.decisions.rows.rows[differ]]

    def horizon(self, policy: str) -> int | None:
        """The precision horizon: the first row that flips, None if there is none."""
        return next(iter(self.flips(policy)), None)

    def to_json(self) -> dict[str, Any]:
        """One entry of `types` in the document of `pe-verify alpha --types --json`."""
        policies = {}
        for policy, picked in (("first", self.first), ("last", self.last)):
            flips = self.flips(policy)
            policies[policy] = {
                "hits": int(np.count_nonzero(picked)),
                "flips": len(flips),
                "horizon": flips[0] if flips else None,
                "rows": flips[:_LISTED],
            }
        return {"type": self.type, "length": self.score.length, **policies}

    def __repr__(self) -> str:
        parts = [
            f"{policy}: {np.count_nonzero(picked)} hits, horizon {self.horizon(policy)}"
            for policy, picked in (("first", self.first), ("last", self.last))
        ]
        return f"{self.type} at L={self.score.length}: {'; '.join(parts)}"


def cross_check(
    result: AlphaResult, types: Iterable[str] = narrow.TYPES, progress: Progress | None = None
) -> list[TypeCheck]:
    """The same parameter with features, product and argmax in each float type, length by length."""
    found, names = [], list(types)
    for name in names:
        narrow.dtype(name)
    nearest = result.parameter.nearest
    for score in result.lengths:
        rows, n = score.decisions.rows, score.length
        for k, name in enumerate(names):
            if progress is not None:
                progress(f"types at L = {n}", k, len(names))
            picks = narrow.picks(result.encoding, nearest, n, rows, result.visibility, name)
            hits = picks.first == rows.targets, picks.last == rows.targets
            found.append(TypeCheck(name, score, *hits))
    return found
