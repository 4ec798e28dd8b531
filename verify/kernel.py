"""The trusted kernel: it decides whether a certificate proves a claim, and does nothing else.

Standard library only, no imports from the project, no search. A claim is plain data that the caller
rebuilt from a statement; the certificate names only its digest. ``FORMAT.md`` beside this file
specifies both. Everything outside this file may be wrong without making a false claim `valid`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, Final, NamedTuple, NoReturn

FORMAT: Final = "1.0"
MAX_EXPRESSION, MAX_DIGITS, MAX_CASES, MAX_BITS = 20_000, 400_000, 1_000_000, 1 << 14
sys.set_int_max_str_digits(MAX_DIGITS)  # multipliers of large systems have thousands of digits


class Malformed(ValueError):
    """The input is not a claim or certificate of this format; nothing was decided."""


class Invalid(Exception):
    """The certificate is well formed and does not prove the claim."""


class Hole(Exception):
    """The certificate leaves a step to somebody else."""


# ------------------------------------------------------------ numbers and expressions

_RATIONAL = re.compile(r"(-?[1-9][0-9]*|0)(?:/([1-9][0-9]*))?", re.ASCII)


def rational(text: object) -> Fraction:
    """The number that a canonical string spells: '-3', '5/7'; anything else is Malformed."""
    match = _RATIONAL.fullmatch(text) if isinstance(text, str) and len(text) < MAX_DIGITS else None
    if match is None:
        raise Malformed(f"{str(text)[:60]!r} is not a canonical rational such as '-3' or '5/7'")
    value = Fraction(int(match[1]), int(match[2] or 1))
    if str(value) != text:
        raise Malformed(f"{str(text)[:60]!r} is not in lowest terms")
    return value


class Term(NamedTuple):
    """A name, an application, `pi`, or a prime number (which carries a fractional exponent)."""

    head: str
    args: tuple[Expression, ...]


Monomial = tuple[tuple[Term, Fraction], ...]


@dataclass(frozen=True, order=True, slots=True)
class Expression:
    """A polynomial over terms with rational coefficients, in normal form: equal iff same data."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    def __add__(self, other: Expression) -> Expression:
        return collect([*self.terms, *other.terms])

    def __neg__(self) -> Expression:
        return Expression(tuple((monomial, -c) for monomial, c in self.terms))

    def __sub__(self, other: Expression) -> Expression:
        return self + -other

    def __mul__(self, other: Expression) -> Expression:
        return collect(_times(m, n, c * k) for m, c in self.terms for n, k in other.terms)

    def constant(self) -> Fraction | None:
        """The value if no term occurs, else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def map(self, image: Callable[[Term], Expression]) -> Expression:
        """Replace every term by its image, innermost first."""
        total: list[tuple[Monomial, Fraction]] = []
        for monomial, coefficient in self.terms:
            product = number(coefficient)
            for term, exponent in monomial:
                if term.head.isdigit():
                    product = product * Expression(((((term, exponent),), Fraction(1)),))
                else:
                    new = image(Term(term.head, tuple(a.map(image) for a in term.args)))
                    product = math.prod([new] * int(exponent), start=product)
            total.extend(product.terms)
        return collect(total)

    def substitute(self, change: Mapping[Term, Expression]) -> Expression:
        """Replace these terms everywhere at once, arguments included."""
        return self.map(lambda term: change[term] if term in change else apply(*term))


def collect(pairs: Iterable[tuple[Monomial, Fraction]]) -> Expression:
    """The sum of monomials with coefficients, in normal form."""
    total: dict[Monomial, Fraction] = {}
    for monomial, coefficient in pairs:
        total[monomial] = total.get(monomial, 0) + coefficient
    return Expression(tuple(sorted((m, c) for m, c in total.items() if c)))


def _times(m: Monomial, n: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    powers = dict(m)
    for term, exponent in n:
        power = powers.pop(term, 0) + exponent
        if term.head.isdigit() and power >= 1:  # p**(7/4) = p * p**(3/4)
            coefficient, power = coefficient * int(term.head), power - 1
        if power:
            powers[term] = power
    return tuple(sorted(powers.items())), coefficient


def number(value: Fraction | int) -> Expression:
    """The constant expression."""
    return Expression((((), Fraction(value)),) if value else ())


def apply(head: str, args: tuple[Expression, ...] = ()) -> Expression:
    """The term as an expression; arguments of cosine and sine get a canonical sign."""
    sign = 1
    if head in ("cos", "sin"):
        if not args[0].terms:
            return number(head == "cos")
        if args[0].terms[0][1] < 0:
            args, sign = (-args[0],), 1 if head == "cos" else -1
    return Expression(((((Term(head, args), Fraction(1)),), Fraction(sign)),))


def _power(base: Expression, exponent: Fraction) -> Expression | None:
    """Natural powers of anything; rational powers of primes (the only radicals)."""
    if exponent.denominator == 1 and 0 <= exponent <= 64:
        return math.prod([base] * int(exponent), start=number(1))
    p = base.constant()
    if p is None or p.denominator > 1 or not 1 < p < 1 << 20 or abs(exponent) > 1 << 10:
        return None
    if exponent.denominator > 1 << 10 or any(p % k == 0 for k in range(2, math.isqrt(int(p)) + 1)):
        return None
    whole, part = divmod(exponent, 1)
    return Expression(((((Term(str(p), ()), part),) if part else (), p**whole),))


@lru_cache(maxsize=1 << 14)
def expression(text: str) -> Expression:
    """Parse a restricted Python expression (never evaluated), or Malformed."""
    return _walk(_parse(text))


def _parse(text: object) -> ast.expr:
    if not isinstance(text, str) or len(text) > MAX_EXPRESSION or not text.isascii():
        raise Malformed(f"an expression is an ASCII string of at most {MAX_EXPRESSION} characters")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Malformed(f"{text[:60]!r} is not an expression") from None


_ARITHMETIC: Final[dict[type, Callable[[Expression, Expression], Expression]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul
}  # fmt: skip


def _walk(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return number(value)
        case ast.Name(id=name) if name not in ("cos", "sin"):
            return apply(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_walk(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_walk(left), _walk(right))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            if divisor := _walk(right).constant():
                return _walk(left) * number(1 / divisor)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = _walk(right).constant()
            power = None if exponent is None else _power(_walk(left), exponent)
            if power is not None:
                return power
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if args and name != "pi":
            if len(args) == 1 or name not in ("cos", "sin"):
                return apply(name, tuple(map(_walk, args)))
    raise Malformed(f"{ast.unparse(node)[:60]!r} is not allowed in an expression")


Atom = tuple[Expression, str]  # p > 0, p >= 0, p == 0 or p != 0
_COMPARISON: Final[dict[type, tuple[int, str]]] = {
    ast.Gt: (1, ">"), ast.GtE: (1, ">="), ast.Lt: (-1, ">"), ast.LtE: (-1, ">="),
    ast.Eq: (1, "=="), ast.NotEq: (1, "!="),
}  # fmt: skip
_NEGATION: Final = {">": ">=", ">=": ">", "==": "!=", "!=": "=="}


@lru_cache(maxsize=1 << 14)
def atom(text: str) -> Atom:
    """Parse one comparison into `p > 0`, `p >= 0`, `p == 0` or `p != 0`."""
    match _parse(text):
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISON:
            sign, relation = _COMPARISON[type(op)]
            return (_walk(left) - _walk(right)) * number(sign), relation
    raise Malformed(f"{text[:60]!r} is not one comparison of two expressions")


def negation(fact: Atom) -> Atom:
    """The atom that holds exactly when this one does not."""
    return (-fact[0] if fact[1] in (">", ">=") else fact[0]), _NEGATION[fact[1]]


# ------------------------------------------------------------ enclosures: integers over 2**bits


@lru_cache(maxsize=64)
def _pi(bits: int) -> tuple[int, int]:
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239); each truncation costs less than two units."""
    total = errors = 0
    for factor, x in ((16, 5), (-4, 239)):
        power, k = (factor << bits + 32) // x, 1
        while power not in (0, -1):
            total += power // k * (1 if k % 4 == 1 else -1)
            power, k, errors = power // (x * x), k + 2, errors + 4
    return total - errors - 8 >> 32, (total + errors + 8 >> 32) + 1


