"""Finds as people and programs read them: text as in a paper, Markdown, JSON, a pytest file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verify.hunt.finds import Find
from verify.theory.encodings import encoding

_PYTEST = '''"""Counterexamples that a hunt found, checked again by the kernel."""

import json

import pytest

from verify import kernel, recheck

FINDS = json.loads(
    r"""
%s
"""
)


@pytest.mark.parametrize("name", FINDS)
def test_find(name):
    instance, parts = FINDS[name]["instance"], FINDS[name]["parts"]
    assert parts
    for part in parts:
        certificate = part["certificate"]
        subject = certificate["subject"]
        assert (subject["encoding"], subject["task"]) == (instance["encoding"], instance["task"])
        _, claim = recheck.rebuild(subject, {})
        checked = kernel.check(claim, certificate)
        assert checked.outcome == "valid", checked.reason
'''


def described(found: Find) -> list[str]:
    """The find in lines, as one would write it in a paper."""
    relative = encoding(found.encoding).relative
    features = found.encoding.removeprefix("expr:").strip("[]").replace("**", "^")
    map_ = "psi(o)" if relative else "phi(i)"
    lines = [
        f"Counterexample to {found.conjecture}: {found.words}.",
        f"  features   {map_} = ({features.replace('*', ' ')})",
        f"  task       t(i) = {found.task.removeprefix('expr:').replace('**', '^')}",
        f"  lengths    L0 = {found.train_length}, L = {found.length}",
    ]
    for words, certificate in found.parts:
        lines.append(f"  {words}")
        lines += [f"    {line}" for line in _evidence(certificate["subject"])]
        lines.append(f"    {certificate['claim']}, accepted by the kernel")
    return lines


def _evidence(subject: dict[str, Any]) -> list[str]:
    """The parameter with what it does on each row; or the row that is forced."""
    if "parameter" not in subject:
        return []
    given = subject["parameter"]
    lines = given if isinstance(given[0], list) else [given]
    wide = max(len(x) for line in lines for x in line)
    name = "W = " if isinstance(given[0], list) else "w = "
    shown = [
        f"{name if k == 0 else '    '}[{' '.join(x.rjust(wide) for x in line)}]"
        for k, line in enumerate(lines)
    ]
    later = [i for _, i, _ in subject["rows"][1:]]
    outcomes = subject["outcomes"]
    count = len(outcomes) - len(later)
    words = {"h": "hit", "m": "miss", "t": "tie"}
    train = ", ".join(words[c] for c in outcomes[:count])
    new = ", ".join(f"row {i} {words[c]}" for i, c in zip(later, outcomes[count:], strict=True))
    return [*shown, f"training rows: {train}; new rows: {new}"]


def markdown(finds: Sequence[Find]) -> str:
    """A section for each find."""
    blocks = []
    for found in finds:
        text = "\n".join(described(found)[1:])
        blocks.append(f"## `{found.name}`\n\n{found.words}\n\n```\n{text}\n```\n")
    return "# Counterexamples\n\n" + ("\n".join(blocks) or "None.\n")


def document(finds: Sequence[Find]) -> dict[str, Any]:
    """All finds as one JSON document."""
    return {"finds": {found.name: found.to_json() for found in finds}}


def pytest_file(finds: Sequence[Find]) -> str:
    """A test module that checks every certificate again."""
    return _PYTEST % json.dumps(document(finds)["finds"], indent=1)
