"""Systems of strict linear inequalities in a head's parameter, as z3 and cvc5 solve them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines.protocol import Answer
from verify.engines.smt.process import Reply, ask

Row = Sequence[int]


def decide_system(
    claim: Mapping[str, Any],
    solver: str,
    seconds: float = 10.0,
    integers: int | None = None,
    rank: int | None = None,
) -> Answer:
    """Whether some parameter makes every row a hit (kinds realizable, unrealizable, forced).

    integers and rank restrict the parameter as in `find_parameter`; if none of that form exists,
    the claim is open ('unknown'). A parameter that is found is the answer's model, and for
    'realizable' its proof. Other kinds, and irrational vectors, are 'unknown'.
    """
    kind = claim.get("kind")
    if kind == "forced":
        return _forced(claim, solver, seconds)
    if kind not in ("realizable", "unrealizable"):
        return Answer(solver, "", "unknown", f"claims of kind {kind!r} are not for this engine")
    found = find_parameter(claim["system"], solver, seconds, integers, rank)
    if found.outcome == "refuted" and (integers is not None or rank is not None):
        return _changed(found, "unknown", found.reason)
    if kind == "realizable" or found.outcome not in ("proved", "refuted"):
        return found
    if found.outcome == "proved":
        return _changed(found, "refuted", "a parameter makes every row a hit", model=found.model)
    return _changed(found, "proved", "unsat, no certificate")


def find_parameter(
    system: Mapping[str, Any],
    solver: str,
    seconds: float = 10.0,
    integers: int | None = None,
    rank: int | None = None,
) -> Answer:
    """A parameter that makes every row a hit, of a given form.

    integers: all its entries are integers in -integers..integers. rank: W = A^T B with A and B of
    this many rows (absolute encodings). 'proved' with the parameter as model (canonical rationals)
    and as proof; 'refuted' if the solver says that there is none of this form.
    """
    rational = _rational(system["vectors"])
    if rational is None:
        return Answer(solver, "", "unknown", "irrational vectors are not for this engine")
    linear, d = system["rows"][0][0] < 0, len(rational[0])
    if rank is not None and (linear or rank < 1):
        raise ValueError("rank must be a positive integer, for an absolute encoding")
    if integers is not None and integers < 0:
        raise ValueError(f"integers must be a bound of zero or more, not {integers}")
    rows = [(row, key) for row in system["rows"] for key in _competitors(row)]
    lines = _unknowns(d, linear, integers, rank)
    lines += [_hit(rational, row, key, integers is not None) for row, key in rows]
    names = [n for line in _names(d, linear) for n in line] if rank is None else _factors(d, rank)
    reply = ask(solver, "\n".join(lines), seconds, names)
    return _parameter(solver, reply, d, linear, rank)


def _forced(claim: Mapping[str, Any], solver: str, seconds: float) -> Answer:
    """Every realizing parameter hits one more row: no competitor can do as well."""
    rational = _rational(claim["system"]["vectors"])
    if rational is None:
        return Answer(solver, "", "unknown", "irrational vectors are not for this engine")
    new, d = claim["row"], len(rational[0])
    linear = new[0] < 0
    known = _unknowns(d, linear, None, None)
    known += [_hit(rational, r, k, False) for r in claim["system"]["rows"] for k in _competitors(r)]
    names = [n for line in _names(d, linear) for n in line]
    spent, version = 0.0, ""
    for key in _competitors(new):
        lose = f"(assert (not {_hit(rational, new, key, False)[8:-1]}))"
        reply = ask(solver, "\n".join([*known, lose]), seconds, names)
        found = _parameter(solver, reply, d, linear, None)
        spent, version = spent + found.seconds, found.version
        if found.outcome == "proved":
            reason = f"a realizing parameter does not prefer the target to key {key}"
            return _changed(found, "refuted", reason, model=found.model)
        if found.outcome != "refuted":
            return found
    return Answer(solver, version, "proved", "unsat, no certificate", spent)


def _changed(answer: Answer, outcome: Any, reason: str, model: Any = None) -> Answer:
    return Answer(answer.engine, answer.version, outcome, reason, answer.seconds, None, model)


def _rational(vectors: Sequence[Sequence[str]]) -> list[list[Fraction]] | None:
    table = [[kernel.expression(e).constant() for e in vector] for vector in vectors]
    if any(e is None for vector in table for e in vector):
        return None
    return [[e for e in vector if e is not None] for vector in table]


def _competitors(row: Row) -> list[int]:
    return [key for key in range(row[1], row[2]) if key != row[3]]


def _names(d: int, linear: bool) -> list[list[str]]:
    return [[f"w{a}_{b}" for b in range(d)] for a in range(1 if linear else d)]


def _factors(d: int, rank: int) -> list[str]:
    return [f"{m}{r}_{a}" for m in "ab" for r in range(rank) for a in range(d)]


def _unknowns(d: int, linear: bool, integers: int | None, rank: int | None) -> list[str]:
    """Declarations of the entries of the parameter, of the form that is asked for."""
    sort = "Real" if integers is None else "Int"
    lines = []
    if rank is not None:
        lines += [f"(declare-fun {name} () {sort})" for name in _factors(d, rank)]
    for a, line in enumerate(_names(d, linear)):
        for b, name in enumerate(line):
            if rank is None:
                lines.append(f"(declare-fun {name} () {sort})")
            else:
                parts = " ".join(f"(* a{r}_{a} b{r}_{b})" for r in range(rank))
                total = f"(+ {parts})" if rank > 1 else parts
                lines.append(f"(define-fun {name} () {sort} {total})")
            if integers is not None:
                lines.append(f"(assert (and (<= (- {integers}) {name}) (<= {name} {integers})))")
    return lines


def _hit(vectors: Sequence[Sequence[Fraction]], row: Row, key: int, whole: bool) -> str:
    """The assertion that the target's logit exceeds the key's; scaled to integer coefficients."""
    gap = [a - b for a, b in zip(vectors[row[3]], vectors[key], strict=True)]
    query = [Fraction(1)] if row[0] < 0 else vectors[row[0]]
    scale = math.lcm(*(x.denominator for x in (*gap, *query)))
    names, point = _names(len(gap), row[0] < 0), "" if whole else ".0"
    parts = []
    for a, x in enumerate(query):
        for b, y in enumerate(gap):
            if c := int(x * scale) * int(y * scale):
                number = f"{c}{point}" if c > 0 else f"(- {-c}{point})"
                parts.append(f"(* {number} {names[a][b]})")
    total = f"(+ {' '.join(parts)})" if len(parts) > 1 else (parts or [f"0{point}"])[0]
    return f"(assert (> {total} 0{point}))"


def _parameter(solver: str, reply: Reply, d: int, linear: bool, rank: int | None) -> Answer:
    """The reply with the values read back as exact rationals."""
    version, spent = reply.version, reply.seconds
    if reply.outcome == "unsat":
        return Answer(solver, version, "refuted", "unsat: no parameter of this form", spent)
    if reply.outcome != "sat":
        outcome: Any = reply.outcome if reply.outcome in ("unknown", "missing") else "error"
        return Answer(solver, version, outcome, reply.reason, spent)
    try:
        values = {name: Fraction(text.replace(" ", "")) for name, text in reply.values.items()}
    except ValueError:
        reason = "the solver's parameter is algebraic, not rational"
        return Answer(solver, version, "unknown", reason, spent, model=reply.model)
    if rank is None:
        matrix = [[values[name] for name in line] for line in _names(d, linear)]
    else:
        matrix = [
            [
                sum((values[f"a{r}_{a}"] * values[f"b{r}_{b}"] for r in range(rank)), Fraction(0))
                for b in range(d)
            ]
            for a in range(d)
        ]
    spelled = [[str(x) for x in line] for line in matrix]
    parameter: Any = spelled[0] if linear else spelled
    proof = {"rule": "witness", "parameter": parameter}
    return Answer(solver, version, "proved", "sat", spent, proof, parameter)
