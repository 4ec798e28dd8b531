"""Completes sketches of proofs into certificates that the kernel accepts.

`complete(claim, sketch)` returns the `proof` part of a certificate, or raises `Unproved` with the
node of the sketch at which it got stuck and the facts that were known there.

A sketch is a kernel proof (FORMAT.md) in which parts are missing:

* `"auto"` stands for a leaf; a missing branch (`then`, `yes`, `no`, `above`, `below`, `each`,
  `guards`, `base`, `step`) is `"auto"`, and a goal that starts neither with `fix` nor with `induct`
  is fixed first;
* a list of steps is a chain: the branches that a step leaves out continue with the rest of it;
* a fact is named by its position, by the text of its atom up to a positive factor, or by
  `{"like": term}`, the last fact in which the term occurs;
* `{"have": atom, "by": sketch}` proves a fact of one's own, `{"rule": "square", "of": e}` is the
  fact `e**2 >= 0`, `{"rule": "close", "using": [fact, ...], "degree": n}` a closing from products
  of up to n of these facts, `finite` finds its bounds, `sign` its bits.

    [{"rule": "use", "of": "maximum", "at": {"o": "i - j"}}, "auto"]

Steps that nothing below needs are dropped, since the kernel refuses them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from verify import kernel
from verify.engines.protocol import Unproved, read
from verify.engines.prover.models import prove_model
from verify.engines.prover.sketch import Sketch
from verify.engines.prover.sketch import prove as _prove
from verify.engines.prover.state import State, certificate, emit

__all__ = ["Unproved", "complete", "prove_model"]


def complete(claim: Mapping[str, Any], sketch: Sketch, seconds: float = 60.0) -> dict[str, Any]:
    """The proof of a theorem claim that follows a sketch; the kernel has checked it.

    sketch: of the only goal, or {"goals": [sketch, ...]}, one for each. seconds: when to give up.
    Raises Unproved, ValueError if the claim is no theorem, kernel.Malformed if it is malformed.
    """
    context, goals = read(claim)
    several = isinstance(sketch, dict) and set(sketch) == {"goals"}
    sketches = sketch["goals"] if several else [sketch] * len(goals)
    if len(sketches) != len(goals):
        raise Unproved(f"there are {len(goals)} goals and {len(sketches)} sketches")
    deadline, proofs = time.monotonic() + seconds, []
    for k, (goal, part) in enumerate(zip(goals, sketches, strict=True)):
        state = State(context, (), (f"goals[{k}]",), deadline=deadline)
        draft = _prove(state, goal, part)
        proofs.append(emit(draft, ()))
    proof = {"rule": "goals", "goals": proofs}
    checked = kernel.check(claim, certificate(claim, proof))
    if checked.outcome != "valid":
        raise Unproved(f"the kernel refuses the completed proof: {checked.reason}")
    return proof
