"""Collisions: different positions with identical features, and ties that follow from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from verify.audit import stages
from verify.audit.dtypes import finite_rows
from verify.audit.families.decisions import narrow
from verify.audit.families.values import Compared, Source
from verify.audit.findings import Finding, Note
from verify.audit.values import Values

Classes = list[npt.NDArray[np.int64]]


def classes(array: npt.NDArray[Any]) -> Classes:
    """The groups of equal rows with two members at least, by first member; NaN equals nothing."""
    if array.dtype == object:
        keys: dict[object, int] = {}
        labels = np.array([keys.setdefault(tuple(row), len(keys)) for row in array])
    else:
        numbers = array.astype(np.float64)
        usable = finite_rows(numbers)
        plain = np.ascontiguousarray(numbers + 0.0)  # one zero
        rows = plain.view(np.dtype((np.void, plain.dtype.itemsize * plain.shape[1]))).ravel()
        _, labels = np.unique(rows, return_inverse=True)
        labels = np.where(usable, labels, labels.max(initial=0) + 1 + np.arange(len(array)))
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    groups = [group for group in np.split(order, cuts) if len(group) > 1]
    return sorted(groups, key=lambda group: int(group[0]))


def collisions(
    source: Source, unit: str, positions: npt.NDArray[np.int64], values: Values,
    compared: Compared | None,
) -> Iterator[Finding | Note]:  # fmt: skip
    """The finding for identical features at positions that the exact encoding tells apart by more
    than the rounding model allows; those within it are a limit of the model."""
    found = classes(values.array)
    faults, limits = [], []
    for group in found:
        strict = source.question.declared is None
        verdict = "fault" if compared is None else _judge(compared, group, strict)
        if verdict == "fault":
            faults.append(group)
        elif verdict == "limit":
            limits.append(group)
    if limits:
        first = positions[limits[0][:2]].tolist()
        assert compared is not None
        text = (
            f"{unit}s {first[0]} and {first[1]} share their features, as the declared model "
            f"({compared.model.text}) cannot resolve them; {len(limits)} such classes"
        )
        yield Note("limit", source.kind, "model cannot resolve", text)
    if faults:
        members = [positions[group] for group in faults]
        shown = ", ".join(map(str, members[0][:4].tolist())) + (
            ", ..." if len(members[0]) > 4 else ""
        )
        largest = max(members, key=len)
        total = sum(len(group) for group in members)
        rows = np.concatenate([group[1:] for group in faults])
        stage = stages.lost(compared, np.sort(rows)) if compared is not None else None
        text = (
            f"{unit}s {shown} have identical features; {len(faults)} classes hold {total} of "
            f"{len(positions)} {unit}s, the largest {len(largest)} (from {largest[0]} on)"
        )
        yield Finding(
            "collision", source.kind, text, position=int(members[0][0]), unit=unit, count=total,
            exact="different features", observed="identical features", stage=stage,
            reproduce=source.reproduce(members[0][:2]),
            details={
                "first_class": members[0][:64].tolist(), "classes": len(faults),
                "largest_class": len(largest), "colliding": positions[np.sort(rows)][:64].tolist(),
            },
        )  # fmt: skip


def _judge(compared: Compared, group: npt.NDArray[np.int64], strict: bool) -> str:
    """`fault`, `limit` of the model, or `same` if the exact features are identical too; strict
    when no model was declared."""
    first, rest = group[:1], group[1:]
    gap = np.abs((compared.exact[rest] - compared.exact[first]).high)
    allowed = compared.bound[rest] + compared.bound[first]
    if (gap > allowed).any():
        return "fault"
    if strict and gap.any() and narrow(compared, int(compared.positions[group[0]])):
        return "fault"
    return "limit" if gap.any() else "same"


def channels(kind: str, positions: npt.NDArray[np.int64], values: Values) -> Iterator[Note]:
    """Channels that do not move between neighbouring positions, kept apart from collisions; told
    when a quarter of them do not, at the worst place and at the last power of two."""
    array = values.array
    neighbours = np.flatnonzero(np.diff(positions) == 1)
    same = (array[neighbours] == array[neighbours + 1]).sum(axis=1)
    partial = np.where(same < array.shape[1], same, 0)
    if partial.max(initial=0) < array.shape[1] / 4:
        return
    powers = np.flatnonzero((positions[neighbours] & (positions[neighbours] - 1)) == 0)
    shown = {int(np.argmax(partial)), int(powers[-1])} if len(powers) else {int(np.argmax(partial))}
    places = " and ".join(
        f"{partial[k]} of {array.shape[1]} channels at {positions[neighbours[k]]}"
        for k in sorted(shown)
    )
    text = f"{places} agree with the next position, which is no collision of positions"
    yield Note("channels", kind, "equal channels", text)
