"""`pe-verify report`: the whole report as one page."""

from __future__ import annotations

from pathlib import Path

import click

from verify.checking import ProfileName
from verify.commands import _questions, check
from verify.commands._shared import complete_id, statements_option


@click.command(
    "report",
    epilog="\b\nExamples:\n"
    "  pe-verify report                                  everything, small numeric ranges\n"
    "  pe-verify report --profile full --output full.html\n"
    "  pe-verify report theorem-2 proposition-3 --output - > two.html\n"
    "\n\b\nThe page needs no network and no script. Drawings need matplotlib (the extra plot);\n"
    "without it the page has their numbers.\n"
    "\n\b\nExit codes: as for check.",
)
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_id)
@click.option(
    "--output", "-o", default="pe-verify-report.html", show_default=True,
    callback=_questions.document_target, metavar="FILE",
    help="The page ('-' is standard output).",
)  # fmt: skip
@click.option(
    "--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True,
    help="quick shrinks numeric ranges; the scope says to what.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N",
    help="Processes; the results do not depend on it.  [default: the CPUs at hand]",
)  # fmt: skip
@statements_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    ids: tuple[str, ...],
    output: Path,
    profile: ProfileName,
    jobs: int | None,
    file: Path | None,
) -> int:
    """Decide every statement, or those with the given IDs, and write one page that shows it all.

    The page has statements, hypotheses with their counterexamples, certificates to download,
    measured numbers beside the published ones, and pictures. The same as `check --html`.
    """
    code: int = ctx.invoke(
        check.command, ids=ids, profile=profile, jobs=jobs, html_file=output, file=file
    )
    if output != Path("-"):
        click.echo(f"\nThe report is in {output}.")
    return code
