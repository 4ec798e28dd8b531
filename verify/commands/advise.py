"""`pe-verify advise`: which encoding to choose for a task, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from fractions import Fraction

    from verify.advise import Advice


@click.command(
    "advise",
    epilog="\b\nExamples:\n"
    "  pe-verify advise --task previous --train 12 --length 24\n"
    "  pe-verify advise --task copy --train 12 --length 24 --json -\n"
    "\n\b\nColumns: whether any parameter realizes L0; bounds on alpha over all that do; alpha"
    " of the\n"
    "one that cross-entropy selects (in brackets if it does not realize L0).",
)
@click.option("--task", required=True, metavar="TASK", help="A task of positions.")
@click.option(
    "--train", type=int, default=12, show_default=True, metavar="L0", help="The training length."
)
@click.option(
    "--length", type=int, default=24, show_default=True, metavar="L", help="The length in use."
)
@_questions.plot_option("the bounds on alpha")
@_questions.json_option
def command(
    task: str, train: int, length: int, plot_file: Path | None, json_file: Path | None
) -> int:
    """Rank the built-in encodings and the synthesized one for TASK, each with the reason."""
    from verify import advise, plots_choices

    with _questions.progress() as told:
        report = advise.advise(task, train_length=train, length=length, progress=told)
    _questions.write_picture(plot_file, lambda: plots_choices.bounds(report))
    if json_file is not None:
        _questions.write_json(json_file, advise.document(report))
    if json_file != Path("-"):
        out = layout.console()
        layout.line(out, f"{report.task}, trained at {train}, used at {length}", "bold")
        layout.line(out)
        header = ("encoding", "L0", "forced", "possible", "ce", "why")
        layout.table(out, header, [_cells(row) for row in report.rows])
    return 0


def _cells(row: Advice) -> tuple[str, ...]:
    realizable = {True: "yes", False: "no", None: "unknown"}[row.realizable]
    selected = _share(row.alpha)
    if row.selected is False:
        selected = f"({selected})"
    forced = "all lengths" if row.proved else _share(row.alpha_forced)
    return row.encoding, realizable, forced, _share(row.alpha_possible), selected, row.why


def _share(value: Fraction | None) -> str:
    return "-" if value is None else f"{float(value):.3f}"
