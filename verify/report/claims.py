"""A claim of the kernel in sentences: quantifiers, hypotheses, lemmas, conclusion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verify.statements import Claim, Clause

_SHOWN = 12  # table entries of a definition that are written out


def sentences(claim: Claim) -> list[str]:
    """What the claim says, one sentence an item; the atoms as the kernel reads them."""
    if claim["kind"] == "theorem":
        return _theorem(claim)
    system = claim["system"]
    vectors, rows = system["vectors"], system["rows"]
    dimension = len(vectors[0]) if vectors else 0
    bilinear = any(row[0] >= 0 for row in rows)
    what = f"{dimension} x {dimension} matrix W" if bilinear else f"vector w of {dimension} entries"
    on = f"{_count(len(rows), 'row')} over {_count(len(vectors), 'feature vector')}"
    match claim["kind"]:
        case "realizable":
            said = f"Some real {what} makes every row a hit."
        case "unrealizable":
            said = f"No real {what} makes every row a hit."
        case "forced":
            said = f"Every real {what} that makes these rows hits also hits the row {claim['row']}."
        case _:
            said = _decisions(claim, what)
    return [f"System of {on}.", said]


def _decisions(claim: Claim, what: str) -> str:
    found = claim["outcomes"]
    hits, misses, ties = (_count(found.count(noun[0]), noun) for noun in ("hit", "miss", "tie"))
    return f"The given {what} makes {hits} (margin >= {claim['margin']}), {misses} and {ties}."


def _theorem(claim: Claim) -> list[str]:
    defined = claim["definitions"]
    free = {name: sort for name, sort in claim["symbols"].items() if name not in defined}
    if not free:
        return _model(claim)
    found = ["For all " + "; ".join(_quantifiers(claim, free)) + ":"]
    found += [f"with {name} = {_definition(body)}" for name, body in defined.items()]
    for name, body in claim["hypotheses"].items():
        found.append(f"if [{name}] {clause(body)}")
    for name, body in claim["lemmas"].items():
        found.append(f"by the lemma [{name}] {clause(body)}")
    return [*found, *(f"then {clause(goal)}" for goal in claim["goals"])]


def _model(claim: Claim) -> list[str]:
    """A concrete model: its definitions, and the last of the facts checked of it, its point."""
    *others, last = claim["goals"]
    found = []
    if claim["definitions"]:
        bodies = claim["definitions"].items()
        found.append("With " + "; ".join(f"{n} = {_definition(body)}" for n, body in bodies))
    if others:
        found.append(f"{_count(len(others), 'condition')} hold of it, and")
    return [*found, clause(last)]


def _quantifiers(claim: Claim, free: Mapping[str, str]) -> list[str]:
    """The free symbols by kind: numbers, then functions, each with its sort."""
    text = repr(claim)
    kinds: dict[str, list[str]] = {}
    for name, sort in free.items():
        function = re.search(rf"(?<!\w){re.escape(name)}\(", text) is not None
        many = {"int": "integer", "real": "real"}[sort]
        kind = f"{many}-valued functions" if function else f"{many}s"
        kinds.setdefault(kind, []).append(name)
    return [f"{kind} {', '.join(names)}" for kind, names in kinds.items()]


def clause(body: Clause) -> str:
    """`for all int i with i >= 1, i < n: P(i) > 0`."""
    variables = ", ".join(f"{sort} {name}" for name, sort in body["for"].items())
    guards = ", ".join(_atom(guard) for guard in body["if"])
    head = f"for all {variables}" if variables else ""
    if guards:
        head += f" with {guards}" if head else f"when {guards}"
    return f"{head}: {_atom(body['then'])}" if head else _atom(body["then"])


def _atom(text: str) -> str:
    """Spaces round the relation, no parentheses round a single name or number."""
    spaced = re.sub(r"\s*(<=|>=|==|!=|<|>)\s*", r" \1 ", text.strip())
    return re.sub(r"(?<!\w)\((\w+)\)", r"\1", spaced)


def _definition(body: Mapping[str, Any]) -> str:
    entries = [f"({', '.join(p)}): {v}" if p else str(v) for p, v in body["table"][:_SHOWN]]
    if (more := len(body["table"]) - _SHOWN) > 0:
        entries.append(f"{more} more values")
    if body["otherwise"] is not None:
        entries.append(f"otherwise {body['otherwise']}" if entries else str(body["otherwise"]))
    return ", ".join(entries)


def _count(number: int, noun: str) -> str:
    plural = "misses" if noun == "miss" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
