"""A limit on the time of one decision."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic


class TimeUpError(Exception):
    """The time limit has passed."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Ends at `deadline` (of time.monotonic, seconds); None never ends."""

    deadline: float | None = None

    @staticmethod
    def start(seconds: float | None) -> Clock:
        """A clock that ends `seconds` from now."""
        return Clock(None if seconds is None else monotonic() + seconds)

    def remaining(self) -> float | None:
        """Seconds left, None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def check(self) -> None:
        """Raises TimeUpError after the deadline."""
        if self.deadline is not None and monotonic() > self.deadline:
            raise TimeUpError
