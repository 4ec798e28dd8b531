"""From a sketch of a proof to a draft: the author's steps, the tedious parts filled in.

A sketch is a kernel proof in which parts are missing. "auto" stands for a leaf; a missing branch is
"auto"; a list of steps is a chain (what a step leaves out is the rest of the list); facts are named
by their position, by the text of the atom, or by {"like": name} (the last fact with that term).
Sugar: `have` (a split whose other branch is a proof of the atom) and `square`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from verify import kernel
from verify.engines.protocol import Clause
from verify.engines.prover import auto
from verify.engines.prover.state import (
    Draft,
    Fact,
    State,
    emit,
    join,
    show,
    subterms,
)
from verify.kernel import Expression, Term, number
from verify.theory.text import text

Sketch = Any
MAX_CASES_TRIED = 8
EMPTY = Draft("compute", {}, {}, (), frozenset())  # the tree for no case at all


def prove(state: State, goal: Clause, sketch: Sketch) -> Draft:
    """A draft of a proof of a clause; a sketch that does not start with it gets a `fix`."""
    rule = sketch.get("rule") if isinstance(sketch, dict) else None
    if rule == "induct":
        return _induct(state, goal, sketch)
    if rule == "fix":
        _keys(state, sketch, "rule", "then")
    then = sketch.get("then", "auto") if rule == "fix" else sketch
    inner = replace(state, context=state.context.bind(goal.variables, {}))
    inner, new = inner.at("fix").add(*goal.guards, kernel.negation(goal.then))
    return join("fix", {}, {}, [("then", new, refute(inner, then))])


def _induct(state: State, goal: Clause, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "on", "from", "base", "step")
    name, context = str(sketch["on"]), state.context
    first, variable = _expression(state, sketch["from"]), kernel.apply(name)
    bound = variable - first, ">="
    if bound not in goal.guards:
        known = ", ".join(map(show, goal.guards)) or "none"
        raise state.fail(f"induct needs the guard {show(bound)} of the goal; its guards: {known}")
    others = {n: s for n, s in goal.variables.items() if n != name}
    rest = Clause(others, [g for g in goal.guards if g != bound], goal.then)

    def at(value: Expression) -> Clause:
        return rest.map(lambda p: context.unfold(p.substitute({Term(name, ()): value})))

    base = prove(state.at("base"), at(first), sketch.get("base", "auto"))
    inner = replace(state, context=context.bind({name: "int"}, {"IH": rest}))
    inner, new = inner.at("step").add(bound)
    step = prove(inner, at(variable + number(1)), sketch.get("step", "auto"))
    data = {"on": name, "from": text(first)}
    return join("induct", data, {}, [("base", (), base), ("step", new, step)])


def refute(state: State, sketch: Sketch) -> Draft:
    """A draft of a tree that refutes the facts, following the sketch; Unproved if it cannot."""
    if state.late():
        raise state.fail("out of time")
    if isinstance(sketch, list):
        return refute(state, _chain(sketch))
    if sketch == "auto":
        return auto.leaf(state)
    if not isinstance(sketch, dict):
        raise state.fail(f"a sketch is 'auto', a step, or a list of steps, not {sketch!r}")
    rule = sketch.get("rule", "have" if "have" in sketch else None)
    if rule not in _STEPS:
        raise state.fail(f"unknown rule {rule!r}; known: {', '.join(_STEPS)}")
    label = {"use": "of", "split": "on", "have": "have", "finite": "name", "square": "of"}.get(rule)
    step = f"{rule}({sketch.get(label)})" if label else str(rule)
    return _STEPS[rule](state.at(step), sketch)


def _chain(steps: Sequence[Sketch]) -> Sketch:
    """A list of steps as a tree: the branches that a step leaves out continue with the rest."""
    if not steps:
        return "auto"
    first, *rest = steps
    if not rest or not isinstance(first, dict):
        return first
    tail: Sketch = rest if len(rest) > 1 else rest[0]
    keys = {"split": ("yes", "no"), "apart": ("above", "below"), "finite": ("each",)}.get(
        first.get("rule", "have"), ("then",)
    )
    return {**{key: tail for key in keys}, **first}


def _use(state: State, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "of", "at", "guards", "then")
    name, context = sketch.get("of"), state.context
    if name not in context.clauses:
        raise state.fail(f"no hypothesis or lemma {name!r}; there are {', '.join(context.clauses)}")
    clause = context.clauses[name]
    given = sketch.get("at", {})
    terms = {v: _expression(state, t) for v, t in given.items()}
    if set(terms) != set(clause.variables):
        raise state.fail(f"{name} needs terms for {', '.join(clause.variables) or 'nothing'}")
    for v, sort in clause.variables.items():
        if sort == "int" and not context.integral(terms[v]):
            raise state.fail(f"{text(terms[v])} is not certainly an integer, as {v} of {name} is")
    instance = clause.map(lambda p: p.substitute({Term(v, ()): t for v, t in terms.items()}))
    wanted = sketch.get("guards", ["auto"] * len(instance.guards))
    if not isinstance(wanted, list) or len(wanted) != len(instance.guards):
        raise state.fail(f"{name} has {len(instance.guards)} guards")
    children = []
    for k, (guard, part) in enumerate(zip(instance.guards, wanted, strict=True)):
        inner, new = state.at(f"guard[{k}] {show(guard)}").add(kernel.negation(guard))
        draft = refute(inner, part)
        if not set(new) & draft.used:
            return draft
        children.append(("guards", new, draft))
    inner, new = state.add(instance.then)
    draft = refute(inner, sketch.get("then", "auto"))
    if not set(new) & draft.used:
        return draft
    data = {"of": name, "at": {v: text(t) for v, t in terms.items()}}
    return join("use", data, {}, [*children, ("then", new, draft)])


def _split(state: State, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "on", "yes", "no")
    return _branches(state, sketch["on"], sketch.get("yes", "auto"), sketch.get("no", "auto"))


def _apart(state: State, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "fact", "above", "below")
    fact = _find(state, sketch["fact"])
    p, relation = fact.atom
    if relation != "!=":
        raise state.fail(f"{show(fact.atom)} does not say that something is not zero")
    children = []
    for key, new in (("above", (p, ">")), ("below", (-p, ">"))):
        inner, identity = state.at(key).add(new)
        draft = refute(inner, sketch.get(key, "auto"))
        if not set(identity) & draft.used:
            return draft
        children.append((key, identity, draft))
    return join("apart", {}, {"fact": fact.identity}, children)


def _have(state: State, sketch: Mapping[str, Any]) -> Draft:
    """A fact of one's own: `by` proves it, `then` goes on with it."""
    _keys(state, sketch, "rule", "have", "by", "then")
    return _branches(state, sketch["have"], sketch.get("then", "auto"), sketch.get("by", "auto"))


