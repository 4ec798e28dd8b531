"""`pe-verify hunt`: campaigns that search for counterexamples to a conjecture."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify.commands import _questions

if TYPE_CHECKING:
    from verify.hunt.campaigns import Campaign
    from verify.hunt.description import Description
    from verify.hunt.finds import Find
    from verify.hunt.ledger import Ledger
    from verify.hunt.running import Progress

FOUND = 10
ENDLESS = 10**15  # instances, where nothing but a budget ends a run
EVERY = 60  # seconds between lines where there is no terminal


def _duration(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    from verify.hunt import budgets

    return None if value is None else budgets.seconds(value)


def _work_options(function: Callable[..., int]) -> Callable[..., int]:
    options = (
        click.option(
            "--budget", callback=_duration, metavar="TIME", help="How long, as in 12h or 30m."
        ),
        click.option(
            "--instances", type=click.IntRange(min=1), metavar="N",
            help="Decide the first N instances of the space (default: all).",
        ),
        click.option(
            "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
            help="Worker processes on this machine.",
        ),
        click.option(
            "--cluster", metavar="ADDRESS",
            help="Use the workers of this Dask scheduler instead, as in tcp://host:8786.",
        ),
        click.option(
            "--hang", callback=_duration, default="10m", show_default=True, metavar="TIME",
            help="A worker that is silent for so long is replaced.",
        ),
        _questions.json_option,
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


_directory = click.argument(
    "directory", type=click.Path(path_type=Path, file_okay=False, exists=True)
)


@click.group(
    "hunt",
    epilog="\b\nExamples:\n"
    "  pe-verify hunt start deep-row --space polynomial --budget 12h --jobs 2 --directory deep\n"
    "  pe-verify hunt resume deep --budget 1h --jobs 2\n"
    "  pe-verify hunt start my_conjecture.py:FAR --instances 100000 --directory far\n"
    "  pe-verify hunt start dichotomy-forced --space periodic --strategy local --budget 10m \\\n"
    "      --directory climbs\n"
    "  pe-verify hunt show far\n"
    "\n\b\nConjectures: span, cone, dichotomy-finite, dichotomy-forced, selected, deep-row,\n"
    "deep-row-if, or FILE.py:NAME. Spaces: polynomial, piecewise, periodic, rotation,\n"
    "frequency, mixed, relative, with options as in\n"
    "polynomial:height=3,dimension=2,longest=10,tasks=small.\n"
    "\n\b\nExit codes: 0 done; 2 wrong usage or bad input; 10 a certified counterexample.",
)
def command() -> None:
    """Search for counterexamples: exact decisions, long runs, nothing lost, every find certified.

    A campaign is a directory. Killing it loses what is in flight; `resume` goes on from there. For
    the same conjecture, space and seed the verdicts and finds do not depend on the number of
    workers.
    """


@command.command("start")
@click.argument("conjecture")
@click.option(
    "--space", "spaced", default="polynomial", show_default=True, metavar="SPACE",
    help="Which encodings and tasks, as listed by `hunt --help`.",
)  # fmt: skip
@click.option(
    "--strategy", type=click.Choice(["exhaustive", "random", "local", "z3"]), default="exhaustive",
    show_default=True, help="Encodings in order of size; shuffled by the seed; climbs towards the "
    "largest score, which need --budget or --instances; or those with a parameter, as z3 says.",
)  # fmt: skip
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="S", help="Of random and local."
)
@click.option(
    "--directory", type=click.Path(path_type=Path), required=True, metavar="DIR",
    help="A new directory for the campaign.",
)  # fmt: skip
@_work_options
def start(
    conjecture: str, spaced: str, strategy: str, seed: int, directory: Path, **work: Any
) -> int:
    """Start a campaign for a conjecture in a new directory."""
    from verify.hunt import campaigns, conjectures, spaces
    from verify.hunt.description import Description

    description = Description(conjectures.source(conjecture), spaces.space(spaced), strategy, seed)
    return _work(lambda: campaigns.create(directory, description), description, **work)


@command.command("resume")
@_directory
@_work_options
def resume(directory: Path, **work: Any) -> int:
    """Go on with a campaign where it stopped, however it stopped."""
    from verify.hunt import campaigns, conjectures

    campaign = campaigns.read(directory)
    conjectures.load(campaign.description.source)
    return _work(lambda: campaign, campaign.description, **work)


def _work(
    campaign_of: Callable[[], Campaign],
    description: Description,
    *,
    budget: float | None,
    instances: int | None,
    jobs: int,
    cluster: str | None,
    hang: float,
    json_file: Path | None,
) -> int:
    from verify.hunt import campaigns, executors, finds, running, spaces

    if not description.way.ends and instances is None and budget is None:
        raise ValueError(
            f"the strategy {description.strategy} does not end by itself; give --budget TIME or"
            " --instances N"
        )
    with ExitStack() as stack:
        workers = stack.enter_context(
            executors.local(jobs) if cluster is None else executors.cluster(cluster)
        )
        campaign = campaign_of()
        stack.enter_context(campaigns.locked(campaign))
        ledger = stack.enter_context(campaign.ledger())
        whole = spaces.size(description.space) if description.way.ends else None
        state = running.run(
            description, ledger, workers,
            goal=min(n for n in (instances, whole, ENDLESS) if n is not None),
            seconds=budget, hang=hang, told=_teller(),
        )  # fmt: skip
        names = finds.certify(campaign, ledger)
        document = _status(campaign, ledger)
    if json_file is not None:
        _questions.write_json(json_file, document)
    if json_file != Path("-"):
        _report(document, campaign, state, names)
    return FOUND if names else 0


def _report(
    document: dict[str, Any], campaign: Campaign, state: Progress, names: list[str]
) -> None:
    """What a run ends with."""
    for line in _status_lines(document):
        click.echo(line)
    if campaign.description.way.ends and state.done >= document["size"]:
        excluded = document["outcomes"]["excluded"]
        word = f", {excluded} instances on z3's word alone" if excluded else ""
        click.echo(f"the space is exhausted{word}")
    if names:
        click.echo(f"{len(names)} certified in {campaign.finds}, the best: {names[0]}")


def _teller() -> Callable[[Progress], None]:
    """A line that is rewritten each second on a terminal, else a plain line a minute."""
    from verify.hunt.budgets import spelled

    terminal, last = sys.stderr.isatty(), [time.monotonic()]

    def told(state: Progress) -> None:
        now = time.monotonic()
        if now - last[0] < (1 if terminal else EVERY):
            return
        last[0] = now
        ends = state.goal < ENDLESS
        left = (state.goal - state.done) / state.rate if state.rate else 0.0
        line = (
            f"{state.done}{f' of {state.goal}' if ends else ''} instances, {state.rate:.0f}/s,"
            f" {state.counterexamples} counterexamples, {state.undecided} undecided,"
            f" best score {state.best}{f', {spelled(left)} left' if ends else ''}"
        )
        click.echo(f"\r\x1b[K{line}" if terminal else line, nl=not terminal, err=True)

    return told


@command.command("status")
@_directory
@_questions.plot_option("instances, counterexamples and the best score against the work")
@_questions.json_option
def status(directory: Path, plot_file: Path | None, json_file: Path | None) -> int:
    """What a campaign has decided, how fast, and how much of its space that is."""
    from verify import plots
    from verify.hunt import campaigns

    campaign = campaigns.read(directory)
    with campaign.ledger() as ledger:
        document = _status(campaign, ledger)
        history = ledger.history()
    if history:
        title = f"{campaign.description.source.name} on {campaign.description.space.name}"
        _questions.write_picture(plot_file, lambda: plots.over_time(history, title))
    elif plot_file is not None:
        click.echo("pe-verify hunt status: nothing is decided yet, so nothing is drawn", err=True)
    if json_file is not None:
        _questions.write_json(json_file, document)
    if json_file != Path("-"):
        for line in _status_lines(document):
            click.echo(line)
    return 0


def _status(campaign: Campaign, ledger: Ledger) -> dict[str, Any]:
    from verify.hunt import batches, finds, spaces

    description, totals = campaign.description, ledger.totals()
    undecided = [
        {"instance": _instance(batches.instance(description, index)), "reason": reason}
        for index, reason in ledger.undecided()[:5]
    ]
    best = None
    if totals.best is not None:
        case = batches.instance(description, totals.best[1])
        best = {"score": totals.best[0], "instance": _instance(case)}
    return {
        "conjecture": description.source.name,
        "space": description.space.name,
        "encodings": len(spaces.encodings(description.space)),
        "size": spaces.size(description.space),
        "strategy": description.strategy,
        "seed": description.seed,
        "instances": totals.instances,
        "outcomes": totals.outcomes,
        "rate_per_worker": totals.instances / totals.seconds if totals.seconds else None,
        "worker_seconds": totals.seconds,
        "best": best,
        "undecided": undecided,
        "verdicts": f"sha256:{totals.digest}",
        "finds": finds.best(campaign, ledger),
    }


def _instance(case: Any) -> dict[str, Any]:
    names = ("encoding", "task", "train_length", "length")
    return {name: getattr(case, name) for name in names}


def _status_lines(document: dict[str, Any]) -> list[str]:
    from verify.hunt.budgets import spelled
    from verify.hunt.strategies import STRATEGIES

    done, size = document["instances"], document["size"]
    ends = STRATEGIES[document["strategy"]].ends
    share = (
        f"{done} of {size} instances ({100 * done / size:.2f} %)" if ends
        else f"{done} judgements, some of the same instance, in a space of {size}"
    )  # fmt: skip
    lines = [
        f"{document['conjecture']} on the space {document['space']} ({document['strategy']}, seed"
        f" {document['seed']}): {share}",
        ", ".join(f"{count} {outcome}" for outcome, count in document["outcomes"].items()),
    ]
    if document["rate_per_worker"]:
        rate = document["rate_per_worker"]
        left = f"; {spelled((size - done) / rate)} left with one worker" if ends else ""
        lines.append(f"{rate:.0f} instances/s for each worker{left}")
    if document["best"]:
        lines.append(f"best score {document['best']['score']}: {_words(document['best'])}")
    lines += [f"undecided: {_words(e)}: {e['reason']}" for e in document["undecided"]]
    return lines


def _words(entry: dict[str, Any]) -> str:
    case = entry["instance"]
    lengths = f"L0 = {case['train_length']}, L = {case['length']}"
    return f"{case['encoding']} on {case['task']}, {lengths}"


@command.command("show")
@_directory
@click.argument("name", required=False)
@_questions.json_option
def show(directory: Path, name: str | None, json_file: Path | None) -> int:
    """Print the finds of a campaign (or the one of this NAME), each checked again by the kernel."""
    from verify.hunt import export

    found = _finds(directory, name)
    if json_file is not None:
        _questions.write_json(json_file, export.document(found))
    if json_file == Path("-"):
        return 0
    for find in found:
        click.echo("\n".join([find.name, *export.described(find), ""]))
    if not found:
        click.echo("no certified counterexample yet")
    return 0


@command.command("export")
@_directory
@click.option(
    "--json", "json_file", callback=_questions.document_target, metavar="FILE",
    help="All finds with their certificates.",
)  # fmt: skip
@click.option(
    "--markdown", "markdown_file", callback=_questions.document_target, metavar="FILE",
    help="The finds as one would write them.",
)  # fmt: skip
@click.option(
    "--pytest", "pytest_file", callback=_questions.document_target, metavar="FILE",
    help="A test module that checks every certificate again.",
)  # fmt: skip
def export_command(
    directory: Path, json_file: Path | None, markdown_file: Path | None, pytest_file: Path | None
) -> int:
    """Write the finds of a campaign: JSON, Markdown, a pytest file ('-' is standard output)."""
    targets = [json_file, markdown_file, pytest_file]
    if not any(targets):
        raise click.UsageError("name what to write: --json, --markdown or --pytest with a FILE")
    if targets.count(Path("-")) > 1:
        raise click.UsageError("only one of them can go to standard output")
    from verify.hunt import export

    found = _finds(directory, None)
    if json_file is not None:
        _questions.write_json(json_file, export.document(found))
    if markdown_file is not None:
        _questions.write_text(markdown_file, export.markdown(found))
    if pytest_file is not None:
        _questions.write_text(pytest_file, export.pytest_file(found))
    return 0


def _finds(directory: Path, name: str | None) -> list[Find]:
    from verify.hunt import campaigns, finds

    campaign = campaigns.read(directory)
    if name is None:
        with campaign.ledger() as ledger:
            names = finds.best(campaign, ledger)
    else:
        names = [name.removesuffix(".json")]
        if not (campaign.finds / f"{names[0]}.json").is_file():
            raise ValueError(f"there is no find {name!r} in {campaign.finds}")
    return [finds.read(campaign.finds / f"{n}.json") for n in names]
