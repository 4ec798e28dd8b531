"""Decide a strict system exactly: a parameter that satisfies it, or multipliers that refute it."""

from __future__ import annotations

from .answers import as_matrix, checked
from .clock import Clock, TimeUpError
from .integers import Problem, ZeroConstraint, compile_system
from .simplex import exact_simplex
from .structure import structural_weights
from .system import Refutation, StrictSystem, Undecided, Witness

# Below this order, number of constraints and size of entries the exact simplex beats any float.
SMALL_ORDER = 16
SMALL_COUNT = 1000
SMALL_BITS = 32
SMALL_PIVOTS = 60


def decide(
    system: StrictSystem, *, start: Witness | None = None, time_limit: float | None = None
) -> Witness | Refutation | Undecided:
    """A checked witness or a checked refutation of `system`.

    `start` is a witness of another system with the same parameter shape, tried first. Undecided
    only when `time_limit` (seconds) has passed. Raises ValueError when `start` has another shape.
    """
    clock = Clock.start(time_limit)
    problem = compile_system(system)
    if isinstance(problem, ZeroConstraint):
        return Refutation(((problem.row, problem.key, 1),), "zero constraint")
    if start is not None:
        parameter = as_matrix(start.parameter)
        given: tuple[int, ...] = (len(parameter), len(parameter[0]))
        if not isinstance(start.parameter[0], tuple):
            given = given[1:]
        if given != system.shape:
            raise ValueError(f"start: shape {given} given, but the system needs {system.shape}")
        if problem.satisfied(parameter):
            return Witness(start.parameter, "start")
    try:
        return _decided(problem, clock)
    except TimeUpError:
        return Undecided(f"the time limit of {time_limit} s has passed")


def _decided(problem: Problem, clock: Clock) -> Witness | Refutation | Undecided:
    answer = checked(problem, structural_weights(problem), "structure")
    if answer is not None:
        return answer
    hint: list[int] = []
    if _small(problem):
        answer = checked(problem, exact_simplex(problem, hint, clock, SMALL_PIVOTS), "simplex")
        if answer is not None:
            return answer
    # numpy and scipy are not needed, nor loaded, for small problems.
    from .numeric import numeric_answer

    proposal = numeric_answer(problem, clock)
    if proposal.answer is not None:
        return proposal.answer
    answer = checked(problem, exact_simplex(problem, proposal.hint, clock), "simplex")
    if answer is None:
        return Undecided("the exact simplex met an unlucky prime: its answer fails the exact check")
    return answer


def _small(problem: Problem) -> bool:
    order = problem.width[0] * problem.width[1]
    if order > SMALL_ORDER or len(problem.constraints) > SMALL_COUNT:
        return False
    return all(
        x.bit_length() <= SMALL_BITS
        for block in problem.blocks
        for table in (block.queries, block.keys)
        for x in table.entries()
    )
