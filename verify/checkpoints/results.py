"""What `heads` found, and its JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from verify.alpha import Score, TypeCheck, below
from verify.checkpoints.carrying import BEYOND, Carry
from verify.decisions import HIT

if TYPE_CHECKING:
    from verify.escalation import Interval

LISTED: Final = 100  # rows that a document names one by one


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One head, decided on the task it comes closest to.

    stack: `encoder` or `decoder` of a model that has both, else ""; layer: None if all layers share
    the kernel. types: the same head in float types.
    """

    stack: str
    layer: int | None
    head: int
    visibility: str
    task: str
    score: Score
    types: tuple[TypeCheck, ...] = ()

    @property
    def name(self) -> str:
        """As the option --only spells it, such as 0.5 or encoder.all.5."""
        layer = "all" if self.layer is None else str(self.layer)
        return ".".join(filter(None, (self.stack, layer, str(self.head))))

    @property
    def share(self) -> Fraction:
        """Certified hits over rows."""
        return self.score.alpha

    @property
    def margin(self) -> Interval | None:
        """An enclosure of the smallest margin of all hits, None without one."""
        return self.score.decisions.smallest(HIT) if self.score.hits else None

    @property
    def failing(self) -> list[int]:
        """The rows that are no hits, ties among them."""
        found = self.score.decisions
        return [int(i) for i in found.rows.rows[found.outcomes != HIT]]

    def __repr__(self) -> str:
        return f"{self.name}: {self.task} on {self.score.hits}/{self.score.scored} rows"

    def to_json(self) -> dict[str, Any]:
        """One entry of `heads` in the document of `pe-verify heads --json`."""
        score, margin = self.score, self.margin
        document: dict[str, Any] = {
            "stack": self.stack,
            "layer": self.layer,
            "head": self.head,
            "visibility": self.visibility,
            "task": self.task,
            "share": str(self.share),
            "hits": score.hits,
            "misses": score.misses,
            "ties": score.ties,
            "scored": score.scored,
            "float_hits": score.float_hits,
            "smallest_margin": None if margin is None else below(margin[0]),
            "failing": self.failing[:LISTED],
            "settled_by": dict(score.decisions.stages),
        }
        if self.types:
            document["types"] = [check.to_json() for check in self.types]
        return document


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """Every head of a checkpoint, the largest certified share first."""

    checkpoint: str
    family: str
    channel: str
    length: int
    capacity: int | None
    heads: tuple[Head, ...]
    left_out: tuple[str, ...]
    carries: tuple[Carry, ...] = ()

    def __getitem__(self, name: str) -> Head:
        """The head of this name, such as `0.5`; KeyError if there is none."""
        for head in self.heads:
            if head.name == name:
                return head
        raise KeyError(name)

    def __repr__(self) -> str:
        lines = [f"{self.checkpoint}: {self.family}, channel {self.channel}, length {self.length}"]
        return "\n".join([*lines, *(f"  {head!r}" for head in self.heads)])

    def to_json(self) -> dict[str, Any]:
        """The document of `pe-verify heads --json`; its schema is `heads`."""
        document: dict[str, Any] = {
            "checkpoint": self.checkpoint,
            "family": self.family,
            "channel": self.channel,
            "length": self.length,
            "capacity": self.capacity,
            "left_out": list(self.left_out),
            "heads": [head.to_json() for head in self.heads],
        }
        if self.capacity is not None:
            document["beyond"] = BEYOND
        if self.carries:
            document["carries"] = [carry.to_json() for carry in self.carries]
        return document

    def csv(self) -> str:
        """One line a head."""
        header = "stack,layer,head,visibility,task,share,hits,misses,ties,scored,smallest_margin"
        lines = [header]
        for found in self.heads:
            score, margin = found.score, found.margin
            layer = "all" if found.layer is None else found.layer
            least = "" if margin is None else below(margin[0])
            cells: Sequence[object] = (
                found.stack, layer, found.head, found.visibility, found.task, float(found.share),
                score.hits, score.misses, score.ties, score.scored, least,
            )  # fmt: skip
            lines.append(",".join(map(str, cells)))
        return "\n".join(lines) + "\n"
