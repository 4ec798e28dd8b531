"""Claims in SMT-LIB 2.6: declarations and assertions that are unsatisfiable iff the goal follows.

Symbols become uninterpreted functions, one for each name and number of arguments: `|kappa/1|`. An
argument is an Int if it is certainly an integer wherever the function is used, else a Real. Cosine
and sine are uninterpreted too; a number among the terms comes with its enclosure as an axiom, a
radical x = p**(r/s) with x > 0 and x**s = p**r.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify import kernel
from verify.engines.protocol import Clause, Context
from verify.kernel import Atom, Expression, Term

_Use = tuple[Term, Fraction, Mapping[str, str], Mapping[str, str]]
BITS = 64
MAX_ROOT = 64


@dataclass(frozen=True, slots=True)
class Question:
    """Facts and clauses that shall contradict each other, in the scope of a context."""

    context: Context
    facts: tuple[Atom, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class _Writer:
    """Text in the right sorts; for each (name, arity) which arguments are Int."""

    arguments: dict[tuple[str, int], list[bool]]

    def whole(self, p: Expression, sorts: Mapping[str, str]) -> bool:
        """Whether p gets the sort Int."""
        return all(
            c.denominator == 1 and all(self.integer(term, sorts) for term, _ in monomial)
            for monomial, c in p.terms
        )

    def integer(self, term: Term, sorts: Mapping[str, str]) -> bool:
        """Whether a term gets the sort Int."""
        if term.head.isdigit() or term.head in ("cos", "sin", "pi"):
            return False
        return sorts[term.head] == "int" and all(self.arguments.get(_key(term), ()))

    def term(self, term: Term, exponent: Fraction, sorts: Mapping[str, str]) -> str:
        """A term in its own sort."""
        if term.head.isdigit():
            return f"|{term.head}^{exponent}|"
        name = f"|{term.head}/{len(term.args)}|"
        if not term.args:
            return name
        wanted = self.arguments[_key(term)]
        parts = [self.sum(a, sorts, w) for a, w in zip(term.args, wanted, strict=True)]
        return f"({name} {' '.join(parts)})"

    def sum(self, p: Expression, sorts: Mapping[str, str], whole: bool) -> str:
        """A polynomial as an Int or as a Real."""
        parts = []
        for monomial, c in p.terms:
            factors = [_number(c, whole)] if c != 1 or not monomial else []
            for term, exponent in monomial:
                text = self.term(term, exponent, sorts)
                if not whole and self.integer(term, sorts):
                    text = f"(to_real {text})"
                factors += [text] * (1 if term.head.isdigit() else int(exponent))
            parts.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
        if len(parts) < 2:
            return parts[0] if parts else _number(Fraction(0), whole)
        return f"(+ {' '.join(parts)})"

    def atom(self, atom: Atom, sorts: Mapping[str, str]) -> str:
        """A comparison with zero."""
        p, relation = atom
        whole = self.whole(p, sorts)
        left, zero = self.sum(p, sorts, whole), _number(Fraction(0), whole)
        if relation == "!=":
            return f"(not (= {left} {zero}))"
        return f"({'=' if relation == '==' else relation} {left} {zero})"

    def clause(self, clause: Clause, sorts: Mapping[str, str]) -> str:
        """A universally quantified implication."""
        inner = {**sorts, **clause.variables}
        body = self.atom(clause.then, inner)
        if clause.guards:
            body = f"(=> (and {' '.join(self.atom(g, inner) for g in clause.guards)}) {body})"
        if not clause.variables:
            return body
        bound = " ".join(f"(|{n}/0| {_sort(s == 'int')})" for n, s in clause.variables.items())
        return f"(forall ({bound}) {body})"


def script(question: Question) -> str:
    """Declarations and assertions for a question."""
    context, sorts = question.context, question.context.sorts
    writer = _Writer({})
    uses = list(_uses(question))
    _infer(writer, uses)
    lines: dict[str, None] = {}
    for term, exponent, scope, bound in uses:
        if term.head.isdigit():
            lines |= dict.fromkeys(_radical(term.head, exponent))
        elif term.head not in bound:
            lines |= dict.fromkeys(_declaration(writer, context, term, scope))
    for term, exponent, scope, _ in uses:
        if _ground(term):
            lines |= dict.fromkeys(_enclosed(writer.term(term, exponent, scope), term, exponent))
    lines |= dict.fromkeys(f"(assert {writer.atom(fact, sorts)})" for fact in question.facts)
    lines |= dict.fromkeys(f"(assert {writer.clause(c, sorts)})" for c in question.clauses)
    return "\n".join(lines)


def _uses(question: Question) -> Iterator[_Use]:
    """Every term, with the sorts of the names at that place and the names bound there."""
    sorts = question.context.sorts
    nothing: Mapping[str, str] = {}
    scoped = [(p, sorts, nothing) for p, _ in question.facts]
    for clause in question.clauses:
        inner = {**sorts, **clause.variables}
        scoped += [(p, inner, clause.variables) for p, _ in [*clause.guards, clause.then]]
    for p, scope, bound in scoped:
        for term, exponent in _terms(p):
            yield term, exponent, scope, bound


def _declaration(
    writer: _Writer, context: Context, term: Term, scope: Mapping[str, str]
) -> list[str]:
    """A symbol, with what its definition says if it has one that the reader could not unfold."""
    name, wanted = f"|{term.head}/{len(term.args)}|", writer.arguments[_key(term)]
    whole = writer.integer(term, scope)
    result = _sort(whole)
    table, otherwise = context.definitions.get(term.head, ({}, None))
    points = {p: v for p, v in table.items() if len(p) == len(wanted)}
    spelled = [
        ([_number(x or Fraction(0), w) for x, w in zip(p, wanted, strict=True)], _number(v, whole))
        for p, v in points.items()
    ]
    if otherwise is None:
        sorts = " ".join(map(_sort, wanted))
        values = [f"(assert (= ({name} {' '.join(p)}) {v}))" for p, v in spelled]
        return [f"(declare-fun {name} ({sorts}) {result})", *values]
    local = {f"x{k}": "int" if w else "real" for k, w in enumerate(wanted)}
    writer.arguments.update({(x, 0): [] for x in local})
    body = writer.sum(otherwise, local, whole)
    for point, value in spelled:
        here = " ".join(f"(= |x{k}/0| {x})" for k, x in enumerate(point))
        body = f"(ite (and {here} true) {value} {body})"
    bound = " ".join(f"(|x{k}/0| {_sort(w)})" for k, w in enumerate(wanted))
    return [f"(define-fun {name} ({bound}) {result} {body})"]


def instance(context: Context, clause: Clause, at: Mapping[str, str]) -> Clause:
    """A clause at given terms; what is not given stays quantified."""
    change = {Term(v, ()): context.read(t) for v, t in at.items()}
    moved = clause.map(lambda p: context.unfold(p.substitute(change)))
    rest = {n: s for n, s in clause.variables.items() if n not in at}
    return Clause(rest, moved.guards, moved.then)


def _key(term: Term) -> tuple[str, int]:
    return term.head, len(term.args)


def _sort(whole: bool) -> str:
    return "Int" if whole else "Real"


def _number(value: Fraction, whole: bool) -> str:
    size = abs(value)
    point = "" if whole else ".0"
    text = f"{size.numerator}{point}"
    if size.denominator > 1:
        text = f"(/ {text} {size.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _terms(p: Expression) -> Iterator[tuple[Term, Fraction]]:
    for monomial, _ in p.terms:
        for term, exponent in monomial:
            yield term, exponent
            for argument in term.args:
                yield from _terms(argument)


def _infer(writer: _Writer, uses: Sequence[_Use]) -> None:
    """Arguments are integers unless some use says otherwise; repeated until nothing changes."""
    for term, _, _, _ in uses:
        wave = term.head in ("cos", "sin")
        writer.arguments[_key(term)] = [not wave] * len(term.args)
    changed = True
    while changed:
        changed = False
        for term, _, scope, _ in uses:
            known = writer.arguments[_key(term)]
            for k, argument in enumerate(term.args):
                if known[k] and not writer.whole(argument, scope):
                    known[k], changed = False, True


def _ground(term: Term) -> bool:
    """Whether a term is a number other than a rational."""
    known = term.head in ("cos", "sin", "pi") or term.head.isdigit()
    return known and all(_ground(t) for a in term.args for t, _ in _terms(a))


def _enclosed(text: str, term: Term, exponent: Fraction) -> list[str]:
    low, high = kernel.enclose(Expression(((((term, exponent),), Fraction(1)),)), BITS)
    ends = [_number(Fraction(end, 1 << BITS), False) for end in (low, high)]
    return [f"(assert (<= {ends[0]} {text}))", f"(assert (<= {text} {ends[1]}))"]


def _radical(prime: str, exponent: Fraction) -> list[str]:
    name = f"|{prime}^{exponent}|"
    lines = [f"(declare-fun {name} () Real)"]
    if exponent.denominator <= MAX_ROOT:
        power = f"(* {' '.join([name] * exponent.denominator)})"
        lines.append(f"(assert (= {power} {int(prime) ** exponent.numerator}.0))")
    return [*lines, f"(assert (> {name} 0.0))"]
