"""What the lines of `realize_grid` say: tables in Markdown, and growth as a plot.

python -m tests.benchmarks.realize_table table FILE.csv
python -m tests.benchmarks.realize_table plot FILE.csv FILE.svg
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.realize_grid import DECIDED, OURS

Line = dict[str, str]
Key = tuple[str, str, str, int]
# Shorter times say little about a solver: start-up, caches, the clock.
HARD = 0.05
SLOW = 0.1
TWICE = 2.0


def read(path: Path) -> list[Line]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def key(line: Line) -> Key:
    """The instance that a line is about."""
    return line["question"], line["family"], line["task"], int(line["length"])


def answers(lines: Iterable[Line], solver: str) -> dict[Key, Line]:
    """The lines of one solver that hold an answer."""
    return {
        key(line): line for line in lines if line["solver"] == solver and line["answer"] in DECIDED
    }


@dataclass(frozen=True, slots=True)
class Beside:
    """One peer beside us. `ratios`: its time over ours where it needs more than `SLOW` seconds."""

    peer: str
    asked: int
    solved: int
    timeouts: int
    skipped: int
    failed: int
    wrong: tuple[Key, ...]
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Hard:
    """An instance on which the fastest peer needs more than `HARD` seconds."""

    instance: Key
    peer: str
    theirs: float
    ours: float

    @property
    def ratio(self) -> float:
        """Our time over the peer's."""
        return self.ours / self.theirs


def beside(lines: Sequence[Line], peer: str, clock: str = "seconds") -> Beside:
    """How a peer does; `clock`: the column of seconds."""
    mine, theirs = answers(lines, OURS), answers(lines, peer)
    given = [line["answer"] for line in lines if line["solver"] == peer]
    out, skipped = sum(a.startswith("time-out") for a in given), given.count("skipped")
    slow = [k for k, line in theirs.items() if k in mine and float(line[clock]) > SLOW]
    return Beside(
        peer=peer,
        asked=len(given),
        solved=len(theirs),
        timeouts=out,
        skipped=skipped,
        failed=len(given) - len(theirs) - out - skipped,
        wrong=tuple(k for k, x in theirs.items() if k in mine and x["answer"] != mine[k]["answer"]),
        ratios=tuple(float(theirs[k][clock]) / float(mine[k][clock]) for k in slow),
    )


def peers(lines: Iterable[Line]) -> list[str]:
    return list(dict.fromkeys(line["solver"] for line in lines if line["solver"] != OURS))


def hard(lines: Sequence[Line], clock: str = "seconds") -> list[Hard]:
    """Every instance that no peer decides within `HARD` seconds and some peer decides."""
    mine = answers(lines, OURS)
    best: dict[Key, tuple[float, str]] = {}
    for peer in peers(lines):
        for k, line in answers(lines, peer).items():
            seconds = float(line[clock])
            best[k] = min(best.get(k, (seconds, peer)), (seconds, peer))
    return [
        Hard(k, peer, seconds, float(mine[k][clock]))
        for k, (seconds, peer) in best.items()
        if k in mine and seconds > HARD
    ]


def table(lines: Sequence[Line]) -> str:
    """What the documentation prints, as Markdown."""
    every = [line for line in lines if line["solver"] == OURS]
    out = []
    for question in dict.fromkeys(line["question"] for line in every):
        out += [*_ours(question, [x for x in every if x["question"] == question]), ""]
    out += [
        "| peer | asked | solved | time-outs | skipped after one | failed | verdicts unlike ours"
        " | needs > 0.1 s | median ratio there | by the wall clock |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for peer in peers(lines):
        found, wall = beside(lines, peer), beside(lines, peer, "wall")
        out.append(
            f"| {peer} | {found.asked} | {found.solved} | {found.timeouts} | {found.skipped}"
            f" | {found.failed} | {len(found.wrong)} | {len(found.ratios)}"
            f" | {_times(found.ratios)} | {_times(wall.ratios)} |"
        )
    mine = answers(lines, OURS)
    unsolved = {
        key(line) for line in lines if line["solver"] == "z3" and line["answer"] not in DECIDED
    }
    out += ["", f"Of the {len(unsolved)} that z3 left, {len(unsolved & set(mine))} decided here."]
    found_hard = hard(lines)
    behind = [h for h in found_hard if h.ratio > TWICE]
    out += [
        "",
        f"The fastest peer needs more than 50 ms on {len(found_hard)} instances; on {len(behind)}"
        " of them we need more than twice its time"
        + (
            f", at most {max(h.ratio for h in found_hard):.1f} times; in the median it needs"
            f" {median(h.theirs / h.ours for h in found_hard):.1f} times ours."
            if found_hard
            else "."
        ),
        "",
        *(
            f"- {' '.join(map(str, h.instance))}: {h.ours:.3f} s, {h.peer} {h.theirs:.3f} s"
            for h in sorted(behind, key=lambda h: -h.ratio)
        ),
    ]
    return "\n".join(out).rstrip()


def _times(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.1f}" if ratios else "-"


def _ours(question: str, lines: Sequence[Line]) -> list[str]:
    given = [line["answer"] for line in lines]
    out = [
        f"{question}: {len(lines)} instances, {given.count('sat')} realizable,"
        f" {given.count('unsat')} refuted, {given.count('open')} open.",
        "",
        "| length | instances | realizable | median s | largest s | kernel, median s"
        " | proof, median bytes | largest bytes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for length in sorted({int(line["length"]) for line in lines}):
        some = [line for line in lines if int(line["length"]) == length]
        times = [float(x["seconds"]) for x in some]
        sizes = [int(x["bytes"]) for x in some]
        out.append(
            f"| {length} | {len(some)} | {sum(x['answer'] == 'sat' for x in some)}"
            f" | {median(times):.3f} | {max(times):.2f}"
            f" | {median(float(x['kernel']) for x in some):.3f}"
            f" | {median(sizes):.0f} | {max(sizes)} |"
        )
    return out


def plot(lines: Sequence[Line], path: Path) -> None:
    """Seconds and bytes of ours against the number of unknowns and the length."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "feasibility"
    import matplotlib.pyplot as plt

    mine = [x for x in lines if x["solver"] == OURS and x["question"] == "realize"]
    kinds = (("sat", "realizable", "o"), ("unsat", "refuted", "x"))
    axes_of = (("unknowns", "unknowns N"), ("length", "length L0"))
    figure, grid = plt.subplots(2, 2, figsize=(8, 6), sharey="row", sharex="col")
    for row, (what, label) in enumerate((("seconds", "processor s"), ("bytes", "proof, bytes"))):
        for column, (against, name) in enumerate(axes_of):
            axes = grid[row][column]
            for answer, title, marker in kinds:
                some = [x for x in mine if x["answer"] == answer]
                axes.scatter(
                    [int(x[against]) for x in some], [float(x[what]) for x in some],
                    marker=marker, s=14, alpha=0.6, linewidths=1, label=title,
                )  # fmt: skip
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.grid(alpha=0.3)
            if row:
                axes.set_xlabel(name)
            if not column:
                axes.set_ylabel(label)
    grid[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    what, source, *target = sys.argv[1:]
    if what == "plot":
        plot(read(Path(source)), Path(target[0]))
    else:
        print(table(read(Path(source))))
