"""The command line: finds the commands in `verify.commands`, and turns bad input into one sentence.

A command lives in a module of its own with a click command named `command`; modules whose name
begins with an underscore are shared parts. A command returns its exit code (None is 0) and raises
ValueError for bad input. Everything a user can do wrong ends here: one sentence, exit code 2.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import platform
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click

from verify import __version__, commands, environment

# The order of the help page: the suite, the questions, the long work, the rest.
_ORDER = [
    *("check", "list", "show", "recheck", "report"),
    *("alpha", "realize", "transfer", "taxonomy"),
    *("hunt", "heads", "synthesize", "advise", "audit", "doctor"),
]
_INTERRUPTED, _CLOSED_PIPE = 130, 141  # what shells report for SIGINT and SIGPIPE


class _ClosedPipe(Exception):
    """Whoever read our output has left."""


class _Commands(click.Group):
    """The commands found in `verify.commands`, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, the most used ones first."""
        rank = {name: place for place, name in enumerate(_ORDER)}
        return sorted(_modules(), key=lambda name: (rank.get(name, len(rank)), name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, None if there is none."""
        module = _modules().get(cmd_name)
        if module is None:
            return None
        command = importlib.import_module(f"{commands.__name__}.{module}").command
        assert isinstance(command, click.Command), f"{module}.command is not a click command"
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a closed pipe leaves by a way of its own past click's exit code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as problem:
            raise _ClosedPipe from problem

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a misspelt name."""
        if args and not args[0].startswith("-") and args[0] not in _modules():
            near = get_close_matches(args[0], _modules(), n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`pe-verify --help` lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _modules() -> dict[str, str]:
    """Module names by command name: `list_statements` is `list`, `a_b` is `a-b`."""
    found = [m.name for m in pkgutil.iter_modules(commands.__path__) if not m.name.startswith("_")]
    return {n.removesuffix("_statements").replace("_", "-"): n for n in found}


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"pe-verify {__version__} (Python {platform.python_version()})")
        for name, version in environment.solver_versions().items():
            click.echo(f"{name} {version or 'missing'}")
        ctx.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExamples:\n"
    "  pe-verify check --profile quick        every result, small numeric ranges\n"
    "  pe-verify show theorem-2               one result whole\n"
    "  pe-verify check theorem-1 --json -     for other programs\n"
    "\n\b\nExit codes: 0 done, as declared; 1 a contradiction, an invalid certificate, a\n"
    "finding; 2 wrong usage or bad input; 3 undecided; 10 a counterexample was found.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the versions of pe-verify and of the solvers.",
)
@click.pass_context
def group(ctx: click.Context) -> None:
    """Machine-checked verification of the positional realizability theory.

    Which positional encodings can carry which attention patterns, and to what length: every result
    with its quantifiers, its hypotheses, and a certificate that a small kernel has checked.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on these arguments (default: those of the process); the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # a terminal without mathematics stays readable
    try:
        code = group.main(
            args=None if arguments is None else list(arguments),
            prog_name="pe-verify",
            standalone_mode=False,
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.UsageError as problem:
        command = problem.ctx.command_path if problem.ctx else "pe-verify"
        return _refuse(problem.format_message(), command)
    except click.ClickException as problem:
        return _refuse(problem.format_message())
    except (click.Abort, KeyboardInterrupt) as problem:
        if isinstance(problem.__cause__, EOFError):  # nothing here asks questions: a bug
            raise problem.__cause__ from None
        click.echo("pe-verify: interrupted", err=True)
        return _INTERRUPTED
    except (_ClosedPipe, BrokenPipeError):
        return _closed_pipe()
    except ModuleNotFoundError as problem:
        sentence = environment.missing(problem.name)
        if sentence is None:
            raise
        return _refuse(sentence)
    except OSError as problem:
        return _refuse(f"{problem.filename}: {problem.strerror}" if problem.filename else problem)
    except ValueError as problem:
        return _refuse(problem)


def _refuse(problem: object, command: str = "pe-verify") -> int:
    """One line on standard error, exit code 2."""
    click.echo(f"{command}: {' '.join(str(problem).split())}", err=True)
    return 2


def _closed_pipe() -> int:
    """Whoever read our output has left: say nothing more, not at exit either."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _CLOSED_PIPE
