"""One smooth convex problem that decides both ways.

Minimize `f(w) = log sum_k exp(-<a_k, w>)` over unit constraint vectors. If the system is feasible `f` is
unbounded below and `w` runs off with every margin positive. If 0 is inside the convex hull of the
constraints the minimum is attained, and its gradient condition is a Gordan certificate:
`sum y_k a_k = 0` with `y = softmax(-A w) > 0`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .clock import Clock
from .conditioning import Floats
from .floats import FloatSystem

# Evaluations that may still improve the margin once every constraint holds: larger margins leave room
# for smaller numbers.
POLISH = 25


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Where the descent ended: `parameter` of shape width, its `margins`, weights `y`, `residual` |A^T y|."""

    parameter: Floats
    margins: Floats
    weights: Floats
    residual: float

    @property
    def feasible(self) -> bool:
        """Whether every float margin is positive."""
        return bool(self.margins.min() > 0)


class _Finished(Exception):
    """Raised inside the objective to end the minimizer."""


def descend(system: FloatSystem, clock: Clock, tolerance: float, evaluations: int) -> Descent:
    """Minimize f by L-BFGS until |A^T y| <= tolerance, margins are positive, or evaluations are spent."""
    from scipy.optimize import minimize

    best: tuple[float, Floats] | None = None
    spent = 0

    def objective(flat: Floats) -> tuple[float, Floats]:
        nonlocal best, spent
        clock.check()
        margins = system.margins(flat.reshape(system.width))
        low = margins.min()
        if low > 0:
            quality = low / np.linalg.norm(flat)
            if best is None or quality > best[0]:
                best = float(quality), flat.copy()
        if best is not None:
            spent += 1
            if spent > POLISH:
                raise _Finished
        value, weights = _softmax(margins)
        return value, -system.combination(weights).ravel()

    last = np.zeros(system.width[0] * system.width[1])
    try:
        result = minimize(
            objective,
            last,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxcor": 20,
                "gtol": tolerance,
                "ftol": 0.0,
                "maxfun": evaluations,
                "maxiter": evaluations,
            },
        )
        last = result.x
    except _Finished:
        pass
    if best is not None:
        last = best[1]
    return _descent(system, last.reshape(system.width))


def sharpen(
    system: FloatSystem, clock: Clock, start: Floats, tolerance: float, steps: int
) -> Descent:
    """Minimize f by Newton's method from `start`; for the faces on which L-BFGS crawls.

    A Newton step does not depend on the scale of a direction: weights that tend to 0 shrink by a
    constant factor at each step however flat their direction is.
    """
    parameter = start
    margins = system.margins(parameter)
    value, weights = _softmax(margins)
    for _ in range(steps):
        clock.check()
        gradient = -system.combination(weights)
        if margins.min() > 0 or np.linalg.norm(gradient) <= tolerance:
            break
        flat = gradient.ravel()
        hessian = system.second_moment(weights) - np.outer(flat, flat)
        step = -_solve(hessian, flat).reshape(system.width)
        slopes = system.margins(step)
        decrease = float(np.vdot(gradient, step))
        length = 1.0
        while True:
            tried_margins = margins + length * slopes
            tried, tried_weights = _softmax(tried_margins)
            if tried <= value + 1e-3 * length * decrease or length < 1e-9:
                break
            length /= 2
        if not tried < value:
            break
        parameter = parameter + length * step
        margins, value, weights = tried_margins, tried, tried_weights
    return _descent(system, parameter)


def _softmax(margins: Floats) -> tuple[float, Floats]:
    """`log sum exp(-margins)` and its weights."""
    low = margins.min()
    weights = np.exp(low - margins)
    total = weights.sum()
    return float(np.log(total) - low), weights / total


def _solve(hessian: Floats, gradient: Floats) -> Floats:
    from scipy.linalg import cho_factor, cho_solve

    damping = 1e-14 * float(np.trace(hessian))
    identity = np.arange(len(gradient))
    while True:
        hessian[identity, identity] += damping
        try:
            return cho_solve(cho_factor(hessian), gradient)
        except np.linalg.LinAlgError:
            damping *= 30


def _descent(system: FloatSystem, parameter: Floats) -> Descent:
    margins = system.margins(parameter)
    _, weights = _softmax(margins)
    residual = float(np.linalg.norm(system.combination(weights)))
    return Descent(parameter, margins, weights, residual)
