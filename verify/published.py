"""Published numbers, measured again: hit counts with every row certified, and what is left open.

The declarations are in `proofs/published.py`, the expected values in `proofs/claims.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from verify.alpha import AlphaResult, alpha, training
from verify.decision_certificates import certify
from verify.measure import Rate, winners
from verify.selection import approach
from verify.statements import Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray


def counts(
    encoding: str, task: str, expected: Mapping[int, str], published: str | None,
    kernel_up_to: int, *, train_length: int = 20, parameter: object = None,
) -> Measured:  # fmt: skip
    """Hits over new rows at each length of `expected`, under the recovered protocol.

    published: the alphas as printed, for those lengths in order (one value can stand for all).
    Lengths up to `kernel_up_to` are also evaluated by the kernel, from a certificate.
    """
    result = alpha(
        encoding, task, train_length=train_length, lengths=sorted(expected), parameter=parameter
    )
    found = {score.length: f"{score.hits}/{score.scored}" for score in result.lengths}
    agrees = found == dict(expected) and (
        published is None or _rounds_to([score.alpha for score in result.lengths], published)
    )
    low, high = result.train.smallest_margin
    does = "realizes" if result.realizes_train else "does not realize"
    details = [
        f"the parameter {does} length {train_length}, margin {float(low):.4g} to {float(high):.4g}",
        *(f"L={n}: {hits} = {float(Fraction(hits)):.4f}" for n, hits in found.items()),
        _ties(result),
        _by_kernel(result, kernel_up_to),
    ]
    return Measured(
        value=", ".join(found.values()),
        interval=None,
        published=published,
        agrees=agrees,
        certified=True,
        details="; ".join(part for part in details if part),
    )


def _rounds_to(values: Sequence[Fraction], published: str) -> bool:
    """Whether every value, rounded to as many decimals as were printed, is what was printed."""
    printed = [part.strip() for part in published.split(",")]
    printed = printed * len(values) if len(printed) == 1 else printed
    return len(printed) == len(values) and all(
        round(value, len(text.partition(".")[2])) == Fraction(text)
        for value, text in zip(values, printed, strict=True)
    )


def _ties(result: AlphaResult) -> str:
    ties = {score.length: score.ties for score in result.lengths if score.ties}
    return "exact ties: " + ", ".join(f"{k} at L={n}" for n, k in ties.items()) if ties else ""


def _by_kernel(result: AlphaResult, up_to: int) -> str:
    """Which lengths the kernel accepted; RuntimeError if it refused one."""
    lengths = [score.length for score in result.lengths if score.length <= up_to]
    for score in result.lengths:
        if score.length in lengths:
            made = certify(result, score)
            if isinstance(made, str):
                raise RuntimeError(f"no certificate at L={score.length}: {made}")
    return f"also decided by the kernel: L = {', '.join(map(str, lengths))}" if lengths else ""


def copy_kernel(expected: Mapping[int, str], published: str) -> Measured:
    """The lowest sinusoidal frequency by itself, phi(i)^T W phi(j) = sin((i - j) theta_15)."""
    w = np.zeros((32, 32))
    w[15, 31], w[31, 15] = 1, -1
    return counts("sinusoidal:frequencies=16", "copy", expected, published, 0, parameter=w)


# ------------------------------------------------------------ what the summary leaves open


def by_rule(encoding: str, task: str, lengths: Sequence[int], rule: str) -> Measured:
    """alpha of one cell under a selection rule (or under other settings of `ce`)."""
    result = alpha(encoding, task, train_length=20, lengths=lengths, rule=rule)
    low, _ = result.train.smallest_margin
    does = "realizes" if result.realizes_train else "does not realize"
    at = ", ".join(f"L={s.length}: {float(s.alpha):.4f}" for s in result.lengths)
    return Measured(
        value=", ".join(f"{s.hits}/{s.scored}" for s in result.lengths),
        interval=None,
        published=None,
        agrees=None,
        certified=True,
        details=f"{at}; the parameter {does} length 20, margin {float(low):.4g}",
    )


def by_dimension(samples: int, dimension: int) -> Measured:
    """Learned-absolute, last row: how often a new key wins, and how often it is the target.

    Gaussian features of the dimension, `previous`, L0 = 20, cross-entropy selection.
    """
    values, lines = [], []
    for length, keys in winners(samples, dimension=dimension).items():
        new = Rate(sum(20 <= key < length - 1 for key in keys), samples)
        hits = Rate(sum(key == length - 2 for key in keys), samples)
        values.append(f"L={length}: {new.value:.0%} new, rate {hits.value:.3f}")
        lines.append(f"L={length}: winner among the new keys {new}, on the target {hits}")
    return _open(
        "; ".join(values), [*lines, "99% Clopper-Pearson intervals"],
        "L=30: 30% new, rate 0.034; L=60: 65% new, rate 0.016",
    )  # fmt: skip


def rescues(samples: int, dimension: int, length: int = 30) -> Measured:
    """How often some W realizes `previous` at L0 = 20 and hits new rows up to L as well.

    Gaussian features; linear programs in floats, so nothing here is certified.
    """
    asked = {
        "L0 alone": range(1, 20),
        "and the last row": [*range(1, 20), length - 1],
        "and all new rows": range(1, length),
    }
    found = dict.fromkeys(asked, 0)
    for sample in range(samples):
        features = np.random.default_rng([0, sample]).normal(size=(length, dimension))
        for what, rows in asked.items():
            found[what] += _feasible(features, rows)
    rates = {what: Rate(hits, samples) for what, hits in found.items()}
    return _open(
        ", ".join(f"{what} {rate.value:.0%}" for what, rate in rates.items()),
        [f"L={length}, {what}: {rate}" for what, rate in rates.items()]
        + ["99% Clopper-Pearson intervals"],
        "20-35%",
    )


def _feasible(features: NDArray[np.float64], rows: Iterable[int]) -> bool:
    """Whether some W makes every row i attend to i - 1: the largest margin for |W| <= 1, by HiGHS.

    In floats: a margin below 1e-9 counts as none.
    """
    from scipy.optimize import linprog

    normals = np.array(
        [
            np.outer(features[i], features[i - 1] - features[j]).ravel()
            for i in rows for j in range(i + 1) if j != i - 1
        ]
    )  # fmt: skip
    system = np.hstack([-normals, np.ones((len(normals), 1))])
    cost = np.zeros(system.shape[1])
    cost[-1] = -1
    found = linprog(cost, system, np.zeros(len(system)), bounds=(-1, 1), method="highs")
    if found.status != 0:
        raise RuntimeError(f"HiGHS gave up: {found.message}")
    return bool(-found.fun > 1e-9)


def towards_max_margin(encoding: str, task: str, weight_decays: Sequence[float]) -> Measured:
    """The minimizer of the `ce` loss beside the max-margin solution, as weight decay falls."""
    steps = approach(training(encoding, task, 20), weight_decays)
    growing = [s.margin for s in steps] == sorted(s.margin for s in steps)
    return Measured(
        value=", ".join(f"{s.margin:.3f}" for s in steps),
        interval=None,
        published="approaches it as regularization vanishes",
        agrees=growing and [s.cosine for s in steps] == sorted(s.cosine for s in steps),
        certified=False,
        details="; ".join(
            f"weight decay {s.weight_decay:g}: norm {s.norm:.4g}, cosine {s.cosine:.4f}"
            for s in steps
        ),
    )


def _open(value: str, lines: Sequence[str], published: str) -> Measured:
    """Numbers beside a published one whose set-up is not known: no agreement is claimed."""
    return Measured(value, None, published, None, False, "; ".join(lines))
