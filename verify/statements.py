"""What is claimed: statements, hypotheses, obligations, controls. Data; nothing is decided here.

A statement is declared in `proofs/` and compiles into claims for `verify.kernel`. Standard library
only, so that `recheck` can rebuild every claim with nothing else installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

Claim = dict[str, Any]
Clause = dict[str, Any]
Status = Literal["proved", "refuted", "open", "measured"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How far numeric ranges go; the scope of every obligation says what was covered."""

    name: Literal["quick", "full"] = "full"

    def pick(self, quick: int, full: int) -> int:
        """The range for this profile."""
        return quick if self.name == "quick" else full


# ---------------------------------------------------------------- how an obligation is proposed


@dataclass(frozen=True, slots=True)
class Sketch:
    """A proof outline of a theorem claim; `engines.prover` fills in the tedious parts."""

    goals: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """All symbols are defined: every goal is decided by going through its cases."""


@dataclass(frozen=True, slots=True)
class Given:
    """The proof object itself (a witness, multipliers, an evaluation at so many bits)."""

    proof: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Solve:
    """The exact feasibility engine finds the witness or the multipliers."""


@dataclass(frozen=True, slots=True)
class Ask:
    """No certificate: the two SMT solvers are asked, and both must agree (evidence `solvers`)."""

    seconds: float = 10.0


Proof = Sketch | Model | Given | Solve | Ask


@dataclass(frozen=True, slots=True)
class Obligation:
    """One claim with its scope in words and the way a certificate for it is proposed.

    shows: whether the claim makes the statement hold or fail. cases: how many cases it settles if
    the statement speaks of more than these. solvers: engines asked for a second opinion.
    """

    name: str
    words: str
    scope: str | Callable[[Profile], str]
    claim: Callable[[Profile], Claim]
    proof: Proof | Callable[[Profile], Proof]
    shows: Literal["holds", "fails"] = "holds"
    cases: Callable[[Profile], int] | None = None
    solvers: tuple[str, ...] = ()

    def scope_for(self, profile: Profile) -> str:
        """The scope in words under this profile."""
        return self.scope if isinstance(self.scope, str) else self.scope(profile)

    def proof_for(self, profile: Profile) -> Proof:
        """The proposal under this profile."""
        return self.proof(profile) if callable(self.proof) else self.proof


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with its interval, next to the published one (None where nothing was published)."""

    value: str
    interval: tuple[str, str] | None
    published: str | None
    agrees: bool | None
    certified: bool
    details: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number that is measured, not proved; `run` may import whatever it needs."""

    name: str
    words: str
    scope: str | Callable[[Profile], str]
    run: Callable[[Profile], Measured]

    def scope_for(self, profile: Profile) -> str:
        """The scope in words under this profile."""
        return self.scope if isinstance(self.scope, str) else self.scope(profile)


# ---------------------------------------------------------------- hypotheses and controls


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A named hypothesis in words; `clauses` are its names in the theorem claims that use it."""

    name: str
    words: str
    clauses: tuple[str, ...] = ()
    idle: str = ""  # why it is expected to be idle, if it is


@dataclass(frozen=True, slots=True)
class Control:
    """Why a hypothesis is needed: without it, the certified counterexample `example`."""

    hypothesis: str
    words: str
    example: tuple[Obligation, ...]


@dataclass(frozen=True, slots=True)
class Twin:
    """A deliberately false variant of a universal claim, and the counterexample that refutes it."""

    words: str
    false: Claim
    example: Obligation


@dataclass(frozen=True, slots=True)
class Statement:
    """A result of one of the papers, or ours. `latex` is the claim; `setting` names S1-S3."""

    id: str
    title: str
    latex: str
    words: str
    source: str
    status: Status
    hypotheses: tuple[Hypothesis, ...] = ()
    obligations: tuple[Obligation | Measurement, ...] = ()
    controls: tuple[Control, ...] = ()
    twins: tuple[Twin, ...] = ()
    setting: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def all_obligations(self) -> dict[str, Obligation | Measurement]:
        """Every obligation by name: `name`, `control/HYPOTHESIS/name`, `twin/K/name`."""
        found: dict[str, Obligation | Measurement] = {o.name: o for o in self.obligations}
        for control in self.controls:
            for o in control.example:
                found[f"control/{control.hypothesis}/{o.name}"] = o
        for k, twin in enumerate(self.twins):
            found[f"twin/{k}/{twin.example.name}"] = twin.example
        return found

    def problems(self) -> list[str]:
        """What is wrong with the declaration itself."""
        names = {h.name for h in self.hypotheses}
        found = [
            f"the control for {c.hypothesis!r} names no hypothesis of {self.id}"
            for c in self.controls
            if c.hypothesis not in names
        ]
        count = len(self.obligations) + sum(len(c.example) for c in self.controls) + len(self.twins)
        if len(self.all_obligations()) != count:
            found.append(f"two obligations of {self.id} have the same name")
        return found


# ---------------------------------------------------------------- building theorem claims


def clause(text: str) -> Clause:
    """Read `int i, real e: guard, guard => atom` (variables and guards may be missing)."""
    head, arrow, then = text.rpartition("=>")
    if not arrow:
        head, then = (
            (text[: text.index(":") + 1], text[text.index(":") + 1 :])
            if ":" in text
            else ("", text)
        )
    variables, _, guards = head.rpartition(":")
    pairs = [entry.split() for entry in variables.split(",") if entry.strip()]
    return {
        "for": {name: sort for sort, name in pairs},
        "if": _top_level(guards),
        "then": then.strip(),
    }


def _top_level(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def theorem(
    symbols: str,
    hypotheses: Mapping[str, str],
    goals: Iterable[str],
    lemmas: Mapping[str, str] | None = None,
) -> Claim:
    """A theorem claim; symbols are written `int L0, real P`."""
    return {
        "kind": "theorem",
        "symbols": {
            n: s for s, n in (entry.split() for entry in symbols.split(",") if entry.strip())
        },
        "definitions": {},
        "hypotheses": {name: clause(text) for name, text in hypotheses.items()},
        "lemmas": {name: clause(text) for name, text in (lemmas or {}).items()},
        "goals": [clause(goal) for goal in goals],
    }


def without(claim: Claim, *names: str) -> Claim:
    """The same theorem with hypotheses removed; KeyError if one is not there."""
    rest = dict(claim["hypotheses"])
    for name in names:
        del rest[name]
    return {**claim, "hypotheses": rest}


def with_goal(claim: Claim, *goals: str) -> Claim:
    """The same hypotheses with other goals."""
    return {**claim, "goals": [clause(goal) for goal in goals]}


Definition = Any  # a number, a polynomial in x0, x1, ..., a table, or (table, polynomial)
_OPPOSITE = {"<=": ">", ">=": "<", "==": "!=", "!=": "==", "<": ">=", ">": "<="}


def countermodel(
    claim: Claim, definitions: Mapping[str, Definition], at: Mapping[str, int | str], goal: int = 0
) -> Claim:
    """The claim that a concrete model satisfies every hypothesis and violates the goal.

    definitions: for each symbol a number or polynomial in x0, x1, ..., a table, or a table with a
    polynomial for the rest. at: the values of the goal's variables at which it fails.
    """
    satisfied = satisfiable(claim, definitions, at, goal)
    then = _at(claim["goals"][goal]["then"], at)
    relation = next(r for r in _OPPOSITE if r in then)
    left, right = then.split(relation, 1)
    violated = clause(f"{left} {_OPPOSITE[relation]} {right}")
    return {**satisfied, "goals": [*satisfied["goals"], violated]}


def satisfiable(
    claim: Claim, definitions: Mapping[str, Definition], at: Mapping[str, int | str], goal: int = 0
) -> Claim:
    """The claim that a concrete model satisfies every hypothesis and the goal's guards."""
    if missing := set(claim["symbols"]) - set(definitions):
        raise ValueError(f"the model does not define {', '.join(sorted(missing))}")
    used = {name: definitions[name] for name in claim["symbols"]}
    assumed = [*claim["hypotheses"].values(), *claim["lemmas"].values()]
    guards = [{"for": {}, "if": [], "then": _at(g, at)} for g in claim["goals"][goal]["if"]]
    return {
        **claim,
        "definitions": {name: _definition(value) for name, value in used.items()},
        "hypotheses": {},
        "lemmas": {},
        "goals": [*assumed, *guards],
    }


