"""Subjects that do not behave: they hang, die, raise, or return what is no array of numbers."""

import os
import time
from types import MappingProxyType

import numpy as np

STARTED = time.time()


def hang_features(positions):
    time.sleep(60)


def die_features(positions):
    os._exit(3)


def abort_features(positions):
    os.abort()


def raise_features(positions):
    raise RuntimeError("no table\nfor these positions")


def exit_features(positions):
    raise SystemExit(0)


def complex_features(positions):
    return np.exp(1j * np.outer(positions, [1.0]))


def none_features(positions):
    print("noise on standard output")


def ragged_features(positions):
    return [[0.0] * (1 + p % 2) for p in positions]


def flat_features(positions):
    return np.zeros((len(positions) + 1, 4))


def nan_features(positions):
    return np.where(np.outer(positions, [1.0, 2.0]) > 9, np.nan, np.outer(positions, [1.0, 2.0]))


def affine_features(positions):
    return np.stack([np.ones(len(positions)), positions], axis=1)


class Wrapped:
    """Numbers behind one array protocol only."""

    def __init__(self, array):
        self.inner = array


class ByArray(Wrapped):
    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.inner, dtype)


class ByDLPack(Wrapped):
    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()


def array_protocol_features(positions):
    return ByArray(affine_features(positions))


def dlpack_features(positions):
    return ByDLPack(affine_features(positions))


def cumulative(positions):  # a kind that its name does not say
    return affine_features(positions)


class Half:
    """A table built in the type it is asked for."""

    def features(self, positions, dtype):
        return affine_features(positions).astype(dtype)


class Grown:
    """A cache that is keyed by nothing: the first call decides the spacing of all later ones."""

    spacing = None

    def features(self, positions):
        if Grown.spacing is None or len(positions) > 100:
            Grown.spacing = 1.0 if len(positions) > 100 else 0.5
        return np.stack([np.ones(len(positions)), positions * Grown.spacing], axis=1)


class Module:
    """A module with a buffer that a cast narrows."""

    def __init__(self):
        self.theta = 10000.0 ** (-np.arange(0, 16, 2) / 16)

    def cast(self, dtype):
        self.theta = self.theta.astype(dtype).astype(np.float64)

    def features(self, positions):
        phase = np.outer(positions, self.theta)
        return np.hstack([np.cos(phase), np.sin(phase)]).astype(np.float32)


class Stepwise:
    """One position at a time it starts counting anew."""

    def features(self, positions):
        first = 0 if len(positions) == 1 else positions[0]
        return affine_features(np.arange(first, first + len(positions)))


def padded_positions(prompt, steps, padding=0):
    return list(range(padding + prompt + steps))


def right_padded_positions(prompt, steps, padding=0):
    return [max(0, p - padding) for p in range(padding + prompt + steps)]


def twice_mask(n):
    least = np.finfo(np.float32).min
    mask = np.where(np.tri(n, dtype=bool), np.float32(0), least)
    padding = np.zeros(n, np.float32)
    padding[-1] = least
    with np.errstate(over="ignore"):
        return mask + padding


def open_mask(n):
    return np.tri(n, k=1, dtype=bool)


def inverted_mask(n):
    return ~np.tri(n, dtype=bool)


def padding_mask(n, padding=0):
    mask = np.tri(n, dtype=bool)
    mask[:, : 2 * padding] = False  # hides twice as much as it should
    return mask


def loose_decide(logits, mask):
    return np.asarray(logits).argmax(axis=1)


def right_decide(logits, mask):
    return np.where(mask, np.asarray(logits, np.float32), -np.inf).argmax(axis=1)


class Staged:
    """Shows its stages; one of them is in a type too narrow."""

    narrow = MappingProxyType({"phase": np.float16})

    def stages(self, positions):
        shown = {"position": positions.astype(np.float64)}
        shown["frequency"] = 10000.0 ** (-np.arange(0, 16, 2) / 16)
        shown = {name: self._narrowed(name, value) for name, value in shown.items()}
        shown["phase"] = self._narrowed("phase", np.outer(*shown.values()))
        return shown

    def features(self, positions):
        phase = self.stages(positions)["phase"].astype(np.float64)
        return np.hstack([np.cos(phase), np.sin(phase)])

    def _narrowed(self, name, value):
        return value.astype(self.narrow.get(name, np.float64)).astype(np.float64)


class StagedPositions(Staged):
    narrow = MappingProxyType({"position": np.float16})


class StagedFrequencies(Staged):
    narrow = MappingProxyType({"frequency": np.float16})


class StagedRight(Staged):
    narrow = MappingProxyType({})


def stretched_features(positions, length):
    """Positions are divided by the length, which the encoding does not see."""
    return np.stack([np.ones(len(positions)), positions / length], axis=1)


def scaled_bias(n):
    """Slopes that shrink with the length."""
    distance = np.arange(n)[:, None] - np.arange(n)
    return -distance * (0.5 if n <= 16 else 0.25)


def late_features(positions):
    """Sound up to a position far in the context."""
    theta = 10000.0 ** (-np.arange(0, 16, 2) / 16)
    phase = np.outer(np.where(positions >= 700_001, positions + 1, positions), theta)
    return np.hstack([np.cos(phase), np.sin(phase)])


def float32_features(positions):
    theta = (10000.0 ** (-np.arange(0, 16, 2) / 16)).astype(np.float32)
    phase = np.outer(positions.astype(np.float32), theta)
    return np.hstack([np.cos(phase), np.sin(phase)])


class Mixed:
    """Two kinds, of which one specification describes one."""

    def slopes(self, heads):
        return 2.0 ** (-8 * (np.arange(heads) + 1) / heads)

    def features(self, positions):
        return affine_features(positions)


def hang_once_features(positions):
    if len(positions) == 2:
        time.sleep(60)
    return affine_features(positions)


def second_best_decide(logits, mask):
    """Right wherever there is one winner, wrong where there are several."""
    hidden = np.where(mask, np.asarray(logits, np.float32), -np.inf)
    tied = (hidden == hidden.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(tied, hidden.argmin(axis=1), hidden.argmax(axis=1))


def flat_kernel(offsets, target):
    """Ties the offsets 40 and 41 for every head."""
    theta = 10000.0 ** (-np.arange(0, 16, 2) / 16)
    seen = np.where(offsets == 41, 40, offsets)
    return np.cos(np.outer(seen - min(target, 40) if target == 41 else seen - target, theta)).sum(1)


def by_key_bias(n):
    """Sound float32 ALiBi of an irrational slope, counted from the last key."""
    return (np.float32(2**-0.5) * np.arange(1 - n, 1, dtype=np.float32))[None, :]