def _square(state: State, sketch: Mapping[str, Any]) -> Draft:
    """The square of an expression is not negative."""
    _keys(state, sketch, "rule", "of", "then")
    p = text(_expression(state, sketch["of"]))
    by = {"rule": "split", "on": f"{p} >= 0"}
    have = {"have": f"({p})**2 >= 0", "by": by, "then": sketch.get("then", "auto")}
    return _have(state, have)


def _branches(state: State, on: str, yes: Sketch, no: Sketch) -> Draft:
    atom = _atom(state, on)
    children = []
    for key, fact, part in (("yes", atom, yes), ("no", kernel.negation(atom), no)):
        inner, new = state.at(key).add(fact)
        draft = refute(inner, part)
        if not set(new) & draft.used:
            return draft
        children.append((key, new, draft))
    return join("split", {"on": on}, {}, children)


def _tighten(state: State, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "fact", "then")
    fact = _find(state, sketch["fact"])
    p, relation = fact.atom
    if relation != ">" or not state.context.integral(p):
        raise state.fail(f"{show(fact.atom)} is not a strict inequality of integers")
    step = partial(join, "tighten", {}, {"fact": fact.identity})
    return _next(state, (p - number(1), ">="), sketch, step)


def _rewrite(state: State, sketch: Mapping[str, Any]) -> Draft:
    _keys(state, sketch, "rule", "fact", "by", "term", "then")
    fact, equation = _find(state, sketch["fact"]), _find(state, sketch["by"])
    term = _expression(state, sketch["term"])
    monomial = term.terms[0][0] if len(term.terms) == 1 else ()
    coefficient = dict(equation.atom[0].terms).get(monomial)
    if equation.atom[1] != "==" or not coefficient or term != kernel.apply(*monomial[0][0]):
        raise state.fail(f"{show(equation.atom)} is not an equation in {text(term)}")
    image = term - equation.atom[0] * number(1 / coefficient)
    new = fact.atom[0].substitute({monomial[0][0]: image}), fact.atom[1]
    names = {"fact": fact.identity, "by": equation.identity}
    return _next(state, new, sketch, partial(join, "rewrite", {"term": text(term)}, names))


