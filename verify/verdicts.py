"""What a run found: verdicts and their vocabulary. Plain data, for reports and processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from verify.statements import Measured, Status


class Outcome(StrEnum):
    """PROVED: everything the quantifiers cover. HELD: certified cases, the statement says more."""

    PROVED = "PROVED"
    HELD = "HELD"
    REFUTED = "REFUTED"
    MEASURED = "MEASURED"
    OPEN = "OPEN"
    UNKNOWN = "UNKNOWN"
    ERROR = "ERROR"


class Evidence(StrEnum):
    """kernel: checked certificates. solvers: two agree, no certificate. numeric: measured."""

    KERNEL = "kernel"
    SOLVERS = "solvers"
    NUMERIC = "numeric"
    NONE = "none"


EXPECTED: dict[Status, Outcome] = {
    "proved": Outcome.PROVED,
    "refuted": Outcome.REFUTED,
    "open": Outcome.OPEN,
    "measured": Outcome.MEASURED,
}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a solver said of a claim besides the kernel; never a pass by itself."""

    engine: str
    version: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one obligation.

    outcome: `valid`, `invalid`, `holey` (the kernel's), `agreed` (two solvers, no certificate),
    `measured`, `unknown` or `error`.
    """

    name: str
    words: str
    scope: str
    outcome: str
    reason: str
    shows: str = "holds"
    cases: int | None = None
    digest: str = ""
    size: int = 0
    seconds: float = 0.0
    used: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    measured: Measured | None = None

    @property
    def good(self) -> bool:
        """Whether the kernel or both solvers accepted it (a measurement: whether it was made)."""
        return self.outcome in ("valid", "agreed", "measured")


@dataclass(frozen=True, slots=True)
class ControlFinding:
    """Whether the counterexample for a removed hypothesis or a false variant was certified."""

    hypothesis: str
    words: str
    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Every part of the counterexample was accepted."""
        return bool(self.findings) and all(f.good for f in self.findings)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One statement as declared and as observed; `problems` says why they disagree."""

    id: str
    title: str
    declared: Status
    outcome: Outcome
    evidence: Evidence
    scope: str
    findings: tuple[Finding, ...]
    controls: tuple[ControlFinding, ...]
    twins: tuple[ControlFinding, ...]
    idle: tuple[str, ...]
    problems: tuple[str, ...]
    seconds: float

    @property
    def as_declared(self) -> bool:
        """Observed as declared, with every control certified."""
        return self.outcome == EXPECTED[self.declared] and not self.problems

    @property
    def undecided(self) -> bool:
        """Something gave up; nothing contradicts the declaration."""
        return self.outcome == Outcome.UNKNOWN


def exit_code(verdicts: list[Verdict]) -> int:
    """0 as declared, 1 a contradiction or a refused certificate, 3 only undecided ones."""
    wrong = [v for v in verdicts if not v.as_declared]
    if not wrong:
        return 0
    return 3 if all(v.undecided for v in wrong) else 1
