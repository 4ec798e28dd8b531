"""Pictures of choices among encodings: what a synthesis tried, and what advice compares."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from verify.plots import BLUE, GREEN, ORANGE, VERMILION, Picture

if TYPE_CHECKING:
    from verify.advise import Advice, Report
    from verify.synthesis.search import Attempt, Side, Synthesis

_OUTCOMES: Final = (
    ("realizes", "o", BLUE), ("refuted", "x", VERMILION), ("undecided", "^", ORANGE),
)  # fmt: skip


def attempts(found: Synthesis) -> Picture:
    """Every encoding that was tried, in order, by its size and what came out; one panel a side."""
    sides = (found.plain, found.hinted)
    longest = max(len(side.attempts) for side in sides)
    largest = max((a.size for side in sides for a in side.attempts), default=1)
    powers = [2**k for k in range(largest.bit_length() + 1)]

    def draw(figure: Any) -> None:
        for axes, side in zip(figure.subplots(1, 2, sharex=True), sides, strict=True):
            places = range(len(side.attempts))
            for outcome, marker, colour in _OUTCOMES:
                at = [k for k in places if side.attempts[k].outcome == outcome]
                if at:
                    axes.scatter(
                        [side.attempts[k].size for k in at], at, marker=marker, color=colour,
                        s=28, label=f"{outcome} {len(at)}",
                    )  # fmt: skip
            axes.set_yticks(places, [a.spec for a in side.attempts])
            axes.tick_params(axis="y", labelsize=7)
            axes.set_xscale("log", base=2)
            axes.set_xticks(powers, [str(power) for power in powers])
            axes.set(xlabel="parameter entries", ylim=(longest - 0.5, -0.5))
            axes.set_title(_side(side), fontsize=9)
            axes.grid(axis="x", alpha=0.3)
            if side.attempts:
                axes.legend(fontsize=8)

    return Picture(
        f"Encodings tried for {found.task}",
        f"Lengths {found.train_length} to {found.length}, {found.visibility} attention. "
        + "; ".join(f"{_side(side)}: {_smallest(side)}" for side in sides) + ".",
        ("Scale Hint", "encoding", "entries", "outcome", "conflict or reason"),
        tuple(
            ("yes" if side.hint else "no", a.spec, str(a.size), a.outcome, _why(a))
            for side in sides for a in side.attempts
        ),
        (11, 0.2 * longest + 1.6), draw,
    )  # fmt: skip


def _side(side: Side) -> str:
    return "With Scale Hint" if side.hint else "Without the length"


def _smallest(side: Side) -> str:
    best = side.proved or side.smallest
    if best is None:
        return f"none of {len(side.attempts)} encodings"
    return f"{best.spec}, {best.size} entries, {'all lengths' if best.lifted else 'these lengths'}"


def _why(attempt: Attempt) -> str:
    """The rows that conflict, the first few; or why it is undecided."""
    rows = [f"row {i} -> {t} at length {n}" for n, i, t in attempt.rows[:4]]
    return ", ".join([*rows, *["..."] * (len(attempt.rows) > 4)]) or attempt.reason


def bounds(report: Report) -> Picture:
    """Each encoding's bounds on alpha over all parameters, and what cross-entropy selects."""
    names = [row.encoding for row in report.rows]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for y, row in enumerate(report.rows):
            if row.alpha_forced is not None and row.alpha_possible is not None:
                ends = [float(row.alpha_forced), float(row.alpha_possible)]
                axes.plot(ends, [y, y], color=BLUE, linewidth=5, alpha=0.45, label="bounds",
                          solid_capstyle="butt", marker="|", markersize=12)  # fmt: skip
            elif row.realizable is False:
                axes.plot([-0.06], [y], marker="x", color=VERMILION, linestyle="",
                          label="not realizable at L0")  # fmt: skip
            if row.proved:
                axes.plot([1], [y], marker="*", markersize=12, color=GREEN, linestyle="",
                          label="all lengths, proved")  # fmt: skip
            if row.alpha is not None:
                axes.plot(
                    [float(row.alpha)], [y], marker="o" if row.selected else "s", color="black",
                    markerfacecolor="black" if row.selected else "none", linestyle="",
                    label="selected by ce" if row.selected else "by ce, not realizing L0",
                )  # fmt: skip
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", labelsize=8)
        axes.set(xlabel=f"alpha at L = {report.length}", xlim=(-0.1, 1.06),
                 ylim=(len(names) - 0.5, -0.5))  # fmt: skip
        axes.set_title(f"{report.task}, L0 = {report.train_length}", fontsize=9)
        axes.grid(axis="x", alpha=0.3)
        handles, labels = axes.get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        figure.legend(once.values(), once, loc="outside lower center", ncols=3, fontsize=8)

    return Picture(
        f"Encodings for {report.task}",
        f"Trained at L0 = {report.train_length}, used at L = {report.length}: bounds on alpha over"
        f" all parameters that realize L0. Best first: {', '.join(names[:3])}.",
        ("encoding", "realizable at L0", "forced", "possible", "selected by ce",
         "ce realizes L0", "all lengths proved", "why"),
        tuple(map(_cells, report.rows)), (8, 0.34 * len(names) + 1.8), draw,
    )  # fmt: skip


def _cells(row: Advice) -> tuple[str, ...]:
    def share(value: Fraction | None) -> str:
        return "" if value is None else str(value)

    words = {True: "yes", False: "no", None: ""}
    return (
        row.encoding, words[row.realizable], share(row.alpha_forced), share(row.alpha_possible),
        share(row.alpha), words[row.selected], words[row.proved], row.why,
    )  # fmt: skip
