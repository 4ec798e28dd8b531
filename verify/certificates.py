"""Certificate files: strict JSON in, atomic files out. Nothing is decided here; see FORMAT.md.

Standard library only, for `recheck`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from verify import kernel
from verify.kernel import Malformed

MAX_BYTES: Final = 256 << 20

Certificate = dict[str, Any]


def envelope(
    claim: Mapping[str, Any],
    proof: Mapping[str, Any],
    subject: Mapping[str, Any],
    producer: Mapping[str, Any] | None = None,
) -> Certificate:
    """A certificate of a claim. subject: what `recheck` rebuilds the claim from; producer: who."""
    certificate = {
        "format": kernel.FORMAT,
        "claim": kernel.digest(claim),
        "subject": dict(subject),
        "proof": dict(proof),
    }
    return certificate | ({"producer": dict(producer)} if producer else {})


def loads(text: str) -> Certificate:
    """The certificate in a JSON text; Malformed says in one line what else it is.

    Every key once, no fractions or exponents in numbers, one object and nothing after it.
    """
    if len(text) > MAX_BYTES:
        raise Malformed(f"the text is longer than {MAX_BYTES >> 20} MB")
    try:
        found = json.loads(
            text, object_pairs_hook=_unique, parse_float=_no_number, parse_constant=_no_number
        )
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise Malformed(f"not JSON: {problem.msg} at {where}") from None
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except Malformed:
        raise
    except ValueError as problem:  # an integer of too many digits
        raise Malformed(f"not readable: {problem}") from None
    if not isinstance(found, dict):
        raise Malformed(f"a certificate is a JSON object, not {type(found).__name__}")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the key {twice[:40]!r} occurs twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise Malformed(f"the number {text[:40]} is not an integer; exact numbers are strings")


def read(path: str | os.PathLike[str]) -> Certificate:
    """The certificate in a file; Malformed if it is none, OSError if it cannot be read."""
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Malformed(f"the file is larger than {MAX_BYTES >> 20} MB")
    try:
        return loads(data.decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise Malformed(f"not UTF-8 text at byte {problem.start}") from None


def dumps(certificate: Mapping[str, Any]) -> str:
    """JSON text with one line for each part; equal certificates have equal texts.

    ValueError if there is a part that no certificate has.
    """
    if unknown := set(certificate) - {"format", "claim", "subject", "proof", "producer"}:
        raise ValueError(f"a certificate has no part {min(unknown)!r}")
    lines = [
        f"{json.dumps(key)}: {json.dumps(certificate[key], sort_keys=True, allow_nan=False)}"
        for key in ("format", "claim", "subject", "proof", "producer")
        if key in certificate
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(path: str | os.PathLike[str], certificate: Mapping[str, Any]) -> None:
    """Write a file at once or not at all; missing folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{time.monotonic_ns()}")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(dumps(certificate))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
