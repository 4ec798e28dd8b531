"""SARIF 2.1.0 logs, as code scanning services read them.

The properties are those of the OASIS standard (Static Analysis Results Interchange Format 2.1.0,
sections 3.13 to 3.49). Rule ids are stable: `pe-verify/<kind>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from verify import __version__
from verify.verdicts import Verdict

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of result with its help text."""

    kind: str
    help: str


@dataclass(frozen=True, slots=True)
class Result:
    """One result. `name` is what it is about (an id or `module:name`), `source` its file and line
    if there is one, `identity` what makes it the same result in the next run."""

    kind: str
    message: str
    name: str
    identity: str
    level: str = "error"
    source: tuple[str, int] | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


def log(rules: Sequence[Rule], results: Sequence[Result]) -> dict[str, Any]:
    """The document; every result's kind must be the kind of a rule."""
    places = {rule.kind: place for place, rule in enumerate(rules)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pe-verify",
                        "version": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "results": [_result(result, places[result.kind]) for result in results],
                "columnKind": "unicodeCodePoints",
            }
        ],
    }


def of_verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The log of `pe-verify check`: contradictions, and statements that stay undecided."""
    rules = [
        Rule("contradiction", "A statement was observed to be other than it is declared."),
        Rule("undecided", "A statement could not be decided: a solver gave up or a step failed."),
    ]
    results = [
        Result(
            "undecided" if verdict.undecided else "contradiction",
            f"{verdict.id} is declared {verdict.declared} and came out {verdict.outcome}: "
            + ("; ".join(verdict.problems) or verdict.scope),
            verdict.id,
            verdict.id,
            properties={"outcome": str(verdict.outcome), "evidence": str(verdict.evidence)},
        )
        for verdict in verdicts
        if not verdict.as_declared
    ]
    return log(rules, results)


def _rule(rule: Rule) -> dict[str, Any]:
    first = rule.help.partition(". ")[0].rstrip(".") + "."
    return {
        "id": f"pe-verify/{rule.kind}",
        "name": rule.kind,
        "shortDescription": {"text": first},
        "fullDescription": {"text": rule.help},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "error"},
    }


def _result(result: Result, place: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": result.name, "kind": "function"}]
    }
    if result.source is not None:
        path, line = Path(result.source[0]), result.source[1]
        inside = path.is_absolute() and path.is_relative_to(Path.cwd())
        uri = path.relative_to(Path.cwd()).as_posix() if inside else path.name
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": max(line, 1)},
        }
    return {
        "ruleId": f"pe-verify/{result.kind}",
        "ruleIndex": place,
        "level": result.level,
        "message": {"text": result.message},
        "locations": [location],
        "partialFingerprints": {"identity/v1": result.identity},
        "properties": dict(result.properties),
    }
