"""The JSON output: what it says, and that it follows its own schema."""

from __future__ import annotations

import copy
import io
import json
import math
from typing import Any

import fastjsonschema
import pytest

from verify.report.json_report import check_document, schema, write
from verify.verdicts import Verdict


def document(verdicts: list[Verdict]) -> dict[str, Any]:
    file = io.StringIO()
    write(check_document(verdicts, "quick", {"z3-solver": "4.13.0", "cvc5": None}), file)
    read: dict[str, Any] = json.loads(file.getvalue())
    return read


def test_every_kind_of_verdict_follows_the_schema(all_kinds: list[Verdict]) -> None:
    fastjsonschema.compile(schema("check"))(document(all_kinds))


@pytest.mark.parametrize("path", [("declared",), ("controls", 0, "certified"), ("obligations",)])
def test_the_schema_refuses_a_missing_or_renamed_part(
    proved: Verdict, path: tuple[str | int, ...]
) -> None:
    changed = copy.deepcopy(document([proved]))
    parent: Any = changed["statements"][0]
    for step in path[:-1]:
        parent = parent[step]
    parent["renamed"] = parent.pop(path[-1])
    with pytest.raises(fastjsonschema.JsonSchemaException):
        fastjsonschema.compile(schema("check"))(changed)


def test_what_is_declared_and_what_was_observed_stay_apart(contradiction: Verdict) -> None:
    found = document([contradiction])
    assert found["exit_code"] == 1
    assert not found["as_declared"]
    (entry,) = found["statements"]
    assert (entry["declared"], entry["outcome"]) == ("proved", "REFUTED")
    assert entry["problems"] == ["the hypothesis 'region' has no control"]


def test_only_undecided_statements_give_exit_code_3(proved: Verdict, undecided: Verdict) -> None:
    assert document([proved])["exit_code"] == 0
    assert document([proved, undecided])["exit_code"] == 3


def test_a_measured_number_keeps_its_interval_and_the_published_one(measured: Verdict) -> None:
    rate, share = document([measured])["statements"][0]["obligations"]
    assert rate["measured"]["interval"] == ["0.109", "0.116"]
    assert (share["measured"]["published"], share["measured"]["agrees"]) == ("0.35", False)


def test_a_number_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        write({"seconds": math.nan}, io.StringIO())


def test_an_unknown_command_has_no_schema() -> None:
    with pytest.raises(ValueError, match="no JSON schema for 'chek'"):
        schema("chek")
