"""Every example runs and prints what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("check_a_theorem.py", ["PROVED by kernel", "without unique-maximizer: two offsets"]),
        ("published_numbers.py", ["alpha at 30: 8/10", "alpha at 60: 8/40"]),
        ("refute_the_span_argument.py", ["outside the span: valid", "and still a hit: valid"]),
        ("audit_bfloat16.py", ["positions 256, 257 have identical features", "4 findings"]),
        ("sinusoidal_decimation.py", ["row 10 -> key 1: margin", "row 50 -> key 5: margin 0."]),
    ],
)
def test_example(name: str, lines: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for line in lines:
        assert line in done.stdout
