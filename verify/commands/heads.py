"""`pe-verify heads`: the positional channel of every head of a trained model, certified."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands import _questions
from verify.commands.alpha import _certificate, _type_cells, _types
from verify.report import layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from verify.checkpoints import Head, Heads
    from verify.checkpoints.reading import Parts
    from verify.decision_certificates import Skipped, Written
    from verify.plots import Panel

_DRAWN = 4  # heads in one picture
_RUNS = 4  # runs of failing rows in one line of the table


def _only(
    ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> list[str] | None:
    return [name.strip() for part in value for name in part.split(",")] or None


def _panels(result: Heads, parts: Mapping[str, Parts]) -> list[Panel]:
    from verify.checkpoints import reading

    return [
        (f"{h.name}: {h.task} {h.score.hits}/{h.score.scored}",
         reading.logits(h, parts[h.name]), h.failing)
        for h in result.heads[:_DRAWN]
    ]  # fmt: skip


@click.command(
    "heads",
    epilog="\b\nExamples:\n"
    "  pe-verify heads model.zip\n"
    "  pe-verify heads model/ --visibility causal --channel biases --csv heads.csv\n"
    "  pe-verify heads model/ --only 0.5,1.11 --types all --train 64 --certificates proofs\n"
    "  pe-verify heads llama/ --content hidden.npy --length 1024\n"
    "\n\b\nCHECKPOINT is a folder or a zip with config.json and safetensors: bert, roberta,\n"
    "distilbert, gpt2 (position tables); t5, mt5, bloom; llama, mistral, qwen2 (RoPE).\n"
    "Exit codes: 0 decided; 2 wrong usage or bad input; 3 some class of --train is open.",
)
@click.argument("checkpoint")
@click.option(
    "--channel", type=click.Choice(["table", "biases", "norm"]), default="table",
    show_default=True, help="The position table alone, with the biases of queries and keys, or "
    "with these and the layer norm of the mean word embedding plus the table.",
)  # fmt: skip
@click.option(
    "--visibility", type=click.Choice(["causal", "full"]),
    help="Which keys a row sees.  [default: as the model attends]",
)  # fmt: skip
@click.option(
    "--length", type=int, metavar="N", help="How many rows.  [default: the whole table, or 512]"
)
@click.option(
    "--only", multiple=True, callback=_only, metavar="HEAD,...",
    help="Only these heads, as in 0.5,1.11.",
)  # fmt: skip
@click.option(
    "--content", type=click.Path(path_type=Path), metavar="FILE",
    help="RoPE: .npy or .json vectors whose mean the projections are given, after any norm.",
)  # fmt: skip
@click.option(
    "--types", callback=_types, metavar="TYPE,...",
    help="Compare with the same head computed in float64, float32, bfloat16, float16 (or all).",
)  # fmt: skip
@click.option(
    "--train", type=int, metavar="L0",
    help="Class the rows from L0 on for every W that realizes the head's task on the rows below.",
)  # fmt: skip
@_questions.certificates_option("certificates of every decision")
@_questions.csv_option("head")
@_questions.plot_option(f"rows by keys of the {_DRAWN} best heads")
@_questions.json_option
def command(
    checkpoint: str,
    channel: str,
    visibility: str | None,
    length: int | None,
    only: list[str] | None,
    content: Path | None,
    types: list[str],
    train: int | None,
    directory: Path | None,
    csv_file: Path | None,
    plot_file: Path | None,
    json_file: Path | None,
) -> int:
    """Certify on which rows each head of CHECKPOINT attends where, by positions alone.

    Each head is decided on the task that most of its rows agree with: self, previous, next, skip-k
    to either side, attend-first or attend-p. Weights are read exactly; ties count as failures.
    """
    from verify import plots
    from verify.checkpoints import certifying, reading
    from verify.checkpoints.channels import CHANNELS

    if [csv_file, json_file].count(Path("-")) > 1:
        raise click.UsageError("--json and --csv cannot both go to standard output")
    (chosen,) = (name for name in CHANNELS if name == channel)
    asked = reading.question(chosen, visibility, length, only, content, types)
    written: list[Written | Skipped] = []
    with _questions.progress() as told:
        result, parts = reading.examine(checkpoint, asked, train, told)
        for done, head in enumerate(result.heads if directory else ()):
            if told is not None:
                told("certificates", done, len(result.heads))
            assert directory is not None
            written.append(certifying.write(head, parts[head.name], chosen, directory))
    document = result.to_json()
    if directory:
        document["certificates"] = [_certificate(entry) for entry in written]
    _questions.write_picture(plot_file, lambda: plots.attention(_panels(result, parts)))
    if csv_file is not None:
        _questions.write_text(csv_file, result.csv())
    if json_file is not None:
        _questions.write_json(json_file, document)
    if Path("-") not in (json_file, csv_file):
        _print(layout.console(), result, written)
    return 0 if all(carry.decided for carry in result.carries) else 3


def runs(rows: Sequence[int]) -> str:
    """Rows as runs, such as 0..3, 17; the first of them if there are many."""
    found = []
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        run = [row for _, row in group]
        found.append(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}")
    return ", ".join(found[:_RUNS]) + (", ..." if len(found) > _RUNS else "")


def _print(out: Console, result: Heads, written: Sequence[Written | Skipped]) -> None:
    what = f"{result.family}, channel {result.channel}, length {result.length}"
    layout.line(out, f"{result.checkpoint}: {what}", "bold")
    layout.line(out, f"left out: {'; '.join(result.left_out)}", "dim")
    layout.line(out)
    header = ("head", "task", "keys", "share", "hits", "ties", "smallest margin", "failing rows")
    layout.table(out, header, [_cells(head) for head in result.heads])
    if any(head.types for head in result.heads):
        layout.heading(out, "the same heads in float types (hits, and the first row that flips)")
        typed = ("head", "L", "type", "first wins", "horizon", "last wins", "horizon")
        cells = [(h.name, *_type_cells(check)) for h in result.heads for check in h.types]
        layout.table(out, typed, cells)
    if result.carries:
        layout.heading(out, "new rows, for every W that realizes the task on the rows below L0")
    for carry in result.carries:
        span = f"{carry.task}, rows {carry.train_length}..{carry.length - 1}"
        if carry.decided:
            layout.line(out, f"{span}: all {carry.free} free, so 0 <= alpha <= 1 and no more")
        elif not carry.independent:
            layout.line(
                out, f"{span}: open, as the rows below {carry.train_length} are dependent", "yellow"
            )
        else:
            layout.line(
                out, f"{span}: {carry.free} free, {len(carry.open)} open: {runs(carry.open)}",
                "yellow",
            )  # fmt: skip
    if beyond := result.to_json().get("beyond"):
        layout.line(out)
        layout.line(out, beyond, "dim")
    for entry in written:
        path = getattr(entry, "path", None)
        told = f"no certificate, {getattr(entry, 'reason', '')}" if path is None else str(path)
        layout.line(out, f"{entry.rows}: {told}", "yellow" if path is None else "")


def _cells(head: Head) -> tuple[str, ...]:
    score, margin = head.score, head.margin
    least = "-" if margin is None else f"{float(margin[0]):.4g}"
    return (
        head.name, head.task, head.visibility, f"{float(head.share):.4f}",
        f"{score.hits}/{score.scored}", str(score.ties), least, runs(head.failing),
    )  # fmt: skip
