"""Exact answers about one feature table, shared between all instances that have it.

Rows are pairs (i, t): query i shall have its strict argmax at key t, among the keys 0..i. Every
parameter that was found is kept with the strict argmax of each of its rows, computed in integers,
and tried first on later questions; every refutation is kept with the rows that it uses, and refutes
every later question that contains them. What neither settles goes to the exact engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verify.engines import feasibility
from verify.engines.feasibility import BilinearGrid, LinearGrid, Row, StrictSystem

Rows = tuple[tuple[int, int], ...]
Parameter = tuple[tuple[int, ...], ...]  # d rows of d integers, or one row of m
Weights = tuple[tuple[int, int, Fraction], ...]  # (index of the row, key, y > 0)
NONE = -1  # the argmax of a row that ties
_SAFE = 1 << 62


class Undecided(Exception):
    """The exact engine gave no answer; the message says why."""


class Oracle:
    """Answers for one table of integer features; row k is position k, or offset k if relative.

    scales: what each column of the encoding was multiplied by to become integer (default 1).
    """

    def __init__(
        self, table: Iterable[Iterable[int]], relative: bool, scales: Iterable[int] = ()
    ) -> None:
        self.table = tuple(tuple(row) for row in table)
        self.relative = relative
        self.scales = tuple(scales) or (1,) * len(self.table[0])
        self.length = len(self.table)
        self._grid = LinearGrid(self.table, self.length) if relative else BilinearGrid(self.table)
        self._size = max((abs(x) for row in self.table for x in row), default=0)
        self._parameters: list[Parameter] = []
        self._argmax: NDArray[np.int8] = np.empty((64, self.length), np.int8)
        self._refuted: dict[tuple[int, int], list[frozenset[tuple[int, int]]]] = {}
        self._known: dict[Rows, Parameter | None] = {}
        self._forcing: dict[tuple[int, int], list[frozenset[tuple[int, int]]]] = {}

    # -------------------------------------------------------- one parameter

    def outcomes(self, parameter: Parameter, rows: Iterable[tuple[int, int]]) -> str:
        """What the parameter does on each row: h(it), m(iss) or t(ie), exactly."""
        best, logits, found = self.argmax(parameter), self.logits(parameter), ""
        for i, t in rows:
            seen = logits[i][: i + 1]
            found += "h" if best[i] == t else "t" if seen[t] == max(seen) else "m"
        return found

    def spelled(self, parameter: Parameter) -> list[Any]:
        """As certificates spell it: in the features as the encoding gives them, not in integers."""
        left = (1,) if self.relative else self.scales
        lines = [
            [str(x * a * b) for x, b in zip(row, self.scales, strict=True)]
            for row, a in zip(parameter, left, strict=True)
        ]
        return list(lines[0]) if self.relative else lines

    def argmax(self, parameter: Parameter) -> list[int]:
        """The key of the strict argmax of each row 0..length-1, NONE where it is not unique."""
        logits = self.logits(parameter)
        found = []
        for i, row in enumerate(logits):
            seen = row[: i + 1]
            best = max(seen)
            found.append(seen.index(best) if seen.count(best) == 1 else NONE)
        return found

    def logits(self, parameter: Parameter) -> list[list[int]]:
        """P[i][j] for the visible keys (entries beyond row i mean nothing), exact integers."""
        largest = max(abs(x) for row in parameter for x in row)
        width = len(self.table[0]) ** (1 if self.relative else 2)
        # every partial sum is at most width * size^2 * largest in absolute value
        bound = width * largest * self._size ** (1 if self.relative else 2)
        kind: type = np.int64 if bound < _SAFE else object
        features: NDArray[Any] = np.array(self.table, dtype=kind)
        w: NDArray[Any] = np.array(parameter, dtype=kind)
        if self.relative:
            kappa = (features @ w[0]).tolist()
            return [[kappa[i - j] for j in range(i + 1)] for i in range(self.length)]
        products: list[list[int]] = (features @ w @ features.T).tolist()
        return products

    def _keep(self, parameter: Parameter) -> None:
        count = len(self._parameters)
        if count == len(self._argmax):
            self._argmax = np.concatenate([self._argmax, np.empty_like(self._argmax)])
        self._argmax[count] = self.argmax(parameter)
        self._parameters.append(parameter)

    def _hitting(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of the parameters found so far hit all these rows."""
        queries = [i for i, _ in rows]
        table = self._argmax[: len(self._parameters), queries]
        return np.asarray((table == [t for _, t in rows]).all(axis=1))

    def constraints(self, row: tuple[int, int]) -> list[list[int]]:
        """For each competitor of a row, the vector whose product with the parameter is its gap."""
        i, t = row
        keys = [self.table[i - j if self.relative else j] for j in range(i + 1)]
        gaps = [[a - b for a, b in zip(keys[t], key, strict=True)] for key in keys]
        del gaps[t]
        if self.relative:
            return gaps
        return [[q * g for q in self.table[i] for g in gap] for gap in gaps]

    def shaped(self, flat: Iterable[int]) -> Parameter:
        """The parameter with these entries, row by row."""
        entries, width = list(flat), len(self.table[0])
        return tuple(tuple(entries[k : k + width]) for k in range(0, len(entries), width))

    # -------------------------------------------------------- questions

    def parameter(self, rows: Rows) -> Parameter | None:
        """A parameter that hits all these rows, or None: no real parameter does.

        Undecided if the engine gives no answer.
        """
        if rows in self._known:
            return self._known[rows]
        found: Parameter | None = None
        if not self._refutes(rows):
            hitting = self._hitting(rows)
            found = self._parameters[int(hitting.argmax())] if hitting.any() else self._solve(rows)
        self._known[rows] = found
        return found

    def refutation(self, rows: Rows) -> Weights:
        """Multipliers of the rows that combine to zero; only for rows that no parameter hits."""
        answer = feasibility.decide(self._system(rows))
        if not isinstance(answer, feasibility.Refutation):
            raise Undecided("these rows are not refuted")
        return _weights(answer)

    def losing(self, train: Rows, row: tuple[int, int]) -> Parameter | None:
        """A parameter that hits all of `train` and does not hit `row`; None if every one hits it.

        `train` has to be realizable.
        """
        i, t = row
        realizing = self._hitting(train)
        lost = realizing & (self._argmax[: len(self._parameters), i] != t)
        if lost.any():
            return self._parameters[int(lost.argmax())]
        given = set(train)
        if any(support <= given for support in self._forcing.get(row, ())):
            return None
        if self._ties(row):
            return self.parameter(train)
        used: set[tuple[int, int]] = set()
        for key in range(i + 1):
            if key == t:
                continue
            answer = feasibility.decide(self._system(train, Row(0, i, key, (t,))))
            if isinstance(answer, feasibility.Witness):
                self._keep(integers(answer))
                return self._parameters[-1]
            if not isinstance(answer, feasibility.Refutation):
                raise Undecided(answer.reason)
            used |= {train[k] for k, _, _ in answer.multipliers if k < len(train)}
        self._forcing.setdefault(row, []).append(frozenset(used))
        return None

    def cones(self, train: Rows, row: tuple[int, int]) -> list[Weights]:
        """For each competitor of a forced row, the weights of training constraints that give it."""
        found = []
        for key in range(row[0] + 1):
            if key == row[1]:
                continue
            answer = feasibility.decide(self._system(train, Row(0, row[0], key, (row[1],))))
            if not isinstance(answer, feasibility.Refutation):
                raise Undecided(f"row {row[0]} is not forced")
            weights = _weights(answer)
            own = sum(y for k, _, y in weights if k == len(train))
            found.append(tuple((k, j, y / own) for k, j, y in weights if k < len(train)))
        return found

    def _refutes(self, rows: Rows) -> bool:
        """Whether a refutation found so far uses these rows only; each is filed under its last."""
        given = set(rows)
        return any(support <= given for row in rows for support in self._refuted.get(row, ()))

    def _solve(self, rows: Rows) -> Parameter | None:
        answer = feasibility.decide(self._system(rows))
        if isinstance(answer, feasibility.Witness):
            self._keep(integers(answer))
            return self._parameters[-1]
        if not isinstance(answer, feasibility.Refutation):
            raise Undecided(answer.reason)
        support = frozenset(rows[k] for k, _, _ in answer.multipliers)
        self._refuted.setdefault(max(support), []).append(support)
        return None

    def _system(self, rows: Rows, extra: Row | None = None) -> StrictSystem:
        asked = [Row(0, i, t) for i, t in rows]
        return StrictSystem((self._grid,), (*asked, *([extra] if extra else [])))  # type: ignore[arg-type]

    def _ties(self, row: tuple[int, int]) -> bool:
        """Whether some competitor has the target's score features, so that the row always ties."""
        i, t = row
        if self.relative:
            return any(self.table[i - j] == self.table[i - t] for j in range(i + 1) if j != t)
        if not any(self.table[i]):
            return True
        return any(self.table[j] == self.table[t] for j in range(i + 1) if j != t)


def integers(answer: feasibility.Witness) -> Parameter:
    """A witness times a positive number that makes it integer; the same argmax everywhere."""
    flat = answer.parameter
    rows = flat if isinstance(flat[0], tuple) else (flat,)
    scale = reduce(lcm, (Fraction(x).denominator for row in rows for x in row), 1)
    return tuple(tuple(int(x * scale) for x in row) for row in rows)


def _weights(answer: feasibility.Refutation) -> Weights:
    return tuple((k, key, Fraction(y)) for k, key, y in answer.multipliers)
