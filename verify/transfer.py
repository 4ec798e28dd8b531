"""Forced, impossible or free: what every parameter that realizes a task at L0 does on new rows.

    from verify.transfer import transfer

    transfer("clamped:length=12", "previous", train_length=12, length=24)

Training rows give vectors a with <a, W> > 0. By Farkas' lemma a new constraint holds for every such
W if and only if it is a non-negative, non-zero combination of them, so each new row is

* forced: every realizing parameter hits it (a cone for each competitor),
* impossible: none does (the joint system is refuted), or
* free: some do and some do not (a parameter of each kind), and the selection rule decides.

Hence share of forced rows <= alpha_L(W) <= 1 - share of impossible rows, whatever selects W.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from verify import certificates, readings, systems
from verify.cross_check import Opinion, Solver, ask
from verify.forms import Proof, spelled
from verify.pool import Member, Pool
from verify.questions import Question, question
from verify.realize import Answer, realize
from verify.theory import heads
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task

Kind = Literal["forced", "impossible", "free", "unknown"]
Progress = Callable[[str, int, int], None]  # what is being done, done, in all


@dataclass(frozen=True, slots=True)
class RowClass:
    """The class of one new row. certificates: which of the result's certificates prove it."""

    row: int
    target: int
    kind: Kind
    certificates: tuple[int, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """What `transfer` found. training: the answer at L0; rows: empty unless that is Realizable."""

    question: Question
    training: Answer
    rows: tuple[RowClass, ...]
    certificates: tuple[certificates.Certificate, ...]
    opinions: tuple[tuple[int, Opinion], ...] = ()

    def count(self, kind: Kind) -> int:
        """How many new rows are of this class."""
        return sum(row.kind == kind for row in self.rows)

    @property
    def alpha_forced(self) -> Fraction | None:
        """alpha_L is at least this for every realizing parameter; None if there is none."""
        return Fraction(self.count("forced"), len(self.rows)) if self.rows else None

    @property
    def alpha_possible(self) -> Fraction | None:
        """alpha_L is at most this for every realizing parameter; None if there is none."""
        return 1 - Fraction(self.count("impossible"), len(self.rows)) if self.rows else None

    @property
    def decided(self) -> bool:
        """Whether nothing is left unknown."""
        return self.training.realizable is not None and not self.count("unknown")

    def __repr__(self) -> str:
        asked = self.question
        head = f"transfer of {asked.encoding.spec} on {asked.task.spec}, L0 = {asked.train_length}"
        if not self.rows:
            return f"{head}: classes undefined, {self.training!r}"
        kinds: tuple[Kind, ...] = ("forced", "impossible", "free", "unknown")
        counts = ", ".join(f"{self.count(k)} {k}" for k in kinds if self.count(k))
        return (
            f"{head}, L = {asked.length}: {counts}; "
            f"{self.alpha_forced} <= alpha <= {self.alpha_possible}"
        )


def transfer(
    encoding: str | Encoding,
    task: str | Task,
    *,
    train_length: int,
    length: int,
    visibility: str = "causal",
    cross_check: Solver | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
) -> Transfer:
    """The class of each new row, with certificates, for all parameters that realize L0.

    cross_check: let an SMT solver decide the same claims; Disagreement if it contradicts one.
    progress: called with (what, done, in all). time_limit: in seconds, for each exact question.
    ValueError for bad input.
    """
    asked = question(
        encoding, task, length=length, train_length=train_length, visibility=visibility
    )
    training = realize(
        asked.encoding, asked.task, length=train_length, visibility=visibility,
        cross_check=cross_check, time_limit=time_limit,
    )  # fmt: skip
    if not training.realizable:
        return Transfer(asked, training, (), ())
    work = _Work(asked, training, time_limit, progress)
    found = Transfer(asked, training, *work.classes())
    return found if cross_check is None else _cross_checked(found, cross_check)


class _Work:
    """The systems of one question, and the pool of parameters that is shared by its rows."""

    def __init__(
        self, asked: Question, training: Answer, limit: float | None, told: Progress | None
    ) -> None:
        joint, count = asked.system(), len(asked.training.rows)
        self.asked, self.limit = asked, limit
        self.joint = joint
        self.tell = told or (lambda what, done, total: None)
        self.old, self.new = joint["rows"][:count], joint["rows"][count:]
        self.targets = asked.rows[count:]
        base = readings.read({"vectors": joint["vectors"], "rows": self.old})
        self.pool = Pool(asked, base, self.new)
        if not self.pool.add(training.parameter):  # type: ignore[union-attr]
            raise AssertionError(f"the witness of {asked.training} does not realize it")
        self.proofs: list[certificates.Certificate] = []

    def classes(self) -> tuple[tuple[RowClass, ...], tuple[certificates.Certificate, ...]]:
        """The class of every new row, and the certificates."""
        pool, rows = self.pool, range(len(self.new))
        pool.seek_hits(rows)
        pool.seek_failures([k for k in rows if k in pool.hit])
        found: dict[int, RowClass] = {}
        reasons: dict[int, str] = {}
        for k in rows:
            self.tell("rows", k, len(rows))
            if k not in pool.hit:
                self._impossible(k, found, reasons)
            if k not in pool.failed and k not in found:
                self._forced(k, found, reasons)
        free = [k for k in rows if k not in found and k in pool.hit and k in pool.failed]
        chosen = pool.cover(free, free)
        places = {m: self._keep(*self._decisions(pool.members[m])) for m in chosen}
        for k in free:
            good, bad = (
                next(places[m] for m in chosen if (pool.members[m].outcomes[k] == "h") == hit)
                for hit in (True, False)
            )
            found[k] = self._row(k, "free", (good, bad))
        for k in rows:
            if k not in found:
                found[k] = self._row(k, "unknown", (), reasons[k])
        return tuple(found[k] for k in rows), tuple(self.proofs)

    def _row(self, k: int, kind: Kind, places: tuple[int, ...] = (), reason: str = "") -> RowClass:
        _, i, t = self.targets[k]
        return RowClass(i, t, kind, places, reason)

    def _keep(self, claim: dict[str, Any], proof: Proof, subject: dict[str, Any]) -> int:
        self.proofs.append(certificates.envelope(claim, proof, subject))
        return len(self.proofs) - 1

    def _impossible(self, k: int, found: dict[int, RowClass], reasons: dict[int, str]) -> None:
        """The joint question of the training rows and one new row."""
        claim = self.claim("unrealizable", k)
        answer = systems.decide(claim["system"], time_limit=self.limit)
        if isinstance(answer, systems.Refuted):
            place = self._keep(claim, answer.proof, self.subject("unrealizable", k))
            found[k] = self._row(k, "impossible", (place,))
        elif isinstance(answer, systems.Found):
            self.pool.add(answer.parameter)
        else:
            reasons[k] = f"whether some parameter hits it is open: {answer.reason}"

    def _forced(self, k: int, found: dict[int, RowClass], reasons: dict[int, str]) -> None:
        """Cone membership of every competitor's constraint."""
        answer = systems.implied(self.pool.base, self.new[k], time_limit=self.limit)
        if isinstance(answer, systems.Implied):
            place = self._keep(self.claim("forced", k), answer.proof, self.subject("forced", k))
            found[k] = self._row(k, "forced", (place,))
        elif isinstance(answer, systems.Escaped):
            self.pool.add(answer.parameter)
        else:
            reasons.setdefault(k, f"whether every parameter hits it is open: {answer.reason}")

    def claim(self, kind: str, k: int) -> dict[str, Any]:
        """The claim that row k is forced, or that it cannot be hit with the training rows."""
        asked, (n, i, t) = self.asked, self.targets[k]
        groups = asked.training.groups
        if kind == "forced":
            return heads.forced_claim(asked.encoding, groups, (n, i, t), asked.visibility)
        joint = [*groups, (n, [(i, t)])]
        return heads.unrealizable_claim(asked.encoding, joint, asked.visibility)

    def subject(self, kind: str, k: int) -> dict[str, Any]:
        """What `recheck` rebuilds that claim from."""
        n, i, _ = self.targets[k]
        subject = self.asked.training.subject(kind)
        if kind == "forced":
            return subject | {"row": [n, i]}
        return subject | {"rows": [*subject["rows"], [n, i, i + 1]]}

    def _decisions(self, member: Member) -> tuple[dict[str, Any], Proof, dict[str, Any]]:
        """The claim of what a member does on all rows, with its proof and subject."""
        spelling = spelled(member.parameter, linear=self.asked.encoding.relative)
        outcomes = "h" * len(self.old) + member.outcomes
        claim = {
            "kind": "decisions", "system": self.joint, "parameter": spelling,
            "outcomes": outcomes, "margin": "0",
        }  # fmt: skip
        extra = {"parameter": spelling, "outcomes": outcomes, "margin": "0"}
        return claim, systems.evaluation(claim), self.asked.subject("decisions") | extra


def _cross_checked(found: Transfer, solver: Solver) -> Transfer:
    """The same with a solver's opinion on each row."""
    work = _Work(found.question, found.training, None, None)
    opinions = []
    for k, row in enumerate(found.rows):
        proofs = [found.certificates[place] for place in row.certificates]
        for kind in ("forced", "unrealizable"):
            own = "impossible" if kind == "unrealizable" else "forced"
            holds = None if row.kind == "unknown" else row.kind == own
            opinions.append((row.row, ask(work.claim(kind, k), holds, proofs, solver)))
    return replace(found, opinions=tuple(opinions))


def document(found: Transfer) -> dict[str, Any]:
    """What `pe-verify transfer --json` writes; its schema is `transfer`."""
    asked = found.question
    return {
        "encoding": asked.encoding.spec,
        "task": asked.task.spec,
        "train_length": asked.train_length,
        "length": asked.length,
        "visibility": asked.visibility,
        "realizes_train": found.training.realizable,
        "reason": getattr(found.training, "reason", ""),
        "training": found.training.certificate(),
        "rows": [
            {
                "row": row.row, "target": row.target, "class": row.kind,
                "certificates": list(row.certificates), "reason": row.reason,
            }
            for row in found.rows
        ],
        "alpha_forced": None if found.alpha_forced is None else str(found.alpha_forced),
        "alpha_possible": None if found.alpha_possible is None else str(found.alpha_possible),
        "certificates": list(found.certificates),
        "cross_check": [{"row": i, **opinion.document()} for i, opinion in found.opinions],
    }  # fmt: skip
