"""Parts of the commands that answer questions: shared options, whole files, progress."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify.report import layout

if TYPE_CHECKING:
    from verify.plots import Picture

MANY = 10_000
Told = Callable[[str, int, int], None]  # what, done, in all


def lengths(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[int] | None:
    """The callback of an option such as `30,40,60` or `30,100..200`; ranges include both ends."""
    if value is None:
        return None
    found: list[int] = []
    for part in value.split(","):
        match = re.fullmatch(r"\s*(-?\d{1,9})(?:\.\.(\d{1,9}))?\s*", part, re.ASCII)
        if match is None:
            raise click.BadParameter(
                f"{value!r} is not a list of lengths such as 30,40,60 or 30..60", ctx, parameter
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if high < low or len(found) + high - low >= MANY:
            raise click.BadParameter(
                f"{part.strip()!r} is not a range of at most {MANY} lengths, low to high",
                ctx,
                parameter,
            )
        found.extend(range(low, high + 1))
    return found


def target(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """The callback of an option that names a file to write: checked now, written whole later."""
    if value is None:
        return None
    path = Path(value)
    if path.is_dir() or not path.parent.is_dir():
        wrong = "is a folder" if path.is_dir() else f"is in {path.parent}, which does not exist"
        raise click.BadParameter(f"{value!r} {wrong}; name a file", ctx, parameter)
    if not os.access(path.parent, os.W_OK):
        raise click.BadParameter(f"{path.parent} is not writable", ctx, parameter)
    return path


def document_target(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """The same, where `-` is standard output."""
    return Path("-") if value == "-" else target(ctx, parameter, value)


visibility_option = click.option(
    "--visibility", type=click.Choice(["causal", "full"]), default="causal", show_default=True,
    help="Which keys a row sees.",
)  # fmt: skip
train_option = click.option(
    "--train", type=int, required=True, metavar="L0", help="The training length."
)
seconds_option = click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), metavar="S",
    help="Time limit of each exact question.  [default: none]",
)  # fmt: skip


def cross_check_option(claims: str) -> Callable[[Any], Any]:
    """The option --cross-check; claims: what the solver decides too, in words."""
    return click.option(
        "--cross-check", type=click.Choice(["z3", "cvc5"]),
        help=f"Let a solver decide the same {claims} too; a contradiction is an error.",
    )  # fmt: skip


def certificates_option(what: str) -> Callable[[Any], Any]:
    """The option --certificates DIR; what: which ones are written, in words."""
    return click.option(
        "--certificates", "directory", type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR", help=f"Write {what} into this folder, for recheck.",
    )  # fmt: skip


def csv_option(line: str) -> Callable[[Any], Any]:
    """The option --csv FILE; line: what a line of it is of, in words."""
    return click.option(
        "--csv", "csv_file", callback=document_target, metavar="FILE",
        help=f"Write one line a {line}.",
    )  # fmt: skip


def plot_option(what: str) -> Callable[[Any], Any]:
    """The option --plot FILE, whose kind of file is checked before any work is done."""

    def checked(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
        path = target(ctx, parameter, value)
        if path is not None:
            from verify import plots

            plots.check(path)
        return path

    return click.option(
        "--plot", "plot_file", callback=checked, metavar="FILE",
        help=f"Draw {what} (.svg, .png, .pdf); its numbers go to FILE.csv.",
    )  # fmt: skip


json_option = click.option(
    "--json",
    "json_file",
    callback=document_target,
    metavar="FILE",
    help="Write the result as JSON ('-' is standard output, and nothing else goes there then).",
)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` if all goes well, and else vanishes."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # what an ordinary new file has
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a file at once or not at all; `-` is standard output."""
    if path == Path("-"):
        click.echo(text, nl=False)
        return
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_picture(path: Path | None, picture: Callable[[], Picture]) -> None:
    """Draw and write a picture, and its numbers to FILE.csv; nothing without a path."""
    if path is None:
        return
    from verify import plots

    made = picture()
    with whole(path) as temporary:
        plots.save(made, temporary)
    write_text(path.with_name(f"{path.name}.csv"), made.csv())


def write_json(path: Path, document: Any) -> None:
    """Indented JSON without NaN."""
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def progress() -> Iterator[Told | None]:
    """A bar on standard error if that is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=layout.console(error=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def told(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield told
