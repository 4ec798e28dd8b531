"""`pe-verify check --html`: one file that needs no network and no script.

Every result with its formula in MathML, its hypotheses and the counterexample that shows why each
is needed, and its certificates, which are part of the file; and pictures, as inline SVG.
"""

from __future__ import annotations

import base64
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from verify.report import terminal
from verify.report.claims import sentences
from verify.report.figures import gallery
from verify.report.markup import Markup, element, join, math, table
from verify.report.statement_text import SETTING, method
from verify.statements import Hypothesis, Measurement, Profile, Statement
from verify.verdicts import ControlFinding, Finding, Outcome, Verdict

if TYPE_CHECKING:
    from verify.plots import Picture

MAX_EMBEDDED = 100_000  # bytes; of larger certificates the page has the digest alone
_LEAD = (
    "Which positional encodings carry which attention patterns, and to what length: every result"
    " with its quantifiers, the reason for each hypothesis, and certificates that a small kernel"
    " has checked."
)
_MARKS = {Outcome.OPEN: "○", Outcome.MEASURED: "≈"}  # beside ✓ for decided as declared
_SCOPE = 110  # characters of a scope in the summary; the result has it whole
_NO_PASS = "Nothing that gave up, timed out or broke counts as a pass."


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows. certificates: their files by statement and obligation."""

    verdicts: Sequence[Verdict]
    statements: Mapping[str, Statement]
    profile: Profile
    versions: Mapping[str, str | None]
    certificates: Mapping[tuple[str, str], Path]
    pictures: Sequence[Picture] = ()


def text(page: Page) -> str:
    """The page as the text of a file, to be encoded as UTF-8."""
    return f"<!doctype html>\n{document(page)}\n"


def document(page: Page) -> Markup:
    """The whole page."""
    style = (resources.files("verify.report") / "style.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", "pe-verify: what is proved"),
        element("style", Markup(style)),
    )
    body = element(
        "body",
        _header(page),
        element(
            "main",
            _summary(page),
            _contradictions(page.verdicts),
            _measured(page.verdicts),
            gallery(page.pictures),
            (_result(page, verdict) for verdict in page.verdicts),
        ),
        element("footer", element("p", _versions(page.versions), class_="soft")),
    )
    return element("html", head, body, lang="en")


def _header(page: Page) -> Markup:
    """The title, what the page is, and where its parts are."""
    parts = [("section-summary", "Summary")]
    if any(not v.as_declared for v in page.verdicts):
        parts.append(("section-contradictions", "Not as declared"))
    if any(f.measured for v in page.verdicts for f in v.findings):
        parts.append(("section-measured", "Measured and published"))
    if page.pictures:
        parts.append(("section-pictures", "Pictures"))
    if page.verdicts:
        parts.append((page.verdicts[0].id, "Results"))
    links = (element("li", element("a", words, href=f"#{place}")) for place, words in parts)
    return element(
        "header",
        element("h1", "What is proved of positional realizability"),
        element("p", _LEAD, class_="lead"),
        element("nav", element("ul", links), aria_label="Parts of this page"),
    )


def _versions(versions: Mapping[str, str | None]) -> str:
    known = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    return f"Solvers, which are not trusted: {known}."


# ---------------------------------------------------------------- tables


def _verdict(verdict: Verdict) -> Markup:
    """The outcome in words; its colour repeats them."""
    if not verdict.as_declared:
        return _marked("bad", "✗", f"{verdict.outcome}, declared {verdict.declared}")
    kind = "open" if verdict.outcome == Outcome.OPEN else "good"
    return _marked(kind, _MARKS.get(verdict.outcome, "✓"), str(verdict.outcome))


def _marked(kind: str, mark: str, words: str) -> Markup:
    """Words after a sign that a screen reader leaves out, for the words say the same."""
    sign = element("span", mark, aria_hidden="true")
    return element("span", sign, f" {words}", class_=f"verdict {kind}")


def _tally(verdicts: Sequence[Verdict]) -> Markup:
    counts = Counter(v.outcome for v in verdicts)
    tiles = (element("li", element("strong", str(counts[o])), str(o)) for o in Outcome if counts[o])
    return element("ul", tiles, class_="tally")


def _summary(page: Page) -> Markup:
    rows = [
        (
            element("a", v.id, href=f"#{v.id}"),
            _verdict(v),
            element("span", v.title, class_="title"),
            textwrap.shorten(v.scope, _SCOPE, placeholder=" ..."),
            str(v.evidence),
            element("span", terminal.controls(v.controls), class_="tight"),
            element("span", terminal.duration(v.seconds), class_="tight"),
        )
        for v in page.verdicts
    ]
    header = ("result", "verdict", "title", "scope", "evidence", "controls", "time")
    ranges = "small numeric ranges" if page.profile.name == "quick" else "full numeric ranges"
    return element(
        "section",
        element("h2", "Summary", id="section-summary"),
        element("p", element("strong", terminal.counted(page.verdicts)), f" {_NO_PASS}"),
        _tally(page.verdicts),
        table(f"Every result, with {ranges}", header, rows, wide=True),
        aria_labelledby="section-summary",
    )


def _contradictions(verdicts: Sequence[Verdict]) -> Markup:
    wrong = [v for v in verdicts if not v.as_declared]
    if not wrong:
        return Markup()
    return element(
        "section",
        element("h2", "Not as declared", id="section-contradictions"),
        (
            join(
                element("h3", element("a", v.id, href=f"#{v.id}"), ": ", _verdict(v)),
                element("ul", (element("li", element("pre", p)) for p in v.problems)),
            )
            for v in wrong
        ),
        aria_labelledby="section-contradictions",
    )


def _measured(verdicts: Sequence[Verdict]) -> Markup:
    rows = terminal.measured_rows(verdicts)
    if not rows:
        return Markup()
    return element(
        "section",
        element("h2", "Measured, next to what was published", id="section-measured"),
        table("Measured numbers", terminal.MEASURED_HEADER, rows, wide=True),
        aria_labelledby="section-measured",
    )


# ---------------------------------------------------------------- one result


def _result(page: Page, verdict: Verdict) -> Markup:
    statement = page.statements[verdict.id]
    facts = (
        f"Declared {verdict.declared}; evidence: {verdict.evidence}; decided in"
        f" {terminal.duration(verdict.seconds)}. Source: {statement.source}."
    )
    setting = ((name, SETTING.get(name, "")) for name in statement.setting)
    return element(
        "section",
        element("h2", element("span", statement.id, class_="name"), statement.title, id=verdict.id),
        element("p", _verdict(verdict), f" for {verdict.scope}" if verdict.scope else ""),
        element("p", facts, class_="facts"),
        element("p", statement.words),
        element("div", math(statement.latex), class_="math"),
        _titled("Setting", (element("li", f"{name}: {words}") for name, words in setting)),
        _hypotheses(page, statement, verdict),
        _numbers(verdict),
        element("h3", "Obligations"),
        (_finding(page, verdict, f) for f in verdict.findings),
        _titled(
            "False variants, refuted",
            (
                element("li", twin.words, (_finding(page, verdict, f) for f in twin.findings))
                for twin in verdict.twins
            ),
        ),
        _titled("Remarks", (element("li", remark) for remark in statement.remarks)),
        class_="result",
        aria_labelledby=verdict.id,
    )


def _numbers(verdict: Verdict) -> Markup:
    """The measured numbers of one result beside the published ones; nothing without any."""
    rows = [row[1:] for row in terminal.measured_rows([verdict])]
    if not rows:
        return Markup()
    caption = f"Measured in {verdict.id}"
    return join(
        element("h3", "Measured, next to what was published"),
        table(caption, terminal.MEASURED_HEADER[1:], rows),
    )


def _titled(title: str, items: Iterable[Markup]) -> Markup:
    """A heading and a list; nothing when the list is empty."""
    listed = join(items)
    return join(element("h3", title), element("ul", listed)) if listed else Markup()


def _hypotheses(page: Page, statement: Statement, verdict: Verdict) -> Markup:
    if not statement.hypotheses:
        return Markup()
    controls: dict[str, list[ControlFinding]] = {}
    for control in verdict.controls:
        controls.setdefault(control.hypothesis, []).append(control)
    entries = [
        join(
            element("dt", h.name),
            element("dd", h.words, _idle(h), (_control(page, verdict, c) for c in found)),
        )
        for h in statement.hypotheses
        for found in [controls.get(h.name, [])]
    ]
    return join(
        element("h3", "Hypotheses, and what goes wrong without each"), element("dl", entries)
    )


def _idle(hypothesis: Hypothesis) -> Markup:
    return element("p", f"Idle: {hypothesis.idle}.", class_="open") if hypothesis.idle else Markup()


def _control(page: Page, verdict: Verdict, control: ControlFinding) -> Markup:
    state = "certified" if control.good else "NOT certified"
    return join(
        element("p", f"Without it: {control.words} ({state})."),
        (_finding(page, verdict, f) for f in control.findings),
    )


def _finding(page: Page, verdict: Verdict, finding: Finding) -> Markup:
    """One obligation: what the kernel was asked, what it said, and the certificate."""
    statement = page.statements[verdict.id]
    declared = statement.all_obligations()[finding.name]
    summary = f"{finding.words} ({finding.scope}): {finding.outcome}"
    if isinstance(declared, Measurement):
        details = finding.measured.details if finding.measured else finding.reason
        return element("details", element("summary", summary), element("p", details))
    said = sentences(declared.claim(page.profile))
    facts = [f"Method: {method(declared.proof_for(page.profile))}."]
    facts += [f"Uses: {', '.join(finding.used)}."] * bool(finding.used)
    facts += [f"Lemmas taken from outside: {', '.join(finding.lemmas)}."] * bool(finding.lemmas)
    facts += [f"{o.engine} {o.version}: {o.outcome} {o.reason}".strip() for o in finding.opinions]
    facts += [finding.reason] * bool(finding.reason)
    return element(
        "details",
        element("summary", summary),
        element("pre", "\n".join(said)),
        element("ul", (element("li", fact) for fact in facts)),
        _certificate(page, verdict.id, finding),
    )


def _certificate(page: Page, identifier: str, finding: Finding) -> Markup:
    if not finding.digest:
        return Markup()
    claim = element("p", "Claim: ", element("code", finding.digest, class_="digest"))
    file = page.certificates.get((identifier, finding.name))
    if file is None:
        return claim
    if (size := file.stat().st_size) > MAX_EMBEDDED:
        kept = element("code", f"pe-verify check {identifier} --certificates DIR")
        again = element("code", f"pe-verify recheck DIR/{file.name}")
        told = f"The certificate has {size:,} bytes, too many for this page; make it with "
        return join(claim, element("p", told, kept, ", check it again with ", again))
    data = file.read_bytes()
    link = element(
        "a",
        f"certificate, {len(data):,} bytes",
        href=f"data:application/json;base64,{base64.b64encode(data).decode()}",
        download=file.name,
    )
    return join(
        claim,
        element("p", link, "; check it again: ", element("code", f"pe-verify recheck {file.name}")),
    )
