"""A second checker, slow and independent: it shares no code with the kernel, only the format.

Numbers and polynomials are sympy's, decimals mpmath's; hypotheses are instantiated by evaluating
their text in an environment, not by substitution. It confirms that a proof which the kernel accepts
does prove its claim. Numerical facts are decided at 60 digits, which is what an independent check
can do; the kernel's own enclosures are not used. Anything that it cannot follow is an exception.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import mpmath
import sympy

DIGITS = 60
Fact = tuple[sympy.Expr, str]
Environment = Mapping[str, sympy.Expr]


class Refused(Exception):
    """The proof does not prove the claim, as far as this checker can see."""


def require(condition: object, reason: str) -> None:
    if not condition:
        raise Refused(reason)


@dataclass(frozen=True)
class Theory:
    """Sorts of the symbols, and their definitions: table and text of the rest."""

    sorts: Mapping[str, str]
    definitions: Mapping[str, tuple[dict[tuple[sympy.Expr, ...], sympy.Expr], str | None]] = field(
        default_factory=dict
    )

    # ---------------------------------------------------------------- terms

    def term(self, text: str, environment: Environment) -> sympy.Expr:
        return self.reduce(self._read(ast.parse(text.strip(), mode="eval").body, environment))

    def atom(self, text: str, environment: Environment) -> Fact:
        left, relation, right = re.fullmatch(r"([^<>=!]*)([<>=!]=|[<>])([^<>=!]*)", text).groups()  # type: ignore[union-attr]
        p = self.term(left, environment) - self.term(right, environment)
        if relation in ("<", "<="):
            p, relation = -p, relation.replace("<", ">")
        return sympy.expand(p), relation

    def _read(self, node: ast.expr, environment: Environment) -> sympy.Expr:
        match node:
            case ast.Constant(int(value)):
                return sympy.Integer(value)
            case ast.Name("pi"):
                return sympy.pi
            case ast.Name(name):
                if name in environment:
                    return environment[name]
                require(name in self.sorts, f"{name} is unknown")
                return self.value(name, ())
            case ast.UnaryOp(ast.USub(), inner):
                return -self._read(inner, environment)
            case ast.BinOp(left, op, right):
                a, b = self._read(left, environment), self._read(right, environment)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        require(b.is_Rational and b != 0, "division by a number only")
                        return a / b
                    case ast.Pow():
                        require(b.is_Rational, "powers are rational")
                        return a**b
            case ast.Call(ast.Name(name), args):
                values = tuple(self._read(a, environment) for a in args)
                if name in ("cos", "sin"):
                    return getattr(sympy, name)(*values)
                require(name in self.sorts, f"{name} is unknown")
                return self.value(name, tuple(map(sympy.expand, values)))
        raise Refused(f"{ast.unparse(node)} is not read")

    def value(self, name: str, args: tuple[sympy.Expr, ...]) -> sympy.Expr:
        """A symbol at arguments: what its definition gives, or an opaque term."""
        table, rest = self.definitions.get(name, ({}, None))
        if args in table:
            return table[args]
        if rest is not None and not (table and not all(a.is_Rational for a in args)):
            return Theory({}).term(rest, {f"x{k}": a for k, a in enumerate(args)})
        if not args:
            return sympy.Symbol(name, real=True)
        return sympy.Function(name, real=True)(*args)

    def reduce(self, p: sympy.Expr) -> sympy.Expr:
        """Arguments expanded, definitions applied, until nothing changes."""
        while True:
            new = p.replace(
                lambda e: isinstance(e, sympy.core.function.AppliedUndef),
                lambda e: self.value(e.func.__name__, tuple(map(sympy.expand, e.args))),
            )
            new = sympy.expand(new)
            if new == p:
                return new
            p = new

    def whole(self, p: sympy.Expr, sorts: Mapping[str, str]) -> bool:
        """Whether a polynomial is an integer: integer coefficients and integer terms."""
        for monomial in sympy.Add.make_args(sympy.expand(p)):
            coefficient, rest = monomial.as_coeff_Mul()
            if not coefficient.is_Integer:
                return False
            for factor in sympy.Mul.make_args(rest):
                base, power = factor.as_base_exp()
                name = base.func.__name__ if base.args else str(base)
                if not (
                    factor == 1 or (power.is_Integer and power > 0 and sorts.get(name) == "int")
                ):
                    return False
                if not all(self.whole(a, sorts) for a in base.args):
                    return False
        return True


@dataclass(frozen=True)
class Point:
    """A point in a proof: hypotheses as text with an environment, facts, sorts of the constants."""

    theory: Theory
    hypotheses: Mapping[str, tuple[Mapping[str, Any], Environment]]
    sorts: Mapping[str, str]
    environment: Environment
    facts: tuple[Fact, ...] = ()

    def known(self, fact: Fact) -> Point:
        return replace(self, facts=(*self.facts, (self.theory.reduce(fact[0]), fact[1])))

    def fix(self, variables: Mapping[str, str]) -> Point:
        new = {name: sympy.Symbol(name, real=True) for name in variables}
        return replace(
            self,
            sorts={**self.sorts, **variables},
            environment={**self.environment, **new},
        )


OPPOSITE = {">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def opposite(fact: Fact) -> Fact:
    p, relation = fact
    return (p if relation in ("==", "!=") else -p), OPPOSITE[relation]


# -------------------------------------------------------------------- theorems


def theorem(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    definitions = {}
    for name, entry in claim["definitions"].items():
        table = {
            tuple(sympy.Rational(a) for a in point): sympy.Rational(value)
            for point, value in entry["table"]
        }
        require(len(table) == len(entry["table"]), "a point twice")
        definitions[name] = table, entry["otherwise"]
    theory = Theory(claim["symbols"], definitions)
    known = {**claim["hypotheses"], **claim["lemmas"]}
    start = Point(theory, {k: (c, {}) for k, c in known.items()}, claim["symbols"], {})
    require(len(claim["goals"]) == len(proof["goals"]) > 0, "a proof for each goal")
    for goal, part in zip(claim["goals"], proof["goals"], strict=True):
        prove(start, goal, {}, part)


def prove(
    point: Point, clause: Mapping[str, Any], given: Environment, proof: Mapping[str, Any]
) -> None:
    """given: values of some variables of the clause, so far."""
    free = {v: s for v, s in clause["for"].items() if v not in given}
    if proof["rule"] == "fix":
        inner = point.fix(free)
        environment = {**inner.environment, **given}
        facts = [point.theory.atom(text, environment) for text in clause["if"]]
        for fact in [*facts, opposite(point.theory.atom(clause["then"], environment))]:
            inner = inner.known(fact)
        refute(inner, proof["then"])
        return
    require(proof["rule"] == "induct", "a proof starts with fix or induct")
    name = proof["on"]
    require(free.get(name) == "int", "induction on an integer")
    start = point.theory.term(proof["from"], point.environment)
    require(point.theory.whole(start, point.sorts), "induction from an integer")
    here = {**point.environment, **given, **{v: sympy.Symbol(v, real=True) for v in free}}
    atoms = [point.theory.atom(text, here) for text in clause["if"]]
    bound = sympy.expand(sympy.Symbol(name, real=True) - start), ">="
    require(bound in atoms, "the guard of an induction")
    rest = {**clause, "if": [t for t, a in zip(clause["if"], atoms, strict=True) if a != bound]}
    prove(point, rest, {**given, name: start}, proof["base"])
    inner = point.fix({name: "int"})
    variable = inner.environment[name]
    hypothesis = {v: s for v, s in rest["for"].items() if v != name and v not in given}
    inner = replace(
        inner,
        hypotheses={
            **inner.hypotheses,
            "IH": ({**rest, "for": hypothesis}, {**given, name: variable}),
        },
    ).known((variable - start, ">="))
    prove(inner, rest, {**given, name: variable + 1}, proof["step"])


def refute(point: Point, node: Mapping[str, Any]) -> None:
    theory, facts = point.theory, point.facts

    def fact(k: int, *relations: str) -> sympy.Expr:
        require(0 <= k < len(facts) and facts[k][1] in relations, f"fact {k} has another form")
        return facts[k][0]

    match node["rule"]:
        case "use":
            clause, bound = point.hypotheses[node["of"]]
            terms = {v: theory.term(t, point.environment) for v, t in node["at"].items()}
            require(set(terms) == set(clause["for"]), "a term for each variable")
            for variable, sort in clause["for"].items():
                require(sort == "real" or theory.whole(terms[variable], point.sorts), "no integer")
            environment = {**bound, **terms}
            require(len(node["guards"]) == len(clause["if"]), "a proof of each guard")
            for text, part in zip(clause["if"], node["guards"], strict=True):
                refute(point.known(opposite(theory.atom(text, environment))), part)
            refute(point.known(theory.atom(clause["then"], environment)), node["then"])
        case "split":
            atom = theory.atom(node["on"], point.environment)
            refute(point.known(atom), node["yes"])
            refute(point.known(opposite(atom)), node["no"])
        case "apart":
            p = fact(node["fact"], "!=")
            refute(point.known((p, ">")), node["above"])
            refute(point.known((-p, ">")), node["below"])
        case "tighten":
            p = fact(node["fact"], ">")
            require(theory.whole(p, point.sorts), "not an integer")
            refute(point.known((p - 1, ">=")), node["then"])
        case "rewrite":
            target = theory.term(node["term"], point.environment)
            (value,) = sympy.solve(_opaque(fact(node["by"], "=="), target), _TARGET)
            p, relation = facts[node["fact"]]
            value = value.subs(_TARGET, target)
            refute(point.known((p.subs(target, value), relation)), node["then"])
        case "finite":
            _finite(point, node)
        case "close":
            _close(point, node)
        case "sign":
            p = fact(node["fact"], ">", ">=", "==")
            require(not _holds(sympy.N(p, DIGITS), facts[node["fact"]][1]), "the fact is true")
        case "zero":
            p = fact(node["fact"], ">", "!=")
            waves = sympy.powsimp(sympy.expand(p.rewrite(sympy.exp)))
            require(sympy.simplify(waves) == 0, "it does not cancel")
        case "compute":
            false = [p for p, r in facts if p.is_Rational and not _holds(p, r)]
            require(false, "nothing is false")
        case _:
            raise Refused(f"there is no rule {node['rule']}")


_TARGET = sympy.Symbol("target", real=True)


def _opaque(p: sympy.Expr, target: sympy.Expr) -> sympy.Expr:
    """The equation with the term as its unknown, where it stands alone."""
    require(target.is_Symbol or target.is_Function, "a term, not an expression")
    terms = sympy.Add.make_args(sympy.expand(p))
    alone = [t for t in terms if t.as_coeff_Mul()[1] == target]
    require(len(alone) == 1, "the equation does not have the term alone")
    return p - alone[0] + alone[0].as_coeff_Mul()[0] * _TARGET


def _holds(x: sympy.Expr, relation: str) -> bool:
    tiny = 0 if x.is_Rational else sympy.Rational(1, 10 ** (DIGITS // 2))
    require(x.is_number and (x.is_Rational or abs(x) > tiny), "too close to call")
    return bool({">": x > 0, ">=": x >= 0, "==": x == 0, "!=": x != 0}[relation])


def _finite(point: Point, node: Mapping[str, Any]) -> None:
    name = node["name"]
    require(point.sorts.get(name) == "int", "no integer")
    variable = sympy.Symbol(name, real=True)
    ends = []
    for k, sign in ((node["low"], 1), (node["high"], -1)):
        p, relation = point.facts[k]
        number = sympy.expand(p - sign * variable)
        require(relation in (">", ">=") and number.is_Rational, "no bound")
        least = sympy.floor(-number) + 1 if relation == ">" else sympy.ceiling(-number)
        ends.append(int(sign * least))
    for value in range(ends[0], ends[1] + 1):
        change = {variable: sympy.Integer(value)}
        facts = tuple((point.theory.reduce(p.subs(change)), r) for p, r in point.facts)
        hypotheses = {
            k: (c, {v: e.subs(change) for v, e in b.items()} | {name: sympy.Integer(value)})
            for k, (c, b) in point.hypotheses.items()
        }
        environment = {**point.environment, name: sympy.Integer(value)}
        inner = replace(point, facts=facts, hypotheses=hypotheses, environment=environment)
        refute(inner, node["each"])


def _close(point: Point, node: Mapping[str, Any]) -> None:
    total, strict = sympy.Integer(0), False
    for coefficient, chosen in node["sum"]:
        scale = sympy.Rational(coefficient)
        require(scale > 0, "a coefficient is positive")
        for k in chosen:
            require(0 <= k < len(point.facts), "no such fact")
            require(point.facts[k][1] in (">", ">="), "an inequality is needed")
            scale *= point.facts[k][0]
        total += scale
        strict = strict or all(point.facts[k][1] == ">" for k in chosen)
    for multiplier, k in node["equal"]:
        require(0 <= k < len(point.facts) and point.facts[k][1] == "==", "an equation is needed")
        total += point.theory.term(multiplier, point.environment) * point.facts[k][0]
    total = sympy.expand(total)
    if "nonzero" in node:
        p, relation = point.facts[node["nonzero"]]
        require(not node["sum"] and relation == "!=" and sympy.expand(total - p) == 0, "not it")
        return
    require(total.is_Rational and (total < 0 or (total == 0 and strict)), "not impossible")


# -------------------------------------------------------------------- systems


@dataclass(frozen=True)
class System:
    vectors: list[list[mpmath.mpf]]
    rows: list[Sequence[int]]

    def constraint(self, row: Sequence[int], key: int) -> list[mpmath.mpf]:
        query, _, _, target = row
        gap = [a - b for a, b in zip(self.vectors[target], self.vectors[key], strict=True)]
        return gap if query == -1 else [a * b for a in self.vectors[query] for b in gap]

    def logit(self, parameter: Any, query: int, key: int) -> mpmath.mpf:
        columns = self.vectors[key]
        if query == -1:
            return sum(w * b for w, b in zip(parameter, columns, strict=True))
        return sum(
            a * w * b
            for a, line in zip(self.vectors[query], parameter, strict=True)
            for w, b in zip(line, columns, strict=True)
        )


def system(data: Mapping[str, Any]) -> System:
    """Its vectors at 100 digits."""
    read = Theory({}).term
    vectors = [
        [mpmath.mpf(str(sympy.N(read(e, {}), 100))) for e in vector] for vector in data["vectors"]
    ]
    return System(vectors, data["rows"])


def number(text: str) -> mpmath.mpf:
    value = Fraction(text)
    return mpmath.mpf(value.numerator) / value.denominator


SMALL = mpmath.mpf(10) ** -70


def outcome(data: System, parameter: Any, row: Sequence[int], margin: mpmath.mpf) -> str:
    query, first, last, target = row
    own = data.logit(parameter, query, target)
    best = max(data.logit(parameter, query, k) for k in range(first, last) if k != target)
    if abs(own - best) < SMALL:
        return "t"
    return "m" if own < best else "h" if own - best > margin - SMALL else "?"


def witness(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    data, parameter = system(claim["system"]), _parameter(proof["parameter"])
    require(all(outcome(data, parameter, r, mpmath.mpf(0)) == "h" for r in data.rows), "no hit")


def evaluate(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    data, parameter = system(claim["system"]), _parameter(claim["parameter"])
    found = [outcome(data, parameter, r, number(claim["margin"])) for r in data.rows]
    require("".join(found) == claim["outcomes"], "another outcome")


def _parameter(given: Any) -> Any:
    return [_parameter(e) for e in given] if isinstance(given, list) else number(given)


def combination(data: System, part: Any, goal: tuple[Sequence[int], int] | None = None) -> None:
    """Positive multipliers add the constraints up to the goal's constraint, or to zero."""
    listed = part if isinstance(part, list) else part["fixed"]
    for k, key, y in [*listed, *([] if isinstance(part, list) else part["basis"])]:
        row = data.rows[k]
        require(k >= 0 and row[1] <= key < row[2] and key != row[3], "no competitor")
        require(Fraction(y) > 0, "a multiplier is positive")
    rest = [mpmath.mpf(0)] * len(data.constraint(data.rows[0], data.rows[0][1]))
    if goal is not None:
        rest = data.constraint(*goal)
    for k, key, y in listed:
        rest = [
            a - number(y) * b for a, b in zip(rest, data.constraint(data.rows[k], key), strict=True)
        ]
    if isinstance(part, list):
        require(part and all(abs(a) < SMALL for a in rest), "they do not add up")
        return
    columns = [data.constraint(data.rows[k], key) for k, key, _ in part["basis"]]
    matrix = mpmath.matrix(columns).T
    require(abs(mpmath.det(matrix)) > SMALL, "the basis is singular")
    exact = mpmath.lu_solve(matrix, mpmath.matrix(rest))
    require(all(y > SMALL for y in exact), "an exact multiplier is not positive")


def farkas(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    combination(system(claim["system"]), proof.get("multipliers", proof))


def cone(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    data, row = system(claim["system"]), claim["row"]
    keys = [k for k in range(row[1], row[2]) if k != row[3]]
    require(len(keys) == len(proof["cones"]), "a combination for each competitor")
    for key, part in zip(keys, proof["cones"], strict=True):
        combination(data, part, (row, key))


CHECKERS = {
    ("theorem", "goals"): theorem,
    ("realizable", "witness"): witness,
    ("decisions", "evaluate"): evaluate,
    ("unrealizable", "farkas"): farkas,
    ("unrealizable", "farkas-enclosed"): farkas,
    ("forced", "cone"): cone,
}


def confirm(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> None:
    """Refused, or another exception, unless the proof proves the claim."""
    with mpmath.workdps(100):
        CHECKERS[claim["kind"], proof["rule"]](claim, proof)
