"""`pe-verify list`: what is declared."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from verify.checking import known
from verify.commands._shared import json_option, statements_option
from verify.report import json_report, layout


@click.command("list")
@json_option
@statements_option
def command(json_file: IO[str] | None, file: Path | None) -> None:
    """List the statements: id, declared status, title, source."""
    statements = list(known(file).values())
    if json_file is not None:
        json_report.write(json_report.list_document(statements), json_file)
    if json_file is None or json_file.name != "<stdout>":
        rows = [(s.id, s.status, s.title, s.source) for s in statements]
        layout.table(layout.console(), ("id", "declared", "title", "source"), rows)
