"""Selection rules: how one parameter is chosen among all that realize a task at length L0.

Floats propose here and nothing is proved; `verify.alpha` reads the chosen float64 numbers exactly.
Rules are written like encodings: `ce`, `ce:steps=800,weight_decay=0`, `min-norm`, `max-margin`,
`given:FILE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verify.theory import options, syntax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RULES: Final = ("ce", "min-norm", "max-margin", "given")


# ------------------------------------------------------------ the training problem


@dataclass(frozen=True, slots=True)
class Training:
    """What a rule sees of an encoding and a task: r scored rows over n keys at the length L0.

    logits: parameter -> (r, n). pull: its transpose, (r, n) -> an array like the parameter.
    scores: the rows k and keys j (two index arrays) -> the score features s, (pairs, parameters).
    visible: (r, n), which keys a row sees. target: (r,), the key that must win.
    """

    shape: tuple[int, ...]
    visible: NDArray[np.bool_]
    target: NDArray[np.intp]
    logits: Callable[[Floats], Floats]
    pull: Callable[[Floats], Floats]
    scores: Callable[[NDArray[np.intp], NDArray[np.intp]], Floats]

    def margins(self, parameter: Floats) -> Floats:
        """The margin of every row in float64, shape (r,)."""
        logits = np.where(self.visible, self.logits(parameter), -np.inf)
        rows = np.arange(len(self.target))
        wanted = logits[rows, self.target].copy()
        logits[rows, self.target] = -np.inf
        return np.asarray(wanted - logits.max(axis=1))


def absolute(queries: Floats, keys: Floats, visible: Any, target: Any) -> Training:
    """Logits Q W K^T. queries: (r, d), the rows' own features; keys: (n, d); W: (d, d)."""

    def scores(k: NDArray[np.intp], j: NDArray[np.intp]) -> Floats:
        outer = queries[k][:, :, None] * keys[j][:, None, :]
        return np.asarray(outer.reshape(len(k), -1))

    return Training(
        shape=(queries.shape[1], keys.shape[1]),
        visible=np.asarray(visible, dtype=bool),
        target=np.asarray(target, dtype=np.intp),
        logits=lambda w: np.asarray(queries @ w @ keys.T),
        pull=lambda g: np.asarray(queries.T @ g @ keys),
        scores=scores,
    )


def relative(basis: Floats, visible: Any, target: Any) -> Training:
    """Logits <w, psi(i - j)>. basis: (r, n, m), psi at the offset of row k and key j; w: (m,).

    Entries at keys that a row does not see are never used but must be finite.
    """
    flat = basis.reshape(-1, basis.shape[2])
    return Training(
        shape=(basis.shape[2],),
        visible=np.asarray(visible, dtype=bool),
        target=np.asarray(target, dtype=np.intp),
        logits=lambda w: np.asarray((flat @ w).reshape(basis.shape[:2])),
        pull=lambda g: np.asarray(g.reshape(-1) @ flat),
        scores=lambda k, j: np.asarray(basis[k, j]),
    )


# ------------------------------------------------------------ rules


@dataclass(frozen=True, slots=True)
class Rule:
    """A selection rule with its settings. `spec` is canonical: `rule(spec)` is the same rule.

    The settings are those of `ce`; spread is the standard deviation of a Gaussian start, 0 starts
    at zero. path: the file of `given`.
    """

    name: str
    steps: int = 400
    learning_rate: float = 0.1
    weight_decay: float = 1e-4
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    spread: float = 0.0
    seed: int = 0
    path: str = ""
    spec: str = field(init=False)

    def __post_init__(self) -> None:
        changed = ",".join(
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if f.init and f.name not in ("name", "path") and getattr(self, f.name) != f.default
        )
        tail = self.path or changed
        object.__setattr__(self, "spec", f"{self.name}:{tail}" if tail else self.name)


