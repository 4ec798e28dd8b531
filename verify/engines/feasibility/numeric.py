"""Answers proposed by floats: softmax descent, then a linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import ThreadpoolController

from .answers import checked
from .clock import Clock
from .correction import corrected
from .floats import FloatSystem, float_system
from .integers import Problem
from .simplex import exact_simplex
from .softmax import Descent, descend, sharpen
from .system import Refutation, Witness

# Residuals |A^T y| (unit vectors, weights of sum 1) at which a correction is tried: after L-BFGS,
# which is cheap, and after Newton steps, which end where L-BFGS crawls.
COARSE, FINE = 1e-7, 1e-13
EVALUATIONS = 200
# Residuals above this are not worth a correction.
NEAR = 1e-4
# On the boundary of the hull some weights tend to 0: what is below this share of the largest is
# dropped.
FACE = 1e-7
FACES = 6
# The products are small: a second thread slows them down, many times where cores are busy.
_BLAS = ThreadpoolController()


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A checked answer if there is one, and constraints in the order in which they seem to bind."""

    answer: Witness | Refutation | None
    hint: list[int]


def numeric_answer(problem: Problem, clock: Clock) -> Proposal:
    """Try the float engines; every answer has passed its exact check."""
    # Overflow and NaN end a float engine; they decide nothing.
    with np.errstate(all="ignore"), _BLAS.limit(limits=1, user_api="blas"):
        proposal = _descended(problem, clock)
        if proposal.answer is not None:
            return proposal
        return _programmed(problem, proposal.hint, clock)


def _descended(problem: Problem, clock: Clock) -> Proposal:
    """Softmax descent on the problem, and on the face of the constraints that keep their weight."""
    chosen = list(range(len(problem.constraints)))
    hint: list[int] = []
    face = problem
    for _ in range(FACES):
        try:
            system = float_system(face)
        except ArithmeticError:
            break
        answer, last = _descend_once(face, system, clock)
        order = [chosen[int(k)] for k in np.argsort(last.margins, kind="stable")]
        hint = hint or order
        # A refutation of a face refutes the whole; a witness of a face satisfies the face alone.
        if isinstance(answer, Refutation) or (answer is not None and face is problem):
            return Proposal(answer, hint)
        kept = np.flatnonzero(last.weights > FACE * last.weights.max())
        if last.feasible or len(kept) in (0, len(chosen)):
            break
        chosen = [chosen[int(k)] for k in kept]
        face = problem.subset(chosen)
    return Proposal(None, hint)


def _descend_once(
    problem: Problem, system: FloatSystem, clock: Clock
) -> tuple[Witness | Refutation | None, Descent]:
    last = descend(system, clock, COARSE, EVALUATIONS)
    answer = _proposed(problem, system, last)
    if answer is None and not last.feasible:
        last = sharpen(system, clock, last.parameter, FINE)
        answer = _proposed(problem, system, last)
    return answer, last


def _proposed(problem: Problem, system: FloatSystem, last: Descent) -> Witness | Refutation | None:
    if not np.isfinite(last.parameter).all() or not np.isfinite(last.residual):
        return None
    if last.feasible:
        return checked(problem, system.lift(last.parameter), "softmax")
    if last.residual > NEAR:
        return None
    return checked(problem, corrected(problem, system, last.weights), "softmax")


def _programmed(problem: Problem, order: list[int], clock: Clock) -> Proposal:
    """Row generation with HiGHS, and exact solutions on the support that it finds."""
    from .lp import lp_hint

    try:
        system = float_system(problem)
    except ArithmeticError:
        return Proposal(None, order)
    known = set(order)
    order = order + [k for k in range(len(problem.constraints)) if k not in known]
    found = lp_hint(system, order, clock)
    if found is None:
        return Proposal(None, order)
    first = set(found.hint)
    hint = found.hint + [k for k in order if k not in first]
    if found.parameter is not None:
        return Proposal(checked(problem, system.lift(found.parameter), "lp"), hint)
    support = problem.subset(found.hint)
    weights = exact_simplex(support, range(len(found.hint)), clock, pivots=len(found.hint))
    if isinstance(weights, list):
        return Proposal(checked(support, weights, "lp"), hint)
    return Proposal(None, hint)
