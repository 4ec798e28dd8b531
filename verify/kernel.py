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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, NoReturn, final

FORMAT: Final = "1.0"
MAX_EXPRESSION, MAX_DIGITS, MAX_CASES = 20_000, 400_000, 1_000_000  # characters; values of finite
MAX_POWER, MAX_SIZE, MAX_PRODUCT = 64, 1 << 20, 1 << 16  # exponent; bits; pairs of monomials
MAX_BITS, MAX_RADICAND, MAX_WAVES = 1 << 14, 1 << 22, 1 << 10
if 0 < sys.get_int_max_str_digits() < MAX_DIGITS:
    sys.set_int_max_str_digits(MAX_DIGITS)  # multipliers of large systems have thousands of digits


class Malformed(ValueError):
    """The input is not a claim or certificate of this format; nothing was decided."""


class Invalid(Exception):
    """The certificate is well formed and does not prove the claim."""


class Hole(Exception):
    """The certificate leaves a step to somebody else."""


def _need(condition: object, reason: str, error: type[Exception] = Invalid) -> None:
    if not condition:
        raise error(reason)


# ------------------------------------------------------------ numbers and expressions

_RATIONAL: Final = re.compile(r"(-?[1-9][0-9]*|0)(?:/([1-9][0-9]*))?")
_SPELLING: Final = re.compile(f"[-A-Za-z0-9_+*/(), ]{{1,{MAX_EXPRESSION}}}")


