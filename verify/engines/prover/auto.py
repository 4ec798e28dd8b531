"""Leaves found by search: what `auto` stands for in a sketch.

First what needs no search (a false number, a sign, a formal cancellation), then combinations of
facts of growing degree, on the facts themselves, then with integer facts tightened, then with
equations put into the arguments of other terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify import kernel
from verify.engines.prover.combine import Column, impossible, solve
from verify.engines.prover.state import Draft, Fact, State, ground, join, subterms
from verify.kernel import Expression, Monomial, Term, number
from verify.theory.text import text

BITS = (64, 128, 256, 512, 1024, 2048)
MAX_COLUMNS = 6_000
MAX_REWRITES = 60
MAX_WAVES = 200  # monomials of a polynomial that is tried for formal cancellation
APART = 2  # how deep cases of facts p != 0 are nested


@dataclass(frozen=True, slots=True)
class _Step:
    """A fact that follows by one rule, and how: the rule's data and the facts that it names."""

    rule: str
    data: dict[str, Any]
    facts: dict[str, int]
    new: int


def leaf(state: State, degree: int = 3) -> Draft:
    """A contradiction from the facts, or Unproved. degree: the longest products that are tried."""
    found = _combination(state, degree) or _apart(state, min(degree, 2), APART)
    if found is None:
        raise state.fail("out of time" if state.late() else "no contradiction was found")
    return found


def _combination(state: State, degree: int) -> Draft | None:
    """A leaf, below the steps that it needs."""
    found = plain(state) or _nonzero(state) or (_close(state, 1) if degree else None)
    if found is not None or not degree:
        return found
    deep, steps = _closure(state)  # costs more than a closing of degree 1
    found = plain(deep) or _nonzero(deep) or _close(deep, 1) if steps else None
    for size in range(2, degree + 1):
        for candidate in (state, deep) if steps else (state,):
            if found is None and not state.late():
                found = _close(candidate, size)
    return None if found is None else _wrap(found, steps)


def _apart(state: State, degree: int, depth: int) -> Draft | None:
    """Cases on which side of zero something lies that is said not to vanish."""
    for fact in reversed(_distinct(state, ("!=",)) if depth else ()):
        cases = []
        for key, p in (("above", fact.atom[0]), ("below", -fact.atom[0])):
            others = tuple(f for f in state.facts if f.identity != fact.identity)
            inner, new = replace(state, facts=others).add((p, ">"))
            found = _combination(inner, degree) or _apart(inner, degree, depth - 1)
            if found is None:
                break
            if not set(new) & found.used:
                return found
            cases.append((key, new, found))
        else:
            return join("apart", {}, {"fact": fact.identity}, cases)
    return None


def plain(state: State) -> Draft | None:
    """What needs no search: a false statement about numbers, by arithmetic or by enclosure."""
    for fact in state.facts:
        p, relation = fact.atom
        x = p.constant()
        if x is not None:
            if {">": x <= 0, ">=": x < 0, "==": x != 0, "!=": x == 0}[relation]:
                return Draft("compute", {}, {}, (), frozenset({fact.identity}))
            continue
        if relation in (">", "!=") and _waves(p) and kernel.is_zero(p):
            return join("zero", {}, {"fact": fact.identity})
        if ground(p):
            for bits in BITS if relation != "!=" and not kernel.is_zero(p) else ():
                low, high = kernel.enclose(p, bits)
                if high < 0 or (high == 0 and relation == ">") or (low > 0 and relation == "=="):
                    return join("sign", {"bits": bits}, {"fact": fact.identity})
                if low > 0 or (high < 0 and relation != "=="):
                    break
    return None


def _waves(p: Expression) -> bool:
    """Whether cosines and sines occur, in a polynomial that is not too long to expand."""
    heads = {t.head for monomial, _ in p.terms for t, _ in monomial}
    return len(p.terms) <= MAX_WAVES and bool(heads & {"cos", "sin"})


def _wrap(found: Draft, steps: Sequence[_Step]) -> Draft:
    """The steps that a leaf needs, above it."""
    for step in reversed(steps):
        if step.new in found.used:
            found = join(step.rule, step.data, step.facts, [("then", (step.new,), found)])
    return found


def _closure(state: State) -> tuple[State, list[_Step]]:
    """What follows by tightening integer facts and by putting equations into arguments."""
    steps: list[_Step] = []
    known = {fact.atom for fact in state.facts}

    def learn(new: kernel.Atom, rule: str, data: dict[str, Any], facts: dict[str, int]) -> None:
        nonlocal state
        new = state.context.unfold(new[0]), new[1]
        if new not in known:
            known.add(new)
            state, (identity,) = state.add(new)
            steps.append(_Step(rule, data, facts, identity))

    for _ in range(2):
        for equation, term, image in list(_equations(state)):
            for fact in state.facts:
                p, relation = fact.atom
                if len(steps) < MAX_REWRITES and _inside(term, p) and fact != equation:
                    data = {"term": text(kernel.apply(*term))}
                    names = {"fact": fact.identity, "by": equation.identity}
                    learn((p.substitute({term: image}), relation), "rewrite", data, names)
    for fact in state.facts:
        p, relation = fact.atom
        if relation == ">" and p.constant() is None and state.context.integral(p):
            learn((p - number(1), ">="), "tighten", {}, {"fact": fact.identity})
    return state, steps


