"""`pe-verify report`: the page of `check --html`, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verify import gallery

Declare = Callable[[str], Path]
GOOD = "STATEMENTS = (statement('demo-1', 'proved', SOUND), statement('demo-2', 'proved', SOUND))"
WRONG = "STATEMENTS = (statement('demo-1', 'refuted', SOUND),)"


@pytest.fixture
def unillustrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pictures, which take seconds and are tested by themselves."""
    monkeypatch.setattr(gallery, "pictures", lambda claims: [])


def plain(page: str) -> str:
    """Without times, which differ from run to run."""
    return re.sub(r"\d+\.\d+ s\b", "TIME", page)


@pytest.mark.usefixtures("unillustrated")
def test_it_writes_the_page_that_check_writes(call: Any, declare: Declare, tmp_path: Path) -> None:
    first, second = tmp_path / "report.html", tmp_path / "check.html"
    own = ("--statements", declare(GOOD))
    code, out, _ = call("report", *own, "--output", first)
    assert code == 0 and out.splitlines()[-1] == f"The report is in {first}."
    assert call("check", *own, "--profile", "quick", "--html", second)[0] == 0
    assert plain(first.read_text("utf-8")) == plain(second.read_text("utf-8"))
    assert call("check", *own, "--html", second)[0] == 0
    assert plain(first.read_text("utf-8")) != plain(second.read_text("utf-8"))  # full ranges


@pytest.mark.usefixtures("unillustrated")
def test_ids_and_the_default_file(
    call: Any, declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = declare(GOOD)
    monkeypatch.chdir(tmp_path)
    assert call("report", "demo-2", "--statements", own)[0] == 0
    page = Path("pe-verify-report.html").read_text("utf-8")
    assert 'id="demo-2"' in page and "demo-1" not in page


@pytest.mark.usefixtures("unillustrated")
def test_standard_output_holds_the_page_alone(call: Any, declare: Declare) -> None:
    code, out, _ = call("report", "--statements", declare(GOOD), "-o", "-")
    assert code == 0 and out.startswith("<!doctype html>") and out.endswith("</html>\n")


@pytest.mark.usefixtures("unillustrated")
def test_a_contradiction_is_reported_and_is_code_1(
    call: Any, declare: Declare, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert call("report", "--statements", declare(WRONG), "-o", page)[0] == 1
    assert "PROVED, declared refuted" in page.read_text("utf-8")


def test_an_interrupted_report_leaves_the_old_page(
    call: Any, declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    page.write_text("the old page", "utf-8")

    def interrupted(claims: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gallery, "pictures", interrupted)
    assert call("report", "--statements", declare(GOOD), "-o", page)[0] == 130
    assert [p.read_text("utf-8") for p in page.parent.iterdir()] == ["the old page"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["theorem-99"], "theorem-99"),
        (["-o", "/no/such/folder/x.html"], "which does not exist"),
        (["-o", "/"], "is a folder; name a file"),
        (["--profile", "fast"], "'fast' is not one of 'quick', 'full'"),
        (["--jobs", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(call: Any, arguments: list[str], said: str) -> None:
    code, out, err = call("report", *arguments)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1
