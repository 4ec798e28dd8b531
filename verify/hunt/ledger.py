"""The ledger of a campaign: what has been decided, in an SQLite file, one transaction a batch.

A row of `batches` holds the verdict of every instance of a range. It is written whole or not at
all (write-ahead log, synchronous), so a process killed at any moment loses the ranges in flight.
Every row carries a digest of itself, and opening the ledger checks them all.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verify.hunt.batches import KEPT, Decided
from verify.hunt.conjectures import OUTCOMES, Outcome

_SCHEMA: Final = """
CREATE TABLE campaign (version INTEGER NOT NULL, description TEXT NOT NULL);
CREATE TABLE batches (
    start INTEGER PRIMARY KEY, stop INTEGER NOT NULL, codes BLOB NOT NULL, best TEXT NOT NULL,
    finds TEXT NOT NULL, undecided TEXT NOT NULL, seconds REAL NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE finds (place INTEGER PRIMARY KEY, score INTEGER NOT NULL, name TEXT NOT NULL);
"""
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the ledger. best: the largest score with its first instance, None if empty."""

    instances: int
    outcomes: dict[Outcome, int]
    best: tuple[int, int] | None
    seconds: float  # of work, summed over workers
    digest: str  # of all verdicts in the order of the space


class Ledger:
    """An open ledger; use `opened`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def record(self, found: Decided, seconds: float) -> None:
        """One range, in one transaction."""
        parts = _parts(found)
        with self._db:
            self._db.execute(
                "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (found.start, found.stop, *parts, seconds, _digest(found.start, found.stop, parts)),
            )

    def ranges(self) -> list[tuple[int, int]]:
        """What is decided: (start, stop) in order."""
        return list(self._db.execute("SELECT start, stop FROM batches ORDER BY start"))

    def decided(self) -> Iterator[Decided]:
        """Every range, in order of the space."""
        columns = "start, stop, codes, best, finds, undecided"
        for row in self._db.execute(f"SELECT {columns} FROM batches ORDER BY start"):
            yield _decided(*row)

    def totals(self) -> Totals:
        """Sums over all ranges."""
        outcomes: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
        best: tuple[int, int] | None = None
        whole = hashlib.sha256()
        for found in self.decided():
            whole.update(found.codes)
            for outcome in OUTCOMES:
                outcomes[outcome] += found.count(outcome)
            if best is None or found.best[0] > best[0]:
                best = found.best
        (seconds,) = self._db.execute("SELECT COALESCE(SUM(seconds), 0) FROM batches").fetchone()
        return Totals(sum(outcomes.values()), outcomes, best, seconds, whole.hexdigest())

    def history(self) -> list[tuple[float, int, int, int]]:
        """After each range, in order: seconds of work, instances, counterexamples, best score."""
        query = "SELECT seconds FROM batches ORDER BY start"
        spent, instances, found, best = 0.0, 0, 0, 0
        rows = []
        for decided, (seconds,) in zip(self.decided(), self._db.execute(query), strict=True):
            spent += seconds
            instances += decided.stop - decided.start
            found += decided.count("counterexample")
            best = max(best, decided.best[0])
            rows.append((spent, instances, found, best))
        return rows

    def counterexamples(self, batch: int) -> list[tuple[int, int]]:
        """(score, instance) of counterexamples, the best first, then by instance.

        The best `KEPT` of each `batch` instances, however the work was cut into ranges.
        """
        query = "SELECT finds FROM batches WHERE finds != '[]'"
        pairs = [(s, k) for (text,) in self._db.execute(query) for s, k in json.loads(text)]
        counts: Counter[int] = Counter()
        kept = []
        for score, index in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
            counts[index // batch] += 1
            if counts[index // batch] <= KEPT:
                kept.append((score, index))
        return kept

    def undecided(self) -> list[tuple[int, str]]:
        """(instance, why) of the undecided instances kept, in order."""
        return [entry for decided in self.decided() for entry in decided.undecided]

    def certified(self) -> dict[int, str]:
        """Instance to name of the find made from it, for those done so far."""
        return dict(self._db.execute("SELECT place, name FROM finds ORDER BY place"))

    def certify(self, place: int, score: int, name: str) -> None:
        """A counterexample has become a find of this name (its file is written already)."""
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO finds VALUES (?, ?, ?)", (place, score, name))


def create(path: Path, description: str) -> None:
    """A new, empty ledger."""
    with _sentences(path):
        db = sqlite3.connect(path)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            with db:
                db.executescript(_SCHEMA)
                db.execute("INSERT INTO campaign VALUES (?, ?)", (_VERSION, description))
        finally:
            db.close()


@contextmanager
def opened(path: Path, description: str) -> Iterator[Ledger]:
    """The ledger of the campaign with this description (its digest).

    ValueError with one sentence if it is damaged, of another campaign or version, or cannot be
    written (a full disk).
    """
    if not path.is_file():
        raise ValueError(f"{path} is missing; the campaign cannot go on without its ledger")
    with _sentences(path):
        db = sqlite3.connect(path, timeout=30)
        try:
            db.execute("PRAGMA synchronous = FULL")
            _check(db, path, description)
            yield Ledger(db)
        finally:
            db.close()


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as problem:
        raise ValueError(f"the ledger {path} cannot be used: {problem}") from None
    except sqlite3.DatabaseError as problem:
        raise ValueError(f"the ledger {path} is damaged: {problem}") from None


def _check(db: sqlite3.Connection, path: Path, description: str) -> None:
    if db.execute("PRAGMA quick_check").fetchone() != ("ok",):
        raise ValueError(f"the ledger {path} is damaged: SQLite's own check fails")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"campaign", "batches", "finds"} <= tables:
        raise ValueError(f"the ledger {path} is damaged: tables are missing")
    row = db.execute("SELECT version, description FROM campaign").fetchone()
    if row is None or row[0] != _VERSION:
        raise ValueError(f"the ledger {path} has another version than {_VERSION}")
    if row[1] != description:
        raise ValueError(f"the ledger {path} belongs to another campaign")
    end = 0
    query = "SELECT start, stop, codes, best, finds, undecided, digest FROM batches ORDER BY start"
    for start, stop, codes, best, finds, undecided, digest in db.execute(query):
        good = digest == _digest(start, stop, (codes, best, finds, undecided))
        if start < end or not good:
            raise ValueError(f"the ledger {path} is damaged: the range from {start} was changed")
        end = stop


def _parts(found: Decided) -> tuple[bytes, str, str, str]:
    return (
        zlib.compress(found.codes, 1),
        json.dumps(found.best),
        json.dumps(found.finds),
        json.dumps(found.undecided),
    )


def _decided(start: int, stop: int, codes: bytes, best: str, finds: str, other: str) -> Decided:
    score, index = json.loads(best)
    return Decided(
        start, stop, zlib.decompress(codes), (score, index),
        tuple((s, k) for s, k in json.loads(finds)),
        tuple((k, why) for k, why in json.loads(other)),
    )  # fmt: skip


def _digest(start: int, stop: int, parts: tuple[bytes, str, str, str]) -> str:
    codes, *texts = parts
    return hashlib.sha256(
        b"\0".join([json.dumps([start, stop, *texts]).encode(), codes])
    ).hexdigest()
