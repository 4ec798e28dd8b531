"""The kinds of callables that can be audited, and how an object is recognised as one or several."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of callable: its parameters in order, the optional ones, what it returns."""

    name: str
    parameters: tuple[str, ...]
    optional: tuple[str, ...]
    returns: str


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind("features", ("positions",), ("length", "dtype"), "(n, d), or a pair (cos, sin) of it"),
        Kind("kernel", ("offsets",), ("target", "length", "dtype"), "(n,) logits by offset"),
        Kind("bias", ("n",), ("dtype",), "(n, n) or (heads, n, n)"),
        Kind("logits", ("n",), ("dtype",), "(n, n) or (heads, n, n)"),
        Kind("rotate", ("x", "positions"), ("length", "dtype"), "(n, d), the rotated rows of x"),
        Kind("decide", ("logits", "mask"), (), "(n,) key indices"),
        Kind("mask", ("n",), ("padding", "dtype"), "(n, n), True or 0 where a key may be seen"),
        Kind("slopes", ("heads",), ("dtype",), "(heads,)"),
        Kind("buckets", ("offsets",), (), "(n,) bucket indices"),
        Kind("parameters", ("length",), (), "a number, or a dict of numbers"),
        Kind("positions", ("prompt", "steps"), ("padding",), "(prompt + steps,) position ids"),
        Kind("stages", ("positions",), ("dtype",), "a dict of the intermediate arrays"),
    )
}
# Other names under which a lone function's parameters announce its kind.
_SYNONYMS: Final = {
    ("position_ids",): "features",
    ("offset",): "kernel",
    ("relative_positions",): "buckets",
    ("num_heads",): "slopes",
    ("n_heads",): "slopes",
    ("seq_len",): "parameters",
}


class Unrecognised(ValueError):
    """The object offers no callable of a known kind."""


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that can be given, empty if they cannot be known."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))


def _of_framework(function: Any) -> bool:
    """Whether a base class of a framework defines it, as torch.nn.Module does `parameters`."""
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.partition(".")[0] in ("torch", "jax", "flax", "keras", "mlx", "builtins")


def instance(target: Any) -> Any:
    """A class that has audited methods is instantiated without arguments; anything else stays."""
    if isinstance(target, type) and any(hasattr(target, kind) for kind in KINDS):
        return target()
    return target


def recognise(target: Any, name: str, kind: str | None = None) -> dict[str, Callable[..., Any]]:
    """The audited callables of an object by kind.

    An object with attributes called like kinds offers those; a function is of the kind it is said
    to be, of the kind whose name it bears (`rope_features` too), or of the one whose parameters it
    has. A class is instantiated without arguments first. Unrecognised (a ValueError) otherwise.
    """
    if kind is not None:
        if kind not in KINDS:
            raise Unrecognised(f"kind {kind!r} is not one of {', '.join(KINDS)}")
        if not callable(target):
            raise Unrecognised(f"subject {name} is said to be of kind {kind} but is not callable")
        return {kind: target}
    target = instance(target)
    found = {k: getattr(target, k, None) for k in KINDS}
    offered = {k: f for k, f in found.items() if callable(f) and not _of_framework(f)}
    if offered and not isinstance(target, list | tuple | dict | str):
        return offered
    if callable(target):
        spelled = getattr(target, "__name__", "").lower()
        words = [k for k in KINDS if spelled == k or spelled.endswith("_" + k)]
        given = parameters(target)
        required = [
            k.name for k in KINDS.values() if k.name != "stages"
            if given[: len(k.parameters)] == k.parameters
            and set(given[len(k.parameters) :]) <= set(k.optional)
        ]  # fmt: skip
        chosen = words or required or [v for k, v in _SYNONYMS.items() if given[: len(k)] == k]
        if len(chosen) == 1 or (chosen and words):
            return {chosen[0]: target}
        if chosen:
            raise Unrecognised(
                f"subject {name} could be any of {', '.join(chosen)}; say which with --kind"
            )
    raise Unrecognised(
        f"subject {name} is of no known kind: it should be, or have, a callable "
        f"{', '.join(k for k in KINDS if k != 'stages')}"
    )
