"""Every command and snippet of the README and the documentation runs as it is printed.

The blocks of a page run in order in one empty folder: `sh` with bash, `python` as a program that
sees the blocks before it. A line that ends with `# exit code N` is expected to. A block after
`<!-- not run: REASON -->` is left out; there are few of these, and the test says so if not.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"(?P<mark><!-- not run: (?P<why>[^>]+) -->\n)?^```(?P<kind>\w*)[^\n]*\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
# The README's shell blocks are run by `.ci/run` or are compared in test_readme.py; the faults found
# in libraries are reproduced by `pytest -m real`, which installs these.
ELSEWHERE = {"README.md", "audit-findings.md"}


@dataclass(frozen=True)
class Block:
    kind: str
    body: str
    why: str | None


def blocks(page: Path) -> list[Block]:
    found = FENCE.finditer(page.read_text("utf-8"))
    return [Block(m["kind"], m["body"], m["why"]) for m in found if m["kind"] in ("sh", "python")]


def pages() -> list[Path]:
    return [p for p in PAGES if p.name not in ELSEWHERE and blocks(p)]


def run_shell(body: str, folder: Path) -> None:
    for command in re.sub(r"\\\n\s*", " ", body).splitlines():
        expected = re.search(r"#\s*exit code (\d+)\s*$", command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        wanted = int(expected[1]) if expected else 0
        assert done.returncode == wanted, f"{command}\n{done.stdout}\n{done.stderr}"


def environment() -> dict[str, str]:
    bin_folder = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f".{os.pathsep}{ROOT}"}  # fmt: skip


@pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_run(page: Path, tmp_path: Path) -> None:
    program = ""
    for block in blocks(page):
        if block.why is not None:
            continue
        if block.kind == "sh":
            run_shell(block.body, tmp_path)
        else:
            program += block.body
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=tmp_path, env=environment(),
                capture_output=True, text=True, check=False, timeout=300,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr


def test_few_blocks_are_left_out() -> None:
    every = [block for page in pages() for block in blocks(page)]
    left_out = [block for block in every if block.why is not None]
    assert len(left_out) <= len(every) / 4


def test_python_of_the_readme_runs(tmp_path: Path) -> None:
    program = "".join(b.body for b in blocks(ROOT / "README.md") if b.kind == "python")
    assert "verify.alpha" in program
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True,
        text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# Of the README's block of commands: what takes minutes, or needs what a reader has and tests lack.
NOT_HERE = {
    "check": "run by `.ci/run`, and in tests/unit/cli",
    "recheck": "run in tests/kernel, and in the pages above",
    "report": "a run of the suite: tests/unit/cli/test_report.py",
    "hunt": "an hour: tests/hunt",
    "heads": "a checkpoint: tests/unit/checkpoints",
    "synthesize": "ten seconds and more: tests/unit/synthesis",
    "advise": "ten seconds and more: tests/unit/synthesis",
    "audit": "the reader's own code: docs/tutorials/engineer.md",
}


def readme_commands() -> list[str]:
    (block,) = (
        b.body for b in blocks(ROOT / "README.md") if b.body.startswith("pe-verify check theorem-1")
    )
    return block.splitlines()


@pytest.mark.parametrize("command", [c for c in readme_commands() if c.split()[1] not in NOT_HERE])
def test_commands_of_the_readme_run(command: str, tmp_path: Path) -> None:
    run_shell(command, tmp_path)


def test_every_command_of_the_readme_is_run_somewhere() -> None:
    named = {command.split()[1] for command in readme_commands()}
    assert set(NOT_HERE) <= named and len(named - set(NOT_HERE)) >= 7