def _next(
    state: State, new: kernel.Atom, sketch: Mapping[str, Any], step: Callable[..., Draft]
) -> Draft:
    """One more fact; the step is dropped if nothing below needs it."""
    inner, identity = state.add(new)
    draft = refute(inner, sketch.get("then", "auto"))
    if not set(identity) & draft.used:
        return draft
    return step([("then", identity, draft)])


def bounds(state: State, name: str) -> tuple[tuple[Fact, int], tuple[Fact, int]] | None:
    """The tightest facts that bound an integer by numbers, with the bounds, low and high."""
    found: list[tuple[Fact, int]] = []
    for sign in (1, -1):
        ends = []
        for fact in state.facts:
            gap = (fact.atom[0] - kernel.apply(name) * number(sign)).constant()
            if gap is not None and fact.atom[1] in (">", ">="):
                end = math.floor(-gap) + 1 if fact.atom[1] == ">" else math.ceil(-gap)
                ends.append((end, -fact.identity, fact))
        if not ends:
            return None
        end, _, fact = max(ends, key=lambda entry: entry[:2])
        found.append((fact, sign * end))
    return found[0], found[1]


def _finite(state: State, sketch: Mapping[str, Any]) -> Draft:
    """One tree for all values: drafted at one value, tried on all, drafted again where it fails."""
    _keys(state, sketch, "rule", "name", "low", "high", "each")
    name, each = str(sketch["name"]), sketch.get("each", "auto")
    ends = bounds(state, name)
    if ends is None:
        raise state.fail(f"no facts bound the integer {name} by numbers")
    (low, first), (high, last) = ends
    if "low" in sketch:
        low = _find(state, sketch["low"])
    if "high" in sketch:
        high = _find(state, sketch["high"])
    names = {"low": low.identity, "high": high.identity}
    if first > last:
        return join("finite", {"name": name}, names, [("each", (), EMPTY)])
    value: int | None = first
    for _ in range(MAX_CASES_TRIED):
        assert value is not None
        draft = refute(_instance(state, name, value), each)
        value, problem, used = _cases(state, name, range(first, last + 1), draft)
        if value is None:
            whole = join("finite", {"name": name}, names, [("each", (), draft)])
            return replace(whole, used=whole.used | used)
    raise state.fail(f"no single tree was found for all values of {name}: {problem}")


def _instance(state: State, name: str, value: int) -> State:
    """The state at one value of an integer."""
    context = state.context.at(name, value)
    facts = tuple(Fact(f.identity, (context.unfold(f.atom[0]), f.atom[1])) for f in state.facts)
    inner = replace(state, context=context, facts=facts)
    return inner.at(f"{name}={value}")