def _equations(state: State) -> Iterable[tuple[Fact, Term, Expression]]:
    """Equations solved for a term: the fact, the term, its image."""
    for fact in state.facts:
        p, relation = fact.atom
        for monomial, c in p.terms if relation == "==" else ():
            if len(monomial) != 1 or monomial[0][1] != 1 or monomial[0][0].head.isdigit():
                continue
            term = monomial[0][0]
            target = kernel.apply(*term)
            image = target - p * number(1 / c)
            if term in subterms(image) or target != Expression(((monomial, Fraction(1)),)):
                continue
            if state.context.integral(target) and not state.context.integral(image):
                continue
            yield fact, term, image


def _inside(term: Term, p: Expression) -> bool:
    """Whether the term occurs within an argument, where no combination of facts can reach it."""
    return any(term in subterms(a) for t in subterms(p) for a in t.args)


def _distinct(state: State, relations: tuple[str, ...]) -> list[Fact]:
    """The facts of these forms that are not numbers, each polynomial once, strict ones first."""
    seen: dict[Expression, Fact] = {}
    for fact in state.facts:
        p, relation = fact.atom
        better = p not in seen or (relation == ">" and seen[p].atom[1] == ">=")
        if better and relation in relations and p.constant() is None:
            seen[p] = fact
    return list(seen.values())


def _products(facts: Sequence[Fact], size: int) -> list[tuple[tuple[Fact, ...], Expression]]:
    """All products of up to `size` facts with their polynomials, no polynomial twice."""
    layer: list[tuple[tuple[Fact, ...], Expression]] = [((), number(1))]
    places = {fact.identity: k for k, fact in enumerate(facts)}
    found: list[tuple[tuple[Fact, ...], Expression]] = []
    for _ in range(size):
        grown = []
        for chosen, p in layer:
            first = places[chosen[-1].identity] if chosen else 0
            grown += [((*chosen, f), p * f.atom[0]) for f in facts[first:]]
            if len(found) + len(grown) > MAX_COLUMNS:
                return found
        layer = grown
        found += layer
    return found


def _multipliers(
    equations: Sequence[Fact], needed: Iterable[Expression], rounds: int
) -> list[tuple[Fact, Monomial, Expression]]:
    """Equations times the monomials that bring one of their terms to a needed monomial."""
    wanted = {m for p in needed for m, _ in p.terms}
    limit = max((_degree(m) for m in wanted), default=Fraction(1))
    found: dict[tuple[int, Monomial], tuple[Fact, Monomial, Expression]] = {}
    for _ in range(rounds):
        for fact in equations:
            p = fact.atom[0]
            top = max(_degree(m) for m, _ in p.terms)
            quotients = {_divide(m, n) for m in wanted for n, _ in p.terms}
            for q in sorted(q for q in quotients if q is not None):
                if (fact.identity, q) not in found and _degree(q) + top <= max(limit, top):
                    product = p * Expression(((q, Fraction(1)),))
                    found[fact.identity, q] = fact, q, product
            if len(found) > MAX_COLUMNS:
                return list(found.values())
        wanted |= {m for _, _, p in found.values() for m, _ in p.terms}
    return list(found.values())


def _degree(monomial: Monomial) -> Fraction:
    return sum((exponent for _, exponent in monomial), Fraction(0))


def _divide(m: Monomial, n: Monomial) -> Monomial | None:
    """The monomial q with m = n * q, or None."""
    powers = dict(m)
    for term, exponent in n:
        rest = powers.get(term, Fraction(0)) - exponent
        if rest < 0:
            return None
        powers[term] = rest
    return tuple(sorted((t, e) for t, e in powers.items() if e))


def _close(state: State, size: int) -> Draft | None:
    """A combination of products of up to `size` inequalities that is impossible."""
    inequalities = _distinct(state, (">", ">="))
    products = _products(inequalities, size)
    needed = [p for _, p in products]
    equations = _multipliers(_distinct(state, ("==",)), needed, size)
    columns = [
        Column(p, True, all(f.atom[1] == ">" for f in chosen), float(len(chosen) ** 2))
        for chosen, p in products
    ]
    columns += [Column(p, False, False, 0.5 + float(_degree(q))) for _, q, p in equations]
    found = impossible(columns)
    if found is None:
        return None
    chosen = [(c, products[k][0]) for k, c in found.items() if k < len(products)]
    total = [(c, equations[k - len(products)][:2]) for k, c in found.items() if k >= len(products)]
    data = {
        "sum": [[str(c), [f.identity for f in facts]] for c, facts in chosen],
        "equal": _equal(total),
    }
    used = {f.identity for _, facts in chosen for f in facts} | {k for _, k in data["equal"]}
    return Draft("close", data, {}, (), frozenset(used))


def _equal(entries: Iterable[tuple[Fraction, tuple[Fact, Monomial]]]) -> list[list[Any]]:
    """One multiplier for each equation."""
    multipliers: dict[int, Expression] = {}
    for c, (fact, monomial) in entries:
        term = Expression(((monomial, c),))
        multipliers[fact.identity] = multipliers.get(fact.identity, number(0)) + term
    return [[text(p), identity] for identity, p in multipliers.items()]


def _nonzero(state: State) -> Draft | None:
    """Equations that add up to something that is said not to vanish."""
    equations = _distinct(state, ("==",))
    for fact in _distinct(state, ("!=",)) if equations else ():
        for rounds in (1, 2):
            columns = _multipliers(equations, [fact.atom[0]], rounds)
            found = solve([p for _, _, p in columns], fact.atom[0])
            if found is not None:
                equal = _equal((c, columns[k][:2]) for k, c in found.items())
                data = {"sum": [], "equal": equal}
                used = frozenset({fact.identity} | {k for _, k in equal})
                return Draft("close", data, {"nonzero": fact.identity}, (), used)
    return None