def rational(text: object) -> Fraction:
    """The number that a canonical string spells: '-3', '5/7'; anything else is Malformed."""
    match = _RATIONAL.fullmatch(text) if isinstance(text, str) and len(text) < MAX_DIGITS else None
    if match and match[2] != "1" and math.gcd(int(match[1]), int(match[2] or 1)) == 1:
        return Fraction(int(match[1]), int(match[2] or 1))
    raise Malformed(f"{str(text)[:60]!r} is not a rational in lowest terms such as '-3' or '5/7'")


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
        pairs = len(self.terms) * len(other.terms)
        _need(pairs <= MAX_PRODUCT, "an expression becomes too large", Malformed)
        return collect(_times(m, n, c * k) for m, c in self.terms for n, k in other.terms)

    def __pow__(self, exponent: Fraction) -> Expression:
        """Natural powers of anything; rational powers of primes (the only radicals)."""
        size = sum(c.numerator.bit_length() + c.denominator.bit_length() for _, c in self.terms)
        if exponent.denominator == 1 and 0 <= exponent <= MAX_POWER and size * exponent < MAX_SIZE:
            return math.prod([self] * int(exponent), start=number(1))
        p, most = int(self.constant() or 0), 1 << 12
        prime = 1 < p < 1 << 20 and all(p % k for k in range(2, math.isqrt(p) + 1))
        if prime and self == number(p) and exponent.denominator < most > abs(exponent):
            whole, part = divmod(exponent, 1)
            root = ((Term(str(p), ()), part),) if part else ()
            return Expression(((root, Fraction(p) ** whole),))
        raise Malformed(f"a power is natural, at most {MAX_POWER}, or a rational power of a prime")

    def constant(self) -> Fraction | None:
        """The value if no term occurs, else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def walk(self) -> Iterator[Term]:
        """Every term that occurs, those inside arguments included."""
        for term in (term for monomial, _ in self.terms for term, _ in monomial):
            yield term
            for argument in term.args:
                yield from argument.walk()

    def map(self, image: Callable[[Term], Expression]) -> Expression:
        """Replace every term by its image, innermost first."""
        total: list[tuple[Monomial, Fraction]] = []
        for monomial, coefficient in self.terms:
            product = number(coefficient)
            for term, exponent in monomial:
                if term.head.isdigit():
                    product *= Expression(((((term, exponent),), Fraction(1)),))
                else:
                    inner = Term(term.head, tuple(a.map(image) for a in term.args))
                    product *= image(inner) if exponent == 1 else image(inner) ** exponent
            total.extend(product.terms)
        return collect(total)

    def substitute(self, change: Mapping[Term, Expression]) -> Expression:
        """Replace these terms everywhere at once, arguments included."""
        return self.map(lambda term: change[term] if term in change else apply(*term))


def collect(pairs: Iterable[tuple[Monomial, Fraction]]) -> Expression:
    """The sum of monomials with coefficients, in normal form."""
    total: dict[Monomial, Fraction] = {}
    if len(pairs := list(pairs)) < 2:
        return Expression(tuple((m, c) for m, c in pairs if c))
    for monomial, coefficient in pairs:
        total[monomial] = total[monomial] + coefficient if monomial in total else coefficient
    return Expression(tuple(sorted((m, c) for m, c in total.items() if c)))


def _times(m: Monomial, n: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    if not (m and n):
        return m or n, coefficient
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


def expression(text: object) -> Expression:
    """Parse a restricted Python expression (never evaluated), or Malformed."""
    if not isinstance(text, str) or not _SPELLING.fullmatch(text):
        raise Malformed(f"{str(text)[:60]!r} is not an expression")
    return _parse(text.strip())


@lru_cache(maxsize=1 << 14)
def _parse(text: str) -> Expression:
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise Malformed(f"{text[:60]!r} is not an expression: {problem}"[:200]) from None


_ARITHMETIC: Final[dict[type, Callable[[Expression, Expression], Expression]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul
}  # fmt: skip


def _read(node: ast.AST) -> Expression:
    match node:
        case ast.BinOp(left, op, right):
            a, b = _read(left), _read(right)
            if type(op) in _ARITHMETIC:
                return _ARITHMETIC[type(op)](a, b)
            value = b.constant()
            if isinstance(op, ast.Pow) and value is not None:
                return a**value
            if isinstance(op, ast.Div) and value:
                return a * number(1 / value)
        case ast.Constant(int(value)) if not isinstance(value, bool):
            return number(value)
        case ast.Name(name) if name not in ("cos", "sin"):
            return apply(name)
        case ast.Call(ast.Name(name), args, []) if args and name != "pi":
            if len(args) == 1 or name not in ("cos", "sin"):
                return apply(name, tuple(map(_read, args)))
        case ast.UnaryOp(ast.USub(), inner):
            return -_read(inner)
    raise Malformed(f"{ast.unparse(node)[:60]!r} is not allowed")


Atom = tuple[Expression, str]  # p > 0, p >= 0, p == 0 or p != 0
_HOLDS: Final = {">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
_NEGATION: Final = {">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def atom(text: object) -> Atom:
    """Parse one comparison into `p > 0`, `p >= 0`, `p == 0` or `p != 0`."""
    parts = re.split("([<>=!]=|[<>])", text) if isinstance(text, str) else []
    _need(len(parts) == 3, f"{str(text)[:60]!r} is not one comparison", Malformed)
    left, relation, right = expression(parts[0]), parts[1], expression(parts[2])
    return (right - left if "<" in relation else left - right), relation.replace("<", ">")


def negation(fact: Atom) -> Atom:
    """The atom that holds exactly when this one does not."""
    return (-fact[0] if ">" in fact[1] else fact[0]), _NEGATION[fact[1]]


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
    """The integer n-th root of prime**m * 2**(n * bits), by Newton's method from above."""
    m, n = exponent.numerator, exponent.denominator
    _need(n * bits <= MAX_RADICAND, f"{prime}**({exponent}) at {bits} bits is too costly")
    high = prime << bits if bits < 16 else _root(prime, exponent, bits // 2)[1] << bits - bits // 2
    while True:
        low = ((n - 1) * high + (prime**m << n * bits) // high ** (n - 1)) // n
        if low >= high:
            return high, high + 1
        high = low


def _cosine(low: int, high: int, shift: bool, bits: int) -> tuple[int, int]:
    """cos (or sin = cos of the angle less pi/2, if shift): modulo 2 pi, then the Taylor series."""
    middle, radius = low + high >> 1, high - low
    extra = max(0, middle.bit_length() - bits) + 8
    _need(extra <= MAX_BITS, "the argument of a cosine or sine is too large")
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
def enclose(p: Expression, bits: int) -> tuple[int, int]:
    """Integers (low, high) with low <= p * 2**bits <= high, for p without names."""
    total_low = total_high = 0
    for monomial, coefficient in p.terms:
        low = high = 1 << bits
        for (head, args), exponent in monomial:
            _need(head in ("cos", "sin", "pi") or head.isdigit(), f"{head} has no numerical value")
            if args:
                other = _cosine(*enclose(args[0], bits), head == "sin", bits)
            else:
                other = _pi(bits) if head == "pi" else _root(int(head), exponent, bits)
            for _ in range(math.ceil(exponent)):
                ends = [a * b for a in (low, high) for b in other]
                low, high = min(ends) >> bits, -(-max(ends) >> bits)
        top, bottom = coefficient.numerator, coefficient.denominator
        total_low += min(low * top, high * top) // bottom
        total_high -= -max(low * top, high * top) // bottom
    return total_low, total_high


def linear(p: Expression) -> Expression:
    """Product-to-sum until each monomial has one cosine or sine at most; same value."""
    pairs: list[tuple[Monomial, Fraction]] = []
    for monomial, coefficient in p.terms:
        waves = {t: int(e) for t, e in monomial if t.head in ("cos", "sin")}
        size = math.prod(e + 1 for e in waves.values())
        _need(size <= MAX_WAVES, "a product has too many cosines and sines")
        if sum(waves.values()) < 2:
            pairs.append((monomial, coefficient))
            continue
        a, b, *_ = (t for t, e in waves.items() for _ in range(e))  # cosines come first
        head, sign = "cos" if a.head == b.head else "sin", -1 if a.head == "sin" else 1
        plus, minus = (apply(head, (b.args[0] + x,)) for x in (a.args[0], -a.args[0]))
        powers = ((t, e - (t == a) - (t == b)) for t, e in monomial)
        rest = Expression(((tuple((t, e) for t, e in powers if e), coefficient / 2),))
        pairs.extend(((minus + plus * number(sign)) * rest).terms)
    result = collect(pairs)
    return result if result == p else linear(result)


def is_zero(p: Expression) -> bool:
    """Whether p cancels formally; sound always, complete for numbers whose angles are algebraic."""
    return not linear(p).terms


# ------------------------------------------------------------ theorems: clauses and proof trees


def _take(node: object, keys: str) -> list[Any]:
    """The values of exactly these keys; one that ends in '?' may be absent, and is None then."""
    names, needed = keys.replace("?", "").split(), {k for k in keys.split() if k[-1] != "?"}
    fits = isinstance(node, dict) and needed <= set(node) <= set(names)
    fits = fits and all(node[k] is not None for k in set(node) - needed)  # type: ignore[index, call-overload]
    _need(fits, f"expected the keys {', '.join(names)} in {node!s:.60}", Malformed)
    return list(map(node.get, names))  # type: ignore[attr-defined]


def _list(value: object, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or size not in (None, len(value)):
        raise Malformed(f"expected a list{'' if size is None else f' of {size}'}")
    return value


def _int(value: object, low: int, high: int) -> int:
    if type(value) is not int:
        raise Malformed(f"expected an integer, found {str(value)[:40]!r}")
    _need(low <= value < high, f"an integer is outside {low}..{high - 1}")
    return value


def _names(value: object) -> dict[str, Any]:
    taken, name = ("cos", "sin", "pi", "IH"), re.compile("[A-Za-z_][A-Za-z0-9_-]*")
    if not isinstance(value, dict) or any(n in taken or not name.fullmatch(n) for n in value):
        raise Malformed(f"expected an object whose keys are names, other than {', '.join(taken)}")
    return value


_Table = dict[tuple[Fraction | None, ...], Fraction]


class Clause(NamedTuple):
    """For all values of the variables: if the guards hold, so does the last atom."""

    variables: dict[str, str]
    guards: list[Atom]
    then: Atom

    def map(self, change: Callable[[Expression], Expression]) -> Clause:
        """The clause with every expression changed."""
        *guards, then = [(change(p), relation) for p, relation in [*self.guards, self.then]]
        return Clause(self.variables, guards, then)


class Context(NamedTuple):
    """What is declared, defined and assumed; what a whole proof has used and left open."""

    sorts: dict[str, str]  # of names, and of the values of functions at integers
    definitions: dict[str, tuple[_Table, Expression | None]]
    clauses: dict[str, Clause]
    used: set[str]
    holes: list[str]

    def integral(self, p: Expression) -> bool:
        """Whether p is certainly an integer; an undeclared name is Malformed."""
        whole = all(coefficient.denominator == 1 for _, coefficient in p.terms)
        for head, args in (term for monomial, _ in p.terms for term, _ in monomial):
            known = head in self.sorts or head in ("cos", "sin", "pi") or head.isdigit()
            _need(known, f"{head} is not declared", Malformed)
            whole &= all([self.integral(a) for a in args]) and self.sorts.get(head) == "int"
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
            given = {f"x{k}": argument for k, argument in enumerate(term.args)}
            missing = {t.head for t in otherwise.walk() if t.head[0] == "x"} - set(given)
            _need(not missing, f"{term.head} has too few arguments", Malformed)
            return otherwise.map(lambda t: given[t.head] if t.head in given else apply(*t))

        return p.map(image) if any(t.head in self.definitions for t in p.walk()) else p

    def read(self, text: object) -> Expression:
        """A declared expression, definitions unfolded."""
        p = expression(text)
        self.integral(p)
        return self.unfold(p)

    def bind(self, names: object, clauses: Mapping[str, Clause]) -> Context:
        """With more names, all new, of the sorts given; with more clauses."""
        sorts = _names(names)
        new = not set(sorts) & set(self.sorts) and all(s in ("int", "real") for s in sorts.values())
        _need(new, "variables need names of their own and the sort 'int' or 'real'", Malformed)
        return self._replace(sorts={**self.sorts, **sorts}, clauses={**self.clauses, **clauses})

    def at(self, name: str, value: int) -> Context:
        """With the value of one name known."""
        return self._replace(definitions={**self.definitions, name: ({(): Fraction(value)}, None)})

    def clause(self, data: object) -> Clause:
        """A clause of a claim."""
        variables, guards, then = _take(data, "for if then")
        inner, atoms = self.bind(variables, {}), [atom(text) for text in [*_list(guards), then]]
        for p, _ in atoms:
            inner.integral(p)
            called = any(term.args and term.head in variables for term in p.walk())
            _need(not called, "a variable is used as a function", Malformed)
        return Clause(variables, atoms[:-1], atoms[-1]).map(self.unfold)


def theorem(claim: Mapping[str, Any]) -> tuple[Context, list[Clause]]:
    """What a theorem claim declares, defines and assumes, and its goals."""
    keys = "kind symbols definitions hypotheses lemmas goals"
    _, symbols, definitions, hypotheses, lemmas, goals = _take(claim, keys)
    context = Context({}, {}, {}, set(), []).bind(symbols, {})
    numbers = context._replace(sorts={f"x{k}": "int" for k in range(9)})
    for name, entry in _names(definitions).items():
        table, text = _take(entry, "table otherwise")
        pairs = [_list(pair, 2) for pair in _list(table)]
        points: _Table = {(*map(rational, _list(k)),): rational(value) for k, value in pairs}
        otherwise = None if text is None else expression(text)
        whole = otherwise is None or numbers.integral(otherwise)
        whole &= all(value.denominator == 1 for value in points.values())
        fits = len(points) == len(table) and symbols.get(name) in ("real", "int" if whole else "")
        fits &= not otherwise or not any(t.args and t.head[0] == "x" for t in otherwise.walk())
        _need(fits, f"the definition of {name} does not fit its declaration", Malformed)
        context.definitions[name] = points, otherwise
    apart = not set(_names(hypotheses)) & set(_names(lemmas)) and _list(goals)
    _need(apart, "a theorem has goals, and one name for each hypothesis and lemma", Malformed)
    clauses = {name: context.clause(data) for name, data in {**hypotheses, **lemmas}.items()}
    return context.bind({}, clauses), [context.clause(goal) for goal in goals]


def _prove(context: Context, goal: Clause, facts: list[Atom], proof: object) -> None:
    """Check a proof of a clause from facts."""
    match proof if isinstance(proof, dict) else {}:
        case {"rule": "fix", "then": then, **more}:
            known = [*facts, *goal.guards, negation(goal.then)]
            refute(context.bind(goal.variables, {}), known, then)
        case {"rule": "induct", "on": str(name), "from": start, "base": base, "step": step, **more}:
            _need(goal.variables.get(name) == "int", "induction is on an integer of the goal")
            first, variable = context.read(start), apply(name)
            bound = variable - first, ">="
            starts = context.integral(first) and bound in goal.guards
            _need(starts, "induction starts from an integer, with the guard 'on >= from'")
            others = {other: sort for other, sort in goal.variables.items() if other != name}
            rest = Clause(others, [guard for guard in goal.guards if guard != bound], goal.then)

            def at(value: Expression) -> Clause:
                change = {Term(name, ()): value}
                return rest.map(lambda p: context.unfold(p.substitute(change)))

            _prove(context, at(first), facts, base)
            inner = context.bind({name: "int"}, {"IH": rest})
            _prove(inner, at(variable + number(1)), [*facts, bound], step)
        case _:
            raise Malformed("a proof starts with the rule 'fix' or 'induct'")
    _need(not more, f"unknown keys {', '.join(more):.80} in a proof", Malformed)


def refute(context: Context, facts: list[Atom], node: object) -> set[int]:
    """Check that the facts contradict each other; returns which of them were used."""

    def fact(k: object, *relations: str) -> Expression:
        p, relation = facts[_int(k, 0, len(facts))]
        _need(relation in relations, f"fact {k} is not of the form p {' or '.join(relations)} 0")
        return p

    def assume(p: Expression, relation: str, then: object) -> set[int]:
        used = refute(context, [*facts, (context.unfold(p), relation)], then)
        _need(len(facts) in used, "a step of the proof is idle")
        return used - {len(facts)}

    match node if isinstance(node, dict) else {}:
        case {"rule": "use", "of": str(name), "at": dict(at), "guards": list(proofs), **more}:
            # An instance of a hypothesis or lemma; each of its guards is refuted when negated.
            _need(name in context.clauses, f"there is no hypothesis or lemma {name[:40]!r}")
            clause, terms = context.clauses[name], {v: context.read(t) for v, t in at.items()}
            fits = set(terms) == set(clause.variables) and len(proofs) == len(clause.guards)
            _need(fits, f"{name} needs a term for each variable and a proof of each guard")
            whole = all(
                s == "real" or context.integral(terms[v]) for v, s in clause.variables.items()
            )
            _need(whole, f"an integer variable of {name} got something else")
            change = {Term(variable, ()): term for variable, term in terms.items()}
            _, guards, conclusion = clause.map(lambda p: p.substitute(change))
            used = assume(*conclusion, more.pop("then", None))
            for guard, proof in zip(guards, proofs, strict=True):
                used |= assume(*negation(guard), proof)
            context.used.add(name)
        case {"rule": "split", "on": on, "yes": yes, "no": no, **more}:
            # Either an atom holds or its negation does.
            context.integral(atom(on)[0])
            used = assume(*atom(on), yes) | assume(*negation(atom(on)), no)
        case {"rule": "apart", "fact": k, "above": above, "below": below, **more}:
            # From p != 0: p > 0 or -p > 0.
            p = fact(k, "!=")
            used = {k} | assume(p, ">", above) | assume(-p, ">", below)
        case {"rule": "tighten", "fact": k, "then": then, **more}:
            # From p > 0 with p an integer: p - 1 >= 0.
            p = fact(k, ">")
            _need(context.integral(p), f"fact {k} is not about integers")
            used = {k} | assume(p - number(1), ">=", then)
        case {"rule": "rewrite", "fact": k, "by": by, "term": text, "then": then, **more}:
            # A term of one fact is replaced by what an equation says it equals.
            p, equation, target = fact(k, *_HOLDS), fact(by, "=="), context.read(text)
            term = next(target.walk(), Term("", ()))
            coefficient = dict(equation.terms).get(((term, Fraction(1)),), Fraction(0))
            _need(
                coefficient and target == apply(*term),
                f"fact {by} is not an equation in the given term",
            )
            image = target - equation * number(1 / coefficient)
            used = {k, by} | assume(p.substitute({term: image}), facts[k][1], then)
        case {"rule": "finite", "name": str(name), "low": low, "high": high, "each": each, **more}:
            # An integer between two numbers: the same proof for each of its values.
            _need(context.sorts.get(name) == "int", f"there is no integer {name[:40]!r}")
            ends = []
            for k, sign in ((low, 1), (high, -1)):
                gap = (fact(k, ">", ">=") - apply(name) * number(sign)).constant()
                if gap is None:
                    raise Invalid(f"fact {k} does not bound {name} by a number")
                least = math.floor(-gap) + 1 if facts[k][1] == ">" else math.ceil(-gap)
                ends.append(sign * least)
            _need(ends[1] - ends[0] < MAX_CASES, "too many cases")
            _need(ends[0] <= ends[1] or each == {"rule": "compute"}, "there is no value to prove")
            used = {low, high}
            for value in range(ends[0], ends[1] + 1):
                inner = context.at(name, value)
                used |= refute(inner, [(inner.unfold(p), r) for p, r in facts], each)
        case {"rule": "close", "sum": list(products), "equal": list(equations), **more}:
            # Products of inequalities and multiples of equations add up to something impossible.
            total, strict, used = number(0), False, set[int]()
            for coefficient, chosen in (_list(entry, 2) for entry in products):
                _need((scale := rational(coefficient)) > 0, "a coefficient must be positive")
                factors = [fact(k, ">", ">=") for k in _list(chosen)]
                total = total + math.prod(factors, start=number(scale))
                strict |= all(facts[k][1] == ">" for k in chosen)
                used |= set(chosen)
            for multiplier, k in (_list(entry, 2) for entry in equations):
                total = total + context.read(multiplier) * fact(k, "==")
                used.add(k)
            if "nonzero" in more:  # equations alone give a fact that is said not to vanish
                k = more.pop("nonzero")
                _need(not products and total == fact(k, "!="), f"they do not give fact {k}")
                used.add(k)
            else:
                impossible = (strict and not total.terms) or (total.constant() or 0) < 0
                _need(impossible, "the combination of facts is not impossible")
        case {"rule": "sign", "fact": k, "bits": bits, **more}:
            # A fact about numbers that its enclosure contradicts.
            low, high = enclose(fact(k, ">", ">=", "=="), _int(bits, 8, MAX_BITS))
            wrong = high < 0 or {">": high == 0, ">=": False, "==": low > 0}[facts[k][1]]
            _need(wrong, f"at {bits} bits the enclosure does not contradict fact {k}")
            used = {k}
        case {"rule": "zero", "fact": k, **more}:
            # A fact that calls a formally vanishing expression positive or non-zero.
            _need(is_zero(fact(k, ">", "!=")), f"fact {k} does not cancel formally")
            used = {k}
        case {"rule": "compute", **more}:
            # Some fact is a false statement about rational numbers.
            values = ((k, p.constant(), relation) for k, (p, relation) in enumerate(facts))
            false = [k for k, x, relation in values if x is not None and not _HOLDS[relation](x, 0)]
            _need(false, "no fact is a false statement about numbers")
            used = {false[0]}
        case {"rule": "hole", "why": str(why), **more}:
            context.holes.append(why[:200])
            used = set(range(len(facts)))
        case _:
            raise Malformed(f"not a step of a proof: {str(node)[:80]}")
    _need(not more, f"unknown keys {', '.join(more):.80} in a step of a proof", Malformed)
    return used


# ------------------------------------------------------------ systems: rows of strict inequalities

_Row = tuple[int, int, int, int]  # query, start, stop, target
_Multiple = tuple[_Row, int, Fraction]  # y times the constraint: query (x) (target - key)


class _System(NamedTuple):
    """Rows (query, start, stop, target): the key vectors start..stop-1 compete, target shall win.

    The logit is <W, table[query] (x) table[key]>; a linear system has the query -1, and the last
    vector of its table is (1), so that <w, table[key]> is a case of this.
    """

    table: list[list[Expression]]
    rows: list[_Row]
    exact: bool  # all numbers are rational

    def integers(self, bits: int | None) -> tuple[list[list[int]], int, int]:
        """Integers v, unit, radius: v <= table * unit <= v + radius; the radius is 0 if exact."""
        _need((bits is None) == self.exact, "bits go with irrational vectors, and only with them")
        entries = list({e: None for vector in self.table for e in vector})
        if bits is None:
            whole, unit = _integers(e.constant() or Fraction(0) for e in entries)
            ends = [(x, x) for x in whole]
        else:
            unit = 1 << _int(bits, 8, MAX_BITS)
            ends = [enclose(e, bits) for e in entries]
        low = {e: a for e, (a, _) in zip(entries, ends, strict=True)}
        return [[low[e] for e in v] for v in self.table], unit, max(b - a for a, b in ends)

    def outcomes(self, data: object, bits: int | None, margin: Fraction) -> str:
        """What a parameter does: for each row h, m or t (hit, miss, tie), or ? (undecided).

        A hit has at least this margin. data: the matrix, or the vector of a linear system.
        """
        table, unit, radius = self.integers(bits)
        d, matrix = len(table[0]), [data] if self.rows[0][0] < 0 else _list(data, len(table[0]))
        parameter = [rational(e) for row in matrix for e in _list(row, d)]
        whole, scale = _integers(parameter)
        columns = [whole[j::d] for j in range(d)]
        top, wanted = max(abs(e) for v in table for e in v), margin * scale * unit**2
        error = 2 * sum(map(abs, whole)) * radius * (2 * top + radius)
        reach: dict[int, int] = {}
        for query, _, stop, _ in self.rows:
            reach[query] = max(stop, reach.get(query, 0))
        known, values, peaks, found = None, list[int](), list[list[int]](), ""
        for row in self.rows:
            query, start, stop, target = row
            if query != known:
                left, known = [_dot(table[query], column) for column in columns], query
                values = [_dot(left, key) for key in table[: reach[query]]]
                peaks = _peaks(values)
            best = []
            for a, b in ((start, target), (target + 1, stop)):
                if k := (b - a).bit_length():
                    best += [peaks[k - 1][a], peaks[k - 1][b - (1 << k - 1)]]
            gap = values[target] - max(best)
            if gap > error:
                found += "h" if gap - error >= wanted else "?"
            elif gap < -error:
                found += "m"
            else:
                close = [k for k in range(start, stop) if values[target] - values[k] <= error]
                close.remove(target)
                ties = error == 0 or all(self.tied(parameter, row, k) for k in close)
                found += "t" if ties else "?"
        return found

    def tied(self, parameter: list[Fraction], row: _Row, key: int) -> bool:
        """Whether the target's logit is formally equal to the key's."""
        constraint, _ = self.combine(self.table, [(row, key, Fraction(1))])
        return is_zero(_dot(constraint, map(number, parameter), number(0)))

    def multiples(self, data: object) -> list[_Multiple]:
        """Positive multiples [row, key, y] of constraints, in increasing order."""
        entries, found = [_list(entry, 3) for entry in _list(data)], list[_Multiple]()
        for k, key, y in entries:
            row = self.rows[_int(k, 0, len(self.rows))]
            found.append((row, _int(key, row[1], row[2]), rational(y)))
            _need(key != row[3] and found[-1][2] > 0, "multipliers are positive, for other keys")
        increasing = all(first[:2] < second[:2] for first, second in pairwise(entries))
        _need(increasing, "multipliers come in increasing order of row and key")
        return found

    def combine(
        self, table: Sequence[Sequence[Any]], chosen: Sequence[_Multiple]
    ) -> tuple[list[Any], int]:
        """The sum of the constraints so multiplied, times a scale; and the scale."""
        whole, scale = _integers(y for _, _, y in chosen)
        weights: dict[int, dict[int, int]] = {}  # of the key vectors, for each query
        for ((query, _, _, target), key, _), y in zip(chosen, whole, strict=True):
            of = weights.setdefault(query, {})
            of[target], of[key] = of.get(target, 0) + y, of.get(key, 0) - y
        lift, zero = (int, 0) if isinstance(table[0][0], int) else (number, number(0))
        sums = []
        for of in weights.values():
            factors, keys = [lift(y) for y in of.values()], [table[key] for key in of]
            sums.append([_dot(factors, column, zero) for column in zip(*keys, strict=True)])
        queries, columns = [table[q] for q in weights], list(zip(*sums, strict=True))
        return [_dot(a, b, zero) for a in zip(*queries, strict=True) for b in columns], scale

    def cancel(self, data: object, goal: list[_Multiple]) -> None:
        """The constraints so multiplied, and the goal's, add up to zero, exactly or formally."""
        chosen, table = self.multiples(data), self.integers(None)[0] if self.exact else self.table
        _need(chosen, "there is no multiplier")
        total, _ = self.combine(table, [*chosen, *goal])
        zero = not any(total) if self.exact else all(map(is_zero, total))
        _need(zero, "the multiplied constraints do not add up to what is claimed")

    def cancel_nearby(
        self, goal: list[_Multiple], bits: Any, fixed: Any, basis: Any, inverse: Any
    ) -> None:
        """The same for some positive multipliers near those of the basis.

        With M the constraints of the basis as columns, C = inverse, g the sum: |I - C M| <= e < 1
        (row-sum norm) makes M invertible; y - M^-1 g, for the multipliers y of the basis, make the
        sum zero; and |M^-1 g| <= |C g| / (1 - e), which must be less than every y. Columns in which
        all these keys have the same expression are left out: the sum is zero there in any case.
        """
        table, unit, radius = self.integers(bits)
        near = self.multiples(basis)
        chosen = [*self.multiples(fixed), *near, *goal]
        _need(near, "there is no multiplier")
        width = len(self.table[0])
        keys = [self.table[k] for (_, _, _, target), key, _ in chosen for k in (target, key)]
        live = [k for k in range(width) if any(v[k] != keys[0][k] for v in keys)]

        def moving(numbers: list[int]) -> list[int]:
            return [numbers[start + k] for start in range(0, len(numbers), width) for k in live]

        whole_g, scale = self.combine(table, chosen)
        g = moving(whole_g)
        columns = [
            moving(self.combine(table, [(row, key, Fraction(1))])[0]) for row, key, _ in near
        ]
        n, top = len(g), max(abs(e) for vector in table for e in vector)
        _need(len(columns) == n, f"the basis must have {n} constraints")
        whole, one = _integers(rational(e) for row in _list(inverse, n) for e in _list(row, n))
        one *= unit**2
        error = radius * (3 * top + radius)  # of each number in a constraint
        total = sum(abs(y) for _, _, y in chosen) * scale
        e = shift = 0
        for i in range(n):
            row = whole[i * n : i * n + n]
            slack = error * sum(map(abs, row))  # of the row's product with a constraint
            products = [_dot(row, column) - one * (i == j) for j, column in enumerate(columns)]
            e = max(e, sum(map(abs, products)) + n * slack)
            shift = max(shift, abs(_dot(row, g)) + slack * total)
        positive = shift < (one - e) * scale * min(y for _, _, y in near)
        _need(positive, f"at {bits} bits the exact multipliers are not certain to be positive")


def _integers(values: Iterable[Fraction]) -> tuple[list[int], int]:
    """The numbers times their common denominator, and that."""
    values = list(values)
    scale = math.lcm(*(value.denominator for value in values))
    return [value.numerator * (scale // value.denominator) for value in values], scale


def _peaks(values: list[int]) -> list[list[int]]:
    """For each k, the greatest of values[i : i + 2**k], for each i."""
    peaks = [values]
    while len(values) >= (width := 1 << len(peaks)):
        peaks.append(list(map(max, peaks[-1], peaks[-1][width // 2 :])))
    return peaks


def _dot(a: Iterable[Any], b: Iterable[Any], zero: Any = 0) -> Any:
    return sum(map(operator.mul, a, b), start=zero)


def _system(data: object, *more: object) -> _System:
    vectors, rows = _take(data, "vectors rows")
    numbers, found = Context({}, {}, {}, set(), []), list[_Row]()
    table = [[numbers.read(e) for e in _list(vector)] for vector in _list(vectors)]
    for row in [*_list(rows), *more]:
        query, start, stop, target = (k if type(k) is int else -2 for k in _list(row, 4))
        fits = -1 <= query < len(table) and 0 <= start <= target < stop <= len(table)
        fits = fits and stop - start > 1
        _need(fits, f"{str(row)[:60]} is not [query, start, stop, target]", Malformed)
        found.append((query, start, stop, target))
    kinds, sizes = {row[0] < 0 for row in found}, {len(vector) for vector in table}
    fits = rows and len(kinds) == len(sizes) == 1 and 0 not in sizes
    _need(fits, "a system has rows of one kind and vectors of one length", Malformed)
    exact = all(e.constant() is not None for vector in table for e in vector)
    return _System([*table, [number(1)]] if True in kinds else table, found, exact)


# ------------------------------------------------------------ the verdict

_SEAL: Final = object()


@final
@dataclass(frozen=True)
class Checked:
    """What the kernel found of one claim and one certificate; only `check` makes these.

    outcome: 'valid', 'invalid' or 'holey'; digest: of the claim; reason: why it is not valid;
    used: the hypotheses and lemmas that the proof of a theorem used.
    """

    outcome: str
    reason: str
    digest: str
    used: frozenset[str]
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        _need(seal is _SEAL, "a Checked is made by verify.kernel.check alone", TypeError)

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("Checked has no subclasses")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Checked is not copied: check the certificate again")


def _canonical(value: object) -> tuple[str, Any]:
    """JSON text with sorted keys and no spaces, and the plain data that a reader makes of it."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return text, json.loads(text)
    except (TypeError, ValueError, RecursionError) as problem:
        raise Malformed(f"not plain JSON data: {problem}") from None


def digest(claim: object) -> str:
    """SHA-256 of the claim's canonical JSON."""
    return "sha256:" + hashlib.sha256(_canonical(claim)[0].encode("ascii")).hexdigest()


def check(claim: Mapping[str, Any], certificate: Mapping[str, Any]) -> Checked:
    """Decide whether the certificate proves the claim; Malformed if one is not of this format."""
    own, outcome, reason, used = digest(claim), "valid", "", frozenset[str]()
    claim, certificate = _canonical(claim)[1], _canonical(certificate)[1]
    version, name, proof, _, _ = _take(certificate, "format claim proof subject? producer?")
    known = isinstance(version, str) and re.fullmatch(r"1\.(0|[1-9][0-9]*)", version)
    _need(known, f"format {str(version)[:20]!r} is unknown, {FORMAT} is read", Malformed)
    try:
        _need(name == own, f"the certificate is for another claim, {str(name)[:80]}")
        used = frozenset(_decide(claim, proof))
    except Invalid as problem:
        outcome, reason = "invalid", str(problem)
    except Hole as problem:
        outcome, reason = "holey", str(problem)
    except RecursionError:
        raise Malformed("the certificate is nested too deeply") from None
    return Checked(outcome, reason, own, used, _SEAL)


_FORMS: Final = {  # what the parts of claims and proofs of these kinds and rules are
    ("theorem", "goals"): ("symbols definitions hypotheses lemmas goals", "goals"),
    ("realizable", "witness"): ("system", "parameter bits?"),
    ("unrealizable", "farkas"): ("system", "multipliers"),
    ("unrealizable", "farkas-enclosed"): ("system", "bits fixed basis inverse"),
    ("forced", "cone"): ("system row", "cones"),
    ("decisions", "evaluate"): ("system parameter outcomes margin", "bits?"),
}


def _decide(claim: Any, proof: Any) -> Iterable[str]:
    """Invalid or Hole unless the proof proves the claim; what it used of the claim."""
    tags = [
        n.get(t) if isinstance(n, dict) else None for n, t in ((claim, "kind"), (proof, "rule"))
    ]
    kind, rule = map(str, tags)
    _need((kind, rule) in _FORMS, f"no rule {rule:.40} for claims of kind {kind:.40}", Malformed)
    asked, given = _FORMS[kind, rule]
    match rule, _take(claim, "kind " + asked)[1:], _take(proof, "rule " + given)[1:]:
        case "goals", _, [proofs]:
            context, goals = theorem(claim)
            for goal, part in zip(goals, _list(proofs, len(goals)), strict=True):
                _prove(context, goal, [], part)
            if context.holes:
                raise Hole(context.holes[0])
            return context.used - {"IH"}
        case "witness", [data], [parameter, bits]:
            hits = set(_system(data).outcomes(parameter, bits, Fraction(0))) == {"h"}
            _need(hits, "the parameter is not certified to make every row a hit")
        case "farkas", [data], [multipliers]:
            _system(data).cancel(multipliers, [])
        case "farkas-enclosed", [data], parts:
            _system(data).cancel_nearby([], *parts)
        case "cone", [data, new], [cones]:
            system = _system(data, new)
            row = system.rows.pop()
            keys = [key for key in range(row[1], row[2]) if key != row[3]]
            for key, part in zip(keys, _list(cones, len(keys)), strict=True):
                minus = [(row, key, Fraction(-1))]
                if isinstance(part, list):
                    system.cancel(part, minus)
                else:
                    system.cancel_nearby(minus, *_take(part, "bits fixed basis inverse"))
        case "evaluate", [data, parameter, stated, margin], [bits]:
            system = _system(data)
            fits = isinstance(stated, str) and re.fullmatch(f"[hmt]{{{len(system.rows)}}}", stated)
            _need(fits, "the outcomes are one letter for each row: h, m or t", Malformed)
            found = system.outcomes(parameter, bits, rational(margin))
            for row, have, want in zip(system.rows, found, stated, strict=True):
                _need(have == want, f"row {list(row)} is not certified to be {want!r}")
    return ()