def rule(spec: str) -> Rule:
    """The rule that a spec names; ValueError with one sentence if it names none."""
    name, _, rest = (piece.strip() for piece in spec.strip().partition(":"))
    if name not in RULES:
        raise ValueError(f"unknown rule {spec.strip()[:60]!r}; {syntax.suggestion(name, RULES)}")
    if name == "given":
        if not rest:
            raise ValueError("the rule given needs a file, as in given:parameter.npy")
        return Rule(name, path=rest)
    settings = [f.name for f in fields(Rule) if f.init and f.name not in ("name", "path")]
    found = options.options(name, rest, tuple(settings) if name == "ce" else ())
    made = Rule(name)
    for key in found.values:
        value = syntax.rational(found.values[key], f"{key} of {name}")
        if key == "steps":
            made = replace(made, steps=found.integer(key, 1, 10**7))
        elif key == "seed":
            made = replace(made, seed=found.integer(key, 0, 1 << 63))
        elif value < 0 or (value == 0 and key in ("learning_rate", "epsilon")):
            least = "positive" if key in ("learning_rate", "epsilon") else "0 or more"
            raise ValueError(f"{key} of {name} must be {least}, not {found.values[key]}")
        elif key.startswith("beta") and value >= 1:
            raise ValueError(f"{key} of {name} must be below 1, not {found.values[key]}")
        else:
            made = replace(made, **{key: float(value)})  # type: ignore[arg-type]
    return made


def select(chosen: Rule, training: Training) -> Floats:
    """The float64 parameter that a rule (other than `given`) selects; shape `training.shape`.

    ValueError if the rule finds none.
    """
    match chosen.name:
        case "ce":
            return cross_entropy(training, chosen)
        case "min-norm":
            return min_norm(training)
        case "max-margin":
            return max_margin(training)
    raise ValueError(f"the rule {chosen.spec} reads a file; use `read_parameter`")


def cross_entropy(training: Training, settings: Rule | None = None) -> Floats:
    """The regularized cross-entropy section: Adam on the mean causal-softmax loss, from zero.

    Kingma and Ba 2015 (arXiv 1412.6980), algorithm 1, bias-corrected; the weight decay is added to
    the gradient (L2, not decoupled). The protocol that reproduces the published hit counts.
    """
    chosen = settings or Rule("ce")
    w = chosen.spread * np.random.default_rng(chosen.seed).normal(size=training.shape)
    mean, square = np.zeros_like(w), np.zeros_like(w)
    with np.errstate(all="ignore"):  # a fit that diverges is refused below
        for step in range(1, chosen.steps + 1):
            gradient = _loss_gradient(training, w)[1] + chosen.weight_decay * w
            mean = chosen.beta1 * mean + (1 - chosen.beta1) * gradient
            square = chosen.beta2 * square + (1 - chosen.beta2) * gradient * gradient
            unbiased = np.sqrt(square / (1 - chosen.beta2**step)) + chosen.epsilon
            w = w - chosen.learning_rate * (mean / (1 - chosen.beta1**step)) / unbiased
    if not np.isfinite(w).all():
        raise ValueError(f"the rule {chosen.spec} diverged; use a smaller learning_rate")
    return w


def _loss_gradient(training: Training, w: Floats) -> tuple[float, Floats]:
    """The mean over rows of the cross-entropy of the softmax at the target, and its gradient."""
    rows = np.arange(len(training.target))
    logits = np.where(training.visible, training.logits(w), -np.inf)
    logits = logits - logits.max(axis=1, keepdims=True)
    weights = np.exp(logits)
    total = weights.sum(axis=1, keepdims=True)
    loss = float(np.mean(np.log(total[:, 0]) - logits[rows, training.target]))
    weights /= total
    weights[rows, training.target] -= 1
    return loss, training.pull(weights / len(rows))


