"""What an audit says: findings, equivalences, limits, and the help text of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

HELP: Final[Mapping[str, str]] = {
    "value": "A value differs from the exact one by more than the declared rounding model allows. "
    "Trigonometric features are judged by phase error, the least delta with "
    "|error| <= 1 ulp + |angle| * delta, because raw ulps mean nothing near a zero of the sine.",
    "collision": "Different positions (or distances) have identical features, so no head, whatever "
    "its weights, can tell them apart. Usually positions were cast to a type too narrow for them.",
    "tie": "Two keys have exactly equal logits where the exact ones differ. Which key wins then "
    "depends on the argmax convention of the device; a tie counts as a failure.",
    "flip": "The winner of the computed logits is not the winner of the exact ones.",
    "nonfinite": "An infinity or NaN where the exact value is finite.",
    "empty-row": "A query row with no admissible key: a softmax gives NaN, an argmax gives key 0.",
    "leak": "A masked key can win: the mask constant is smaller than the spread of the logits, or "
    "the mask admits a key that it should hide. Use minus infinity, or a boolean mask.",
    "clamped": "Positions past the end of a table silently share its last row; "
    "an out-of-range position should raise.",
    "not-relative": "Scores of an encoding that is said to be relative depend on more than the "
    "offset, or a rotation does not preserve norms. Often two rotation layouts were mixed.",
    "cache": "Step-by-step decoding gives other positions or values than one pass over the whole "
    "sequence, so generated tokens sit elsewhere than in training.",
    "padding": "Left padding changes the positions or decisions of the real tokens.",
    "stateful": "The same call gives different answers depending on earlier calls: a cache keyed "
    "by too little (length, type or offset), or buffers that a cast has narrowed.",
    "error": "The subject raised, hung or ended its process.",
    "shape": "The answer is not an array of real numbers of the right shape.",
}
KINDS: Final = tuple(HELP)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `position` counts what `unit` says (position, row, offset, head, length, ...).

    `count` is how many of the examined ones show it; `margin` is in ulps of the subject's type at
    the exact value, None where that has no meaning; `reproduce` is one line of Python.
    """

    kind: str
    subject: str
    message: str
    position: int | None = None
    unit: str = "position"
    count: int = 1
    exact: str = ""
    observed: str = ""
    margin: float | None = None
    stage: str | None = None
    reproduce: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """The property that fails, as known-failures files name it: `features::collision`."""
        return f"{self.subject}::{self.kind}"


@dataclass(frozen=True, slots=True)
class Note:
    """Something recognised that is no fault. `kind`: `equivalence` (the decisions are the same),
    `convention` (one of several published ones), `limit` (of the number format, or of what was
    examined), `channels` (channel collisions), `stage` (what an exposed stage showed)."""

    kind: str
    subject: str
    name: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit; `properties` are `callable::kind`, `examined`
    those of them that the subject answered for; `sources` the file and line of each callable."""

    reference: str
    spec: str | None
    length: int
    dtype: str | None
    model: str
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    properties: tuple[str, ...]
    examined: tuple[str, ...]
    versions: Mapping[str, str]
    seconds: float
    sources: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)


def spell(value: Any) -> str:
    """A number for people: a short exact rational, else 17 significant digits."""
    if isinstance(value, Fraction):
        if value.denominator == 1 or max(abs(value.numerator), value.denominator) < 10**6:
            return str(value)
        return f"{float(value):.17g}"
    if isinstance(value, float):
        return f"{value:.17g}"
    return str(value)
