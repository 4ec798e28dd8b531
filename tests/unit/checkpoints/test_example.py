"""examples/heads.py, as its first lines say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.unit.checkpoints import synthetic

ROOT = Path(__file__).parents[3]


def run(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "examples/heads.py", *arguments], cwd=ROOT, capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_example() -> None:
    lines = run()
    assert lines[1].startswith("0.0: previous, 63 of 63 rows, margin 0.2082")
    assert lines[4].startswith("0.1: skip:k=2, 62 of 62 rows, margin 0.2082")
    assert all("horizon None" in line for line in (*lines[2:4], *lines[5:7]))


def test_example_with_a_checkpoint(tmp_path: Path) -> None:
    lines = run(str(synthetic.save(tmp_path, *synthetic.gpt2())))
    assert sum(" rows, margin " in line for line in lines) == 4
