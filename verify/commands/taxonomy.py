"""`pe-verify taxonomy`: alpha of every encoding on every task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from rich.console import Console

    from verify.taxonomy import Taxonomy


@click.command(
    "taxonomy",
    epilog="\b\nExamples:\n"
    "  pe-verify taxonomy --lengths 60\n"
    "  pe-verify taxonomy --lengths 60,512 --plot taxonomy.svg --csv taxonomy.csv\n"
    "  pe-verify taxonomy --encoding rope:frequencies=16 --encoding alibi --task skip:k=3\n"
    "\n\b\nExit codes: 0 done; 2 wrong usage or bad input.",
)
@click.option(
    "--encoding", "encodings", multiple=True, metavar="ENCODING",
    help="A row of the table; may be repeated.  [default: eight common ones]",
)  # fmt: skip
@click.option(
    "--task", "tasks", multiple=True, metavar="TASK",
    help="A column of the table; may be repeated.  [default: five common ones]",
)  # fmt: skip
@click.option(
    "--train", type=int, default=20, show_default=True, metavar="L0", help="The training length."
)
@click.option(
    "--lengths", default="60", show_default=True, callback=_questions.lengths, metavar="L,L,...",
    help="Where to read the parameters.",
)  # fmt: skip
@click.option(
    "--rule", default="ce", show_default=True, metavar="RULE",
    help="How parameters are selected: ce, min-norm or max-margin, with settings as in alpha.",
)  # fmt: skip
@_questions.visibility_option
@_questions.csv_option("cell and length")
@_questions.plot_option("the table as a heat map")
@_questions.json_option
def command(
    encodings: tuple[str, ...],
    tasks: tuple[str, ...],
    train: int,
    lengths: list[int],
    rule: str,
    visibility: str,
    csv_file: Path | None,
    plot_file: Path | None,
    json_file: Path | None,
) -> int:
    """Draw the table of encodings and tasks: the certified alpha of every pair."""
    from verify import plots
    from verify.taxonomy import taxonomy

    if [csv_file, json_file].count(Path("-")) > 1:
        raise click.UsageError("--json and --csv cannot both go to standard output")
    with _questions.progress() as told:
        table = taxonomy(
            encodings or None, tasks or None, train_length=train, lengths=lengths, rule=rule,
            visibility=visibility, progress=told,
        )  # fmt: skip
    _questions.write_picture(plot_file, lambda: plots.heat_map(table))
    if csv_file is not None:
        _questions.write_text(csv_file, table.to_csv())
    if json_file is not None:
        _questions.write_json(json_file, table.to_json())
    if Path("-") not in (json_file, csv_file):
        _print(layout.console(), table)
    return 0


def _print(out: Console, table: Taxonomy) -> None:
    for length in table.lengths:
        layout.heading(
            out, f"alpha at L = {length}: parameters selected at L0 = {table.train_length} by "
            f"{table.rule}"
        )  # fmt: skip
        layout.table(out, ["", *table.tasks], table.rows(length))
    layout.line(out)
    if any(cell.result is not None and not cell.realizes_train for cell in table.cells):
        layout.line(out, "*  the selected parameter does not realize the task at L0", "dim")
    for cell in table.cells:
        if cell.result is None:
            layout.line(out, f"x  {cell.encoding}, {cell.task}: {cell.reason}", "dim")
