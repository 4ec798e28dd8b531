"""Known failures: one exact id a line, `#` starts a comment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def read(path: str | Path) -> tuple[str, ...]:
    """The ids of a known-failures file; ValueError if it cannot be read, or names an id twice."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise ValueError(f"known-failures file {str(path)!r} cannot be read: {reason}") from None
    ids = [line.partition("#")[0].strip() for line in lines]
    found = [name for name in ids if name]
    for name in found:
        if found.count(name) > 1:
            raise ValueError(f"known-failures file {str(path)!r} names {name!r} twice")
    return tuple(found)


def stale(known: Iterable[str], failing: Iterable[str]) -> list[str]:
    """The known failures that do not fail (any more)."""
    failed = set(failing)
    return [name for name in known if name not in failed]
