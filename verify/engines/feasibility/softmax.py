"""One smooth convex problem that decides both ways.

Minimize `f(w) = log sum_k exp(-<a_k, w>)` over unit constraint vectors. If the system is feasible
`f` is unbounded below and `w` runs off with every margin positive. If 0 is inside the convex hull
of the constraints the minimum is attained, and its gradient condition is a Gordan certificate: `sum
y_k a_k = 0` with `y = softmax(-A w) > 0`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .clock import Clock
from .conditioning import Floats
from .floats import FloatSystem

# Evaluations that may still improve the margin once every constraint holds: larger margins leave
# room for smaller numbers.
POLISH = 25
STEPS, FINAL_STEPS = 80, 4
# Work (constraints x N^2) up to which Newton steps use the constraints as a matrix.
WRITTEN_OUT = 10**9


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Where a descent ended: parameter, its margins, weights y = softmax(-margins), |A^T y|."""

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
    """Minimize f by L-BFGS until |A^T y| <= tolerance, all margins > 0, or no more evaluations."""
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


def sharpen(system: FloatSystem, clock: Clock, start: Floats, tolerance: float) -> Descent:
    """Minimize f by Newton's method from `start`; for the faces on which L-BFGS crawls.

    A Newton step does not depend on the scale of a direction: weights that tend to 0 shrink by a
    constant factor at each step however flat their direction is.
    """
    parameter = start
    margins = system.margins(parameter)
    value, weights = _softmax(margins)
    newton = _newton_solver(system)
    final = 0
    for _ in range(STEPS):
        clock.check()
        gradient = -system.combination(weights)
        if margins.min() > 0 or np.linalg.norm(gradient) <= tolerance:
            break
        step = newton(weights, gradient)
        slopes = system.margins(step)
        decrease = -float(np.vdot(gradient, step))
        if not decrease > 0:
            break
        length = 1.0
        if decrease < 1e-9:
            # Below the resolution of f: the steps converge quadratically, a few full ones suffice.
            final += 1
            if final > FINAL_STEPS:
                break
        while True:
            tried, tried_weights = _softmax(margins + length * slopes)
            if final or tried <= value - 1e-3 * length * decrease:
                break
            length /= 2
            if length < 1e-9:
                return _descent(system, parameter)
        parameter = parameter + length * step
        margins = system.margins(parameter)
        value, weights = tried, tried_weights
    return _descent(system, parameter)


def _newton_solver(system: FloatSystem) -> Callable[[Floats, Floats], Floats]:
    """Newton steps `-H^-1 g` for weights y and gradient g, `H = A^T diag(y) A - g g^T`.

    If A is small enough to be written out: the least squares problem `sqrt(y) (A step - 1)`, which
    keeps twice the digits of the normal equations. The term `-g g^T` scales the step (Sherman,
    Morrison).
    """
    from scipy.linalg import cho_factor, cho_solve, lstsq

    size = system.width[0] * system.width[1]
    if system.count * size * size <= WRITTEN_OUT:
        vectors = system.vectors(np.arange(system.count))

        def precise(weights: Floats, gradient: Floats) -> Floats:
            roots = np.sqrt(weights)
            step, *_ = lstsq(
                vectors * roots[:, None],
                roots,
                cond=1e-14,
                lapack_driver="gelsy",
                check_finite=False,
            )
            return _scaled(step, gradient)

        return precise

    def structured(weights: Floats, gradient: Floats) -> Floats:
        moment = system.second_moment(weights)
        diagonal = np.arange(size)
        damping = 1e-15 * float(np.trace(moment))
        while True:
            moment[diagonal, diagonal] += damping
            try:
                factor = cho_factor(moment)
            except np.linalg.LinAlgError:
                damping *= 30
            else:
                return _scaled(-cho_solve(factor, gradient.ravel()), gradient)

    return structured


def _scaled(step: Floats, gradient: Floats) -> Floats:
    shaped = step.reshape(gradient.shape)
    return shaped / max(1.0 + float(np.vdot(gradient, shaped)), 1e-3)


def _softmax(margins: Floats) -> tuple[float, Floats]:
    """`log sum exp(-margins)` and its weights."""
    low = margins.min()
    weights = np.exp(low - margins)
    total = weights.sum()
    return float(np.log(total) - low), weights / total


def _descent(system: FloatSystem, parameter: Floats) -> Descent:
    margins = system.margins(parameter)
    _, weights = _softmax(margins)
    residual = float(np.linalg.norm(system.combination(weights)))
    return Descent(parameter, margins, weights, residual)
