"""Smaller counterexamples: each step keeps the conjecture refuted, with at least the same score.

Tried in this order until nothing helps: a smaller L, a smaller L0, fewer features, fewer non-zero
coefficients in the features, smaller coefficients; then zero and smaller entries of the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verify.hunt import spaces
from verify.hunt.conjectures import Conjecture
from verify.hunt.instances import Instance, instance
from verify.hunt.oracle import Oracle, Parameter
from verify.hunt.parts import Part
from verify.hunt.spaces import Space
from verify.hunt.subspaces import Matrix

Shape = tuple[Matrix, int, int]  # features over the base, L0, L


def shrunk(
    conjecture: Conjecture, space: Space, basis: Matrix, case: Instance
) -> tuple[Instance, list[Part]]:
    """The smallest instance that greedy steps reach from a counterexample, with its proof.

    ValueError if `case` is no counterexample.
    """
    shape: Shape = (basis, case.train_length, case.length)
    verdict = conjecture.judge(case)
    if verdict.outcome != "counterexample":
        raise ValueError(f"{case.encoding}, {case.task}: no counterexample to {conjecture.name}")
    progress = True
    while progress:
        progress = False
        for smaller in _candidates(shape):
            try:
                tried = instance(spaces.spec(space, smaller[0]), case.task, *smaller[1:])
            except ValueError:
                continue
            found = conjecture.judge(tried)
            if found.outcome == "counterexample" and found.score >= verdict.score:
                shape, case, progress = smaller, tried, True
                verdict = replace(found, score=verdict.score)
                break
    assert verdict.parts is not None
    return case, [simpler(case, part) for part in verdict.parts()]


def _candidates(shape: Shape) -> Iterator[Shape]:
    basis, train, length = shape
    if length - 1 > train:
        yield basis, train, length - 1
    if train > 1:
        yield basis, train - 1, length
    for r in range(len(basis)):
        if len(basis) > 1:
            yield (*basis[:r], *basis[r + 1 :]), train, length
    for r, row in enumerate(basis):
        if next(x for x in row if x) < 0:
            yield (*basis[:r], tuple(-x for x in row), *basis[r + 1 :]), train, length
    for value in (lambda x: 0, lambda x: x // 2 if x > 0 else -(-x // 2)):
        for r, row in enumerate(basis):
            for c, x in enumerate(row):
                changed = (*row[:c], value(x), *row[c + 1 :])
                if x and any(changed):
                    yield (*basis[:r], changed, *basis[r + 1 :]), train, length


def simpler(case: Instance, part: Part) -> Part:
    """The part with a parameter of smaller entries and the same outcomes, if it may be changed."""
    oracle = case.oracle
    if part.tied or part.subject["question"] != "decisions" or not isinstance(oracle, Oracle):
        return part
    if set(oracle.scales) != {1}:
        return part
    given = part.subject["parameter"]
    lines = [given] if oracle.relative else given
    parameter = tuple(tuple(int(x) for x in line) for line in lines)
    later = [i for _, i, _ in part.subject["rows"][1:]]
    rows = (*case.train, *(row for row in case.new if row[0] in later))
    wanted = part.subject["outcomes"]
    progress = True
    while progress:
        progress = False
        for tried in _smaller(parameter):
            if oracle.outcomes(tried, rows) == wanted:
                parameter, progress = tried, True
                break
    spelled = [[str(x) for x in line] for line in parameter]
    shown = spelled[0] if oracle.relative else spelled
    return replace(part, subject={**part.subject, "parameter": shown})


def _smaller(parameter: Parameter) -> Iterator[Parameter]:
    """One entry zero; then all halved; then one entry halved, or nearer to zero by one."""
    for change in (lambda x: 0, _half, lambda x: x - (x > 0) + (x < 0)):
        if change is _half:
            halved = tuple(tuple(map(_half, row)) for row in parameter)
            if halved != parameter:
                yield halved
        for r, row in enumerate(parameter):
            for c, x in enumerate(row):
                if x and change(x) != x:
                    changed = (*row[:c], change(x), *row[c + 1 :])
                    yield (*parameter[:r], changed, *parameter[r + 1 :])


def _half(x: int) -> int:
    return x // 2 if x > 0 else -(-x // 2)
