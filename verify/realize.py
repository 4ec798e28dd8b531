"""Can any parameter do it? Decided exactly, with a certificate either way.

    from verify.realize import realize

    realize("affine", "previous", length=3)                                      # Unrealizable
    realize("clamped:length=12", "previous", train_length=12, length=24)         # a rescue

A head's logits are linear in its parameter, so the rows of a task are strict linear inequalities
(Gordan 1873: some parameter satisfies all, or positive multipliers combine them to zero). With a
training length the question is a *rescue*: the rows below it as asked at that length, the new rows
as asked at the longer one, all by one parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from verify import certificates, forms, readings, systems
from verify.cross_check import Opinion, Solver, ask
from verify.engines import smt
from verify.forms import Matrix, Proof, System
from verify.questions import Asked, Question, question
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task

SMALL_BOUNDS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
CORE_SECONDS = 10.0  # for finding fewer rows that conflict
_SECONDS = 60.0
_GRAIN = 20  # bits of the vectors that an SMT solver sees in the place of irrational ones


# ------------------------------------------------------------ the answers


@dataclass(frozen=True, slots=True)
class Realizable:
    """A parameter makes every row a hit: `parameter` is d rows of d rationals, or one row of m."""

    question: Question
    parameter: Matrix
    proof: Proof
    method: str
    form: str = ""
    opinion: Opinion | None = None

    realizable = True

    def certificate(self) -> certificates.Certificate:
        """The kernel's certificate, with the subject that `recheck` reads."""
        claim = {"kind": "realizable", "system": self.question.system()}
        return certificates.envelope(claim, self.proof, self.question.subject("realizable"))

    def __repr__(self) -> str:
        form = f", {self.form}" if self.form else ""
        return f"Realizable({self.question}{form}; {shown(self.parameter)})"


@dataclass(frozen=True, slots=True)
class Horizon:
    """The first length at which no parameter is left, and rows (length, row, target) that conflict.

    irreducible: any fewer of these rows are realizable together. proof: refutes them alone.
    """

    length: int
    core: tuple[Asked, ...]
    irreducible: bool
    proof: Proof


