"""Durations as people write them."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def seconds(text: str) -> float:
    """The seconds of `12h`, `30m`, `1h30m`, `1.5h`. ValueError for anything else, and for 0."""
    parts = re.findall(r"(\d{1,6}(?:\.\d{1,3})?)([dhms])", text, re.ASCII)
    if not parts or "".join(n + u for n, u in parts) != text.strip():
        raise ValueError(f"a budget is a duration such as 12h, 30m or 1h30m, not {text[:40]!r}")
    total = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not total:
        raise ValueError("a budget must be more than nothing, such as 30m")
    return total


def spelled(duration: float) -> str:
    """Seconds as `2h05m`, `3m10s`, `42s`."""
    whole = round(duration)
    if whole >= 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 60}m{whole % 60:02}s" if whole >= 60 else f"{whole}s"
