"""`pe-verify synthesize`: the smallest encoding of a stated grammar that carries a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from rich.console import Console

    from verify.synthesis.search import Find, Side, Synthesis


@click.command(
    "synthesize",
    epilog="\b\nExamples:\n"
    "  pe-verify synthesize previous\n"
    "  pe-verify synthesize copy --train 8 --length 64 --certificates found\n"
    "  pe-verify synthesize 'expr:i//2' --json -\n"
    "\n\b\nThe grammar: monomials in the offset or the position, clipped and bucketed offsets,\n"
    "rotations, their products with a monomial; with Scale Hint monomials in i and n.\n"
    "Exit code 0 on any answer, none included.",
)
@click.argument("task")
@click.option(
    "--train", type=int, default=8, show_default=True, metavar="L0", help="The training length."
)
@click.option(
    "--length", type=int, default=64, show_default=True, metavar="L",
    help="Every length from L0 to L is asked, by one parameter.",
)  # fmt: skip
@_questions.visibility_option
@_questions.certificates_option("the theorems for all lengths")
@_questions.plot_option("the encodings tried")
@_questions.json_option
def command(
    task: str, train: int, length: int, visibility: str, directory: Path | None,
    plot_file: Path | None, json_file: Path | None,
) -> int:  # fmt: skip
    """Find the smallest encoding that carries TASK, and whether it needs to know the length.

    Each encoding of the grammar is decided exactly, in order of the number of parameter entries,
    without and with Scale Hint. A find is lifted to all lengths where its logit is a polynomial.
    """
    from verify import certificates, plots_choices
    from verify.synthesis import search

    with _questions.progress() as told:
        found = search.synthesize(
            task, train_length=train, length=length, visibility=visibility, progress=told
        )
    written = {}
    if directory is not None:
        for side in (found.plain, found.hinted):
            certificate = search.certificate(found, side.proved) if side.proved else None
            if certificate is not None:
                name = f"all-lengths--{'scale-hint' if side.hint else 'plain'}.json"
                certificates.write(directory / name, certificate)
                written[side.hint] = directory / name
    _questions.write_picture(plot_file, lambda: plots_choices.attempts(found))
    if json_file is not None:
        document = search.document(found)
        document["certificates"] = [str(path) for path in written.values()]
        _questions.write_json(json_file, document)
    if json_file != Path("-"):
        _print(layout.console(), found, written)
    return 0


def _print(out: Console, found: Synthesis, written: dict[bool, Path]) -> None:
    lengths = f"lengths {found.train_length} to {found.length}"
    layout.line(out, f"{found.task}, {lengths}, {found.visibility} attention", "bold")
    for side in (found.plain, found.hinted):
        title = "With Scale Hint (features see the length)" if side.hint else "Without the length"
        layout.heading(out, title)
        _print_side(out, found, side)
        layout.line(out, _classes(side), indent=2)
        if side.hint in written:
            layout.line(out, f"certificate: {written[side.hint]}", indent=2)


def _classes(side: Side) -> str:
    """What a learned relation could do."""
    if side.classes.classes is not None:
        return f"a learned relation can do it with {side.classes.classes} classes of cells"
    cycle = " > ".join(map(str, [*side.classes.cycle, side.classes.cycle[0]]))
    return f"no relation on cells does it: {cycle}"


def _print_side(out: Console, found: Synthesis, side: Side) -> None:
    if side.smallest is None:
        refuted = sum(a.outcome == "refuted" for a in side.attempts)
        layout.line(out, f"none of {len(side.attempts)} encodings; {refuted} refuted", "yellow", 2)
        _print_conflicts(out, side)
        return
    _print_find(out, found, side.smallest)
    if side.proved is not None and side.proved is not side.smallest:
        _print_find(out, found, side.proved)


def _print_conflicts(out: Console, side: Side) -> None:
    """Which rows no parameter does together, said once for all encodings that share them."""
    groups: dict[Any, list[str]] = {}
    for attempt in side.attempts:
        what = attempt.rows[:4] if attempt.outcome == "refuted" else attempt.reason
        groups.setdefault(what, []).append(attempt.spec)
    for what, specs in groups.items():
        shown = ", ".join(specs[:3]) + (f" and {len(specs) - 3} more" if len(specs) > 3 else "")
        if isinstance(what, str):
            layout.line(out, f"undecided ({what}): {shown}", "yellow", 4)
            continue
        rows = ", ".join(f"row {i} -> {t} at length {n}" for n, i, t in what)
        layout.line(out, f"{rows}: no parameter of {shown}", indent=4)


def _print_find(out: Console, found: Synthesis, find: Find) -> None:
    reach = "every length, proved" if find.lifted else f"every length up to {find.length}, decided"
    layout.line(out, f"{find.spec}: {reach}", "green" if find.lifted else "", 2)
    if find.lifted:
        layout.line(out, f"logit (up to terms without j): {find.lifted.logit}", indent=4)
    rows = "; ".join(" ".join(map(str, row)) for row in find.parameter[:6])
    layout.line(out, f"parameter ({find.size} entries): {rows}", indent=4)
    form = "" if found.visibility == "causal" else f" --visibility {found.visibility}"
    layout.line(
        out,
        f"confirm: pe-verify realize '{find.spec}' '{found.task}' --length {found.length}{form}",
        indent=4,
    )