@dataclass(frozen=True, slots=True)
class Unrealizable:
    """No real parameter does. `core`: rows (length, row, target) that conflict, with their proof.

    irreducible: any fewer of the core's rows are realizable together. horizon: of a rescue.
    """

    question: Question
    core: tuple[Asked, ...]
    irreducible: bool
    proof: Proof
    method: str
    horizon: Horizon | None = None
    opinion: Opinion | None = None

    realizable = False

    def certificate(self) -> certificates.Certificate:
        """The kernel's certificate: multipliers with which the core's rows combine to zero."""
        return _conflict_certificate(self.question, self.core, self.proof)

    def __repr__(self) -> str:
        rows = ", ".join(f"{i} -> {t}" for _, i, t in self.core[:6])
        more = f" and {len(self.core) - 6} more" if len(self.core) > 6 else ""
        first = f"; first at length {self.horizon.length}" if self.horizon else ""
        return f"Unrealizable({self.question}; rows {rows}{more} conflict{first})"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Undecided, and why. There is no certificate."""

    question: Question
    reason: str
    opinion: Opinion | None = None

    realizable = None

    def certificate(self) -> None:
        """None: nothing was proved."""

    def __repr__(self) -> str:
        return f"Unknown({self.question}: {self.reason})"


Answer = Realizable | Unrealizable | Unknown


def shown(parameter: Matrix) -> str:
    """A parameter in words: whole if it is small, else its size."""
    name = "w" if len(parameter) == 1 else "W"
    lines = [[str(x) for x in row] for row in parameter]
    size = f"{len(parameter)} x {len(parameter[0])}" if name == "W" else str(len(parameter[0]))
    longest = max(len(x) for line in lines for x in line)
    if len(parameter) * len(parameter[0]) > 16 or longest > 24:
        return f"{name} of {size} rationals of up to {longest} characters"
    text = "; ".join(" ".join(line) for line in lines)
    return f"{name} = [{text}]"


# ------------------------------------------------------------ asking


def realize(
    encoding: str | Encoding,
    task: str | Task,
    *,
    length: int,
    train_length: int | None = None,
    visibility: str = "causal",
    rank: int | None = None,
    bound: int | None = None,
    small: bool = False,
    cross_check: Solver | None = None,
    time_limit: float | None = None,
) -> Answer:
    """Whether some parameter makes every row of the task a hit at this length.

    rank: only W of at most this rank; bound: only integer entries in -bound..bound; small: the
    smallest such bound that works (all three by z3, each parameter re-checked by the kernel; that
    there is none of the form has no certificate unless there is none at all). cross_check: let an
    SMT solver decide the same claim; Disagreement if it says the opposite. time_limit: seconds.
    ValueError for bad input.
    """
    asked = question(
        encoding, task, length=length, train_length=train_length, visibility=visibility
    )
    _check_form(asked, rank, bound, small)
    system = asked.system()
    answer = _decide(asked, system, time_limit)
    if cross_check is not None:
        claim, certificate = {"kind": "realizable", "system": system}, answer.certificate()
        opinion = ask(claim, answer.realizable, certificate, cross_check)
        answer = replace(answer, opinion=opinion)
    if isinstance(answer, Realizable) and (rank is not None or bound is not None or small):
        return _of_form(answer, system, rank, bound, small, time_limit or _SECONDS)
    return answer


def _check_form(asked: Question, rank: int | None, bound: int | None, small: bool) -> None:
    if rank is not None:
        if asked.encoding.relative:
            raise ValueError(
                f"rank is for the matrix of absolute encodings; {asked.encoding.spec} has a vector"
            )
        if type(rank) is not int or rank < 1:
            raise ValueError(f"rank must be a positive integer, not {rank!r}")
    if bound is not None and (type(bound) is not int or bound < 1):
        raise ValueError(f"bound must be a positive integer, not {bound!r}")
    if small and (bound is not None or rank is not None):
        raise ValueError("small looks for the smallest bound itself; leave out bound and rank")


def _decide(asked: Question, system: System, limit: float | None) -> Answer:
    found = systems.decide(system, time_limit=limit)
    if isinstance(found, systems.Found):
        return Realizable(asked, found.parameter, found.proof, found.method)
    if isinstance(found, systems.Open):
        return Unknown(asked, found.reason)
    core, irreducible, proof = _conflict(asked, system, found)
    horizon = None if asked.train_length is None else _horizon(asked, core)
    return Unrealizable(asked, core, irreducible, proof, found.method, horizon)


def _conflict(
    asked: Question, system: System, found: systems.Refuted
) -> tuple[tuple[Asked, ...], bool, Proof]:
    """An irreducible core of the rows with its own proof."""
    chosen, irreducible = systems.core(system, found, time_limit=CORE_SECONDS)
    core = tuple(asked.rows[k] for k in chosen)
    answer = systems.decide(asked.conflict(core)["system"])
    if isinstance(answer, systems.Refuted):
        return core, irreducible, answer.proof
    return tuple(asked.rows), False, found.proof  # all rows are the system that was refuted


def _horizon(asked: Question, core: tuple[Asked, ...]) -> Horizon | None:
    """The first length from train_length on whose rescue is refuted; None if one stays undecided.

    Where each length asks what longer ones ask of the same rows, refutations persist and the first
    one is found by bisection; else every length is asked in turn.
    """
    assert asked.train_length is not None
    first, last = asked.train_length, asked.length
    if not _nested(asked):
        for n in range(first, last + 1):
            found = _at(asked, n)
            if found is not None:
                return found[1]
        return None
    high = max(first, 1 + max(i for _, i, _ in core))
    low, best = first, _at(asked, high)
    while best is not None and best[1] is not None and low < high:
        middle = (low + high) // 2
        found = _at(asked, middle)
        if found is None:
            low = middle + 1
        else:
            best, high = found, middle
    return None if best is None else best[1]


def _at(asked: Question, n: int) -> tuple[int, Horizon | None] | None:
    """The refutation at length n (None in its place if undecided); None if a parameter is left."""
    assert asked.train_length is not None
    shorter = asked.training if n == asked.train_length else _shorter(asked, n)
    system = shorter.system()
    found = systems.decide(system)
    if isinstance(found, systems.Found):
        return None
    if isinstance(found, systems.Open):
        return n, None
    return n, Horizon(n, *_conflict(shorter, system, found))


def _shorter(asked: Question, n: int) -> Question:
    return Question(asked.encoding, asked.task, n, asked.train_length, asked.visibility)


def _nested(asked: Question) -> bool:
    """Whether each shorter length asks what the longest asks of its first rows."""
    if asked.encoding.scale_hinted or asked.visibility != "causal":
        return False
    assert asked.train_length is not None
    longest = [(i, t) for _, i, t in asked.rows if i >= asked.train_length]
    lengths = range(asked.train_length + 1, asked.length)
    return all(
        [(i, t) for _, i, t in _shorter(asked, n).rows if i >= asked.train_length]
        == [(i, t) for i, t in longest if i < n]
        for n in lengths
    )


# ------------------------------------------------------------ parameters of a given form


def _of_form(
    answer: Realizable,
    system: System,
    rank: int | None,
    bound: int | None,
    small: bool,
    seconds: float,
) -> Answer:
    """A parameter of bounded rank or of small integers, by z3; the kernel re-checks it."""
    asked, reading = answer.question, readings.read(system)
    seen = system
    if reading.rational is None:
        near = [[str(forms.rounded(e, _GRAIN)) for e in v] for v in reading.vectors]
        seen = {**system, "vectors": near}
    reason = ""
    for limit in SMALL_BOUNDS if small else (bound,):
        form = " and ".join(
            [f"rank {rank}"] * (rank is not None)
            + [f"integers in -{limit}..{limit}"] * (limit is not None)
        )
        found = smt.find_parameter(seen, "z3", seconds, limit, rank)
        if found.outcome != "proved":
            said = "says that there is none" if found.outcome == "refuted" else found.reason
            reason = f"z3, asked for {form}: {said} (no certificate)"
            if found.outcome != "refuted":
                break
            continue
        parameter = forms.matrix(found.model, linear=reading.linear)
        proof = systems.realizes(reading, parameter)
        if proof is not None and _has_form(parameter, rank, limit):
            return Realizable(asked, parameter, proof, "z3", form, answer.opinion)
        reason = f"z3's parameter of {form} is right for rounded features only"
    return Unknown(asked, reason, answer.opinion)


def _has_form(parameter: Matrix, rank: int | None, limit: int | None) -> bool:
    entries = [x for row in parameter for x in row]
    whole = limit is None or all(x.denominator == 1 and abs(x) <= limit for x in entries)
    return whole and (rank is None or rank_of(parameter) <= rank)


def rank_of(parameter: Sequence[Sequence[Fraction]]) -> int:
    """The rank of a matrix of rationals, by exact elimination."""
    rows, rank = [list(row) for row in parameter], 0
    for column in range(len(rows[0])):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for k in range(rank + 1, len(rows)):
            factor = rows[k][column] / rows[rank][column]
            rows[k] = [x - factor * y for x, y in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank


# ------------------------------------------------------------ JSON


def document(answer: Answer) -> dict[str, Any]:
    """What `pe-verify realize --json` writes; its schema is `realize`."""
    asked = answer.question
    found: dict[str, Any] = {
        "encoding": asked.encoding.spec,
        "task": asked.task.spec,
        "length": asked.length,
        "train_length": asked.train_length,
        "visibility": asked.visibility,
        "realizable": answer.realizable,
        "reason": answer.reason if isinstance(answer, Unknown) else "",
        "method": "" if isinstance(answer, Unknown) else answer.method,
        "form": answer.form if isinstance(answer, Realizable) else "",
        "core": [],
        "irreducible": None,
        "horizon": None,
        "cross_check": None,
        "certificate": answer.certificate(),
    }
    if isinstance(answer, Unrealizable):
        found["core"] = rows_document(answer.core)
        found["irreducible"] = answer.irreducible
        if answer.horizon is not None:
            found["horizon"] = {
                "length": answer.horizon.length,
                "core": rows_document(answer.horizon.core),
                "irreducible": answer.horizon.irreducible,
                "certificate": horizon_certificate(answer),
            }
    if answer.opinion is not None:
        found["cross_check"] = answer.opinion.document()
    return found


def evidence(answer: Answer) -> list[certificates.Certificate]:
    """Every certificate of the answer: its own, and that of the horizon if it is another one."""
    own = answer.certificate()
    found = [] if own is None else [own]
    if isinstance(answer, Unrealizable) and answer.horizon is not None:
        found.append(horizon_certificate(answer))
    return [c for k, c in enumerate(found) if c["claim"] not in [d["claim"] for d in found[:k]]]


def write(directory: Path, name: str, found: Sequence[certificates.Certificate]) -> list[Path]:
    """One file for each certificate, NAME-DIGEST.json, each written whole or not at all."""
    paths = []
    for certificate in found:
        path = directory / f"{name}-{certificate['claim'].removeprefix('sha256:')[:12]}.json"
        certificates.write(path, certificate)
        paths.append(path)
    return paths


def horizon_certificate(answer: Unrealizable) -> certificates.Certificate:
    """The certificate of the core at the horizon. ValueError if there is no horizon."""
    if answer.horizon is None:
        raise ValueError("this answer has no horizon")
    return _conflict_certificate(answer.question, answer.horizon.core, answer.horizon.proof)


def _conflict_certificate(
    asked: Question, core: Sequence[Asked], proof: Proof
) -> certificates.Certificate:
    claim = asked.conflict(core)
    return certificates.envelope(claim, proof, asked.subject("unrealizable", core))


def rows_document(rows: Sequence[Asked]) -> list[dict[str, int]]:
    """Rows (length, row, target) as JSON objects."""
    return [{"length": n, "row": i, "target": t} for n, i, t in rows]
