"""Checkpoints on disk: a folder or a zip with config.json and safetensors. Nothing is unpickled.

Tensors are read one at a time through the safetensors library, which maps the file into memory.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TYPES: Final = ("F64", "F32", "F16", "BF16")
LARGEST: Final = 2.0**100  # no trained weight is near it; it keeps overflow out of error bounds
_PICKLED: Final = (".bin", ".pt", ".pth", ".pkl", ".ckpt")
_HEADER: Final = 100 << 20  # bytes, the library's own limit
_CONFIG: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An open checkpoint. config: its config.json; shapes: of every tensor, by name."""

    name: str
    config: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    _files: Mapping[str, Any] = field(repr=False)
    _types: Mapping[str, str] = field(repr=False)

    def tensor(self, name: str, shape: tuple[int, ...]) -> Floats:
        """A tensor of this shape as float64, exactly.

        ValueError if it is missing, has another shape or type, or holds NaN, infinity or an entry
        beyond LARGEST.
        """
        if name not in self.shapes:
            raise ValueError(f"{self.name}: the tensor {name} is missing")
        if self.shapes[name] != shape:
            raise ValueError(
                f"{self.name}: the tensor {name} has the shape {list(self.shapes[name])}; "
                f"config.json asks for {list(shape)}"
            )
        if self._types[name] not in TYPES:
            raise ValueError(
                f"{self.name}: the tensor {name} is of type {self._types[name]}; supported are "
                f"{', '.join(TYPES)}"
            )
        if self._types[name] == "BF16":
            import ml_dtypes  # noqa: F401  (numpy learns the type by it)
        found = np.asarray(self._files[name].get_tensor(name), dtype=np.float64)
        if not (np.abs(found) < LARGEST).all():  # NaN is not
            raise ValueError(
                f"{self.name}: the tensor {name} contains NaN, infinity or an entry beyond 2**100; "
                f"every weight must be a finite number"
            )
        return found

    def __contains__(self, name: object) -> bool:
        """Whether there is a tensor of this name."""
        return name in self.shapes


@contextmanager
def checkpoint(path: str | Path) -> Iterator[Checkpoint]:
    """Open a folder, a zip, or a .safetensors file beside its config.json.

    ValueError with one sentence for anything else: pickled, truncated or foreign files.
    """
    source = Path(path)
    name = str(path)
    with ExitStack() as stack:
        if source.suffix.lower() == ".safetensors" and source.is_file():
            folder, weights = source.parent, [source]
        elif source.is_dir():
            folder, weights = source, _weights(source, name)
        elif source.is_file() and zipfile.is_zipfile(source):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pe-verify-")))
            _unpack(source, name, folder)
            weights = _weights(folder, name)
        elif not source.exists():
            raise ValueError(f"{name} does not exist; {_supported()}")
        else:
            kind = "a pickled checkpoint, which is never opened" if _pickled(source) else "foreign"
            raise ValueError(f"{name} is {kind}; {_supported()}")
        config = _config(folder / "config.json", name)
        yield _opened(weights, name, config, stack)


def _supported() -> str:
    return "supported is a folder or a zip with config.json and safetensors"


def _pickled(path: Path) -> bool:
    return path.suffix.lower() in _PICKLED


