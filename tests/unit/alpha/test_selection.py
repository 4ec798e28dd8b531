"""Selection rules: the recovered protocol, the interpolant, the maximum margin."""

from __future__ import annotations

import numpy as np
import pytest

from verify.alpha import training
from verify.selection import Training, approach, cross_entropy, max_margin, min_norm, rule, select


def adam_from_the_definition(problem: Training, steps: int) -> np.ndarray:
    """The protocol with a numerical gradient of the loss: nothing shared with the code."""

    def loss(w: np.ndarray) -> float:
        total = 0.0
        logits = problem.logits(w)
        for k, t in enumerate(problem.target):
            row = logits[k][problem.visible[k]]
            total += np.log(np.exp(row - row.max()).sum()) + row.max() - logits[k, t]
        return total / len(problem.target)

    w = np.zeros(problem.shape)
    first, second = np.zeros_like(w), np.zeros_like(w)
    for k in range(1, steps + 1):
        gradient = np.zeros_like(w)
        for index in np.ndindex(*w.shape):
            change = np.zeros_like(w)
            change[index] = 1e-5
            gradient[index] = (loss(w + change) - loss(w - change)) / 2e-5
        gradient += 1e-4 * w
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        w = w - 0.1 * (first / (1 - 0.9**k)) / (np.sqrt(second / (1 - 0.999**k)) + 1e-8)
    return w


@pytest.mark.parametrize(
    ("encoding", "task"),
    [("sinusoidal:theta=[1, 1/5]", "previous"), ("rope:theta=[1]", "skip:k=2")],
)
def test_ce_is_adam_on_the_mean_loss_with_l2_decay(encoding: str, task: str) -> None:
    problem = training(encoding, task, 6)
    chosen = cross_entropy(problem, rule("ce:steps=12"))
    assert np.allclose(chosen, adam_from_the_definition(problem, 12), atol=1e-5)
    assert np.array_equal(chosen, select(rule("ce:steps=12"), problem))


@pytest.mark.parametrize("encoding", ["onehot:length=7", "clipped:length=7"])
def test_min_norm_interpolates_where_it_can(encoding: str) -> None:
    problem = training(encoding, "previous", 7)
    w = min_norm(problem)
    logits = problem.logits(w)
    wanted = np.zeros_like(logits)
    wanted[np.arange(len(problem.target)), problem.target] = 1
    assert np.allclose(logits[problem.visible], wanted[problem.visible], atol=1e-12)


def test_min_norm_is_the_least_of_all_interpolants() -> None:
    """Anything that all training pairs ignore has been left out."""
    problem = training("sinusoidal:frequencies=8,base=10000", "previous", 6)
    w = min_norm(problem)
    rows, keys = np.nonzero(problem.visible)
    scores = problem.scores(rows, keys)
    null = np.linalg.svd(scores)[2][np.linalg.matrix_rank(scores) :]
    assert len(null) > 0
    assert np.abs(null @ w.ravel()).max() < 1e-9


@pytest.mark.parametrize(
    ("encoding", "task"),
    [("sinusoidal:dim=8", "previous"), ("rope:frequencies=4", "attend-first"), ("alibi", "self")],
)
def test_max_margin_satisfies_the_optimality_conditions(encoding: str, task: str) -> None:
    """Feasible, and a non-negative combination of the constraints that are tight (KKT)."""
    from scipy.optimize import nnls

    problem = training(encoding, task, 9)
    w = max_margin(problem)
    margins = problem.margins(w)
    assert margins.min() == pytest.approx(1, abs=1e-7)
    rows, keys = np.nonzero(problem.visible)
    other = keys != problem.target[rows]
    rows, keys = rows[other], keys[other]
    normals = problem.scores(rows, problem.target[rows]) - problem.scores(rows, keys)
    slack = normals @ w.ravel() - 1
    assert slack.min() > -1e-7
    _, residual = nnls(normals[slack < 1e-6].T, w.ravel())
    assert residual < 1e-6 * np.linalg.norm(w)


def test_max_margin_needs_a_realizable_task() -> None:
    with pytest.raises(ValueError, match="max-margin found no parameter that realizes the task"):
        max_margin(training("affine", "previous", 6))


def test_ce_approaches_max_margin_as_weight_decay_falls() -> None:
    steps = approach(training("rope:frequencies=4", "previous", 8), [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
    assert [s.weight_decay for s in steps] == [1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
    cosines, margins = [s.cosine for s in steps], [s.margin for s in steps]
    assert cosines == sorted(cosines) and margins == sorted(margins)
    assert cosines[0] < 0.96 and 0.995 < cosines[-1] < 1
    assert margins[0] < 0.6 and 0.88 < margins[-1] < 1
    # What is missing of the margin falls like the inverse of the norm: like 1 / log(1 / decay).
    missing = [(1 - s.margin) * s.norm for s in steps]
    assert max(missing[-3:]) < 1.1 * min(missing[-3:])


def test_the_start_can_be_chosen() -> None:
    problem = training("rope:theta=[1]", "previous", 6)
    spread = [cross_entropy(problem, rule(f"ce:steps=1,spread=2,seed={k}")) for k in (0, 0, 1)]
    assert np.array_equal(spread[0], spread[1]) and not np.array_equal(spread[0], spread[2])
    start = 2 * np.random.default_rng(1).normal(size=2)
    assert np.allclose(np.abs(spread[2] - start), 0.1, atol=1e-6)  # the first step of Adam


def test_specs_are_canonical() -> None:
    for spec in (
        "ce",
        "min-norm",
        "max-margin",
        "ce:steps=800,weight_decay=0.0",
        "ce:spread=0.5,seed=3",
        "given:a,b.npy",
    ):
        assert rule(spec).spec == spec
        assert rule(rule(spec).spec) == rule(spec)
    assert rule(" ce: weight_decay = 1/2 , learning_rate=0.1").spec == "ce:weight_decay=0.5"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cee", "unknown rule 'cee'; did you mean 'ce'"),
        ("ce:speed=3", "ce has no option 'speed'"),
        ("ce:steps=0", "steps of ce must be an integer from 1"),
        ("ce:learning_rate=0", "learning_rate of ce must be positive, not 0"),
        ("ce:weight_decay=-1", "weight_decay of ce must be 0 or more, not -1"),
        ("ce:beta1=1", "beta1 of ce must be below 1"),
        ("min-norm:steps=3", "min-norm has no option 'steps'"),
        ("given", "given needs a file"),
    ],
)
def test_wrong_specs_get_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        rule(spec)
    assert "\n" not in str(caught.value)


def test_a_diverging_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="diverged; use a smaller learning_rate"):
        cross_entropy(
            training("polynomial:degree=40", "previous", 20), rule("ce:learning_rate=1e300")
        )
