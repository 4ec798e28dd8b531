"""Options that several commands have, and shell completion of statement ids."""

from __future__ import annotations

from pathlib import Path

import click

from verify.statements import registry

json_option = click.option(
    "--json",
    "json_file",
    type=click.File("w", encoding="utf-8", lazy=False),
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
