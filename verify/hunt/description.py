"""What a campaign is: written once as JSON when it starts, and never changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from verify.hunt.conjectures import Source
from verify.hunt.spaces import Space, from_json, rational
from verify.hunt.strategies import STRATEGIES, Strategy

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Description:
    """The conjecture, the space, and the order in which it is searched."""

    source: Source
    space: Space
    strategy: str = "exhaustive"
    seed: int = 0

    def text(self) -> str:
        """Canonical JSON."""
        return json.dumps(
            {"version": VERSION, **dataclasses.asdict(self)}, sort_keys=True, indent=1
        )

    def __post_init__(self) -> None:
        """ValueError where the strategy cannot search the space."""
        if self.way.rational and not rational(self.space):
            raise ValueError(
                f"the strategy {self.strategy} is for spaces of rational features, and"
                f" {self.space.name} is not one"
            )

    @property
    def way(self) -> Strategy:
        """How the space is searched."""
        return STRATEGIES[self.strategy]

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    @staticmethod
    def from_text(text: str) -> Description:
        """The description in a JSON text. ValueError if it is none, or of another version."""
        try:
            data = json.loads(text)
            version = data.pop("version")
            if version != VERSION:
                raise ValueError(
                    f"the campaign has version {version!r} and this pe-verify reads {VERSION};"
                    " start another campaign"
                )
            return _built(data)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError):
            raise ValueError("the campaign's description is damaged; start another one") from None


def _built(data: dict[str, Any]) -> Description:
    if data["strategy"] not in STRATEGIES or type(data["seed"]) is not int:
        raise TypeError
    return Description(
        Source(**data["source"]), from_json(data["space"]), data["strategy"], data["seed"]
    )
