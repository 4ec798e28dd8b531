"""Consoles and aligned text, on terminals of any width and in pipes.

On a terminal lines are wrapped under their own column and coloured (NO_COLOR and TERM are
respected); everywhere else one row is one plain line, whatever its length, for grep and logs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

NARROWEST_COLUMN = 28  # the last column of a table is not squeezed below this


class _Console(Console):
    """Leaves it to the command line what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Called while the BrokenPipeError is handled; rich itself would exit with code 1."""
        raise BrokenPipeError


def console(file: IO[str] | None = None, *, error: bool = False) -> Console:
    """A console that takes text literally: no markup, no emoji, no guessing of colours."""
    return _Console(file=file, stderr=error, markup=False, emoji=False, highlight=False)


def line(out: Console, text: str = "", style: str = "", indent: int = 0) -> None:
    """One paragraph, wrapped under its own indentation on a terminal."""
    if out.is_terminal:
        out.print(Padding(Text(text, style=style), (0, 0, 0, indent)))
    else:
        for part in text.split("\n"):
            out.print(" " * indent + part, soft_wrap=True)


def heading(out: Console, text: str) -> None:
    """A title with an empty line before it."""
    line(out)
    line(out, text, "bold")


def row(
    out: Console, cells: Sequence[str], widths: Sequence[int], styles: Sequence[str] = ()
) -> None:
    """One row of a table whose last cell has the rest of the line.

    A terminal too narrow for that gets the last cell below the others.
    """
    styles = [*styles, *[""] * (len(cells) - len(styles))]
    fixed = sum(widths) + 2 * len(widths)
    if not out.is_terminal:
        parts = [f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)]
        out.print("  ".join([*parts, cells[-1]]).rstrip(), soft_wrap=True)
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    if out.width >= fixed + NARROWEST_COLUMN:
        for width in widths:
            table.add_column(width=width, no_wrap=True)
        table.add_column()
        table.add_row(*(Text(c, style=s) for c, s in zip(cells, styles, strict=True)))
        out.print(table)
        return
    head = Text("  ").join(
        Text(c, style=s) for c, s in zip(cells[:-1], styles, strict=False) if c.strip()
    )
    out.print(head)
    if cells[-1]:
        out.print(Padding(Text(cells[-1], style=styles[-1]), (0, 0, 0, 4)))


def table(
    out: Console,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    styles: Sequence[Sequence[str]] = (),
) -> None:
    """A whole table; its columns but the last are as wide as their widest cell.

    On a terminal that is too narrow for it every row is a paragraph that names its cells.
    """
    *widths, last = [max(len(r[k]) for r in [header, *rows]) for k in range(len(header))]
    if not out.is_terminal:
        for cells in [header, *rows]:
            row(out, cells, widths)
        return
    if sum(widths) + 2 * len(widths) + min(NARROWEST_COLUMN, last) > out.width:
        for first, *rest in rows:
            line(out, first, "bold")
            named = zip(header[1:], rest, strict=True)
            line(out, "; ".join(f"{name} {cell}".strip() for name, cell in named if cell), indent=2)
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for width in widths:
        grid.add_column(width=width, no_wrap=True)
    grid.add_column()
    grid.add_row(*(Text(cell, style="dim") for cell in header))
    for place, cells in enumerate(rows):
        given = styles[place] if styles else [""] * len(cells)
        grid.add_row(*(Text(c, style=s) for c, s in zip(cells, given, strict=True)))
    out.print(grid)
