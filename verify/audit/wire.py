"""Messages between the auditor and the process that runs a subject: JSON, then raw array bytes.

Nothing is pickled, so a subject cannot run code in the auditor.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from verify.audit.values import Values

_LIMIT: Final = 1 << 33
_CARRIERS: Final = {"f": "<f8", "i": "<i8", "b": "|b1"}


class Closed(Exception):
    """The other side is gone."""


class Late(Exception):
    """No answer within the time limit."""


def send(stream: int, header: dict[str, Any], arrays: Sequence[Values] = ()) -> None:
    """Write one message to a file descriptor."""
    described, payload = [], []
    for values in arrays:
        array = values.array
        entry: dict[str, Any] = {"kind": values.kind, "shape": list(array.shape)}
        if array.dtype == object:
            entry["rationals"] = [str(element) for element in array.ravel()]
        else:
            entry["carrier"] = _CARRIERS[array.dtype.kind]
            if values.kind in ("float32", "float16", "bfloat16"):  # exact, and half the bytes
                entry["carrier"] = "<f4"
            payload.append(np.ascontiguousarray(array, np.dtype(entry["carrier"])).tobytes())
        described.append(entry)
    head = json.dumps({**header, "arrays": described}).encode()
    body = b"".join([struct.pack("<QQ", len(head), sum(map(len, payload))), head, *payload])
    view = memoryview(body)
    while view:
        try:
            view = view[os.write(stream, view[: 1 << 20]) :]
        except OSError:
            raise Closed from None


def receive(stream: int, seconds: float | None = None) -> tuple[dict[str, Any], list[Values]]:
    """Read one message, or raise Closed, or Late when it is not complete in time."""
    end = None if seconds is None else time.monotonic() + seconds
    head_size, body_size = struct.unpack("<QQ", _read(stream, 16, end))
    if head_size + body_size > _LIMIT:
        raise Closed
    header = json.loads(_read(stream, head_size, end))
    body, arrays, start = _read(stream, body_size, end), [], 0
    for entry in header.pop("arrays"):
        shape = tuple(entry["shape"])
        if "rationals" in entry:
            array = np.empty(len(entry["rationals"]), dtype=object)
            array[:] = [Fraction(text) for text in entry["rationals"]]
        else:
            carrier = np.dtype(entry["carrier"])
            stop = start + carrier.itemsize * int(np.prod(shape, dtype=np.int64))
            array = np.frombuffer(body[start:stop], carrier)
            start = stop
            if carrier == np.dtype("<f4"):
                array = array.astype(np.float64)
        arrays.append(Values(entry["kind"], array.reshape(shape)))
    return header, arrays


def _read(stream: int, size: int, end: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        if end is not None:
            left = end - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise Late
        chunk = os.read(stream, min(size - len(parts), 1 << 20))
        if not chunk:
            raise Closed
        parts += chunk
    return bytes(parts)
