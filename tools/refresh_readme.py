"""Put into the README what `pe-verify check --profile quick` prints: run it from anywhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURED_SHOWN = 6


def shortened(output: str) -> str:
    """The output with the first lines only of the table of measured numbers."""
    lines = [line.rstrip() for line in output.splitlines()]
    start = lines.index("Measured, next to what was published") + 2 + MEASURED_SHOWN
    stop = lines.index("", start)
    return "\n".join([*lines[:start], f"[{stop - start} more lines]", *lines[stop:]]) + "\n"


def main() -> int:
    """Run the suite, and replace the block under its heading."""
    command = [sys.executable, "-m", "verify", "check", "--profile", "quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
        return 1
    readme = ROOT / "README.md"
    block = re.compile(r"(## What it prints\n\n```text\n).*?(?=```)", re.DOTALL)
    text, count = block.subn(
        lambda match: match[1] + shortened(done.stdout), readme.read_text("utf-8"), count=1
    )
    assert count == 1, "README.md has no block under '## What it prints'"
    readme.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
