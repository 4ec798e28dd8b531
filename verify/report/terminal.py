"""What `pe-verify check` prints: one line a result, then whatever disagrees, then a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from verify.report.layout import heading, line, row, table
from verify.statements import Statement
from verify.verdicts import ControlFinding, Outcome, Verdict

_STYLES = {
    Outcome.PROVED: "green",
    Outcome.HELD: "green",
    Outcome.REFUTED: "green",
    Outcome.MEASURED: "cyan",
    Outcome.OPEN: "yellow",
    Outcome.UNKNOWN: "yellow",
    Outcome.ERROR: "red",
}
_HEADER = ("", "verdict", "statement", "evidence", "controls", "time", "scope")
MEASURED_HEADER = (
    *("statement", "quantity", "published", "here", "interval", "certified", "agrees"),
)


def widths(statements: Sequence[Statement]) -> list[int]:
    """The columns of the result lines of these statements; the scope has the rest."""
    longest = max((len(s.id) for s in statements), default=0)
    return [1, 8, max(longest, len("statement")), 8, 11, 7]


def title(out: Console, columns: Sequence[int]) -> None:
    """The names of the columns."""
    row(out, _HEADER, columns, ["dim"] * len(_HEADER))


def result(out: Console, verdict: Verdict, columns: Sequence[int]) -> None:
    """One statement on one line; `!` marks what is not as declared."""
    style = _STYLES[verdict.outcome] if verdict.as_declared else "bold red"
    cells = (
        " " if verdict.as_declared else "!",
        str(verdict.outcome),
        verdict.id,
        str(verdict.evidence),
        controls(verdict.controls),
        f"{duration(verdict.seconds):>7}",
        scope(verdict),
    )
    row(out, cells, columns, (style, style, "", "", "", "dim", ""))


def scope(verdict: Verdict) -> str:
    """What the verdict covers; how many cases if the statement says more."""
    cases = sum(f.cases or 0 for f in verdict.findings)
    said = f"declared {verdict.declared}; " if not verdict.as_declared else ""
    counted = f"{cases:,} cases: " if verdict.outcome == Outcome.HELD else ""
    return f"{said}{counted}{verdict.scope}"


def controls(found: Sequence[ControlFinding]) -> str:
    """`6 controls`, or `5/6 controls` when one of them was not certified."""
    good = sum(c.good for c in found)
    count = f"{len(found)}" if good == len(found) else f"{good}/{len(found)}"
    return f"{count} control{'' if len(found) == 1 else 's'}" if found else "-"


def duration(seconds: float) -> str:
    """A time to two digits or so: `0.04 s`, `12.3 s`, `3 min`."""
    if seconds >= 120:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def measured_rows(verdicts: Sequence[Verdict]) -> list[tuple[str, ...]]:
    """Every measured number under MEASURED_HEADER."""
    found = [(v.id, f, f.measured) for v in verdicts for f in v.findings if f.measured]
    return [
        (
            identifier,
            finding.name,
            m.published or "-",
            m.value,
            f"[{m.interval[0]}, {m.interval[1]}]" if m.interval else "exact" * m.certified or "-",
            "yes" if m.certified else "no",
            {True: "yes", False: "NO", None: "-"}[m.agrees],
        )
        for identifier, finding, m in found
    ]


def measured(out: Console, verdicts: Sequence[Verdict]) -> None:
    """The measured numbers next to the published ones; nothing when there are none."""
    rows = measured_rows(verdicts)
    if rows:
        heading(out, "Measured, next to what was published")
        styles = [("",) * 6 + ("red" if row[-1] == "NO" else "",) for row in rows]
        table(out, MEASURED_HEADER, rows, styles)


def contradictions(out: Console, verdicts: Sequence[Verdict]) -> None:
    """Everything that is not as declared, in full; nothing when there is nothing."""
    wrong = [v for v in verdicts if not v.as_declared]
    if not wrong:
        return
    heading(out, "Not as declared")
    for verdict in wrong:
        line(
            out,
            f"{verdict.id}: declared {verdict.declared}, observed {verdict.outcome}",
            "bold red",
        )
        for problem in verdict.problems:
            line(out, problem, indent=2)


def idle(out: Console, verdicts: Sequence[Verdict], statements: Sequence[Statement]) -> None:
    """Hypotheses that no proof used, with the reason that their statement gives."""
    reasons = {(s.id, h.name): h.idle for s in statements for h in s.hypotheses}
    found = [(v.id, name) for v in verdicts for name in v.idle]
    if found:
        heading(out, "Idle hypotheses: the proof does not use them")
        for place in found:
            reason = reasons.get(place) or "not declared so"
            line(out, f"{place[0]}: {place[1]} ({reason})", indent=2)


def counted(verdicts: Sequence[Verdict]) -> str:
    """`20 statements: 18 PROVED, 2 MEASURED; all as declared.`"""
    counts = Counter(str(v.outcome) for v in verdicts)
    kinds = ", ".join(f"{counts[str(o)]} {o}" for o in Outcome if counts[str(o)])
    wrong = [v for v in verdicts if not v.as_declared]
    undecided = sum(v.undecided for v in wrong)
    contradicting = len(wrong) - undecided
    parts = []
    if contradicting:
        verb = "contradicts" if contradicting == 1 else "contradict"
        parts.append(f"{contradicting} {verb} the declaration")
    if undecided:
        parts.append(f"{undecided} undecided")
    noun = "statement" if len(verdicts) == 1 else "statements"
    return f"{len(verdicts)} {noun}: {kinds}; {', '.join(parts) or 'all as declared'}."


def summary(out: Console, verdicts: Sequence[Verdict], elapsed: float) -> None:
    """Counts by verdict, certificates, and the time it took."""
    everything = [
        f
        for v in verdicts
        for f in (*v.findings, *(f for c in (*v.controls, *v.twins) for f in c.findings))
    ]
    certified = sum(f.outcome == "valid" for f in everything)
    line(out)
    line(out, counted(verdicts), "bold" if all(v.as_declared for v in verdicts) else "bold red")
    line(out, f"{certified:,} certificates accepted by the kernel, {duration(elapsed)}.")


def advice(out: Console, commands: Sequence[tuple[str, str]]) -> None:
    """What to type next: commands and what each does."""
    heading(out, "Next")
    width = max(len(command) for command, _ in commands)
    for command, does in commands:
        row(out, (f"  {command}", does), [width + 2], ("bold", ""))
