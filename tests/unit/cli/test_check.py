"""`pe-verify check` on small statements of a user's own: output, reports, exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fastjsonschema
import pytest

from verify import check, check_all
from verify.report.json_report import schema
from verify.verdicts import Outcome

Declare = Callable[[str], Path]
ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "import sys; from verify.cli import main; sys.exit(main())"]
GOOD = "STATEMENTS = (statement('demo-1', 'proved', SOUND), statement('demo-2', 'proved', SOUND))"
WRONG = "STATEMENTS = (statement('demo-1', 'refuted', SOUND),)"
NO_CONTROL = "STATEMENTS = (statement('demo-1', 'proved', SOUND, controls=()),)"
UNDECIDED = "STATEMENTS = (statement('demo-1', 'proved', STUCK),)"
BROKEN_PROOF = "STATEMENTS = (statement('demo-1', 'proved', Given({'rule': 'nonsense'})),)"
MEASURED = """
RATE = Measured("0.12", ("0.11", "0.13"), "0.115", True, False, "seed 0")
STATEMENTS = (
    Statement(
        "rate", "A rate", "r", "A rate.", "ours", "measured",
        obligations=(Measurement("hits", "hit rate", "20 draws", lambda profile: RATE),),
    ),
)
"""


def plain(text: str) -> str:
    """Without times, which differ from run to run."""
    return re.sub(r" *\d+\.\d+ s", " TIME", text)


def test_as_declared(call: Any, declare: Declare) -> None:
    code, out, err = call("check", "--statements", declare(GOOD))
    assert (code, err) == (0, "")
    lines = plain(out).splitlines()
    assert lines[1] == "   PROVED    demo-1     kernel    1 control TIME  all n, all real P"
    assert "2 statements: 2 PROVED; all as declared." in lines
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        (WRONG, 1, "demo-1: declared refuted, observed PROVED"),
        (NO_CONTROL, 1, "the hypothesis 'floor' has no control"),
        (UNDECIDED, 3, "demo-1: declared proved, observed UNKNOWN"),
        (BROKEN_PROOF, 1, "demo-1: declared proved, observed ERROR"),
    ],
)
def test_what_is_not_as_declared(
    call: Any, declare: Declare, lines: str, code: int, said: str
) -> None:
    result = call("check", "--statements", declare(lines))
    assert result.code == code
    assert said in result.out[result.out.index("Not as declared") :]
    assert "pe-verify show demo-1 --statements" in result.out


def test_measured_next_to_published(call: Any, declare: Declare) -> None:
    code, out, _ = call("check", "--statements", declare(MEASURED))
    assert code == 0
    assert re.search(r"rate +hits +0\.115 +0\.12 +\[0\.11, 0\.13\] +no +yes", out)


def test_the_number_of_jobs_changes_nothing(call: Any, declare: Declare) -> None:
    file = declare(GOOD)
    one = call("check", "--statements", file, "--jobs", 1)
    two = call("check", "--statements", file, "--jobs", 2)
    assert plain(one.out) == plain(two.out)


def test_json_on_standard_output_is_all_there_is(call: Any, declare: Declare) -> None:
    code, out, err = call("check", "--statements", declare(GOOD), "--json", "-")
    assert (code, err) == (0, "")
    document = json.loads(out)
    fastjsonschema.compile(schema("check"))(document)
    assert [s["id"] for s in document["statements"]] == ["demo-1", "demo-2"]
    (obligation,) = document["statements"][0]["obligations"]
    assert obligation["hypotheses_used"] == ["floor"]
    assert re.fullmatch("sha256:[0-9a-f]{64}", obligation["claim"])


def test_reports_go_to_files_next_to_the_text(call: Any, declare: Declare, tmp_path: Path) -> None:
    report, junit = tmp_path / "report.json", tmp_path / "junit.xml"
    file = declare(WRONG)
    code, out, _ = call("check", "--statements", file, "--json", report, "--junit", junit)
    assert code == 1 and "REFUTED" not in out.splitlines()[1]
    assert json.loads(report.read_text("utf-8"))["exit_code"] == 1
    root = ElementTree.parse(junit).getroot()
    (failure,) = root.iter("failure")
    assert failure.get("message", "").startswith("declared refuted, observed PROVED")


def test_sarif_names_contradictions_alone(call: Any, declare: Declare, tmp_path: Path) -> None:
    log = tmp_path / "check.sarif"
    assert call("check", "--statements", declare(WRONG), "--sarif", log)[0] == 1
    (run,) = json.loads(log.read_text("utf-8"))["runs"]
    assert {result["ruleId"] for result in run["results"]} == {"pe-verify/contradiction"}
    assert call("check", "--statements", declare(GOOD), "--sarif", log)[0] == 0
    (run,) = json.loads(log.read_text("utf-8"))["runs"]
    assert run["results"] == []


def test_the_html_page_holds_the_certificates(call: Any, declare: Declare, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _ = call("check", "--statements", declare(GOOD), "--html", page)
    assert code == 0 and "all as declared" in out
    text = page.read_text("utf-8")
    for name in ("demo-1--positive.json", "demo-2--control-floor-zero.json"):
        assert f'download="{name}"' in text
    code, out, _ = call("check", "--statements", declare(GOOD), "--html", "-")
    assert code == 0 and out.startswith("<!doctype html>") and out.endswith("</html>\n")


def test_accepted_certificates_are_kept(call: Any, declare: Declare, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "certificates"
    code, *_ = call("check", "demo-1", "--statements", declare(GOOD), "--certificates", folder)
    assert code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["demo-1--control-floor-zero.json", "demo-1--positive.json"]
    for path in folder.iterdir():
        assert json.loads(path.read_text("utf-8"))["subject"]["statement"] == "demo-1"
    code, out, _ = call("recheck", folder, "--statements", declare(GOOD), "--json", "-")
    document = json.loads(out)
    fastjsonschema.compile(schema("recheck"))(document)
    assert (code, [c["outcome"] for c in document["certificates"]]) == (0, ["valid"] * 2)


def test_no_statement_is_no_contradiction(call: Any, declare: Declare) -> None:
    result = call("check", "--statements", declare("STATEMENTS = ()"))
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("declares no statement\n")


def test_the_same_from_python(declare: Declare) -> None:
    file = declare(GOOD)
    assert check("demo-1", statements=file).outcome == Outcome.PROVED
    assert [v.id for v in check_all(statements=file, profile="quick")] == ["demo-1", "demo-2"]
    with pytest.raises(ValueError, match=r"'demo-3'; did you mean 'demo-\d'"):
        check("demo-3", statements=file)
    with pytest.raises(ValueError, match="the number of jobs is 1 or more, not 0"):
        check_all(statements=file, jobs=0)
    with pytest.raises(ValueError, match="the profile is 'quick' or 'full', not 'fast'"):
        check("demo-1", statements=file, profile="fast")  # type: ignore[arg-type]


def test_an_id_with_parts_names_them(declare: Declare) -> None:
    file = declare(GOOD.replace("demo-1", "demo.a").replace("demo-2", "demo.b"))
    with pytest.raises(ValueError, match=r"'demo' has the parts demo\.a, demo\.b; name one"):
        check("demo", statements=file)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
@pytest.mark.parametrize("columns", [50, 120])
def test_a_terminal_gets_progress_and_wrapped_lines(declare: Declare, columns: int) -> None:
    text = on_terminal(["check", "--statements", str(declare(GOOD))], columns)
    assert "\x1b[" in text
    assert "1/2" in text  # the bar, while the second statement was awaited
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", text)
    rows = [line for line in re.split("[\r\n]+", shown) if "PROVED" in line and "demo" in line]
    assert len(rows) == 2
    assert all(len(row.rstrip()) <= columns for row in rows)


def on_terminal(arguments: list[str], columns: int) -> str:
    """What the command line writes on a pseudo-terminal of that width."""
    controller, terminal = os.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        cwd=ROOT,
        env=environment,
    )
    os.close(terminal)
    chunks = []
    while True:
        try:
            chunk = os.read(controller, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(controller)
    assert process.wait() == 0
    return b"".join(chunks).decode()
