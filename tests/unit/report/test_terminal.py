"""What people read: plain lines in pipes, wrapped columns on terminals, contradictions in full."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from verify.report import layout, terminal
from verify.statements import Hypothesis, Statement
from verify.verdicts import Outcome, Verdict

ANSI = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


def statement(verdict: Verdict) -> Statement:
    hypotheses = (Hypothesis("gamma_L > 0", "", ("g",), idle="it follows"),)
    return Statement(verdict.id, verdict.title, "", "", "", verdict.declared, hypotheses)


def printed(verdicts: list[Verdict], out: Console) -> str:
    statements = [statement(v) for v in verdicts]
    columns = terminal.widths(statements)
    terminal.title(out, columns)
    for verdict in verdicts:
        terminal.result(out, verdict, columns)
    terminal.measured(out, verdicts)
    terminal.idle(out, verdicts, statements)
    terminal.contradictions(out, verdicts)
    terminal.summary(out, verdicts, 1.5)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def pipe() -> Console:
    return layout.console(io.StringIO())


def screen(width: int) -> Console:
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
    )


def test_a_pipe_gets_one_plain_line_a_result(all_kinds: list[Verdict]) -> None:
    text = printed(all_kinds, pipe())
    assert not ANSI.search(text)
    lines = text.splitlines()
    rows = [line for line in lines if re.match("[ !]  [A-Z]{4,} ", line)]
    assert len(rows) == len(all_kinds)
    assert re.fullmatch(
        r"   PROVED    theorem-1 +kernel    1 control     0\.25 s  all n >= 3, all real W", rows[0]
    )
    assert rows[2].startswith("!  REFUTED   corollary-copy")
    assert rows[2].endswith("declared proved; all n >= 3, all real W")


def test_a_long_scope_is_one_line_in_a_pipe(proved: Verdict) -> None:
    long = replace(proved, scope="all n, " * 60 + "done")
    assert any(line.endswith("done") for line in printed([long], pipe()).splitlines())


def test_contradictions_are_printed_in_full_with_their_problems(all_kinds: list[Verdict]) -> None:
    text = printed(all_kinds, pipe())
    section = text[text.index("Not as declared") :]
    for expected in (
        "corollary-copy: declared proved, observed REFUTED\n  the hypothesis 'region' has no",
        "proposition-1: declared proved, observed ERROR\n  affine: error: KeyError: 'W'",
        "theorem-2: declared proved, observed UNKNOWN\n  limit: unknown: stuck",
    ):
        assert expected in section
    assert "2 contradict the declaration, 1 undecided." in text


def test_nothing_is_said_of_contradictions_when_there_are_none(proved: Verdict) -> None:
    text = printed([proved], pipe())
    assert "Not as declared" not in text
    assert "1 statement: 1 PROVED; all as declared.\n3 certificates accepted" in text
    assert "  theorem-1: gamma_L > 0 (it follows)\n" in text


def test_measured_numbers_stand_next_to_the_published_ones(measured: Verdict) -> None:
    lines = printed([measured], pipe()).splitlines()
    start = lines.index("Measured, next to what was published")
    cells = [re.split(" {2,}", line.strip()) for line in lines[start + 1 : start + 4]]
    assert cells == [
        ["statement", "quantity", "published", "here", "interval", "certified", "agrees"],
        ["monte-carlo", "rate", "0.115", "0.1123", "[0.109, 0.116]", "no", "yes"],
        ["monte-carlo", "share", "0.35", "3/10", "exact", "yes", "NO"],
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(all_kinds: list[Verdict], width: int) -> None:
    text = printed(all_kinds, screen(width))
    assert ANSI.search(text)
    plain = ANSI.sub("", text)
    assert max(len(line.rstrip()) for line in plain.splitlines()) <= width
    for verdict in all_kinds:
        assert verdict.id in plain
        assert str(verdict.outcome) in plain


@pytest.mark.parametrize("width", [60, 90])
def test_a_table_too_wide_for_the_terminal_names_its_cells(measured: Verdict, width: int) -> None:
    out = screen(width)
    terminal.measured(out, [measured])
    assert isinstance(out.file, io.StringIO)
    lines = [line.rstrip() for line in ANSI.sub("", out.file.getvalue()).splitlines()]
    if width == 90:
        assert lines[2].split() == list(terminal.MEASURED_HEADER)
        assert lines[2].index("here") == lines[3].index("0.1123")
    else:
        assert lines[2] == "monte-carlo"
        text = " ".join(line.strip() for line in lines[3:5])
        assert text.startswith("quantity rate; published 0.115; here 0.1123; interval [0.109, 0.1")


def test_the_scope_is_wrapped_under_its_own_column(proved: Verdict) -> None:
    long = replace(proved, scope="all integers n >= 3 and all real W " * 3)
    lines = ANSI.sub("", printed([long], screen(100))).splitlines()
    at = lines[0].index("scope")
    assert lines[1][at:].startswith("all integers")
    assert lines[2][:at].strip() == "" and lines[2][at] != " "


def test_no_color_is_respected(proved: Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = printed([proved], layout.console(io.StringIO()))
    colours = [code for code in ANSI.findall(text) if re.search(r"\b(3[0-7]|9[0-7]|38)\b", code)]
    assert not colours


def test_held_says_how_many_cases_of_what_was_declared(proved: Verdict) -> None:
    (found,) = proved.findings
    held = replace(proved, outcome=Outcome.HELD, findings=(replace(found, cases=1200),))
    assert terminal.scope(held) == "declared proved; 1,200 cases: all n >= 3, all real W"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.042, "0.04 s"), (12.34, "12.3 s"), (200.0, "3 min")]
)
def test_durations_have_about_three_digits(seconds: float, text: str) -> None:
    assert terminal.duration(seconds) == text
