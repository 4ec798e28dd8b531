"""`pe-verify check`: run the theorem suite."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from verify import environment
from verify.checking import ProfileName, known
from verify.commands import _questions
from verify.commands._shared import (
    Output,
    complete_id,
    json_option,
    open_output,
    profile_option,
    statements_option,
)
from verify.report import html, json_report, junit, layout, sarif, terminal
from verify.statements import Profile, Statement, select
from verify.verdicts import Verdict, exit_code


@click.command(
    "check",
    epilog="\b\nExamples:\n"
    "  pe-verify check                              everything\n"
    "  pe-verify check theorem-2 proposition-3      two results with their parts\n"
    "  pe-verify check --profile quick --junit report.xml\n"
    "  pe-verify check --certificates certificates  keep the accepted certificates\n"
    "\n\b\nExit codes: 0 all as declared; 1 a contradiction; 3 something is undecided.",
)
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_id)
@profile_option
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes; the results do not depend on it.  [default: the CPUs at hand]",
)
@json_option
@click.option(
    "--junit",
    "junit_output",
    callback=open_output,
    metavar="FILE",
    help="Write a JUnit XML report for CI ('-' is standard output).",
)
@click.option(
    "--sarif",
    "sarif_output",
    callback=open_output,
    metavar="FILE",
    help="Write a SARIF log of contradictions and undecided statements.",
)
@click.option(
    "--html",
    "html_file",
    callback=_questions.document_target,
    metavar="FILE",
    help="Write one self-contained page: results, hypotheses, certificates, pictures.",
)
@click.option(
    "--certificates",
    "directory",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    metavar="DIR",
    help="Write every accepted certificate into this folder.",
)
@statements_option
def command(
    *,
    ids: tuple[str, ...],
    profile: ProfileName,
    jobs: int | None,
    json_output: Output | None,
    junit_output: Output | None,
    sarif_output: Output | None,
    html_file: Path | None,
    directory: Path | None,
    file: Path | None,
) -> int:
    """Decide every statement, or those with the given IDs, and compare with what is declared.

    An ID such as proposition-3 also means its parts.
    """
    outputs = (json_output, junit_output, sarif_output)
    taken = [o is not None and o.standard for o in outputs].count(True)
    taken += html_file == Path("-")
    if taken > 1:
        raise click.UsageError("only one report can go to standard output")
    chosen = select(ids, known(file))
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    from verify import suite

    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="pe-verify-") as temporary:
        kept = directory or (Path(temporary) if html_file is not None else None)
        running = suite.run(
            chosen, profile=Profile(profile), jobs=jobs or _cpus(), source=file, directory=kept
        )
        if taken:
            verdicts = list(_with_progress(running, chosen, layout.console(error=True)))
        else:
            verdicts = _printed(running, chosen, layout.console(), began)
            terminal.advice(layout.console(), _advice(verdicts, profile, directory, file))
        versions = environment.solver_versions()
        if json_output is not None:
            document = json_report.check_document(verdicts, profile, versions)
            json_report.write(document, json_output.file)
        if junit_output is not None:
            junit.write(verdicts, junit_output.file)
        if sarif_output is not None:
            json_report.write(sarif.of_verdicts(verdicts), sarif_output.file)
        if html_file is not None and kept is not None:
            from proofs.published import CLAIMS
            from verify.gallery import pictures

            by_id = {statement.id: statement for statement in chosen}
            written = _written(verdicts, kept)
            page = html.Page(verdicts, by_id, Profile(profile), versions, written, pictures(CLAIMS))
            _questions.write_text(html_file, html.text(page))
    return exit_code(verdicts)


def _written(verdicts: Sequence[Verdict], directory: Path) -> dict[tuple[str, str], Path]:
    """The certificate files of everything that the kernel accepted in this run."""
    from verify import suite

    found = {}
    for verdict in verdicts:
        parts = (verdict.controls, verdict.twins)
        others = (f for part in parts for control in part for f in control.findings)
        for finding in (*verdict.findings, *others):
            if finding.outcome == "valid":
                name = suite.file_name(verdict.id, finding.name)
                found[verdict.id, finding.name] = directory / name
    return found


def _cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _printed(
    running: Iterator[Verdict], chosen: Sequence[Statement], out: Console, began: float
) -> list[Verdict]:
    """The verdicts, each printed as it comes in, then the rest of the report."""
    columns = terminal.widths(chosen)
    terminal.title(out, columns)
    progress_on = out if out.is_terminal else layout.console(error=True)
    verdicts = []
    for verdict in _with_progress(running, chosen, progress_on):
        terminal.result(out, verdict, columns)
        verdicts.append(verdict)
    terminal.measured(out, verdicts)
    terminal.idle(out, verdicts, chosen)
    terminal.contradictions(out, verdicts)
    terminal.summary(out, verdicts, time.perf_counter() - began)
    return verdicts


def _with_progress(
    running: Iterator[Verdict], chosen: Sequence[Statement], out: Console
) -> Iterator[Verdict]:
    """The same verdicts, with a bar on a terminal while the next one is awaited."""
    if not out.is_terminal:
        yield from running
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # No refresh thread: worker processes are forked while the bar is up.
    bar = Progress(*columns, console=out, transient=True, auto_refresh=False)
    with bar:
        task = bar.add_task("", total=len(chosen))
        for place, statement in enumerate(chosen):
            bar.update(task, description=statement.id, completed=place, refresh=True)
            yield next(running)


def _advice(
    verdicts: Sequence[Verdict], profile: str, directory: Path | None, file: Path | None
) -> list[tuple[str, str]]:
    """What to type next, given what came out."""
    own = f" --statements {file}" if file else ""
    wrong = [v.id for v in verdicts if not v.as_declared]
    show = wrong[0] if wrong else max(verdicts, key=lambda v: len(v.controls)).id
    lines = [
        (f"pe-verify show {show}{own}", "the statement, its hypotheses and why each is needed")
    ]
    if profile == "quick":
        lines.append((f"pe-verify check{own}", "the same with full numeric ranges"))
    if directory is None:
        lines.append(
            (f"pe-verify check{own} --certificates DIR", "keep the certificates, then recheck them")
        )
    else:
        lines.append((f"pe-verify recheck {directory}{own}", "the same by the kernel alone"))
    return lines