def min_norm(training: Training) -> Floats:
    """The interpolant of least norm: logit 1 at the target and 0 at every other visible key.

    Where no parameter interpolates, the least-squares solution of least norm.
    """
    import scipy.linalg

    rows, keys = np.nonzero(training.visible)
    wanted = (keys == training.target[rows]).astype(float)
    found = scipy.linalg.lstsq(training.scores(rows, keys), wanted)[0]
    return np.asarray(found, dtype=np.float64).reshape(training.shape)


def max_margin(training: Training, *, rounds: int = 200, tolerance: float = 1e-9) -> Floats:
    """The hard-margin solution: the parameter of least norm with every margin at least 1.

    Least-distance programming by non-negative least squares (Lawson and Hanson, Solving Least
    Squares Problems, 1974, chapter 23, problem LDP) over a growing set of violated constraints.
    ValueError if the float problem is infeasible: no parameter realizes the task at L0.
    """
    import scipy.optimize

    rows = np.arange(len(training.target))
    chosen: set[tuple[int, int]] = set()
    w = np.zeros(training.shape)
    for _ in range(rounds):
        logits = training.logits(w)
        slack = np.where(training.visible, logits[rows, training.target][:, None] - logits, np.inf)
        slack[rows, training.target] = np.inf
        worst = slack.argmin(axis=1)
        violated = [(int(k), int(worst[k])) for k in rows if slack[k, worst[k]] < 1 - tolerance]
        new = set(violated) - chosen
        if not new:
            return w
        chosen |= new
        k, j = np.array(sorted(chosen), dtype=np.intp).T
        normals = training.scores(k, training.target[k]) - training.scores(k, j)
        system = np.vstack([normals.T, np.ones(len(normals))])
        wanted = np.zeros(len(system))
        wanted[-1] = 1.0
        multipliers, distance = scipy.optimize.nnls(system, wanted, maxiter=30 * len(normals) + 300)
        residual = system @ multipliers - wanted
        if distance < 1e-7 or residual[-1] >= -1e-14:
            raise ValueError(
                "max-margin found no parameter that realizes the task at the training length; "
                "`pe-verify realize` decides whether there is one"
            )
        w = (residual[:-1] / -residual[-1]).reshape(training.shape)
    raise ValueError(f"max-margin did not settle within {rounds} rounds of constraints")


@dataclass(frozen=True, slots=True)
class Approach:
    """The minimizer of the regularized loss beside the max-margin solution.

    cosine: between the two parameters. margin: smallest margin over norm, as a share of the best.
    """

    weight_decay: float
    norm: float
    cosine: float
    margin: float


def approach(training: Training, weight_decays: Sequence[float]) -> list[Approach]:
    """How the minimizer of the `ce` loss nears the max-margin direction as weight decay falls.

    The minimizer itself, by L-BFGS, so that the step count of Adam plays no part. The limit is the
    max-margin direction (Rosset, Zhu and Hastie, Margin Maximizing Loss Functions, NIPS 2003).
    """
    import scipy.optimize

    best = max_margin(training)
    best_ratio = training.margins(best).min() / np.linalg.norm(best)
    found, w = [], np.zeros(training.shape)
    for decay in sorted(weight_decays, reverse=True):

        def objective(flat: Floats, decay: float = decay) -> tuple[float, Floats]:
            loss, gradient = _loss_gradient(training, flat.reshape(training.shape))
            return loss + decay / 2 * float(flat @ flat), gradient.ravel() + decay * flat

        run = scipy.optimize.minimize(
            objective, w.ravel(), jac=True, method="L-BFGS-B",
            options={"maxiter": 50_000, "maxfun": 100_000, "maxcor": 30, "ftol": 0, "gtol": 1e-12},
        )  # fmt: skip
        w = np.asarray(run.x).reshape(training.shape)
        norm = float(np.linalg.norm(w))
        cosine = float(np.vdot(w, best)) / (norm * float(np.linalg.norm(best)))
        ratio = float(training.margins(w).min()) / norm / float(best_ratio)
        found.append(Approach(decay, norm, cosine, ratio))
    return found
