"""What a subject returned, as exact numbers, whatever array library made it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from verify.audit.dtypes import FLOAT_TYPES, FloatType


class NotNumbers(ValueError):
    """The object is not an array of real numbers."""


@dataclass(frozen=True, slots=True)
class Values:
    """An array without loss: float64 carries every float type, int64 the integers, bool the masks,
    and an object array of Fraction the exact rationals. `kind` is the name of the original type."""

    kind: str
    array: npt.NDArray[Any]

    @property
    def float_type(self) -> FloatType | None:
        """The float type of the original, None for integers, masks and rationals."""
        return FLOAT_TYPES.get(self.kind)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.array.shape

    def floats(self) -> npt.NDArray[np.float64]:
        """The numbers as float64: exact, except that rationals and large integers are rounded."""
        return self.array.astype(np.float64)

    def at(self, *index: int) -> Fraction | float:
        """One element: exact as a Fraction, or the float itself if it is not finite."""
        element = self.array[index]
        if isinstance(element, Fraction):
            return element
        number = element.item()
        return Fraction(number) if np.isfinite(number) else float(number)


def _from_objects(array: npt.NDArray[Any]) -> Values:
    flat = []
    for element in array.ravel():
        try:
            flat.append(Fraction(element))
        except (TypeError, ValueError, OverflowError):
            raise NotNumbers(
                f"an array of real numbers is right, this one holds {type(element).__name__} "
                f"{str(element)[:40]!r}"
            ) from None
    exact = np.empty(array.size, dtype=object)
    exact[:] = flat
    return Values("exact", exact.reshape(array.shape))


def _from_numpy(array: npt.NDArray[Any]) -> Values:
    name, kind = array.dtype.name, array.dtype.kind
    if name in FLOAT_TYPES:
        return Values(name, array.astype(np.float64))
    if kind == "c":
        raise NotNumbers(f"complex numbers ({name}) were returned, real ones are right")
    if kind == "b":
        return Values("bool", array)
    if kind in "iu":
        if array.size and array.max() > np.iinfo(np.int64).max:
            return _from_objects(array.astype(object))
        return Values(name, array.astype(np.int64))
    if kind == "f":  # longer than 64 bits: exact, if finite
        return _from_objects(array.astype(object)) if np.isfinite(array).all() else Values(
            "float64", array.astype(np.float64)
        )  # fmt: skip
    if kind == "O":
        return _from_objects(array)
    try:  # the small floats of ml_dtypes that are not listed
        return Values(name, array.astype(np.float64))
    except (TypeError, ValueError):
        raise NotNumbers(f"an array of real numbers is right, this one holds {name}") from None


def _holds_exact(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return any(_holds_exact(element) for element in data)
    return isinstance(data, Fraction) or (isinstance(data, int) and abs(data) >= 1 << 63)


def to_values(data: Any) -> Values:
    """The numbers of an array, tensor, list or number; NotNumbers if it is anything else.

    torch, jax and mlx are looked at only when they are already imported: an object of theirs
    cannot exist otherwise. bfloat16 tensors are widened to float32, which is exact.
    """
    root = type(data).__module__.partition(".")[0]
    if root == "torch" or _is_tensor(data):
        torch = sys.modules["torch"]
        tensor = data.detach().to("cpu")
        name = str(tensor.dtype).removeprefix("torch.")
        if tensor.is_floating_point() and tensor.dtype not in (torch.float32, torch.float64):
            return Values(name, tensor.to(torch.float32).numpy().astype(np.float64))
        return _from_numpy(tensor.resolve_conj().numpy())
    if root == "mlx":
        core = sys.modules["mlx.core"]
        name = str(data.dtype).rpartition(".")[2]
        if name == "bfloat16":
            return Values(name, np.array(data.astype(core.float32)).astype(np.float64))
        return _from_numpy(np.array(data))
    if isinstance(data, list | tuple):
        if data and any(hasattr(element, "__array__") for element in data):
            return _stack([to_values(element) for element in data])
        try:
            return _from_numpy(np.array(data, dtype=object if _holds_exact(data) else None))
        except (ValueError, OverflowError):
            raise NotNumbers("the rows of the returned list do not have one length") from None
    if isinstance(data, Fraction) or (isinstance(data, int) and not isinstance(data, bool)):
        return _from_objects(np.array(data, dtype=object))
    if isinstance(data, float | bool | complex | np.generic | np.ndarray):
        return _from_numpy(np.asarray(data))
    for convert in (np.asarray, np.from_dlpack):
        try:
            array = convert(data)
        except Exception:
            continue
        if isinstance(array, np.ndarray) and (array.dtype != object or array.ndim):
            return _from_numpy(array)
    raise NotNumbers(f"an array of numbers is right, {type(data).__name__} was returned")


def _is_tensor(data: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(data, torch.Tensor)


def _stack(parts: list[Values]) -> Values:
    if len({part.shape for part in parts}) != 1 or len({part.kind for part in parts}) != 1:
        raise NotNumbers("the returned list holds arrays of different shapes or types")
    return Values(parts[0].kind, np.stack([part.array for part in parts]))


def to_library(values: Values, library: str) -> Any:
    """The array that a subject written for this library expects: numpy, torch, jax, mlx or list."""
    array = values.array
    if library == "list":
        return array.tolist()
    if values.kind == "exact":
        return array
    if library == "torch":
        torch = sys.modules["torch"]
        tensor = torch.from_numpy(np.array(array))
        return tensor.to(library_dtype(values.kind, "torch"))
    if library == "mlx":
        core = sys.modules["mlx.core"]
        narrow = array.astype(np.float32) if array.dtype == np.float64 else array
        return core.array(narrow).astype(library_dtype(values.kind, "mlx"))
    cast = array.astype(library_dtype(values.kind, "numpy"))
    return sys.modules["jax"].numpy.asarray(cast) if library == "jax" else cast


def library_dtype(name: str, library: str) -> Any:
    """The dtype object of this name in the library: torch.bfloat16, numpy.dtype('float32'), ..."""
    if library == "torch":
        return getattr(sys.modules["torch"], name)
    if library == "mlx":
        return getattr(sys.modules["mlx.core"], name)
    if name.startswith(("bfloat", "float8")):
        try:
            import ml_dtypes
        except ImportError:
            raise ValueError(
                f"dtype {name} needs ml_dtypes, which is not installed: "
                "pip install pe-verify[audit]"
            ) from None
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)
