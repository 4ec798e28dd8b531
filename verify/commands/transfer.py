"""`pe-verify transfer`: forced, impossible or free, for each new row."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from rich.console import Console

    from verify.cross_check import Solver
    from verify.transfer import Kind, Transfer

MARKS: dict[Kind, str] = {"forced": "#", "impossible": "x", "free": ".", "unknown": "?"}
STYLES = {"forced": "green", "impossible": "red", "free": "yellow", "unknown": "magenta"}
_STRIP = 50  # rows in one line of the strip


@click.command(
    "transfer",
    epilog="\b\nExamples:\n"
    "  pe-verify transfer clamped:length=12 previous --train 12 --length 24\n"
    "  pe-verify transfer sinusoidal:dim=32 previous --train 20 --length 60 --plot classes.svg\n"
    "  pe-verify transfer clipped:length=12 skip:k=3 --train 12 --length 40 --certificates proofs\n"
    "\n\b\nExit codes: 0 decided; 1 a solver contradicts a class; 2 wrong usage or bad input;\n"
    "3 some row is undecided.",
)
@click.argument("encoding")
@click.argument("task")
@_questions.train_option
@click.option("--length", type=int, required=True, metavar="L", help="The longer length.")
@_questions.visibility_option
@_questions.cross_check_option("claims")
@_questions.seconds_option
@_questions.certificates_option("the certificates")
@_questions.plot_option("the classes")
@_questions.json_option
def command(
    encoding: str,
    task: str,
    train: int,
    length: int,
    visibility: str,
    cross_check: Solver | None,
    seconds: float | None,
    directory: Path | None,
    plot_file: Path | None,
    json_file: Path | None,
) -> int:
    """Say of each new row of TASK what every parameter of ENCODING that realizes L0 does with it.

    forced: every one hits it; impossible: none does; free: some do and some do not. So alpha at
    length L is at least the forced share and at most the share of rows that are not impossible,
    whatever rule selects the parameter.
    """
    from verify import plots
    from verify.cross_check import Disagreement
    from verify.realize import write
    from verify.transfer import document, transfer

    try:
        with _questions.progress() as told:
            found = transfer(
                encoding, task, train_length=train, length=length, visibility=visibility,
                cross_check=cross_check, progress=told, time_limit=seconds,
            )  # fmt: skip
    except Disagreement as problem:
        click.echo(f"pe-verify transfer: {problem}", err=True)
        return 1
    written = []
    if directory is not None:
        base = found.training.certificate()
        written = write(directory, "transfer", [*([base] if base else []), *found.certificates])
    if found.rows:
        _questions.write_picture(plot_file, lambda: plots.classes(found))
    elif plot_file is not None:
        click.echo("pe-verify transfer: there are no classes to draw", err=True)
    if json_file is not None:
        _questions.write_json(json_file, document(found))
    if json_file != Path("-"):
        _print(layout.console(), found, written, directory)
    return 0 if found.decided else 3


def _print(out: Console, found: Transfer, written: list[Path], directory: Path | None) -> None:
    asked = found.question
    lengths = f"L0 = {asked.train_length}, L = {asked.length}"
    layout.line(out, f"{asked.encoding.spec} on {asked.task.spec}, {lengths}", "bold")
    if not found.rows:
        layout.line(out, f"the classes are undefined: {found.training!r}", "yellow")
        return
    layout.line(out)
    header = ("rows", "class", "certificate")
    cells, styles = [], []
    for (kind, reason), rows in groupby(found.rows, key=lambda row: (row.kind, row.reason)):
        run = list(rows)
        span = str(run[0].row) if len(run) == 1 else f"{run[0].row}..{run[-1].row}"
        kinds = {
            "forced": "a cone for each competitor",
            "impossible": "multipliers of the joint system",
            "free": "a parameter that hits and one that does not",
            "unknown": reason,
        }
        cells.append((span, kind, kinds[kind]))
        styles.append(("", STYLES[kind], ""))
    layout.table(out, header, cells, styles)
    layout.line(out)
    for start in range(0, len(found.rows), _STRIP):
        part = found.rows[start : start + _STRIP]
        strip = "".join(MARKS[row.kind] for row in part)
        layout.line(out, f"{part[0].row:>5}  {strip}")
    legend = "  ".join(f"{mark} {kind} {found.count(kind)}" for kind, mark in MARKS.items())
    layout.line(out, f"       {legend}", "dim")
    layout.line(out)
    low, high = found.alpha_forced, found.alpha_possible
    layout.line(
        out, f"{low} <= alpha at length {asked.length} <= {high}, whatever selects the parameter"
    )
    for i, opinion in found.opinions:
        if opinion.outcome != "agrees":
            layout.line(out, f"row {i}: {opinion}", "dim")
    if found.opinions:
        agreed = sum(opinion.outcome == "agrees" for _, opinion in found.opinions)
        solver = found.opinions[0][1].solver
        layout.line(out, f"{solver} agrees on {agreed} of {len(found.opinions)} claims", "dim")
    if written:
        layout.line(out, f"{len(written)} certificates in {directory}", "dim")
