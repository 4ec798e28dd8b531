"""The command line as a whole: finding commands, one sentence for bad input, versions, pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import fastjsonschema
import pytest
from click.shell_completion import ShellComplete

from verify import cli, environment
from verify.report.json_report import schema

Declare = Callable[[str], Path]
ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "import sys; from verify.cli import main; sys.exit(main())"]
GOOD = "STATEMENTS = (statement('demo-1', 'proved', SOUND), statement('demo-2', 'proved', SOUND))"


def test_help_lists_every_command_with_the_suite_first(call: Any) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        code, out, err = call(*arguments)
        assert (code, err) == (0, "")
        listed = [
            line.split()[0] for line in out[out.index("Commands:") :].splitlines()[1:] if line
        ]
        assert listed[:4] == ["check", "list", "show", "recheck"]
        assert "Examples:" in out and "Exit codes:" in out


def test_every_command_has_help_with_its_own_name(call: Any) -> None:
    context = click.Context(cli.group)
    for name in cli.group.list_commands(context):
        command = cli.group.get_command(context, name)
        assert command is not None and command.name == name
        assert command.get_short_help_str(200).strip()


def test_versions_of_the_solvers(call: Any) -> None:
    code, out, _ = call("--version")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("pe-verify 0.")
    found = dict(line.split() for line in lines[1:])
    assert set(found) == set(environment.SOLVERS)
    assert found["sympy"][0].isdigit()


def test_versions_load_no_solver() -> None:
    code = (
        "import sys; from verify.cli import main; main(['--version']);"
        "sys.exit(bool({'z3', 'sympy', 'numpy', 'scipy', 'flint'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


BAD = [
    (["chek"], "pe-verify: there is no command 'chek'; did you mean 'check'?"),
    (["frobnicate"], "pe-verify: there is no command 'frobnicate'; `pe-verify --help` lists them"),
    (["check", "--jobs", "0"], "'--jobs'"),
    (["check", "--jobs", "two"], "'--jobs'"),
    (["check", "--profile", "fast"], "'quick', 'full'"),
    (["check", "--jsom", "x"], "--json"),
    (["check", "--statements", "nowhere.py"], "'nowhere.py' does not exist"),
    (["check", "--json", "no/such/folder/x"], "no/such/folder/x: No such file or directory"),
    (["check", "--json", "-", "--junit", "-"], "only one report can go to standard output"),
    (["show"], "'ID...'"),
    (["list", "surplus"], "surplus"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_gets_one_sentence_and_exit_code_2(
    call: Any, arguments: list[str], said: str
) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("pe-verify")
    assert said in err


OWN_MISTAKES = [
    ("STATEMENTS = 1", "has no tuple STATEMENTS"),
    ("STATEMENTS = (", "own_statements.py, line "),
    ("import nonesuch_package\nSTATEMENTS = ()", "ModuleNotFoundError: No module named 'nonesuch"),
    ("STATEMENTS = (1 / 0,)", "ZeroDivisionError: division by zero"),
    ("theorem('int', {}, [])", "own_statements.py, line "),
    ("STATEMENTS = (statement('a', 'proved', SOUND),) * 2", "two statements have the id 'a'"),
]


@pytest.mark.parametrize(("lines", "said"), OWN_MISTAKES)
@pytest.mark.parametrize("command", [["check"], ["list"], ["show", "a"]])
def test_a_mistake_in_own_statements_names_the_place(
    call: Any, declare: Declare, command: list[str], lines: str, said: str
) -> None:
    code, out, err = call(*command, "--statements", declare(lines))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert said in err


def test_a_misspelt_statement_is_suggested(call: Any, declare: Declare) -> None:
    file = declare(GOOD)
    for command in ("check", "show"):
        code, _, err = call(command, "dmeo-1", "--statements", file)
        assert code == 2
        assert err == "pe-verify: there is no statement 'dmeo-1'; did you mean 'demo-1'?\n"


def test_own_statements_named_like_a_module_do_not_replace_it(call: Any, declare: Declare) -> None:
    file = declare(GOOD).rename(declare(GOOD).parent / "json.py")
    code, out, _ = call("list", "--statements", file, "--json", "-")
    assert code == 0
    assert sys.modules["json"] is json
    assert len(json.loads(out)["statements"]) == 2


def test_a_missing_optional_package_is_named(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("list")
    def command() -> None:
        raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")

    monkeypatch.setattr("verify.commands.list_statements.command", command)
    assert call("list") == (
        2,
        "",
        "pe-verify: this needs matplotlib, which is missing: pip install 'pe-verify[plot]'\n",
    )


@pytest.mark.parametrize("bug", [KeyError, EOFError])
def test_a_bug_is_not_passed_off_as_a_mistake(
    bug: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command("list")
    def command() -> None:
        raise bug("a bug of ours")

    monkeypatch.setattr("verify.commands.list_statements.command", command)
    with pytest.raises(bug):
        cli.main(["list"])


def test_an_interruption_is_no_traceback(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("list")
    def command() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verify.commands.list_statements.command", command)
    code, _, err = call("list")
    assert code == 130
    assert err.strip() == "pe-verify: interrupted"


@pytest.mark.parametrize(("options", "first"), [([], "id"), (["--json", "-"], "{")])
def test_a_closed_pipe_is_silent(declare: Declare, options: list[str], first: str) -> None:
    lines = "STATEMENTS = tuple(statement(f'demo-{k}', 'proved', SOUND) for k in range(4000))"
    process = subprocess.Popen(
        [*COMMAND, "list", "--statements", str(declare(lines)), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith(first)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 141


def test_mathematics_on_an_ascii_terminal_does_not_break(declare: Declare) -> None:
    file = declare(GOOD.replace("demo-1", "α-1"))
    done = subprocess.run(
        [*COMMAND, "list", "--statements", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u03b1-1" in done.stdout


def test_list(call: Any, declare: Declare) -> None:
    code, out, _ = call("list", "--statements", declare(GOOD))
    assert code == 0
    assert out.splitlines() == [
        "id      declared  title            source",
        "demo-1  proved    Title of demo-1  ours",
        "demo-2  proved    Title of demo-2  ours",
    ]


@pytest.mark.parametrize("arguments", [["list"], ["show", "demo-1"], ["show", "demo-1", "demo-2"]])
def test_json_of_list_and_show_follows_the_schema(
    call: Any, declare: Declare, arguments: list[str]
) -> None:
    code, out, err = call(*arguments, "--statements", declare(GOOD), "--json", "-")
    assert (code, err) == (0, "")
    fastjsonschema.compile(schema(arguments[0]))(json.loads(out))


def test_show_tells_why_a_hypothesis_is_needed(call: Any, declare: Declare) -> None:
    code, out, _ = call("show", "demo-1", "--statements", declare(GOOD))
    assert code == 0
    for expected in (
        "declared proved; ours",
        "  floor: every value is at least 1\n    without it: values of 0 are allowed then\n",
        "        With n = 2; P = 0\n        2 conditions hold of it, and\n",
        "        P(0) <= 0\n",
        "      For all integers n; real-valued functions P:\n",
        "      if [floor] for all int i with i >= 0, i < n: P(i) >= 1\n",
        "      then for all int i with i >= 0, i < n: P(i) > 0\n",
        "  S2  positional logits only",
        "  A remark.",
    ):
        assert expected in out


def test_doctor_names_what_is_missing(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = environment.Package("pe-verify-nonesuch", "pe_verify_nonesuch", "plot", "pictures")
    click_package = next(p for p in environment.PACKAGES if p.module == "click")
    monkeypatch.setattr(environment, "PACKAGES", (click_package, gone))
    code, out, _ = call("doctor")
    assert code == 0  # an extra is not needed
    assert "missing  pe-verify-nonesuch  -" in out
    assert "pictures; pip install 'pe-verify[plot]'" in out
    monkeypatch.setattr(
        environment, "PACKAGES", (environment.Package("pe-verify-nonesuch", "x", "", "all"),)
    )
    code, out, _ = call("doctor", "--json", "-")
    assert code == 1
    document = json.loads(out)
    fastjsonschema.compile(schema("doctor"))(document)
    assert document["packages"][0]["state"] == "missing"


def test_commands_are_completed_by_the_shell() -> None:
    completion = ShellComplete(cli.group, {}, "pe-verify", "_PE_VERIFY_COMPLETE")
    assert "check" in [item.value for item in completion.get_completions([], "ch")]
