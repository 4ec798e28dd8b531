"""The prover's picture of a kernel proof: contexts, facts with identities, drafts of proof trees.

The kernel numbers facts by position. Positions shift when an idle step is dropped, so a draft names
facts by identity, and `emit` turns identities into positions at the end.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from verify import kernel
from verify.engines.protocol import Context, Unproved
from verify.kernel import Atom, Expression, Term
from verify.theory.text import text


@dataclass(frozen=True, slots=True)
class Fact:
    """A numbered assumption: an identity that survives substitution, and what it says now."""

    identity: int
    atom: Atom


@dataclass(frozen=True, slots=True)
class State:
    """A point in a proof: what is declared, what is assumed, and where in the sketch we are."""

    context: Context
    facts: tuple[Fact, ...]
    path: tuple[str, ...]
    fresh: Iterator[int] = field(default_factory=itertools.count)
    deadline: float = float("inf")

    def add(self, *atoms: Atom) -> tuple[State, tuple[int, ...]]:
        """The state with more facts, and their identities."""
        new = [Fact(next(self.fresh), (self.context.unfold(p), r)) for p, r in atoms]
        state = replace(self, facts=(*self.facts, *new))
        return state, tuple(fact.identity for fact in new)

    def at(self, step: str) -> State:
        """The same state, one step further down the sketch."""
        return replace(self, path=(*self.path, step))

    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.deadline

    def fail(self, problem: str) -> Unproved:
        """The error for this point of the proof, with everything that is known here."""
        lines = [f"{'.'.join(self.path)}: {problem}", "the facts here are:"]
        lines += [f"  [{k}] {show(fact.atom)}" for k, fact in enumerate(self.facts)]
        return Unproved("\n".join(lines if self.facts else lines[:1]))


@dataclass(frozen=True, slots=True)
class Draft:
    """A node of a proof whose facts are identities.

    data: the keys that are copied; facts: the keys that name one fact; children: key, identities
    that the child has in addition, child (the key 'guards' collects a list); used: identities.
    """

    rule: str
    data: Mapping[str, Any]
    facts: Mapping[str, int]
    children: tuple[tuple[str, tuple[int, ...], Draft], ...]
    used: frozenset[int]


def join(
    rule: str,
    data: Mapping[str, Any],
    facts: Mapping[str, int],
    children: Iterable[tuple[str, tuple[int, ...], Draft]] = (),
) -> Draft:
    """A node over its children; what they use beyond their own additions is used here."""
    children = tuple(children)
    used = set(facts.values())
    for _, new, child in children:
        used |= child.used - set(new)
    return Draft(rule, data, facts, children, frozenset(used))


def emit(draft: Draft, order: tuple[int, ...]) -> dict[str, Any]:
    """The kernel's form of a draft; `order` lists the identities of the facts by position."""
    place = {identity: k for k, identity in enumerate(order)}
    node: dict[str, Any] = {"rule": draft.rule, **draft.data}
    node |= {key: place[identity] for key, identity in draft.facts.items()}
    if draft.rule == "close":
        node["sum"] = [[c, [place[k] for k in chosen]] for c, chosen in draft.data["sum"]]
        node["equal"] = [[m, place[k]] for m, k in draft.data["equal"]]
    if draft.rule == "use":
        node["guards"] = []
    for key, new, child in draft.children:
        part = emit(child, (*order, *new))
        if key == "guards":
            node["guards"].append(part)
        else:
            node[key] = part
    return node


def certificate(claim: Mapping[str, Any], proof: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest certificate that the kernel reads."""
    return {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}


def show(fact: Atom) -> str:
    """A fact as a person reads it: positive terms left, negative terms right."""
    p, relation = fact
    left = Expression(tuple((m, c) for m, c in p.terms if c > 0))
    right = Expression(tuple((m, -c) for m, c in p.terms if c < 0))
    return f"{text(left)} {relation} {text(right)}"


def subterms(p: Expression) -> Iterator[Term]:
    """Every term of an expression, those inside arguments too."""
    for monomial, _ in p.terms:
        for term, _ in monomial:
            yield term
            for argument in term.args:
                yield from subterms(argument)


def ground(p: Expression) -> bool:
    """Whether only numbers occur: pi, cosines, sines and radicals of numbers."""
    return all(t.head in ("cos", "sin", "pi") or t.head.isdigit() for t in subterms(p))
