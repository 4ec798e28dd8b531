"""Conjectures: a name, words, and a decidable predicate on instances.

A predicate returns `HOLDS`, `NOT_APPLICABLE` (a hypothesis fails), `undecided(reason)`, or
`counterexample(parts)`: the claims with their proofs, built only if they are wanted.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from verify.hunt.instances import Instance
from verify.hunt.oracle import Rows, Undecided
from verify.hunt.parts import Part

if TYPE_CHECKING:
    from verify.hunt.spaces import Place, Question

Outcome = Literal["counterexample", "holds", "not applicable", "undecided", "excluded"]
# The ledger keeps places in this tuple, so that new ones go to its end.
OUTCOMES: Final[tuple[Outcome, ...]] = (
    "counterexample", "holds", "not applicable", "undecided", "excluded",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a predicate found. score: larger is closer to (or a stronger) counterexample."""

    outcome: Outcome
    score: int = 0
    parts: Callable[[], list[Part]] | None = None
    reason: str = ""


HOLDS: Final = Verdict("holds")
NOT_APPLICABLE: Final = Verdict("not applicable")
EXCLUDED: Final = Verdict("excluded")  # on a solver's word alone

Judge = Callable[[Instance], Verdict]
Judged = tuple[int, "Place", Verdict]  # number of an instance, where it is, what it is


def counterexample(parts: Callable[[], list[Part]], score: int = 0) -> Verdict:
    """The conjecture fails on this instance; `parts()` proves it."""
    return Verdict("counterexample", score, parts)


def undecided(reason: str, score: int = 0) -> Verdict:
    """No answer, and why."""
    return Verdict("undecided", score, None, reason)


@dataclass(frozen=True, slots=True)
class Conjecture:
    """What is hunted. words: what it says of an instance, in one sentence.

    demands: the rows that one parameter hits in every counterexample.
    """

    name: str
    words: str
    predicate: Judge
    demands: Literal["training rows", "all rows"] = "training rows"

    def judge(self, case: Instance) -> Verdict:
        """The predicate's verdict; an engine without an answer, or an exception, is undecided."""
        found: Any
        try:
            found = self.predicate(case)
        except Undecided as problem:
            return undecided(str(problem))
        except Exception as problem:
            return undecided(f"{type(problem).__name__}: {problem}")
        if not isinstance(found, Verdict):
            return undecided(f"the predicate returned {type(found).__name__}, no Verdict")
        return found


@dataclass(frozen=True, slots=True)
class Source:
    """Where a conjecture comes from: a reading of ours (file None), or NAME in a Python file."""

    name: str
    file: str | None = None
    digest: str = ""  # of the file, SHA-256


def source(text: str) -> Source:
    """What `span`, or `path/to/file.py:NAME`, names. ValueError if there is no such conjecture."""
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(".py"):
        readings = _readings()
        if text not in readings:
            near = get_close_matches(text, readings, n=1)
            hint = f"did you mean {near[0]!r}" if near else f"known are {', '.join(readings)}"
            raise ValueError(
                f"unknown conjecture {text[:80]!r}; {hint}, or write path/to/file.py:NAME"
            )
        return Source(text)
    file = Path(path).resolve()
    if not file.is_file():
        raise ValueError(f"there is no file {path}; a conjecture of yours is path/to/file.py:NAME")
    found = Source(name, str(file), hashlib.sha256(file.read_bytes()).hexdigest())
    load(found)
    return found


def demanded(found: Source, question: Question) -> Rows:
    """The rows of a question that one parameter hits in every counterexample."""
    if load(found).demands == "all rows":
        return (*question.train, *question.new)
    return question.train


def load(found: Source) -> Conjecture:
    """The conjecture itself. A user's file is run; ValueError if it changed or lacks the name."""
    if found.file is None:
        return _readings()[found.name]
    path = Path(found.file)
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != found.digest:
        raise ValueError(
            f"{path} is not the file that this campaign was started with; start another campaign"
        )
    return _imported(found, path)


@lru_cache(maxsize=8)
def _imported(found: Source, path: Path) -> Conjecture:
    specification = importlib.util.spec_from_file_location(f"conjecture_of_{path.stem}", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as problem:
        raise ValueError(f"{path} does not run: {type(problem).__name__}: {problem}") from None
    value = getattr(module, found.name, None)
    if not isinstance(value, Conjecture):
        raise ValueError(f"{path} has no Conjecture named {found.name}")
    return value


def _readings() -> dict[str, Conjecture]:
    from verify.hunt.readings import READINGS

    return READINGS
