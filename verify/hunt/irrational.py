"""Answers about irrational features: what enclosures, formal zeros and the kernel decide.

The same questions as `oracle`, one at a time: an answer is a parameter or a refutation that the
kernel has accepted, and where there is neither the question is undecided. Parameters found before
are tried first where floats see a margin; the rows of a refutation refute every later question
that contains them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any, Final

import numpy as np

from verify import recheck, systems
from verify.hunt.oracle import Parameter, Rows, Undecided
from verify.theory import heads, numbers
from verify.theory.encodings import Encoding
from verify.theory.text import value

_CLEAR: Final = 1e-6  # a float margin below this share of the largest logit is not tried


class IrrationalOracle:
    """Answers for the first `length` positions or offsets of an encoding."""

    def __init__(self, encoding: Encoding, length: int) -> None:
        self.encoding, self.length = encoding, length
        self.relative = encoding.relative
        self._floats = np.array(
            [[value(e) for e in encoding.features(p, length)] for p in range(length)]
        )
        self._parameters: list[Parameter] = []
        self._refuted: list[frozenset[tuple[int, int]]] = []
        self._known: dict[Rows, Parameter | None] = {}

    def parameter(self, rows: Rows) -> Parameter | None:
        """A parameter that hits all these rows, or None: no real parameter does."""
        if rows not in self._known:
            self._known[rows] = self._decided(rows)
        return self._known[rows]

    def losing(self, train: Rows, row: tuple[int, int]) -> Parameter | None:
        """A parameter that hits all of `train` and does not hit `row`; None if every one does."""
        system, last = self._system(train), self._system((row,))["rows"][0]
        for found in self._parameters:
            if "m" in self.outcomes(found, (row,)) and set(self.outcomes(found, train)) == {"h"}:
                return found
        answer = systems.implied(system, last)
        if isinstance(answer, systems.Implied):
            return None
        if isinstance(answer, systems.Open):
            raise Undecided(answer.reason)
        return self._kept(answer.parameter)

    def outcomes(self, parameter: Parameter, rows: Iterable[tuple[int, int]]) -> str:
        """What the parameter does on each row: h(it), m(iss) or t(ie), exactly."""
        exact = heads.exact_parameter(self.encoding, self.spelled(parameter))
        signs = (
            numbers.sign(heads.margin(self.encoding, exact, i, t, self.length)) for i, t in rows
        )
        return "".join("mth"[sign + 1] for sign in signs)

    def spelled(self, parameter: Parameter) -> list[Any]:
        """The parameter as certificates spell it."""
        lines = [[str(x) for x in row] for row in parameter]
        return list(lines[0]) if self.relative else lines

    def proof(self, subject: dict[str, Any]) -> dict[str, Any]:
        """The kernel's proof of the claim that this subject names."""
        _, claim = recheck.rebuild(subject, {})
        if claim["kind"] == "decisions":
            return systems.evaluation(claim)
        found = systems.propose(claim)
        if found is None:
            raise Undecided(f"no proof that these rows are {claim['kind']}")
        return found

    def _decided(self, rows: Rows) -> Parameter | None:
        given = set(rows)
        if any(support <= given for support in self._refuted):
            return None
        system = self._system(rows)
        likely = next((p for p in self._parameters if self._clear(p, rows)), None)
        start = None if likely is None else tuple(tuple(map(Fraction, row)) for row in likely)
        answer = systems.decide(system, start=start)
        if isinstance(answer, systems.Open):
            raise Undecided(answer.reason)
        if isinstance(answer, systems.Refuted):
            self._refuted.append(frozenset(rows[k] for k in answer.rows))
            return None
        return self._kept(answer.parameter)

    def _kept(self, parameter: Sequence[Sequence[Fraction]]) -> Parameter:
        """With integer entries; a positive factor changes no row."""
        scale = reduce(lcm, (x.denominator for row in parameter for x in row), 1)
        found = tuple(tuple(int(x * scale) for x in row) for row in parameter)
        if found not in self._parameters:
            self._parameters.append(found)
        return found

    def _clear(self, parameter: Parameter, rows: Rows) -> bool:
        """Whether floats see every row hit by a clear margin."""
        w = np.array(parameter, dtype=float)
        largest = float(np.abs(w).max()) or 1.0
        for i, t in rows:
            keys = self._floats[i::-1] if self.relative else self._floats[: i + 1]
            logits = keys @ (w[0] if self.relative else self._floats[i] @ w) / largest
            target, logits[t] = logits[t], -np.inf
            if not target - logits.max() > _CLEAR * max(1.0, abs(target)):
                return False
        return True

    def _system(self, rows: Rows) -> dict[str, Any]:
        return heads.system(self.encoding, [(self.length, list(rows))])
