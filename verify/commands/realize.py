"""`pe-verify realize`: does any parameter realize a task at a length?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from rich.console import Console

    from verify.cross_check import Solver
    from verify.questions import Asked
    from verify.realize import Answer


@click.command(
    "realize",
    epilog="\b\nExamples:\n"
    "  pe-verify realize affine previous --length 3\n"
    "  pe-verify realize rope:frequencies=16 copy --length 40 --json -\n"
    "  pe-verify realize clamped:length=12 previous --train 12 --length 24\n"
    "  pe-verify realize polynomial:degree=2 expr:i//2 --length 10 --small\n"
    "\n\b\nExit codes: 0 decided, yes or no; 1 a solver contradicts the answer; 2 wrong usage\n"
    "or bad input; 3 undecided.",
)
@click.argument("encoding")
@click.argument("task")
@click.option("--length", type=int, required=True, metavar="N", help="The length.")
@click.option(
    "--train", type=int, metavar="L0",
    help="A rescue: the rows below L0 as asked at length L0, the new rows as asked at length N.",
)  # fmt: skip
@_questions.visibility_option
@click.option("--rank", type=int, metavar="R", help="Only W of at most this rank (by z3).")
@click.option("--bound", type=int, metavar="B", help="Only integer entries in -B..B (by z3).")
@click.option("--small", is_flag=True, help="Only integers, in the smallest such range (by z3).")
@_questions.cross_check_option("claim")
@_questions.seconds_option
@_questions.certificates_option("the certificates")
@_questions.json_option
def command(
    encoding: str,
    task: str,
    length: int,
    train: int | None,
    visibility: str,
    rank: int | None,
    bound: int | None,
    small: bool,
    cross_check: Solver | None,
    seconds: float | None,
    directory: Path | None,
    json_file: Path | None,
) -> int:
    """Decide whether any parameter of ENCODING makes every row of TASK a hit at length N.

    The answer comes with a parameter in exact rationals, or with positive multipliers of rows that
    conflict; a small kernel has checked either.
    """
    from verify.cross_check import Disagreement
    from verify.realize import document, evidence, realize, write

    try:
        answer = realize(
            encoding, task, length=length, train_length=train, visibility=visibility, rank=rank,
            bound=bound, small=small, cross_check=cross_check, time_limit=seconds,
        )  # fmt: skip
    except Disagreement as problem:
        click.echo(f"pe-verify realize: {problem}", err=True)
        return 1
    written = write(directory, "realize", evidence(answer)) if directory else []
    if json_file is not None:
        _questions.write_json(json_file, document(answer))
    if json_file != Path("-"):
        _print(layout.console(), answer, written)
    return 3 if answer.realizable is None else 0


def _print(out: Console, answer: Answer, written: list[Path]) -> None:
    from verify.realize import Realizable, Unrealizable, shown

    words = {True: "realizable", False: "not realizable", None: "undecided"}[answer.realizable]
    styles = {True: "green", False: "yellow", None: "red"}
    layout.line(out, str(answer.question), "bold")
    if isinstance(answer, Realizable):
        form = f" with {answer.form}" if answer.form else ""
        layout.line(out, f"{words}{form}: {shown(answer.parameter)}", styles[True])
    elif isinstance(answer, Unrealizable):
        layout.line(out, f"{words} by any real parameter", styles[False])
        layout.line(out, f"conflict: {_core(answer.core, answer.irreducible)}", indent=2)
        if answer.horizon is not None:
            first = answer.horizon.length
            layout.line(out, f"the first length with no parameter left is {first}", indent=2)
            if answer.horizon.core != answer.core:
                text = _core(answer.horizon.core, answer.horizon.irreducible)
                layout.line(out, f"conflict there: {text}", indent=2)
    else:
        layout.line(out, f"{words}: {answer.reason}", styles[None])
    if answer.opinion is not None:
        layout.line(out, str(answer.opinion), "dim")
    for path in written:
        layout.line(out, str(path), "dim")


def _core(rows: tuple[Asked, ...], irreducible: bool) -> str:
    """Which rows conflict, and whether all of them are needed."""
    listed = ", ".join(f"row {i} -> key {t} (length {n})" for n, i, t in rows[:8])
    more = f" and {len(rows) - 8} more" if len(rows) > 8 else ""
    note = "" if len(rows) == 1 else "; no fewer" if irreducible else "; perhaps fewer"
    return f"{listed}{more}{note}"
