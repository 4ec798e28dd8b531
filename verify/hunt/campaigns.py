"""The directory of a campaign: its description, its ledger, its finds, and who is at work on it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from verify.hunt import ledger
from verify.hunt.description import Description
from verify.hunt.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Campaign:
    """A directory with its description."""

    directory: Path
    description: Description

    @property
    def finds(self) -> Path:
        """The folder of finds."""
        return self.directory / "finds"

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """The open ledger, for reading by anybody and for writing under `locked`."""
        with ledger.opened(self.directory / "ledger.sqlite", self.description.digest) as found:
            yield found


def create(directory: Path, description: Description) -> Campaign:
    """A new campaign in a directory that does not exist or is empty. ValueError otherwise."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ValueError(
            f"{directory} is not empty; start a campaign in a new directory, or resume that one"
        )
    (directory / "finds").mkdir(parents=True)
    ledger.create(directory / "ledger.sqlite", description.digest)
    temporary = directory / ".description"
    with open(temporary, "x", encoding="utf-8") as file:
        file.write(description.text() + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, directory / "campaign.json")
    return Campaign(directory, description)


def read(directory: Path) -> Campaign:
    """The campaign in a directory. ValueError if there is none, or it cannot be read."""
    file = directory / "campaign.json"
    if not file.is_file():
        raise ValueError(f"{directory} holds no campaign; `pe-verify hunt start` makes one")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError("the campaign's description is damaged; start another one") from None
    return Campaign(directory, Description.from_text(text))


@contextmanager
def locked(campaign: Campaign) -> Iterator[None]:
    """Alone at work on the campaign; the lock goes with the process, however that ends.

    ValueError if another process is at work. (An exclusive SQLite transaction, on every system.)
    """
    db = sqlite3.connect(campaign.directory / "lock.sqlite", timeout=0, isolation_level=None)
    try:
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            why = "another process is at work on it" if "locked" in str(problem) else str(problem)
            raise ValueError(f"the campaign in {campaign.directory} is refused: {why}") from None
        except sqlite3.DatabaseError:
            raise ValueError(f"{campaign.directory}/lock.sqlite is damaged; remove it") from None
        yield
    finally:
        db.close()
