"""Finds: certified counterexamples as self-contained JSON files whose names are their claims."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verify import kernel, recheck
from verify.certificates import Certificate
from verify.hunt import batches, conjectures, spaces
from verify.hunt.campaigns import Campaign
from verify.hunt.ledger import Ledger
from verify.hunt.parts import Part, certificate
from verify.hunt.running import batch_size
from verify.hunt.shrink import shrunk
from verify.kernel import Malformed
from verify.theory.encodings import encoding

FORMAT: Final = "pe-verify find 1"
KEEP: Final = 10  # distinct finds that a campaign certifies, the best of it
_TRIED: Final = 3  # counterexamples looked at for each


@dataclass(frozen=True, slots=True)
class Find:
    """A counterexample. parts: (words, certificate) pairs that together refute the conjecture."""

    conjecture: str
    words: str
    encoding: str
    task: str
    train_length: int
    length: int
    parts: tuple[tuple[str, Certificate], ...]

    @property
    def name(self) -> str:
        """The claim as a file name, without its suffix."""
        digest = hashlib.sha256("".join(c["claim"] for _, c in self.parts).encode()).hexdigest()
        dimension = encoding(self.encoding).dimension
        shown = re.sub(r"[^\w]+", "_", self.task.removeprefix("expr:"), flags=re.ASCII).strip("_")
        size = f"dim{dimension}_L0-{self.train_length}_L-{self.length}"
        return f"{self.conjecture}_fails_{size}_task-{shown[:40]}_{digest[:8]}"

    def to_json(self) -> dict[str, Any]:
        """The content of its file."""
        return {
            "format": FORMAT,
            "conjecture": {"name": self.conjecture, "words": self.words},
            "instance": {
                "encoding": self.encoding,
                "task": self.task,
                "train_length": self.train_length,
                "length": self.length,
            },
            "parts": [{"words": words, "certificate": c} for words, c in self.parts],
        }


def made(campaign: Campaign, index: int) -> Find:
    """The shrunk find of a counterexample; every certificate has passed the kernel."""
    description = campaign.description
    conjecture = conjectures.load(description.source)
    number, question = batches.place(description, index)
    space = description.space
    case = spaces.instance(space, number, question, spaces.oracle(space, number))
    small, parts = shrunk(conjecture, space, spaces.encodings(space)[number], case)
    return Find(
        conjecture.name, conjecture.words, small.encoding, small.task, small.train_length,
        small.length, tuple(_certified(part) for part in parts),
    )  # fmt: skip


def _certified(part: Part) -> tuple[str, Certificate]:
    return part.words, certificate(part)


def certify(campaign: Campaign, ledger: Ledger) -> list[str]:
    """Make finds of the best counterexamples in the ledger; the names of the best, `KEEP` at most.

    The answer depends on the verdicts alone, not on when or how often this is called.
    """
    known, names = ledger.certified(), dict[str, None]()
    for score, index in ledger.counterexamples(batch_size(campaign.description))[: _TRIED * KEEP]:
        name = known.get(index)
        if name is None or not (campaign.finds / f"{name}.json").is_file():
            found = made(campaign, index)
            name = found.name
            write(campaign.finds / f"{name}.json", found)
            ledger.certify(index, score, name)
        names[name] = None
        if len(names) == KEEP:
            break
    return list(names)


def best(campaign: Campaign, ledger: Ledger) -> list[str]:
    """The names that `certify` gave when it last saw these verdicts."""
    known, names = ledger.certified(), dict[str, None]()
    for _, index in ledger.counterexamples(batch_size(campaign.description))[: _TRIED * KEEP]:
        if index in known:
            names[known[index]] = None
    return list(names)[:KEEP]


def write(path: Path, found: Find) -> None:
    """Write the file at once or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(found.to_json(), file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path: Path) -> Find:
    """The find in a file, checked again. ValueError if it is none or a certificate fails."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"{path} has the format {data['format']!r}, not {FORMAT!r}")
        case = data["instance"]
        found = Find(
            data["conjecture"]["name"], data["conjecture"]["words"], case["encoding"],
            case["task"], case["train_length"], case["length"],
            tuple((part["words"], part["certificate"]) for part in data["parts"]),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{path} is damaged: it is not a find") from None
    for problem in problems(found):
        raise ValueError(f"{path}: {problem}")
    return found


def problems(found: Find) -> list[str]:
    """What the kernel has against a find; empty if all its certificates are valid, and its own."""
    wrong = [] if found.parts else ["it has no certificate"]
    for words, part in found.parts:
        try:
            _, claim = recheck.rebuild(part.get("subject"), {})
            checked = kernel.check(claim, part)
        except (Malformed, AttributeError) as problem:
            wrong.append(f"{words}: {problem}")
            continue
        if checked.outcome != "valid":
            wrong.append(f"{words}: {checked.reason}")
        subject = part["subject"]
        if (subject["encoding"], subject["task"]) != (found.encoding, found.task):
            wrong.append(f"{words}: the certificate is for another encoding or task")
    return wrong
