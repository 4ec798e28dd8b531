"""`pe-verify show ID`: one statement whole."""

from __future__ import annotations

from pathlib import Path

import click

from verify.checking import ProfileName, known
from verify.commands._shared import (
    Output,
    complete_id,
    json_option,
    profile_option,
    statements_option,
)
from verify.report import json_report, layout, statement_text
from verify.statements import Profile, select


@click.command(
    "show",
    epilog="\b\nExamples:\n"
    "  pe-verify show theorem-2\n"
    "  pe-verify show proposition-3 --json -     with every claim, as the kernel reads it",
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_id)
@json_option
@profile_option
@statements_option
def command(
    *, ids: tuple[str, ...], json_output: Output | None, profile: ProfileName, file: Path | None
) -> None:
    """Show statements whole: in words and LaTeX, their hypotheses and why each is needed.

    For every hypothesis there is the counterexample that removing it gives; for every obligation
    the sentence that the kernel checks, with its quantifiers.
    """
    statements = select(ids, known(file))
    chosen = Profile(profile)
    if json_output is not None:
        json_report.write(json_report.show_document(statements, chosen), json_output.file)
    if json_output is None or not json_output.standard:
        out = layout.console()
        for place, statement in enumerate(statements):
            if place:
                layout.line(out)
            statement_text.show(out, statement, chosen)