def _weights(folder: Path, name: str) -> list[Path]:
    """model.safetensors, or the shards that model.safetensors.index.json names."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        data = _json(index, name)
        named = data.get("weight_map") if isinstance(data, dict) else None
        if not isinstance(named, dict) or not named:
            raise ValueError(f"{name}: {index.name} has no weight_map")
        shards = sorted(set(map(str, named.values())))
        for shard in shards:
            if PurePosixPath(shard).name != shard or not (folder / shard).is_file():
                raise ValueError(f"{name}: the file {shard[:80]!r} of {index.name} is missing")
        return [folder / shard for shard in shards]
    found = sorted(folder.glob("*.safetensors"))
    if len(found) > 1:
        found = [path for path in found if path.name == "model.safetensors"]
    if found:
        return found
    pickled = sorted(path.name for path in folder.iterdir() if _pickled(path))
    if pickled:
        raise ValueError(
            f"{name} holds {pickled[0]}, a pickled checkpoint, which is never opened; "
            f"{_supported()}"
        )
    raise ValueError(f"{name} holds no model.safetensors; {_supported()}")


def _unpack(source: Path, name: str, folder: Path) -> None:
    """config.json and the weights of a zip (at its top, or in its only model's folder)."""
    try:
        with zipfile.ZipFile(source) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            weights = [e for e in entries if e.endswith(".safetensors")]
            parents = sorted({PurePosixPath(e).parent for e in weights}, key=lambda p: len(p.parts))
            if not parents:
                pickled = [e for e in entries if _pickled(Path(e))]
                what = "a pickled checkpoint, which is never opened" if pickled else "no checkpoint"
                raise ValueError(f"{name} is {what}; {_supported()}")
            for entry in entries.values():
                inner = PurePosixPath(entry.filename)
                wanted = inner.name == "config.json" or inner.name.endswith(
                    (".safetensors", ".safetensors.index.json")
                )
                if inner.parent == parents[0] and wanted and not entry.is_dir():
                    with archive.open(entry) as packed, (folder / inner.name).open("wb") as plain:
                        shutil.copyfileobj(packed, plain, 1 << 20)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
        raise ValueError(f"{name} is a damaged zip: {problem}") from None


def _config(path: Path, name: str) -> Mapping[str, Any]:
    if not path.is_file():
        raise ValueError(f"{name} has no config.json, which says what the tensors are")
    if path.stat().st_size > _CONFIG:
        raise ValueError(f"{name}: config.json is larger than {_CONFIG >> 20} MB")
    data = _json(path, name)
    if not isinstance(data, dict):
        raise ValueError(f"{name}: config.json must be an object")
    return data


def _json(path: Path, name: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{name}: {path.name} is not JSON") from None


def _opened(
    weights: list[Path], name: str, config: Mapping[str, Any], stack: ExitStack
) -> Checkpoint:
    import safetensors

    shapes: dict[str, tuple[int, ...]] = {}
    files, types = {}, {}
    for path in weights:
        for tensor, (kind, shape) in _header(path, name).items():
            shapes[tensor], types[tensor] = shape, kind
        try:
            opened = stack.enter_context(safetensors.safe_open(str(path), framework="np"))
        except safetensors.SafetensorError as problem:
            raise ValueError(
                f"{name}: {path.name} is truncated or no safetensors file: {problem}"
            ) from None
        files.update(dict.fromkeys(opened.keys(), opened))
    return Checkpoint(name, config, shapes, files, types)


def _header(path: Path, name: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape of every tensor: https://github.com/huggingface/safetensors, 'Format'."""
    try:
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            if size > _HEADER:
                raise ValueError
            data = json.loads(file.read(size))
        return {
            tensor: (str(entry["dtype"]), tuple(map(int, entry["shape"])))
            for tensor, entry in data.items()
            if tensor != "__metadata__"
        }
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(
            f"{name}: {path.name} is truncated or no safetensors file: its header is not readable"
        ) from None


def count(source: Checkpoint, *keys: str, default: int | None = None) -> int:
    """A positive integer of config.json, under the first of these keys that it has."""
    for key in keys:
        value = source.config.get(key)
        if value is None:
            continue
        if type(value) is not int or not 1 <= value < 1 << 31:
            raise ValueError(
                f"{source.name}: config.json has {key} = {str(value)[:40]}; give a positive integer"
            )
        return value
    if default is None:
        raise ValueError(f"{source.name}: config.json does not say {' or '.join(keys)}")
    return default


def prefix(source: Checkpoint, tensor: str) -> str:
    """What stands before this name in the checkpoint, such as `bert.`; "" if it is not there."""
    pattern = re.compile(rf"([a-z0-9_]+\.)?{re.escape(tensor)}")
    for name in source.shapes:
        if match := pattern.fullmatch(name):
            return match[1] or ""
    return ""