@lru_cache(maxsize=1 << 12)
def _root(prime: int, exponent: Fraction, bits: int) -> tuple[int, int]:
    n = exponent.denominator
    radicand = prime**exponent.numerator << bits * n
    high = 1 << radicand.bit_length() // n + 1
    while True:  # Newton from above, on integers
        low = ((n - 1) * high + radicand // high ** (n - 1)) // n
        if low >= high:
            return high, high + 1
        high = low


def _cosine(low: int, high: int, shift: bool, bits: int) -> tuple[int, int]:
    """cos (or sin = cos of the angle less pi/2, if shift): modulo 2 pi, then the Taylor series."""
    middle, radius = low + high >> 1, high - low
    extra = max(0, middle.bit_length() - bits) + 8
    pi, above = _pi(bits + extra)
    y = (middle << extra) - (pi >> 1 if shift else 0)
    turns = (y + pi) // (2 * pi)
    y = y - 2 * pi * turns >> extra
    radius += ((2 * abs(turns) + 1) * (above - pi) >> extra) + 4
    square, term, total, k = y * y >> bits, 1 << bits, 1 << bits, 1
    while term not in (0, -1):  # |y| <= 3.2: each term is off by less than 5 units
        term = -(term * square >> bits) // (k * (k + 1))
        total, k = total + term, k + 2
    return total - radius - 3 * k - 10, total + radius + 3 * k + 10


@lru_cache(maxsize=1 << 16)
def _enclose_term(term: Term, exponent: Fraction, bits: int) -> tuple[int, int]:
    if term.head.isdigit():
        return _root(int(term.head), exponent, bits)
    if term.head == "pi":
        return _pi(bits)
    if term.head in ("cos", "sin"):
        return _cosine(*enclose(term.args[0], bits), term.head == "sin", bits)
    raise Invalid(f"{term.head} has no numerical value")


def enclose(p: Expression, bits: int) -> tuple[int, int]:
    """Integers (low, high) with low <= p * 2**bits <= high, for p without names."""
    total_low = total_high = 0
    for monomial, coefficient in p.terms:
        low = high = 1 << bits
        for term, exponent in monomial:
            other = _enclose_term(term, exponent, bits)
            for _ in range(math.ceil(exponent)):
                ends = [a * b for a in (low, high) for b in other]
                low, high = min(ends) >> bits, -(-max(ends) >> bits)
        top, bottom = coefficient.numerator, coefficient.denominator
        total_low += min(low * top, high * top) // bottom
        total_high -= -max(low * top, high * top) // bottom
    return total_low, total_high


def linear(p: Expression) -> Expression:
    """Product-to-sum until each monomial has one cosine or sine at most; same value."""
    done, todo = [], list(p.terms)
    while todo:
        monomial, coefficient = todo.pop()
        waves = [t for t, e in monomial if t.head in ("cos", "sin") for _ in range(int(e))]
        if len(waves) < 2:
            done.append((monomial, coefficient))
            continue
        a, b = sorted(waves)[:2]  # cosines come first
        rest = [(t, e - (t == a) - (t == b)) for t, e in monomial]
        head = "cos" if a.head == b.head else "sin"
        plus, minus = (apply(head, (b.args[0] + s * a.args[0],)) for s in (number(1), number(-1)))
        both = minus - plus if a.head == "sin" else minus + plus
        todo.extend((both * Expression(((tuple(r for r in rest if r[1]), coefficient / 2),))).terms)
    return collect(done)


def is_zero(p: Expression) -> bool:
    """Whether p cancels formally (sound for all p; complete for numbers, by Lindemann)."""
    return not linear(p).terms


# ------------------------------------------------------------ theorems: clauses and proof trees


def _take(node: object, *keys: str, optional: str = "") -> list[Any]:
    """The values of exactly these keys of an object; anything else is Malformed."""
    allowed = {*keys, optional} if optional else set(keys)
    if not isinstance(node, dict) or not set(keys) <= set(node) <= allowed:
        found = ", ".join(map(str, node)) if isinstance(node, dict) else type(node).__name__
        raise Malformed(f"expected an object with the keys {', '.join(keys)}; found {found}"[:300])
    return [node[key] for key in keys] + ([node.get(optional)] if optional else [])


def _list(value: object, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or size not in (None, len(value)):
        raise Malformed(f"expected a list{'' if size is None else f' of {size}'}")
    return value


def _int(value: object, low: int, high: int) -> int:
    if type(value) is not int:
        raise Malformed(f"expected an integer, found {str(value)[:40]!r}")
    if not low <= value < high:
        raise Invalid(f"{value} is outside {low}..{high - 1}")
    return value


def _names(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(
        re.fullmatch(r"[A-Za-z_][\w-]*", n, re.A) for n in value
    ):
        raise Malformed("expected an object whose keys are identifiers")
    if {"cos", "sin", "pi", "IH"} & set(value):
        raise Malformed("the names cos, sin, pi and IH are taken")
    return value


class _Clause(NamedTuple):
    variables: dict[str, str]
    guards: list[Atom]
    then: Atom

    def map(self, change: Callable[[Expression], Expression]) -> _Clause:
        *guards, then = [(change(p), r) for p, r in [*self.guards, self.then]]
        return _Clause(self.variables, guards, then)


@dataclass(frozen=True, slots=True)
class _Context:
    """What is declared and assumed, and (one set for a whole proof) what was used of it."""

    sorts: dict[str, str]  # of names, and of the values of functions at integers
    definitions: dict[str, tuple[dict[tuple[Fraction | None, ...], Fraction], Expression | None]]
    clauses: dict[str, _Clause]
    used: set[str] = field(default_factory=set)

    def integral(self, p: Expression) -> bool:
        """Whether p is certainly an integer; an undeclared name is Malformed."""
        whole = all(coefficient.denominator == 1 for _, coefficient in p.terms)
        for term in (term for monomial, _ in p.terms for term, _ in monomial):
            inner = [self.integral(a) for a in term.args]
            if term.head in ("cos", "sin", "pi") or term.head.isdigit():
                whole = False
            elif term.head in self.sorts:
                whole &= self.sorts[term.head] == "int" and all(inner)
            else:
                raise Malformed(f"{term.head} is not declared")
        return whole

    def unfold(self, p: Expression) -> Expression:
        """Replace defined names by their values, tables as soon as the arguments are numbers."""

        def image(term: Term) -> Expression:
            table, otherwise = self.definitions.get(term.head, ({}, None))
            point = tuple(a.constant() for a in term.args)
            if point in table:
                return number(table[point])
            if otherwise is None or (table and None in point):
                return apply(*term)
            return otherwise.substitute({Term(f"x{k}", ()): a for k, a in enumerate(term.args)})

        return p.map(image) if self.definitions else p

    def read(self, text: Any) -> Expression:
        p = expression(text)
        self.integral(p)
        return self.unfold(p)

    def bind(self, variables: Mapping[str, Any], clauses: Mapping[str, _Clause]) -> _Context:
        if set(_names(variables)) & set(self.sorts) or set(variables.values()) - {"int", "real"}:
            raise Malformed("variables need names of their own and the sort 'int' or 'real'")
        sorts = {**self.sorts, **variables}
        return _Context(sorts, self.definitions, {**self.clauses, **clauses}, self.used)

    def clause(self, data: object) -> _Clause:
        variables, guards, then = _take(data, "for", "if", "then")
        atoms = [atom(text) for text in [*_list(guards), then]]
        inner = self.bind(variables, {})
        for p, _ in atoms:
            inner.integral(p)
        return _Clause(variables, atoms[:-1], atoms[-1]).map(self.unfold)


def _theorem(claim: Any, proof: Any) -> _Context:
    """Every goal follows from the hypotheses and lemmas, for all symbols (as defined, if defined)."""
    keys = ("symbols", "definitions", "hypotheses", "lemmas", "goals")
    symbols, definitions, hypotheses, lemmas, goals = _take(claim, "kind", *keys)[1:]
    context = _Context({}, {}, {}).bind(symbols, {})
    for name, entry in _names(definitions).items():
        table, otherwise = _take(entry, "table", "otherwise")
        points = {tuple(map(rational, _list(k))): rational(v) for k, v in _list(table)}
        rest = None if otherwise is None else expression(otherwise)
        inner = _Context({f"x{k}": "int" for k in range(9)}, {}, {})
        whole = rest is None or inner.integral(rest)
        whole &= all(value.denominator == 1 for value in points.values())
        if (
            name not in symbols
            or len(points) != len(table)
            or (symbols[name] == "int" and not whole)
        ):
            raise Malformed(f"the definition of {name} does not fit its declaration")
        context.definitions[name] = points, rest  # type: ignore[assignment]
    if set(_names(hypotheses)) & set(_names(lemmas)):
        raise Malformed("hypotheses and lemmas need different names")
    assumed = {name: context.clause(data) for name, data in {**hypotheses, **lemmas}.items()}
    rule, proofs = _take(proof, "rule", "goals")
    if rule != "goals" or not goals:
        raise Malformed("the proof of a theorem has the rule 'goals', with a proof of each")
    context = context.bind({}, assumed)
    for goal, part in zip(_list(goals), _list(proofs, len(_list(goals))), strict=True):
        _prove(context, context.clause(goal), [], part)
    return context


def _prove(context: _Context, goal: _Clause, facts: list[Atom], proof: Any) -> set[int]:
    """Check a proof of a clause from facts; returns which of them it used."""
    if not isinstance(proof, dict) or proof.get("rule") != "induct":
        rule, then = _take(proof, "rule", "then")
        if rule != "fix":
            raise Malformed("a proof starts with the rule 'fix' or 'induct'")
        known = [*facts, *goal.guards, negation(goal.then)]
        return _refute(context.bind(goal.variables, {}), known, then)
    name, start, base, step = _take(proof, "rule", "on", "from", "base", "step")[1:]
    first, variable = context.read(start), apply(str(name))
    bound = variable - first, ">="
    if goal.variables.get(name) != "int" or not context.integral(first) or bound not in goal.guards:
        raise Invalid("induction needs an integer variable of the goal with the guard 'on >= from'")
    others = {n: s for n, s in goal.variables.items() if n != name}
    rest = _Clause(others, [g for g in goal.guards if g != bound], goal.then)

    def at(value: Expression) -> _Clause:
        return rest.map(lambda p: context.unfold(p.substitute({Term(name, ()): value})))

    used = _prove(context, at(first), facts, base)
    inner = context.bind({name: "int"}, {"IH": rest})
    return used | _prove(inner, at(variable + number(1)), [*facts, bound], step)


def _refute(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """Check that the facts contradict each other; returns which of them were used."""
    rule = node.get("rule") if isinstance(node, dict) else None
    if not isinstance(rule, str) or rule not in _RULES:
        raise Malformed(f"unknown rule {str(rule)[:40]!r}")
    return _RULES[rule](context, facts, node)


def _with(context: _Context, facts: list[Atom], new: Atom, node: Any) -> set[int]:
    """Refute with one more fact, which must be used: a certificate carries nothing idle."""
    used = _refute(context, [*facts, (context.unfold(new[0]), new[1])], node)
    if len(facts) not in used:
        raise Invalid("a step of the proof is idle")
    return used - {len(facts)}


def _fact(facts: list[Atom], k: Any, *relations: str) -> Expression:
    p, relation = facts[_int(k, 0, len(facts))]
    if relation not in relations:
        raise Invalid(f"fact {k} is not of the form p {' or '.join(relations)} 0")
    return p


def _use(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """An instance of a hypothesis or lemma; each of its guards is refuted when negated."""
    name, at, guards, then = _take(node, "rule", "of", "at", "guards", "then")[1:]
    if name not in context.clauses:
        raise Invalid(f"there is no hypothesis or lemma {str(name)[:40]!r}")
    clause, terms = context.clauses[name], {v: context.read(t) for v, t in _names(at).items()}
    if set(terms) != set(clause.variables) or len(_list(guards)) != len(clause.guards):
        raise Invalid(f"{name} needs a term for each variable and a proof of each guard")
    if any(s == "int" and not context.integral(terms[v]) for v, s in clause.variables.items()):
        raise Invalid(f"an integer variable of {name} got something else")
    instance = clause.map(lambda p: p.substitute({Term(v, ()): t for v, t in terms.items()}))
    context.used.add(name)
    used = _with(context, facts, instance.then, then)
    for guard, part in zip(instance.guards, guards, strict=True):
        used |= _with(context, facts, negation(guard), part)
    return used


def _split(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """Either an atom holds or its negation does."""
    on, yes, no = _take(node, "rule", "on", "yes", "no")[1:]
    context.integral(atom(on)[0])
    return _with(context, facts, atom(on), yes) | _with(context, facts, negation(atom(on)), no)


def _apart(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """From p != 0: p > 0 or -p > 0."""
    k, above, below = _take(node, "rule", "fact", "above", "below")[1:]
    p = _fact(facts, k, "!=")
    used = _with(context, facts, (p, ">"), above) | _with(context, facts, (-p, ">"), below)
    return {k} | used


def _tighten(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """From p > 0 with p an integer: p - 1 >= 0."""
    k, then = _take(node, "rule", "fact", "then")[1:]
    p = _fact(facts, k, ">")
    if not context.integral(p):
        raise Invalid(f"fact {k} is not about integers")
    return {k} | _with(context, facts, (p - number(1), ">="), then)


def _rewrite(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """Replace a term of one fact by what an equation says it equals."""
    k, by, text, then = _take(node, "rule", "fact", "by", "term", "then")[1:]
    p, relation = facts[_int(k, 0, len(facts))]
    equation, target = _fact(facts, by, "=="), context.read(text)
    coefficient = dict(equation.terms).get(target.terms[0][0]) if len(target.terms) == 1 else None
    if coefficient is None or target != apply(*target.terms[0][0][0][0]):
        raise Invalid(f"fact {by} is not an equation in the given term")
    image = target - equation * number(1 / coefficient)
    if context.integral(target) and not context.integral(image):
        raise Invalid("an integer term cannot be replaced by this")
    new = p.substitute({target.terms[0][0][0][0]: image}), relation
    return {k, by} | _with(context, facts, new, then)


def _finite(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """An integer between two numbers: the same proof for each of its values."""
    name, low, high, each = _take(node, "rule", "name", "low", "high", "each")[1:]
    ends = []
    for k, sign in ((low, 1), (high, -1)):
        gap = (_fact(facts, k, ">", ">=") - apply(str(name)) * number(sign)).constant()
        if gap is None or context.sorts.get(name) != "int":
            raise Invalid(f"fact {k} does not bound an integer {str(name)[:40]!r} by a number")
        ends.append(sign * (math.floor(-gap) + 1 if facts[k][1] == ">" else math.ceil(-gap)))
    if ends[1] - ends[0] >= MAX_CASES:
        raise Invalid("too many cases")
    used = {low, high}
    for value in range(ends[0], ends[1] + 1):
        change = {Term(name, ()): number(value)}

        def move(p: Expression, change: Mapping[Term, Expression] = change) -> Expression:
            return context.unfold(p.substitute(change))

        inner = context.bind({}, {n: c.map(move) for n, c in context.clauses.items()})
        used |= _refute(inner, [(move(p), r) for p, r in facts], each)
    return used


def _close(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """A combination of facts that is identically impossible."""
    products, equations, nonzero = _take(node, "rule", "sum", "equal", optional="nonzero")[1:]
    total, strict, used = number(0), False, set()
    for coefficient, chosen in (_list(entry, 2) for entry in _list(products)):
        if (scale := rational(coefficient)) <= 0:
            raise Invalid("a coefficient must be positive")
        factors = [_fact(facts, k, ">", ">=") for k in _list(chosen)]
        total = total + math.prod(factors, start=number(scale))
        strict |= all(facts[k][1] == ">" for k in chosen)
        used |= set(chosen)
    for multiplier, k in (_list(entry, 2) for entry in _list(equations)):
        total = total + context.read(multiplier) * _fact(facts, k, "==")
        used.add(k)
    if nonzero is not None:  # equations alone give a fact that is said not to vanish
        if products or total != _fact(facts, nonzero, "!="):
            raise Invalid(f"the equations do not give fact {nonzero}")
        return used | {nonzero}
    value = total.constant()
    if value is None or value > 0 or (value == 0 and not strict):
        raise Invalid("the combination of facts is not impossible")
    return used


def _sign(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """A fact about numbers that its enclosure contradicts."""
    k, bits = _take(node, "rule", "fact", "bits")[1:]
    low, high = enclose(_fact(facts, k, ">", ">=", "=="), _int(bits, 8, MAX_BITS))
    relation = facts[k][1]
    if not (high < 0 or (high == 0 and relation == ">") or (low > 0 and relation == "==")):
        raise Invalid(f"at {bits} bits the enclosure does not contradict fact {k}")
    return {k}


def _zero(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """A fact that calls a formally vanishing expression positive or non-zero."""
    (k,) = _take(node, "rule", "fact")[1:]
    if not is_zero(_fact(facts, k, ">", "!=")):
        raise Invalid(f"fact {k} is not contradicted by formal cancellation")
    return {k}


def _compute(context: _Context, facts: list[Atom], node: Any) -> set[int]:
    """Some fact is a false statement about rational numbers."""
    _take(node, "rule")
    for k, (p, relation) in enumerate(facts):
        x = p.constant()
        if x is not None and not {">": x > 0, ">=": x >= 0, "==": x == 0, "!=": x != 0}[relation]:
            return {k}
    raise Invalid("no fact is a false statement about numbers")


def _hole(context: _Context, facts: list[Atom], node: Any) -> NoReturn:
    raise Hole(str(_take(node, "rule", "why")[1])[:200])


_RULES: Final[dict[str, Callable[[_Context, list[Atom], Any], set[int]]]] = {
    "use": _use, "split": _split, "apart": _apart, "tighten": _tighten, "rewrite": _rewrite, "finite": _finite,
    "close": _close, "sign": _sign, "zero": _zero, "compute": _compute, "hole": _hole,
}  # fmt: skip


# ------------------------------------------------------------ systems: rows of strict inequalities


class _System(NamedTuple):
    """Rows (query, start, stop, target): the key vectors start..stop-1 compete, target shall win.

    Bilinear: logit = <W, vectors[query] (x) vectors[key]>. Linear (query is -1): <w, vectors[key]>.
    """

    vectors: list[list[Expression]]
    rows: list[tuple[int, int, int, int]]
    linear: bool

    def integers(self) -> tuple[list[list[int]], int] | None:
        """The vectors times one common denominator, if all numbers are rational."""
        flat = {e: e.constant() for vector in self.vectors for e in vector}
        if None in flat.values():
            return None
        scale = reduce(math.lcm, (v.denominator for v in flat.values() if v is not None), 1)
        return [[int(flat[e] * scale) for e in v] for v in self.vectors], scale  # type: ignore[operator]


def _system(data: object, extra: Iterable[object] = ()) -> _System:
    vectors, rows = _take(data, "vectors", "rows")
    table = [[expression(e) for e in _list(vector)] for vector in _list(vectors)]
    found = []
    for row in [*_list(rows), *extra]:
        query, start, stop, target = (_int(k, -1, len(table) + 1) for k in _list(row, 4))
        if not (query < len(table) and 0 <= start <= target < stop and stop - start > 1):
            raise Malformed(
                f"a row is [query, start, stop, target] with two keys at least, not {row}"
            )
        found.append((query, start, stop, target))
    if not rows or len({len(v) for v in table}) != 1 or len({row[0] < 0 for row in found}) != 1:
        raise Malformed("a system has rows of one kind and vectors of one length")
    return _System(table, found, found[0][0] < 0)


def _parameter(system: _System, data: object) -> list[list[Fraction]]:
    """The d x d matrix, or for a linear system the vector as its only row."""
    d = len(system.vectors[0])
    rows = [data] if system.linear else _list(data, d)
    return [[rational(e) for e in _list(row, d)] for row in rows]


def _outcomes(system: _System, parameter: list[list[Fraction]], bits: Any, floor: Fraction) -> str:
    """For each row h, m or t (hit by a margin of floor at least, miss, tie), or ? (undecided)."""
    exact, radius = system.integers(), 0
    if exact is None:
        bits = _int(bits, 8, MAX_BITS)
        ends = [[enclose(e, bits) for e in vector] for vector in system.vectors]
        radius = max(high - low for vector in ends for low, high in vector)
        exact = [[low for low, _ in vector] for vector in ends], 1 << bits
    elif bits is not None:
        raise Invalid("rational vectors need no enclosure")
    vectors, unit = exact
    scale = reduce(math.lcm, (e.denominator for row in parameter for e in row), 1)
    columns = list(zip(*[[int(e * scale) for e in row] for row in parameter], strict=True))
    size, top = sum(abs(e) for c in columns for e in c), max(abs(e) for v in vectors for e in v)
    error = 2 * size * radius * (1 if system.linear else 2 * top + radius)
    wanted = floor * scale * (unit if system.linear else unit**2)

    def logits(query: Iterable[int]) -> list[int]:
        left = [sum(map(operator.mul, query, column)) for column in columns]
        return [sum(map(operator.mul, left, vector)) for vector in vectors[: 1 + max_key]]

    max_key = max(stop for _, _, stop, _ in system.rows) - 1
    known: dict[int, list[int]] = {-1: logits([1])} if system.linear else {}
    result = ""
    for query, start, stop, target in system.rows:
        values = known.get(query) or logits(vectors[query])
        best = max(values[start:target] + values[target + 1 : stop])
        gap = values[target] - best
        if gap > error and gap - error >= wanted:
            result += "h"
        else:
            result += "m" if gap < -error else "t" if gap == radius == 0 else "?"
    return result


def _constraint(table: list[list[Any]], row: tuple[int, int, int, int], key: int) -> list[Any]:
    """The vector whose product with the parameter is the target's logit less the key's."""
    gap = [a - b for a, b in zip(table[row[3]], table[key], strict=True)]
    return gap if row[0] < 0 else [a * b for a in table[row[0]] for b in gap]


def _combines(
    system: _System, entries: object, goal: tuple[tuple[int, int, int, int], int] | None
) -> bool:
    """Whether the sum of y * constraint over [row, key, y] is the goal's constraint (or zero)."""
    exact, last, totals = system.integers(), (-1, -1), dict[int, list[Any]]()
    table: list[list[Any]] = system.vectors if exact is None else exact[0]
    for k, key, text in (_list(entry, 3) for entry in _list(entries)):
        row, y = system.rows[_int(k, 0, len(system.rows))], rational(text)
        if _int(key, row[1], row[2]) == row[3] or y <= 0 or (k, key) <= last:
            raise Invalid("multipliers are positive, for competitors, in increasing order")
        last, factor, bottom = (
            (k, key),
            y.numerator,
            y.denominator,
        )  # sums by denominator stay small
        new = [(number(y) if exact is None else factor) * e for e in _constraint(table, row, key)]
        bottom = 1 if exact is None else bottom
        totals[bottom] = [a + b for a, b in zip(totals[bottom], new)] if bottom in totals else new
    scale = reduce(math.lcm, totals, 1)
    wanted = _constraint(table, *goal) if goal else [table[0][0] - table[0][0]] * len(new)
    if exact is None:
        return bool(totals) and all(is_zero(a - b) for a, b in zip(totals[1], wanted, strict=True))
    sums = [sum(scale // b * e for b, e in zip(totals, es)) for es in zip(*totals.values())]
    return bool(totals) and sums == [scale * e for e in wanted]


def _realizable(claim: Any, proof: Any) -> None:
    """Some parameter makes every row a hit."""
    rule, parameter, bits = _take(proof, "rule", "parameter", optional="bits")
    system = _system(_take(claim, "kind", "system")[1])
    found = _outcomes(system, _parameter(system, parameter), bits, Fraction(0))
    if rule != "witness" or set(found) != {"h"}:
        raise Invalid("the parameter is not certified to make every row a hit")


def _unrealizable(claim: Any, proof: Any) -> None:
    """No parameter makes every row a hit: the constraints combine to zero."""
    rule, multipliers = _take(proof, "rule", "multipliers")
    if rule != "farkas" or not _combines(
        _system(_take(claim, "kind", "system")[1]), multipliers, None
    ):
        raise Invalid("the multipliers do not combine the constraints to zero")


def _forced(claim: Any, proof: Any) -> None:
    """Every parameter that makes every row a hit also hits one more row: cone membership."""
    rule, cones = _take(proof, "rule", "cones")
    data, row = _take(claim, "kind", "system", "row")[1:]
    system = _system(data, [row])
    new = system.rows.pop()
    keys = [key for key in range(new[1], new[2]) if key != new[3]]
    for key, entries in zip(keys, _list(cones, len(keys)), strict=True):
        if rule != "cone" or not _combines(system, entries, (new, key)):
            raise Invalid(f"the multipliers for key {key} do not combine to its constraint")


def _decisions(claim: Any, proof: Any) -> None:
    """What one given parameter does on each row; every hit has at least the stated margin."""
    data, given, outcomes, margin = _take(
        claim, "kind", "system", "parameter", "outcomes", "margin"
    )[1:]
    rule, bits = _take(proof, "rule", optional="bits")
    system = _system(data)
    parameter = _parameter(system, given)
    found = _outcomes(system, parameter, bits, rational(margin))
    if rule != "evaluate" or not isinstance(outcomes, str) or len(found) != len(outcomes):
        raise Invalid("there must be one outcome for each row")
    for row, have, want in zip(system.rows, found, outcomes, strict=True):
        if have != want and not (have == "?" and want == "t" and _tie(system, parameter, row)):
            raise Invalid(f"row {list(row)} is not certified to be {want!r}")


def _tie(system: _System, parameter: list[list[Fraction]], row: tuple[int, int, int, int]) -> bool:
    """No key does better than the target, and some key's logit is formally equal to it."""
    flat = [number(e) for line in parameter for e in line]
    gaps = []
    for key in range(row[1], row[2]):
        if key != row[3]:
            vector = _constraint(system.vectors, row, key)
            gaps.append(sum(map(operator.mul, flat, vector), start=number(0)))
    rest = [gap for gap in gaps if not is_zero(gap)]
    return len(rest) < len(gaps) and all(enclose(gap, 256)[0] > 0 for gap in rest)


# ------------------------------------------------------------ the verdict

_KINDS: Final[dict[str, Callable[[Any, Any], _Context | None]]] = {
    "theorem": _theorem, "realizable": _realizable, "unrealizable": _unrealizable,
    "forced": _forced, "decisions": _decisions,
}  # fmt: skip
_SEAL: Final = object()


class Checked:
    """What the kernel found of one claim and one certificate; only `check` makes these.

    outcome: 'valid', 'invalid' or 'holey'; digest: of the claim; reason: why it is not valid;
    used: the hypotheses and lemmas that the proof of a theorem used.
    """

    __slots__ = ("digest", "outcome", "reason", "used")
    digest: str
    outcome: str
    reason: str
    used: frozenset[str]

    def __init__(self, seal: object, *values: object) -> None:
        if seal is not _SEAL:
            raise TypeError("a Checked is made by verify.kernel.check alone")
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Checked does not change")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("Checked has no subclasses")


def digest(claim: object) -> str:
    """SHA-256 of the claim's canonical JSON."""
    text = json.dumps(claim, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def check(claim: Mapping[str, Any], certificate: Mapping[str, Any]) -> Checked:
    """Decide whether the certificate proves the claim; Malformed if either is not of this format."""
    keys = ("format", "claim", "proof")
    version, name, proof = _take({k: v for k, v in certificate.items() if k in keys}, *keys)
    if not isinstance(version, str) or not re.fullmatch(r"1\.(0|[1-9][0-9]*)", version, re.ASCII):
        raise Malformed(
            f"format {str(version)[:20]!r} is not supported; this kernel reads {FORMAT}"
        )
    own, used, outcome, reason = digest(claim), frozenset[str](), "valid", ""
    try:
        if name != own:
            raise Invalid(f"the certificate is for another claim, {str(name)[:80]}")
        if claim.get("kind") not in _KINDS:
            raise Malformed(f"unknown kind of claim {str(claim.get('kind'))[:40]!r}")
        context = _KINDS[claim["kind"]](claim, proof)
        used = frozenset(context.used if context else ())
    except Invalid as problem:
        outcome, reason = "invalid", str(problem)
    except Hole as problem:
        outcome, reason = "holey", str(problem)
    except RecursionError:
        raise Malformed("the certificate is nested too deeply") from None
    return Checked(_SEAL, own, outcome, reason, used)
