"""`pe-verify list`: what is declared."""

from __future__ import annotations

from pathlib import Path

import click

from verify.checking import known
from verify.commands._shared import Output, json_option, statements_option
from verify.report import json_report, layout


@click.command("list")
@json_option
@statements_option
def command(json_output: Output | None, file: Path | None) -> None:
    """List the statements: id, declared status, title, source."""
    statements = list(known(file).values())
    if json_output is not None:
        json_report.write(json_report.list_document(statements), json_output.file)
    if json_output is None or not json_output.standard:
        rows = [(s.id, s.status, s.title, s.source) for s in statements]
        layout.table(layout.console(), ("id", "declared", "title", "source"), rows)
