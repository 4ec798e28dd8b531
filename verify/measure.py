"""Seeded Monte Carlo for the statements that are measured, not proved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verify import selection
from verify.statements import Measured

PUBLISHED = {30: ("0.115", "0.034"), 60: ("0.025", "0.016")}


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `trials`, with a two-sided Clopper-Pearson interval of the given confidence."""

    hits: int
    trials: int
    confidence: float = 0.99

    @property
    def value(self) -> float:
        """The observed share; NaN without trials."""
        return self.hits / self.trials if self.trials else float("nan")

    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson, Biometrika 26 (1934): quantiles of two beta distributions."""
        from scipy.stats import beta

        tail, h, n = (1 - self.confidence) / 2, self.hits, self.trials
        low = float(beta.ppf(tail, h, n - h + 1)) if h else 0.0
        high = float(beta.ppf(1 - tail, h + 1, n - h)) if h < n else 1.0
        return low, high

    def contains(self, value: float) -> bool:
        """Whether the interval covers the value."""
        low, high = self.interval()
        return low <= value <= high

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}] ({self.hits}/{self.trials})"


def winners(
    samples: int, *, train: int = 20, lengths: tuple[int, ...] = (30, 60), dimension: int = 12,
    seed: int = 0,
) -> dict[int, list[int]]:  # fmt: skip
    """For each length the key that wins row L - 1 of `previous`, one entry for each sample.

    Every sample has features of its own (Gaussian, shape (max(lengths), dimension)) and a parameter
    fitted by cross-entropy on the rows below `train`, so it depends on trained rows only.
    """
    found: dict[int, list[int]] = {length: [] for length in lengths}
    visible = np.tri(train, dtype=bool)[1:]
    for sample in range(samples):
        features = np.random.default_rng([seed, sample]).normal(size=(max(lengths), dimension))
        keys = features[:train]
        training = selection.absolute(keys[1:], keys, visible, np.arange(train - 1))
        w = selection.select(selection.rule("ce"), training)
        for length in lengths:
            logits = features[length - 1] @ w @ features[:length].T
            found[length].append(int(np.argmax(logits)))
    return found


def learned_absolute(samples: int, *, train: int = 20) -> Measured:
    """Proposition 2's rates on row L - 1 at L = 30 and 60 next to 1/(k - 1) and the published."""
    lines, values, agrees = [], [], True
    for length, keys in winners(samples, train=train).items():
        new = [key for key in keys if train <= key < length - 1]
        hits = sum(key == length - 2 for key in new)
        conditional, overall = Rate(hits, len(new)), Rate(hits, samples)
        within = Rate(len(new), samples)
        chance = 1 / (length - 1 - train)
        agrees &= conditional.contains(float(PUBLISHED[length][0]))
        values.append(f"L={length}: {conditional}")
        lines.append(
            f"L={length}: conditional {conditional} against 1/(k-1) = {chance:.4f} (published"
            f" {PUBLISHED[length][0]}); unconditional {overall} (published {PUBLISHED[length][1]},"
            f" set-up undetermined); winner among the new keys {within}"
        )
    return Measured(
        value="; ".join(values),
        interval=None,
        published="conditional 0.115 at L=30, 0.025 at L=60",
        agrees=agrees,
        certified=False,
        details="; ".join(lines) + "; 99% Clopper-Pearson intervals",
    )
