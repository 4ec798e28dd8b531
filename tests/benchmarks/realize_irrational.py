"""Irrational encodings x tasks x lengths: how many are decided, and why the others are not.

    python -m tests.benchmarks.realize_irrational FILE.csv

Processor seconds of `verify.realize`, everything included (the certificate has passed the kernel).
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verify

SPECS = (
    *(f"sinusoidal:frequencies={k}" for k in (1, 2, 4, 8, 16)),
    "sinusoidal:frequencies=4,base=100",
    *(f"rope:frequencies={k}" for k in (1, 2, 4, 8, 16)),
    "rope:frequencies=4,base=100",
    "scale:expr:[1, cos(i), sin(i), i/n]",
    "expr:[1, sqrt(i)]",
    "expr:[1, i, sqrt(2)*i**2]",
    "expr:[cos(i), sin(i), i]",
    "expr:[1, sqrt(o)]",
    "expr:[cos(o), sin(o), o]",
)
TASKS = (
    "previous", "skip:k=3", "attend-first", "attend:p=3", "copy", "reverse", "decimate:q=3",
    "expr:i//2",
)  # fmt: skip
LENGTHS = (8, 12, 20, 32, 64)
SECONDS = 30.0
FIELDS = ("encoding", "task", "length", "answer", "method", "seconds", "reason")


def run() -> Iterator[dict[str, Any]]:
    for spec in SPECS:
        for task in TASKS:
            for length in LENGTHS:
                yield asked(spec, task, length)


def asked(spec: str, task: str, length: int) -> dict[str, Any]:
    """One line of the table."""
    began = time.process_time()
    answer = verify.realize(spec, task, length=length, time_limit=SECONDS)
    named = {True: "realizable", False: "unrealizable", None: "unknown"}
    return {
        "encoding": spec, "task": task, "length": length, "answer": named[answer.realizable],
        "method": getattr(answer, "method", ""), "seconds": f"{time.process_time() - began:.4f}",
        "reason": getattr(answer, "reason", ""),
    }  # fmt: skip


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in run():
            writer.writerow(row)
            file.flush()
