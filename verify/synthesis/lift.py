"""From a find at some lengths to a theorem at all lengths.

A target that is affine in i and n up to floor divisions, t = T(i, n), has a centre tau, affine with
rational coefficients, with |t - tau| < 1/2: each floor(B/q) lies within (q-1)/(2q) of
(B - (q-1)/2)/q. Then -c (j - tau)^2 with c > 0 has its strict maximum over integers j at t. If it
is in the span of an encoding up to terms without j, it is a parameter, and the kernel certifies the
maximum for all i, n and j. Targets at an end of the row also take the logits c j and -c j.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines import prover
from verify.kernel import Expression, number
from verify.synthesis.theorem import KEY, LENGTH, QUERY, Formula, claim, combined, formula, products
from verify.theory.encodings import Encoding
from verify.theory.tasks import Task
from verify.theory.text import text


@dataclass(frozen=True, slots=True)
class Lift:
    """A parameter (rows of rationals, one row if relative) with a theorem for all lengths."""

    parameter: tuple[tuple[Fraction, ...], ...]
    logit: str
    claim: dict[str, Any]
    proof: dict[str, Any]


def _templates(found: Formula) -> Iterator[Expression]:
    """Logits with the target as their only maximum, times a positive c."""
    one = number(1)
    for c in (one, QUERY, LENGTH, QUERY + one):
        if not found.target.terms:
            yield -c * KEY
        if found.target == QUERY:
            yield c * KEY
        yield -c * (KEY - found.centre) * (KEY - found.centre)


def _solve(products: Sequence[Expression], wanted: Expression) -> list[Fraction] | None:
    """Rational weights with sum w_k products_k = wanted up to terms without j; None if none."""
    from flint import fmpq, fmpq_mat

    columns = [_with_j(p) for p in products]
    goal = _with_j(wanted)
    monomials = sorted({m for column in [*columns, goal] for m in column})
    if not set(goal) <= {m for column in columns for m in column}:
        return None
    entries = [
        [
            fmpq(c.numerator, c.denominator)
            for c in (v.get(m, Fraction(0)) for v in [*columns, goal])
        ]
        for m in monomials
    ]
    reduced, rank = fmpq_mat(entries).rref()
    weights, width = [Fraction(0)] * len(products), len(products)
    for r in range(rank):
        pivot = next(k for k in range(width + 1) if reduced[r, k] != 0)
        if pivot == width:
            return None
        value = reduced[r, width]
        weights[pivot] = Fraction(int(value.p), int(value.q))
    return weights


def _with_j(p: Expression) -> dict[kernel.Monomial, Fraction]:
    return {m: c for m, c in p.terms if any(t.head == "j" for t, _ in m)}


def _sketch(found: Formula) -> Any:
    """On either side of the target the key is farther from the centre than the target is."""
    target, gap = text(found.target), text(KEY + found.target - found.centre - found.centre)

    def side(fact: str, have: str) -> dict[str, Any]:
        return {"rule": "tighten", "fact": fact, "then": {"have": have, "by": "auto"}}

    return {
        "rule": "fix",
        "then": {
            "rule": "apart",
            "fact": f"j != {target}",
            "above": side(f"j > {target}", f"{gap} > 0"),
            "below": side(f"{target} > j", f"{gap} < 0"),
        },
    }


def lift(task: Task, e: Encoding, visibility: str = "causal") -> Lift | None:
    """A parameter of the encoding that realizes the task at every length, with its proof."""
    found, terms = formula(task), products(e)
    if found is None or terms is None:
        return None
    for logit in _templates(found):
        weights = _solve(terms, logit)
        if weights is None:
            continue
        statement = claim(found, combined(terms, weights), visibility)
        for sketch in ("auto", _sketch(found)):
            try:
                proof = prover.complete(statement, {"goals": [sketch]}, seconds=10)
            except prover.Unproved:
                continue
            d = e.dimension
            rows = [weights] if e.relative else [weights[k : k + d] for k in range(0, d * d, d)]
            parameter = tuple(tuple(row) for row in rows)
            return Lift(parameter, text(logit), statement, proof)
    return None
