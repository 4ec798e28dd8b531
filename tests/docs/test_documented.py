"""Everything public says what it is: names, commands, options; and the reference has them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

import verify
from verify import cli

ROOT = Path(__file__).parents[2]


def modules() -> list[str]:
    walked = pkgutil.walk_packages(verify.__path__, "verify.")
    return [m.name for m in walked if "._" not in m.name and m.name != "verify.engines.smt.child"]


def undocumented(module: ModuleType) -> Iterator[str]:
    if not module.__doc__:
        yield module.__name__
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        # a dataclass without a docstring is given its signature for one
        if not value.__doc__ or value.__doc__.startswith(f"{name}("):
            yield f"{module.__name__}.{name}"


def test_every_public_name_has_a_docstring() -> None:
    names = modules()
    assert len(names) > 150
    assert [bad for name in names for bad in undocumented(importlib.import_module(name))] == []


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(found, f"{name} {child}")


EVERY = dict(commands(cli.group, "pe-verify"))


@pytest.mark.parametrize("name", EVERY)
def test_every_command_and_option_has_help(name: str) -> None:
    command = EVERY[name]
    assert command.help or command.short_help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]}"


def test_the_reference_names_every_command() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    for name in EVERY:
        if name.count(" ") == 1:
            assert f":prog_name: {name}\n" in page


def test_the_reference_names_every_function_of_the_package() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    for name in set(verify.__all__) - {"__version__"}:
        assert f".{name}\n" in page, name
