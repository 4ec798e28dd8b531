"""Algebra by sympy: identities as a second opinion, and the endpoint lemma for affine logits.

sympy only ever sees expressions built here from the kernel's own normal form, never text.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines.protocol import Answer, read
from verify.kernel import Expression, Term
from verify.theory.text import text

POINTS = 3
DIGITS = 60


def identity(left: Expression, right: Expression) -> Answer:
    """Whether two expressions are equal for all values of their names.

    Polynomials are expanded; cosines and sines are written as exponentials first, which decides
    every identity that follows from the addition formulas. 'refuted' gives a point at which sympy
    computes a difference (its model); functions stand for themselves.
    """
    import sympy

    start = time.monotonic()
    gap = to_sympy(left) - to_sympy(right)
    version = sympy.__version__
    if sympy.expand(gap) == 0 or _exponential(gap) == 0:
        return Answer("sympy", version, "proved", "", time.monotonic() - start)
    for k in range(POINTS):
        point = _point(gap, k)
        value = gap.subs(point).evalf(DIGITS)
        if value.is_number and abs(value) > sympy.Float(10) ** (-DIGITS // 2):
            model = {str(name): str(x) for name, x in point.items()}
            reason = f"the difference is about {sympy.N(value, 6)}"
            seconds = time.monotonic() - start
            return Answer("sympy", version, "refuted", reason, seconds, model=model)
    reason = "sympy neither simplifies the difference to zero nor finds a point"
    return Answer("sympy", version, "unknown", reason, time.monotonic() - start)


def second_opinion(claim: Mapping[str, Any]) -> Answer:
    """What sympy says of a theorem claim whose goals are identities (equations without guards)."""
    import sympy

    context, goals = read(claim)
    start, answer = time.monotonic(), Answer("sympy", sympy.__version__, "unknown", "no goal")
    for goal in goals:
        p, relation = goal.then
        if relation != "==" or goal.guards or context.clauses:
            reason = "sympy is asked about identities without hypotheses only"
            return Answer("sympy", sympy.__version__, "unknown", reason)
        answer = identity(p, kernel.number(0))
        if answer.outcome != "proved":
            return answer
    return replace(answer, seconds=time.monotonic() - start)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Row i of a head whose logit is affine in the key: P(i, j) = intercept + slope * j.

    intercept, slope: expressions in i and in the entries of the parameter, named W0_0, W0_1, ...
    (absolute) or w0, w1, ... (relative). certificate: the combination
    (i - t) * (P(i, t) - P(i, 0)) + t * (P(i, t) - P(i, i)), which sympy and the kernel's normal
    form both find to be zero: an interior key cannot beat both endpoints.
    """

    intercept: Expression
    slope: Expression
    certificate: Expression


def affine_endpoint(features: Sequence[Expression], variable: str, relative: bool) -> Endpoint:
    """The endpoint lemma for features that depend on the position (or the offset) `variable`.

    For every parameter: if the logit of row i is affine in the key j, its maximum over j = 0..i is
    at an endpoint, and a strict maximum is there alone. ValueError if the logit is not affine in j
    for every parameter, naming the feature that is not.
    """
    import sympy

    i, j, t = (sympy.Symbol(name, real=True) for name in "ijt")
    x = sympy.Symbol(variable, real=True)
    phi = [to_sympy(feature) for feature in features]
    for feature, expression in zip(features, phi, strict=True):
        bend = expression.subs(x, x + 2) - 2 * expression.subs(x, x + 1) + expression
        if sympy.expand(bend) != 0:
            raise ValueError(f"the feature {text(feature)} is not affine in {variable}")
    count = range(len(phi))
    if relative:
        logit = sum(sympy.Symbol(f"w{k}") * phi[k].subs(x, i - j) for k in count)
    else:
        logit = sum(
            sympy.Symbol(f"W{a}_{b}") * phi[a].subs(x, i) * phi[b].subs(x, j)
            for a in count
            for b in count
        )
    logit = sympy.expand(logit)
    slope = sympy.expand(logit.subs(j, j + 1) - logit)
    intercept = logit.subs(j, 0)
    to_first, to_last = (logit.subs(j, t) - logit.subs(j, end) for end in (0, i))
    combination = sympy.expand((i - t) * to_first + t * to_last)
    if slope.has(j) or sympy.expand(logit - intercept - slope * j) != 0 or combination != 0:
        raise ValueError("sympy does not confirm the endpoint lemma for these features")
    a, b = (from_sympy(sympy.expand(part)) for part in (intercept, slope))
    return Endpoint(a, b, _certificate(a, b))


def _certificate(intercept: Expression, slope: Expression) -> Expression:
    """The combination of the two gaps again, in the kernel's normal form."""
    row, target = kernel.apply("i"), kernel.apply("t")

    def at(key: Expression) -> Expression:
        return intercept + slope * key

    to_first, to_last = at(target) - at(kernel.number(0)), at(target) - at(row)
    return (row - target) * to_first + target * to_last


# ------------------------------------------------------------ between the two normal forms


def to_sympy(p: Expression) -> Any:
    """The expression as a sympy object: names are real symbols, functions are undefined ones."""
    import sympy

    parts = [
        sympy.Rational(c.numerator, c.denominator)
        * sympy.Mul(*(_term(term, exponent) for term, exponent in monomial))
        for monomial, c in p.terms
    ]
    return sympy.Add(*parts)


def _term(term: Term, exponent: Fraction) -> Any:
    import sympy

    power = sympy.Rational(exponent.numerator, exponent.denominator)
    if term.head.isdigit():
        return sympy.Integer(int(term.head)) ** power
    arguments = [to_sympy(a) for a in term.args]
    if term.head == "pi":
        return sympy.pi**power
    if term.head in ("cos", "sin"):
        return {"cos": sympy.cos, "sin": sympy.sin}[term.head](*arguments) ** power
    if arguments:
        return sympy.Function(term.head, real=True)(*arguments) ** power
    return sympy.Symbol(term.head, real=True) ** power


def from_sympy(value: Any) -> Expression:
    """A polynomial with rational coefficients over names back in the kernel's normal form."""
    names = sorted(value.free_symbols, key=str)
    if not names:
        return kernel.number(Fraction(int(value.p), int(value.q)))
    total = kernel.number(0)
    for powers, c in value.as_poly(*names).terms():
        product = kernel.number(Fraction(int(c.p), int(c.q)))
        for name, power in zip(names, powers, strict=True):
            for _ in range(power):
                product = product * kernel.apply(str(name))
        total = total + product
    return total


def _exponential(gap: Any) -> Any:
    """The difference over exponentials, expanded: zero if the addition formulas say so."""
    import sympy

    return sympy.expand(sympy.powsimp(sympy.expand(gap.rewrite(sympy.exp), power_exp=True)))


def _point(gap: Any, k: int) -> dict[Any, Any]:
    """Rational values of the names, different at each k."""
    import sympy

    names = sorted(gap.free_symbols, key=str)
    return {name: sympy.Rational(3 * n + 5 * k + 2, 2 * n + 7) for n, name in enumerate(names)}
