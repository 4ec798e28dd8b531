"""Proofs about one concrete model: a claim whose symbols are all defined."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from verify import kernel
from verify.engines.protocol import Clause, Unproved, read
from verify.engines.prover.sketch import Sketch, bounds, prove
from verify.engines.prover.state import State, certificate, emit
from verify.kernel import Term, number


def prove_model(
    claim: Mapping[str, Any], hints: Mapping[int, Sketch] | None = None, seconds: float = 60.0
) -> dict[str, Any]:
    """The proof of a claim about one model: integers run over their values, then arithmetic.

    Variables come in the order in which their bounds become numbers; what is left then is `auto`.
    hints: sketches of the goals, by index, that need more. Raises Unproved if a goal is false or
    not decided this way.
    """
    context, goals = read(claim)
    if undefined := sorted(set(context.sorts) - set(context.definitions)):
        raise Unproved(f"a model defines all its symbols; {', '.join(undefined)} are not defined")
    deadline, proofs = time.monotonic() + seconds, []
    for k, goal in enumerate(goals):
        state = State(context, (), (f"goals[{k}]",), deadline=deadline)
        cases: list[Any] = [{"rule": "finite", "name": name} for name in _ordered(state, goal)]
        sketch = (hints or {}).get(k, [*cases, "auto"])
        proofs.append(emit(prove(state, goal, sketch), ()))
    proof = {"rule": "goals", "goals": proofs}
    checked = kernel.check(claim, certificate(claim, proof))
    if checked.outcome != "valid":
        raise Unproved(f"the kernel refuses the completed proof: {checked.reason}")
    return proof


def _ordered(state: State, goal: Clause) -> list[str]:
    """The integer variables that can run over numbers, outer ones first.

    A bound that depends on outer variables is a number once these have values, so each of them is
    given one here: its lowest.
    """
    found: list[str] = []
    facts = [*goal.guards, kernel.negation(goal.then)]
    rest = [name for name, sort in goal.variables.items() if sort == "int"]
    while rest:
        here, _ = state.add(*facts)
        ready = [(name, ends) for name in rest if (ends := bounds(here, name)) is not None]
        if not ready:
            break
        name, ((_, low), _) = min(ready, key=lambda entry: entry[1][1][1] - entry[1][0][1])
        found.append(name)
        rest.remove(name)
        change = {Term(name, ()): number(low)}
        facts = [(state.context.unfold(p.substitute(change)), r) for p, r in facts]
    return found