def _definition(value: Definition) -> Claim:
    table, otherwise = value if isinstance(value, tuple) else (value, None)
    if not isinstance(table, Mapping):
        table, otherwise = {}, str(table)
    rows = [[[str(a) for a in point], str(v)] for point, v in sorted(table.items())]
    return {"table": rows, "otherwise": otherwise}


def _at(text: str, at: Mapping[str, int | str]) -> str:
    """Put numbers in the place of names, as the kernel's syntax allows."""
    return re.sub(
        r"[A-Za-z_]\w*", lambda m: f"({at[m[0]]})" if m[0] in at else m[0], text, flags=re.ASCII
    )


# ---------------------------------------------------------------- the registry


@lru_cache(maxsize=1)
def registry() -> dict[str, Statement]:
    """Every statement declared in `proofs`, in the order of the papers."""
    return collect(importlib.import_module("proofs").STATEMENTS)


def collect(statements: Iterable[Statement]) -> dict[str, Statement]:
    """Statements by id; two with one id are an error."""
    found: dict[str, Statement] = {}
    for statement in statements:
        if statement.id in found:
            raise ValueError(f"two statements have the id {statement.id!r}")
        found[statement.id] = statement
    return found


def load(path: Path) -> dict[str, Statement]:
    """The statements of a user's file: a Python module with a tuple STATEMENTS."""
    specification = importlib.util.spec_from_file_location(f"statements_of_{path.stem}", path)
    if specification is None or specification.loader is None or not path.is_file():
        raise ValueError(f"{path} is not a Python file with a tuple STATEMENTS")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    if not isinstance(getattr(module, "STATEMENTS", None), tuple):
        raise ValueError(f"{path} has no tuple STATEMENTS of statements")
    return collect(module.STATEMENTS)


def select(ids: Iterable[str], known: Mapping[str, Statement]) -> list[Statement]:
    """The statements with these ids; `proposition-3` also means its parts `proposition-3.a`, ..."""
    chosen: dict[str, Statement] = {}
    wanted = list(ids)
    for name in wanted:
        found = {k: s for k, s in known.items() if k == name or k.startswith(name + ".")}
        if not found:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; `pe-verify list` shows them all"
            raise ValueError(f"there is no statement {name!r}{hint}")
        chosen |= found
    return [known[k] for k in known if not wanted or k in chosen]


def claim_for(statement: str, obligation: str, profile: str = "full") -> Claim:
    """Rebuild the claim of an obligation from its statement (ValueError if there is none)."""
    if profile not in ("quick", "full"):
        raise ValueError(f"the profile is 'quick' or 'full', not {profile!r}")
    select([statement], registry())
    known = registry().get(statement)
    entry = known.all_obligations().get(obligation) if known else None
    if not isinstance(entry, Obligation):
        raise ValueError(f"{statement!r} has no obligation {obligation!r} with a claim")
    return entry.claim(Profile("quick" if profile == "quick" else "full"))
