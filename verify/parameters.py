"""Parameters of heads: W (d x d) of an absolute encoding, w (m) of a relative one.

A float64 number is the dyadic rational it stands for, so a fitted parameter is as exact as one that
is given in fractions.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from verify.theory import options, syntax
from verify.theory.encodings import Encoding
from verify.theory.heads import Parameter as Exact
from verify.theory.heads import exact_parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """One parameter, exact. data: a float64 array, or (nested) tuples of fractions."""

    data: Floats | Exact

    @property
    def exact(self) -> Exact:
        """Nested tuples of fractions, as `verify.theory.heads` takes them."""
        if not isinstance(self.data, np.ndarray):
            return self.data
        if self.data.ndim == 1:
            return tuple(map(Fraction, self.data.tolist()))
        return tuple(tuple(map(Fraction, row)) for row in self.data.tolist())

    @property
    def nearest(self) -> Floats:
        """The nearest float64 array. OverflowError beyond the range of float64."""
        if isinstance(self.data, np.ndarray):
            return self.data
        return np.array(
            [[float(x) for x in r] if isinstance(r, tuple) else float(r) for r in self.data]
        )

    def spelled(self) -> list[Any]:
        """Canonical rational strings, nested as the kernel reads them."""
        return [[str(x) for x in row] if isinstance(row, tuple) else str(row) for row in self.exact]

    def __repr__(self) -> str:
        if isinstance(self.data, np.ndarray):
            return f"Parameter(shape={self.data.shape}, float64)"
        return f"Parameter({self.spelled()!r:.60})"


def parameter(encoding: Encoding, data: Any) -> Parameter:
    """A parameter of this encoding from an array, nested lists of numbers, or a Parameter.

    ValueError for another shape, and for NaN, infinite or complex entries.
    """
    if isinstance(data, Parameter):
        return parameter(encoding, data.data)
    d = encoding.dimension
    shape = (d,) if encoding.relative else (d, d)
    if not isinstance(data, np.ndarray | Iterable) or isinstance(data, str):
        raise ValueError(f"the parameter of {encoding.spec} must be numbers of the shape {shape}")
    if not isinstance(data, np.ndarray):
        return Parameter(exact_parameter(encoding, _spelled(data)))
    if data.dtype.kind not in "fiub" or data.dtype.itemsize > 8:
        raise ValueError(f"the parameter has entries of type {data.dtype}; give real numbers")
    if data.shape != shape:
        raise ValueError(f"the parameter has the shape {data.shape}; {encoding.spec} takes {shape}")
    if not np.isfinite(data).all():
        raise ValueError("the parameter contains NaN or infinity; every entry must be finite")
    if data.dtype.kind in "iu" and np.abs(data.astype(object)).max(initial=0) > 1 << 53:
        return Parameter(exact_parameter(encoding, data.tolist()))
    floats = np.array(data, dtype=np.float64)
    floats.flags.writeable = False
    return Parameter(floats)


def _spelled(data: Any) -> Any:
    """Numbers in strings (fractions, decimals) become fractions; the rest is left to the theory."""
    if isinstance(data, str):
        return syntax.rational(data, "the parameter")
    if isinstance(data, Iterable):
        return [_spelled(x) for x in data]
    return data


def read(path: str, encoding: Encoding) -> Parameter:
    """The parameter of a file: .npy, .npz (one array, or one called `parameter`), or .json.

    JSON holds nested lists of integers, decimals and rational strings such as "2/3". Nothing is
    unpickled. ValueError if the file holds no parameter of this encoding.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        return parameter(encoding, options.read_json(path, "the parameter file"))
    if suffix not in (".npy", ".npz"):
        raise ValueError(f"the parameter file {path!r} must end in .npy, .npz or .json")
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return parameter(encoding, found)
        with found:
            names = list(found)
            name = "parameter" if "parameter" in names else names[0] if len(names) == 1 else None
            if name is None:
                raise ValueError(
                    f"the parameter file {path!r} holds the arrays {', '.join(names) or 'none'}; "
                    f"call one of them parameter"
                )
            return parameter(encoding, np.asarray(found[name]))
    except OSError as problem:
        reason = problem.strerror or "it is not in NumPy's format"
        raise ValueError(f"the parameter file {path!r} cannot be read: {reason}") from None
    except (EOFError, zipfile.BadZipFile):
        raise ValueError(f"the parameter file {path!r} is not in NumPy's format") from None
    except ValueError as problem:
        if "pickle" in str(problem).lower():
            raise ValueError(
                f"the parameter file {path!r} holds Python objects, which are never unpickled; "
                f"save an array of numbers"
            ) from None
        raise
