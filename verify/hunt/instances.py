"""Instances: an encoding, a task, a training length L0 and a length L; what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Literal

from verify.hunt.irrational import IrrationalOracle
from verify.hunt.oracle import Oracle, Parameter, Rows, Undecided
from verify.theory import tasks
from verify.theory.encodings import Encoding, encoding

Class = Literal["forced", "impossible", "free"]


@dataclass(frozen=True, slots=True)
class Instance:
    """One case of a conjecture. Specs are those of the command line.

    train: the rows (i, t) of the task at L0; new: those of the task at L with i >= L0. `oracle`
    answers exactly, and is shared between the instances of one encoding.
    """

    encoding: str
    task: str
    train_length: int
    length: int
    train: Rows
    new: Rows
    oracle: Oracle | IrrationalOracle = field(compare=False, repr=False)

    def parameter(self, rows: Iterable[tuple[int, int]]) -> Parameter | None:
        """An integer parameter that hits all these rows (i, t), or None if no real one does."""
        return self.oracle.parameter(tuple(rows))

    def losing(self, row: tuple[int, int]) -> Parameter | None:
        """A parameter that realizes L0 and does not hit this row; None if every one hits it.

        L0 has to be realizable.
        """
        return self.oracle.losing(self.train, row)

    @property
    def integers(self) -> Oracle:
        """The oracle as one of integer tables; Undecided for irrational features."""
        if not isinstance(self.oracle, Oracle):
            raise Undecided("this reading is decided for rational features only")
        return self.oracle

    def classify(self, row: tuple[int, int]) -> Class:
        """Forced, impossible or free, for the parameters that realize L0 (there has to be one)."""
        if self.parameter((*self.train, row)) is None:
            return "impossible"
        return "forced" if self.losing(row) is None else "free"


def instance(encoded: str, task: str, train_length: int, length: int) -> Instance:
    """The instance of these specs. ValueError if it has no training row or no new row."""
    oracle = oracle_for(encoding(encoded), length)
    train, new = rows(tasks.task(task), train_length, length)
    if not train or not new:
        which = (
            f"at length {train_length}" if not train else f"in rows {train_length}..{length - 1}"
        )
        raise ValueError(f"the task {task} asks nothing {which}; choose other lengths")
    return Instance(encoded, task, train_length, length, train, new, oracle)


def rows(task: tasks.Task, train_length: int, length: int) -> tuple[Rows, Rows]:
    """Training rows and new rows of a task. ValueError unless 1 <= train_length < length."""
    if not 1 <= train_length < length:
        raise ValueError(f"need 1 <= L0 < L, not L0 = {train_length}, L = {length}")
    train = tuple(tasks.rows(task, train_length))
    new = tuple((i, t) for i, t in tasks.rows(task, length) if i >= train_length)
    return train, new


def oracle_for(encoded: Encoding, length: int) -> Oracle | IrrationalOracle:
    """The oracle of an encoding's first `length` positions or offsets.

    ValueError for features that see the length.
    """
    if encoded.scale_hinted:
        raise ValueError(f"a hunt decides features that do not see the length: {encoded.spec} does")
    return (
        integer_oracle(encoded, length) if encoded.rational else IrrationalOracle(encoded, length)
    )


def integer_oracle(encoded: Encoding, length: int) -> Oracle:
    """The oracle of rational features, each column made integer. ValueError for irrational ones."""
    if not encoded.rational:
        raise ValueError(f"this needs rational features, and those of {encoded.spec} are not")
    table = [[e.constant() for e in encoded.features(p, length)] for p in range(length)]
    exact = [[Fraction(0) if x is None else x for x in row] for row in table]
    scales = column_scales(exact)
    whole = [[int(x * s) for x, s in zip(row, scales, strict=True)] for row in exact]
    return Oracle(whole, encoded.relative, scales)


def column_scales(table: list[list[Fraction]]) -> list[int]:
    """For each column the least positive integer that makes it integer."""
    return [reduce(lcm, (x.denominator for x in column), 1) for column in zip(*table, strict=True)]
