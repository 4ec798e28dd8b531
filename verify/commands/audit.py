"""`pe-verify audit`: compare a numeric implementation with the exact encoding."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from verify.commands._shared import Output, json_option, open_output


def _numbers(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[int] | None:
    """The callback of an option that takes integers separated by commas."""
    if value is None:
        return None
    try:
        return [int(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of integers such as 1,2,8") from None


def _working(words: str) -> AbstractContextManager[object]:
    """A moving sign of work on a terminal, nothing elsewhere."""
    from verify.report import layout

    console = layout.console(error=True)
    return console.status(words) if console.is_terminal else nullcontext()


@click.command(
    "audit",
    epilog="\b\nExamples:\n"
    "  pe-verify audit mylib.rope:features --spec rope:dim=64 --length 8192\n"
    "  pe-verify audit mylib.rope:Rotary --spec rope:dim=64 --dtype bfloat16\n"
    "  pe-verify audit mylib:slopes --spec alibi          all head counts from 1 to 128\n"
    "  pe-verify audit mylib:bias --spec alibi:heads=8 --model 'bfloat16 bias'\n"
    "  pe-verify audit mylib:Mask --sarif findings.sarif --markdown comment.md\n"
    "\n\b\nExit codes: 0 nothing found; 1 findings (or a stale known failure); 2 bad input.",
)
@click.argument("subject", metavar="MODULE:NAME")
@click.option("--spec", metavar="SPEC", help="The exact encoding, as in rope:dim=64,base=10000.")
@click.option(
    "--length", type=int, default=2048, show_default=True, metavar="N", help="Positions to cover."
)
@click.option("--dtype", metavar="TYPE", help="Given to callables that take one: bfloat16, ...")
@click.option(
    "--model",
    metavar="WORDS",
    help="The declared rounding: 'float32 phase, then cast to bfloat16'; 'bfloat16 product'.",
)
@click.option("--kind", metavar="KIND", help="What the callable is, if its name does not say.")
@click.option("--cast", metavar="TYPE", help="Also audit the subject after a cast to this type.")
@click.option("--positions", callback=_numbers, metavar="P,P,...", help="Examine these only.")
@click.option("--prompt", callback=_numbers, metavar="N,N,...", help="Prompt lengths of decoding.")
@click.option(
    "--steps", type=click.IntRange(min=1), default=4, show_default=True, metavar="N",
    help="Tokens decoded after each prompt.",
)  # fmt: skip
@click.option(
    "--visibility",
    type=click.Choice(["causal", "full"]),
    default="causal",
    show_default=True,
    help="Which keys a row sees, if the subject has no mask.",
)
@click.option("--targets", callback=_numbers, metavar="K,K,...", help="Right keys of given logits.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=60.0, show_default=True, metavar="S",
    help="Time limit of one call of the subject.",
)  # fmt: skip
@click.option(
    "--known", type=click.Path(path_type=Path), metavar="FILE",
    help="Known failures, one id a line; one that does not fail is an error.",
)  # fmt: skip
@json_option
@click.option("--junit", "junit_output", callback=open_output, metavar="FILE", help="JUnit XML.")
@click.option("--sarif", "sarif_output", callback=open_output, metavar="FILE", help="SARIF 2.1.0.")
@click.option(
    "--markdown", "markdown_output", callback=open_output, metavar="FILE",
    help="A comment for a pull request.",
)  # fmt: skip
def command(
    *,
    subject: str,
    spec: str | None,
    length: int,
    dtype: str | None,
    model: str | None,
    kind: str | None,
    cast: str | None,
    positions: list[int] | None,
    prompt: list[int] | None,
    steps: int,
    visibility: str,
    targets: list[int] | None,
    seconds: float,
    known: Path | None,
    json_output: Output | None,
    junit_output: Output | None,
    sarif_output: Output | None,
    markdown_output: Output | None,
) -> int:
    """Validate a numeric implementation of a positional encoding against the exact one.

    SUBJECT is a callable or an object: features(positions), kernel(offsets), bias(n), logits(n),
    rotate(x, positions), decide(logits, mask), mask(n), slopes(heads), buckets(offsets),
    parameters(length), positions(prompt, steps), or several of them. It runs in its own process.
    """
    outputs = (json_output, junit_output, sarif_output, markdown_output)
    standard = [output for output in outputs if output is not None and output.standard]
    if len(standard) > 1:
        raise click.UsageError("only one report can go to standard output")
    from verify.audit import known as known_failures
    from verify.audit import report
    from verify.audit.run import audit
    from verify.report import json_report

    listed = known_failures.read(known) if known is not None else ()
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does, so that the user's module is found
    with _working(f"auditing {subject}"):
        result = audit(
            subject, spec, length=length, kind=kind, dtype=dtype, model=model, positions=positions,
            visibility=visibility, prompts=prompt, steps=steps, targets=targets, cast=cast,
            seconds=seconds,
        )  # fmt: skip
    failing = {report.identity(result, finding.identity) for finding in result.findings}
    stale = known_failures.stale(listed, failing)
    if not standard:
        click.echo(report.summary(result))
        for name in stale:
            click.echo(f"stale known failure: {name} does not fail; remove it from {known}")
        if listed:
            click.echo(f"{len(listed) - len(stale)} known failures")
    if json_output is not None:
        json_report.write(report.document(result), json_output.file)
    if sarif_output is not None:
        json_report.write(report.sarif_log([result]), sarif_output.file)
    for output, words in ((junit_output, report.junit), (markdown_output, report.markdown)):
        if output is not None:
            output.file.write(words([result]))
            output.file.flush()
    return 1 if stale or failing - set(listed) else 0
