"""Row generation with a float LP (HiGHS), to find which constraints decide a system.

    minimize <c, w> subject to <a_k, w> >= 1

over unit constraint vectors, `c` their mean over the first active rows (so the LP is bounded). Only
violated constraints are added. The answer is a hint for the exact simplex, which shares this LP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from .clock import Clock, TimeUpError
from .conditioning import Floats
from .floats import FloatSystem

# Rows beyond this many entries are added only when violated.
DENSE = 300_000


@dataclass(frozen=True, slots=True, eq=False)
class LpAnswer:
    """`parameter` (shape width) satisfies all constraints in floats, or is None for "infeasible".

    `hint` lists the constraints of the dual ray or of the final basis.
    """

    parameter: Floats | None
    hint: list[int]


class _SilentHighs(highspy.Highs):
    """HiGHS without its banner: the first call other than an option prints it, and the constructor
    makes that call (HiGHS issue 1702)."""

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def lp_hint(system: FloatSystem, order: list[int], clock: Clock) -> LpAnswer | None:
    """Solve the LP, starting from the constraints first in `order`; None if HiGHS gives up."""
    size = system.width[0] * system.width[1]
    infinity = highspy.kHighsInf
    solver: Any = _SilentHighs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("presolve", "off"), ("threads", 1)):
        solver.setOptionValue(option, value)
    solver.addVars(size, np.full(size, -infinity), np.full(size, infinity))
    active: list[int] = []
    waiting = np.ones(system.count, dtype=bool)
    fresh = order[: max(DENSE // size, 2 * size + 20)]
    while fresh:
        chosen = np.array(fresh, dtype=np.intp)
        rows = system.vectors(chosen)
        if not active:
            solver.changeColsCost(size, np.arange(size, dtype=np.int32), rows.mean(axis=0))
        count = len(chosen)
        solver.addRows(
            count,
            np.ones(count),
            np.full(count, infinity),
            count * size,
            np.arange(0, count * size, size, dtype=np.int32),
            np.tile(np.arange(size, dtype=np.int32), count),
            rows.ravel(),
        )
        active += fresh
        waiting[chosen] = False
        left = clock.remaining()
        if left is not None:
            solver.setOptionValue("time_limit", solver.getRunTime() + left)
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise TimeUpError
        if status == highspy.HighsModelStatus.kInfeasible:
            _, known, ray = solver.getDualRay()
            if not known:
                return None
            weights = np.abs(np.asarray(ray))
            return LpAnswer(None, _largest(active, weights))
        if status != highspy.HighsModelStatus.kOptimal:
            return None
        solution = solver.getSolution()
        parameter = np.array(solution.col_value).reshape(system.width)
        margins = system.margins(parameter)
        hint = _largest(active, np.abs(np.array(solution.row_dual)))
        violated = np.flatnonzero(waiting & (margins < 0.5))
        worst = violated[np.argsort(margins[violated], kind="stable")]
        fresh = [int(k) for k in worst[: max(size // 2, 40)]]
    return LpAnswer(parameter, hint)


def _largest(active: list[int], weights: Floats) -> list[int]:
    """Constraints with a weight that is not noise, largest first."""
    floor = weights.max() * 1e-9
    places = np.argsort(-weights, kind="stable")
    return [active[p] for p in places if weights[p] > floor]