def _cases(
    state: State, name: str, values: Sequence[int], draft: Draft
) -> tuple[int | None, str, frozenset[int]]:
    """The first value at which the kernel refuses the tree, why, and what the others used."""
    order = tuple(fact.identity for fact in state.facts)
    node, used = emit(draft, order), set[int]()
    for value in values:
        if state.late():
            raise state.fail("out of time")
        inner = _instance(state, name, value)
        try:
            used |= kernel.refute(inner.context, [f.atom for f in inner.facts], node)
        except (kernel.Invalid, kernel.Malformed) as problem:
            return value, f"at {name} = {value}, {problem}", frozenset()
    return None, "", frozenset(order[k] for k in used)


def _leaf(state: State, sketch: Mapping[str, Any]) -> Draft:
    """A leaf of a named kind, or a close from chosen facts: `using`, `degree`."""
    rule = sketch["rule"]
    if rule == "close":
        _keys(state, sketch, "rule", "using", "degree")
        if not isinstance(sketch.get("using", []), list):
            raise state.fail("'using' is a list of facts")
        if "using" in sketch:
            facts = tuple(_find(state, k) for k in sketch["using"])
            state = replace(state, facts=facts)
        return auto.leaf(state, sketch.get("degree", 3))
    _keys(state, sketch, "rule", *(("fact",) if rule == "zero" else ("fact", "bits")))
    if "fact" not in sketch:
        return auto.leaf(state, 0)
    fact = _find(state, sketch["fact"])
    found = auto.plain(replace(state, facts=(fact,)))
    if found is None:
        raise state.fail(f"{show(fact.atom)} is not refuted by its enclosure or by cancellation")
    return found


_STEPS = {
    "use": _use, "split": _split, "apart": _apart, "have": _have, "square": _square,
    "tighten": _tighten, "rewrite": _rewrite, "finite": _finite, "close": _leaf, "sign": _leaf,
    "zero": _leaf, "compute": _leaf,
}  # fmt: skip


# ------------------------------------------------------------ reading the author's text


def _keys(state: State, sketch: Mapping[str, Any], *known: str) -> None:
    if unknown := set(sketch) - set(known):
        raise state.fail(
            f"unknown keys {', '.join(sorted(unknown))}; a {sketch.get('rule', 'have')} has "
            + ", ".join(known)
        )


def _expression(state: State, given: object) -> Expression:
    try:
        return state.context.read(str(given))
    except kernel.Malformed as problem:
        raise state.fail(str(problem)) from None


def _atom(state: State, given: object) -> kernel.Atom:
    try:
        p, relation = kernel.atom(str(given))
        state.context.integral(p)
    except kernel.Malformed as problem:
        raise state.fail(str(problem)) from None
    return state.context.unfold(p), relation


def _find(state: State, given: object) -> Fact:
    """A fact by position, by text (up to a positive factor), or as the last one with a term."""
    if isinstance(given, int):
        if not 0 <= given < len(state.facts):
            raise state.fail(f"there is no fact {given}")
        return state.facts[given]
    if isinstance(given, dict) and set(given) == {"like"}:
        p = _expression(state, given["like"])
        for fact in reversed(state.facts):
            if any(kernel.apply(*term) == p for term in subterms(fact.atom[0])):
                return fact
        raise state.fail(f"no fact has the term {given['like']}")
    wanted = _forms(_atom(state, given))
    for fact in reversed(state.facts):
        if wanted & _forms(fact.atom):
            return fact
    raise state.fail(f"there is no fact {given}")


def _forms(fact: kernel.Atom) -> set[kernel.Atom]:
    """An atom up to a positive factor, or up to any factor if it is an equation."""
    p, relation = fact
    if not p.terms:
        return {fact}
    p = p * number(1 / abs(p.terms[0][1]))
    return {(p, relation), (-p, relation)} if relation in ("==", "!=") else {(p, relation)}
