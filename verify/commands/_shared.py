"""Options that several commands have, and shell completion of statement ids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from verify.statements import registry


@dataclass(frozen=True, slots=True)
class Output:
    """Where a report goes: an open text file, and whether it is standard output."""

    file: IO[str]
    standard: bool


def open_output(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Output | None:
    """The callback of an option that names a file to write, or `-`.

    The file is opened at once, so that long work does not end in an error; OSError if it cannot be.
    """
    if value is None:
        return None
    file = click.open_file(value, "w", encoding="utf-8", lazy=False)
    if value != "-":
        ctx.call_on_close(file.close)
    return Output(file, value == "-")


json_option = click.option(
    "--json",
    "json_output",
    callback=open_output,
    metavar="FILE",
    help="Write the result as JSON ('-' is standard output, and nothing else goes there then).",
)

statements_option = click.option(
    "--statements",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE.py",
    help="Your own statements: a Python file with a tuple STATEMENTS (it is run).",
)

profile_option = click.option(
    "--profile",
    type=click.Choice(["quick", "full"]),
    default="full",
    show_default=True,
    help="quick shrinks numeric ranges; the scope says to what.",
)


def complete_id(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Ids of the project's statements that begin with what was typed."""
    return [name for name in registry() if name.startswith(typed)]
