"""`pe-verify complexity`: which operators a task needs as it grows, and what finds them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from verify.complexity import Counts, Growth


@click.command(
    "complexity",
    epilog="\b\nExamples:\n"
    "  pe-verify complexity\n"
    "  pe-verify complexity parity parity-cot --last 10 --plot parity.svg\n"
    "\n\b\nThe model is ours (see `pe-verify show operators.none-added`). A '-' says that no"
    " relation\n"
    "function of that kind gives every cell its role.",
)
@click.argument("families", nargs=-1, metavar="[FAMILY]...")
@click.option("--last", type=int, default=6, show_default=True, metavar="N", help="The largest n.")
@_questions.csv_option("family and length")
@_questions.plot_option("the operators needed up to n")
@_questions.json_option
def command(
    families: tuple[str, ...], last: int, csv_file: Path | None, plot_file: Path | None,
    json_file: Path | None,
) -> int:  # fmt: skip
    """Count the operators that circuit families need, and the relation classes that find them.

    Families: copy, shift, reverse, parity (with and without chain of thought), addition (with and
    without padding), multiplication by a digit.
    """
    from verify import circuits, complexity, plots

    if last > 40:
        raise ValueError(f"--last must be at most 40, not {last}: the tables grow with n")
    chosen = [complexity.family(name) for name in families] or list(circuits.FAMILIES)
    found = [complexity.growth(of, last) for of in chosen]
    _questions.write_picture(plot_file, lambda: plots.operators(found))
    if csv_file is not None:
        _questions.write_text(csv_file, _csv(found))
    if json_file is not None:
        _questions.write_json(json_file, complexity.document(found))
    if Path("-") not in (json_file, csv_file):
        _print(layout.console(), found)
    return 0


_COLUMNS = (
    "operators", "so_far", "ideal", "absolute", "relative", "hinted_absolute", "hinted_relative",
)  # fmt: skip


def _cells(counts: Counts) -> list[str]:
    values = [getattr(counts, name) for name in _COLUMNS]
    return [str(counts.n), *("-" if value is None else str(value) for value in values)]


def _csv(found: Sequence[Growth]) -> str:
    lines = [",".join(["family", "n", *_COLUMNS])]
    for of in found:
        lines += [",".join([of.family.name, *(x.strip("-") for x in _cells(c))]) for c in of.counts]
    return "\n".join(lines) + "\n"


def _print(out: Console, found: Sequence[Growth]) -> None:
    for of in found:
        kind = "exact" if of.family.exact else "upper bounds"
        trend = "new ones are still needed at the end" if of.grows else "none is new at the end"
        layout.heading(out, f"{of.family.name}: {of.family.words}")
        layout.line(out, f"operators ({kind}): {trend}", indent=2)
        header = ("n", "operators", "up to n", "ideal", "absolute", "relative", "absolute, n known",
                  "relative, n known")  # fmt: skip
        layout.table(out, header, [tuple(_cells(c)) for c in of.counts])
