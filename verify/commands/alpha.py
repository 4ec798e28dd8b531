"""`pe-verify alpha`: alpha_L of an encoding on a task, certified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify.commands import _questions
from verify.report import layout

if TYPE_CHECKING:
    from rich.console import Console

    from verify.alpha import AlphaResult, TypeCheck
    from verify.decision_certificates import Skipped, Written


def _types(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[str]:
    if value is None:
        return []
    from verify.engines.floats.narrow import TYPES

    names = list(TYPES) if value == "all" else [name.strip() for name in value.split(",")]
    for name in names:
        if name not in TYPES:
            known = ", ".join(TYPES)
            raise click.BadParameter(
                f"unknown float type {name!r}; known are {known}", ctx, parameter
            )
    return names


@click.command(
    "alpha",
    epilog="\b\nExamples:\n"
    "  pe-verify alpha rope:frequencies=16 attend-first --train 20 --lengths 30,40,60\n"
    "  pe-verify alpha sinusoidal:dim=32 previous --train 20 --lengths 60,128 --types all\n"
    "  pe-verify alpha clamped:length=20 previous --train 20 --lengths 60 --rule max-margin\n"
    "  pe-verify alpha affine attend-first --train 9 --lengths 20..40 --parameter w.json\n"
    "\n\b\nRules: ce (regularized cross-entropy; settings as in ce:steps=800,weight_decay=0),\n"
    "min-norm, max-margin, given:FILE. Exit codes: 0 decided; 2 wrong usage or bad input.",
)
@click.argument("encoding")
@click.argument("task")
@_questions.train_option
@click.option(
    "--lengths", required=True, callback=_questions.lengths, metavar="L,L,...",
    help="Where to read the parameter, as in 30,40,60 or 30..60.",
)  # fmt: skip
@click.option(
    "--rule", default="ce", show_default=True, metavar="RULE", help="How the parameter is selected."
)
@click.option(
    "--parameter", metavar="FILE",
    help="Use the parameter in this .npy, .npz or .json file: the rule given:FILE.",
)  # fmt: skip
@_questions.visibility_option
@click.option(
    "--types", callback=_types, metavar="TYPE,...",
    help="Compare with the same head computed in float64, float32, bfloat16, float16 (or all).",
)  # fmt: skip
@_questions.certificates_option("certificates of every decision")
@click.option(
    "--save-parameter", "saved", callback=_questions.target, metavar="FILE.json",
    help="Write the selected parameter as exact rationals.",
)  # fmt: skip
@_questions.csv_option("length")
@_questions.plot_option("alpha against the length")
@_questions.json_option
def command(
    encoding: str,
    task: str,
    train: int,
    lengths: list[int],
    rule: str,
    parameter: str | None,
    visibility: str,
    types: list[str],
    directory: Path | None,
    saved: Path | None,
    csv_file: Path | None,
    plot_file: Path | None,
    json_file: Path | None,
) -> int:
    """Decide every new row of TASK for the parameter that a rule selects for ENCODING at L0.

    alpha is the share of the rows L0..L-1 that the same parameter hits at the length L: exact, for
    every encoding; ties count as failures.
    """
    from verify import decision_certificates, plots
    from verify.alpha import alpha, cross_check

    if parameter is not None:
        if rule != "ce":
            raise click.UsageError("--parameter is a rule of its own; leave --rule out")
        rule = f"given:{parameter}"
    if [csv_file, json_file].count(Path("-")) > 1:
        raise click.UsageError("--json and --csv cannot both go to standard output")
    with _questions.progress() as told:
        result = alpha(
            encoding, task, train_length=train, lengths=lengths, rule=rule, visibility=visibility,
            progress=told,
        )  # fmt: skip
        checks = cross_check(result, types, told) if types else []
        written = decision_certificates.write(result, directory, told) if directory else []
    document = result.to_json()
    if types:
        document["types"] = [check.to_json() for check in checks]
    if directory:
        document["certificates"] = [_certificate(entry) for entry in written]
    if saved is not None:
        _questions.write_json(saved, result.parameter.spelled())
    _questions.write_picture(plot_file, lambda: plots.curves([result]))
    if csv_file is not None:
        _questions.write_text(csv_file, _csv(result))
    if json_file is not None:
        _questions.write_json(json_file, document)
    if Path("-") not in (json_file, csv_file):
        _print(layout.console(), result, checks, written)
    return 0


def _certificate(entry: Written | Skipped) -> dict[str, Any]:
    path = getattr(entry, "path", None)
    return {
        "length": entry.length,
        "rows": entry.rows,
        "file": None if path is None else str(path),
        "reason": getattr(entry, "reason", ""),
    }


def _csv(result: AlphaResult) -> str:
    """One line a length."""
    lines = ["length,hits,misses,ties,scored,alpha,float_hits,realizes_train"]
    for s in result.lengths:
        cells = (s.length, s.hits, s.misses, s.ties, s.scored, float(s.alpha), s.float_hits)
        lines.append(",".join([*map(str, cells), str(result.realizes_train).lower()]))
    return "\n".join(lines) + "\n"


def _print(
    out: Console,
    result: AlphaResult,
    checks: list[TypeCheck],
    written: list[Written | Skipped],
) -> None:
    train = result.train
    layout.line(out, f"{result.encoding.spec} on {result.task.spec}, rule {result.rule}", "bold")
    low, high = train.smallest_margin
    if result.realizes_train:
        layout.line(out, f"realizes length {train.length} with margin {_interval(low, high)}")
    else:
        layout.line(
            out,
            f"does not realize length {train.length}: {train.hits} of {train.scored} rows are hits",
            "yellow",
        )
    layout.line(out)
    header = ("L", "alpha", "hits", "ties", "float64", "smallest margin")
    rows = []
    for score in result.lengths:
        differ = len(score.disagreements)
        agreement = f"{score.float_hits}/{score.scored}" + (f", {differ} differ" if differ else "")
        rows.append(
            (
                str(score.length), f"{float(score.alpha):.4f}", f"{score.hits}/{score.scored}",
                str(score.ties), agreement, _interval(*score.smallest_margin),
            )
        )  # fmt: skip
    layout.table(out, header, rows)
    if checks:
        layout.heading(out, "the same head in float types (hits, and the first row that flips)")
        header = ("L", "type", "first wins", "horizon", "last wins", "horizon")
        layout.table(out, header, [_type_cells(check) for check in checks])
    for entry in written:
        path = getattr(entry, "path", None)
        what = f"no certificate, {getattr(entry, 'reason', '')}" if path is None else str(path)
        layout.line(
            out, f"L = {entry.length}, {entry.rows}: {what}", "yellow" if path is None else ""
        )


def _type_cells(check: TypeCheck) -> tuple[str, ...]:
    cells = [str(check.score.length), check.type]
    for policy, picked in (("first", check.first), ("last", check.last)):
        horizon = check.horizon(policy)
        cells += [f"{int(picked.sum())}/{len(picked)}", "-" if horizon is None else str(horizon)]
    return tuple(cells)


def _interval(low: Any, high: Any) -> str:
    """Both ends if they differ at six digits."""
    ends = [f"{float(end):.6g}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
