"""`pe-verify recheck`: certificates again, by the kernel alone."""

from __future__ import annotations

import click


@click.command(
    "recheck",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="FILE...")
def command(arguments: tuple[str, ...]) -> int:
    """Check certificate files with the kernel alone; no third-party package is used."""
    from verify.recheck import main

    return main(list(arguments))
