"""The theorem that one parameter realizes a task at every length, as a claim for the kernel.

Standard library and theory only: `recheck` rebuilds these claims.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.kernel import Expression, Term, number
from verify.statements import theorem
from verify.theory.encodings import Encoding, encoding
from verify.theory.tasks import Task
from verify.theory.tasks import task as named
from verify.theory.text import text

QUERY, KEY, LENGTH = (kernel.apply(name) for name in "ijn")
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Formula:
    """t = target, an affine expression in i, n and the floors f0, f1, ...; centre: tau in i and n.

    floors: for each (B, q) with f = floor(B / q).
    """

    target: Expression
    floors: tuple[tuple[Expression, int], ...]
    centre: Expression


def formula(task: Task) -> Formula | None:
    """The affine form of a task's target; None if it has none."""
    if task.formula is None:
        return None
    floors: list[tuple[Expression, int]] = []
    try:
        target = _affine(ast.parse(task.formula.text, mode="eval").body, floors)
    except _NotAffine:
        return None
    change, slack = {}, Fraction(0)
    for k, (inner, q) in enumerate(floors):
        change[Term(f"f{k}", ())] = (inner - number(Fraction(q - 1, 2))) * number(Fraction(1, q))
        slack += abs(_coefficient(target, f"f{k}")) * Fraction(q - 1, 2 * q)
    return Formula(target, tuple(floors), target.substitute(change)) if slack < HALF else None


class _NotAffine(Exception):
    """The target has another form."""


def _affine(node: ast.expr, floors: list[tuple[Expression, int]]) -> Expression:
    match node:
        case ast.Constant(value=int(value)):
            return number(value)
        case ast.Name(id="i" | "n" as name):
            return kernel.apply(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_affine(inner, floors)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _affine(left, floors) + _affine(right, floors)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _affine(left, floors) - _affine(right, floors)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            a, b = _affine(left, floors), _affine(right, floors)
            if a.constant() is not None or b.constant() is not None:
                return a * b
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            divisor, below = _affine(right, floors).constant(), _affine(left, floors)
            flat = not any(t.head.startswith("f") for m, _ in below.terms for t, _ in m)
            if divisor is not None and divisor.denominator == 1 and divisor > 0 and flat:
                floors.append((below, int(divisor)))
                return kernel.apply(f"f{len(floors) - 1}")
    raise _NotAffine


def _coefficient(p: Expression, name: str) -> Fraction:
    return dict(p.terms).get(((Term(name, ()), Fraction(1)),), Fraction(0))


def products(e: Encoding) -> list[Expression] | None:
    """What each parameter entry multiplies, as polynomials in i, j, n; None if they are none."""
    try:
        if e.relative:
            samples = [_polynomial(e, k) for k in range(e.dimension)]
            return [p.substitute({Term("o", ()): QUERY - KEY}) for p in samples]
        query = [_polynomial(e, k) for k in range(e.dimension)]
        keys = [p.substitute({Term("i", ()): KEY}) for p in query]
        return [a * b for a in query for b in keys]
    except kernel.Malformed:
        return None


def _polynomial(e: Encoding, k: int) -> Expression:
    """Feature k as the expression that the encoding's spec spells."""
    spec = e.spec.removeprefix("scale:")
    if not spec.startswith("expr:"):
        raise kernel.Malformed(f"{e.spec} is not given by polynomials")
    body = ast.parse(spec.removeprefix("expr:"), mode="eval").body
    assert isinstance(body, ast.List)
    return kernel.expression(ast.unparse(body.elts[k]))


def combined(products: Sequence[Expression], weights: Sequence[Fraction]) -> Expression:
    """The logit: the parameter entries times what each multiplies."""
    total = number(0)
    for p, w in zip(products, weights, strict=True):
        total = total + p * number(w)
    return total


def claim(found: Formula, logit: Expression, visibility: str) -> dict[str, Any]:
    """The claim that this logit has its strict maximum at the target, on every row."""
    names = [f"f{k}" for k in range(len(found.floors))]
    target = text(found.target)
    last = "i" if visibility == "causal" else "n - 1"
    guards = ["0 <= i", "i < n", "0 <= j", f"j <= {last}"]
    for name, (inner, q) in zip(names, found.floors, strict=True):
        guards += [f"{q}*{name} <= {text(inner)}", f"{text(inner)} <= {q}*{name} + {q - 1}"]
    guards += [f"{target} >= 0", f"{target} <= {last}", f"j != {target}"]
    at_target = logit.substitute({Term("j", ()): found.target})
    goal = {
        "for": dict.fromkeys(["i", "n", "j", *names], "int"),
        "if": guards,
        "then": f"{text(at_target)} > {text(logit)}",
    }
    return {**theorem("", {}, []), "goals": [goal]}


def claim_of(
    task: str, spec: str, parameter: Sequence[Sequence[Fraction]], visibility: str
) -> dict[str, Any]:
    """The theorem rebuilt from its question. ValueError if the task has no affine form."""
    found, terms = formula(named(task)), products(encoding(spec))
    if found is None or terms is None:
        raise ValueError(f"{task} over {spec} has no polynomial form for all lengths")
    flat = [w for row in parameter for w in row]
    if len(flat) != len(terms):
        raise ValueError(f"the parameter of {spec} has {len(terms)} entries, not {len(flat)}")
    return claim(found, combined(terms, flat), visibility)
