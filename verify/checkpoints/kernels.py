"""Models whose positional channel is a kernel of the offset: T5, ALiBi (BLOOM), and RoPE.

T5: the bias table is the parameter of the encoding `t5`. ALiBi: the slopes are fixed by the number
of heads. RoPE: given query and key vectors q and k (before rotation), pairs (c, c + h) with
h = width / 2 rotate by theta_c, and with a = q[c] + i q[c + h], b = k[c] + i k[c + h]

    kappa(o) = sum_c Re(a conj(b)) cos(o theta_c) - Im(a conj(b)) sin(o theta_c)

(Su et al., RoFormer, 2021, section 3.4.2; the pairing of Llama's and GPT-NeoX's code).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from verify.checkpoints.exact import integers
from verify.checkpoints.files import LARGEST, Checkpoint, count, prefix
from verify.checkpoints.layouts import widths
from verify.engines.floats import relative
from verify.parameters import Parameter, parameter
from verify.theory import options
from verify.theory.encodings import Encoding, encoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

KERNELS: Final = ("t5", "mt5", "bloom", "llama", "mistral", "qwen2")
ROPE: Final = ("llama", "mistral", "qwen2")
BLOCK: Final = 512


@dataclass(frozen=True, slots=True)
class Kernel:
    """One head. stack: `encoder`, `decoder` or ""; layer: None if all layers share the kernel."""

    stack: str
    layer: int | None
    head: int
    visibility: str
    encoding: Encoding
    parameter: Parameter


def kernels(source: Checkpoint, content: Path | None = None) -> Iterator[Kernel]:
    """The kernels of all heads. content: vectors for RoPE, see `vectors`.

    ValueError if tensors do not fit config.json, or a RoPE model has nothing to rotate.
    """
    family = str(source.config.get("model_type"))
    if family in ROPE:
        return _rope(source, content)
    return _alibi(source) if family == "bloom" else _t5(source)


def attended(head: Kernel, length: int, visibility: str) -> Ints:
    """The first of the best keys of every row in float64."""
    picked = np.empty(length, dtype=np.intp)
    for low in range(0, length, BLOCK):
        rows = np.arange(low, min(low + BLOCK, length))
        picked[rows] = kernel_logits(head, rows, length, visibility).argmax(axis=1)
    return picked


def kernel_logits(head: Kernel, rows: Ints, length: int, visibility: str) -> Floats:
    """(rows, length), in float64, -inf at keys that a row does not see."""
    found = relative.kernel(head.encoding, head.parameter.data, length, visibility)
    offsets = rows[:, None] - np.arange(length)
    hidden = offsets < 0 if visibility == "causal" else np.zeros(offsets.shape, dtype=bool)
    return np.where(hidden, -np.inf, found.values[np.where(hidden, 0, offsets) - found.first])


def _t5(source: Checkpoint) -> Iterator[Kernel]:
    heads = count(source, "num_heads")
    buckets = count(source, "relative_attention_num_buckets", default=32)
    far = count(source, "relative_attention_max_distance", default=128)
    name = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    stacks = [s for s in ("encoder", "decoder") if f"{s}.{name}" in source]
    if not stacks:
        raise ValueError(f"{source.name}: the tensor encoder.{name} is missing")
    for stack in stacks:
        both = ",bidirectional=true" if stack == "encoder" else ""
        basis = encoding(f"t5:buckets={buckets},max_distance={far}{both}")
        table = source.tensor(f"{stack}.{name}", (buckets, heads))
        visibility = "full" if stack == "encoder" else "causal"
        for head in range(heads):
            column = np.ascontiguousarray(table[:, head])
            yield Kernel(stack, None, head, visibility, basis, parameter(basis, column))


def _alibi(source: Checkpoint) -> Iterator[Kernel]:
    heads = count(source, "n_head", "num_attention_heads")
    for head in range(heads):
        basis = encoding(f"alibi:heads={heads},head={head}")
        yield Kernel("", None, head, "causal", basis, parameter(basis, [0, -1]))


def _rope(source: Checkpoint, content: Path | None) -> Iterator[Kernel]:
    d, heads = count(source, "hidden_size"), count(source, "num_attention_heads")
    groups = count(source, "num_key_value_heads", default=heads)
    has = source.config.get("head_dim") is not None
    width = count(source, "head_dim") if has else widths(source, d, heads)
    if heads % groups or width % 2:
        raise ValueError(
            f"{source.name}: config.json has {heads} heads of width {width} for {groups} key heads"
        )
    basis = encoding(f"rope:frequencies={width // 2},base={_base(source)}")
    start = prefix(source, "layers.0.self_attn.q_proj.weight")
    biased = f"{start}layers.0.self_attn.q_proj.bias" in source
    if content is None and not biased:
        raise ValueError(
            f"{source.name}: this RoPE model has no query and key biases, so its channel needs "
            f"content vectors: give a file of them"
        )
    given = None if content is None else vectors(content, d)
    for layer in range(count(source, "num_hidden_layers")):
        at = f"{start}layers.{layer}.self_attn."
        query = _projected(source, f"{at}q_proj", heads * width, d, biased, given)
        key = _projected(source, f"{at}k_proj", groups * width, d, biased, given)
        for head in range(heads):
            group = head * groups // heads
            q = query[head * width : (head + 1) * width]
            k = key[group * width : (group + 1) * width]
            yield Kernel("", layer, head, "causal", basis, parameter(basis, rotated(q, k)))


def rotated(q: list[Fraction], k: list[Fraction]) -> list[Fraction]:
    """The parameter (cosines, then sines) of rotated q and k, both of an even width."""
    half = len(q) // 2
    pairs = list(zip(q[:half], q[half:], k[:half], k[half:], strict=True))
    cos = [qa * ka + qb * kb for qa, qb, ka, kb in pairs]
    return cos + [qa * kb - qb * ka for qa, qb, ka, kb in pairs]


def _base(source: Checkpoint) -> str:
    """The base of the frequencies; ValueError if they are scaled or partial."""
    config = source.config
    nested = config.get("rope_parameters")
    known = nested if isinstance(nested, dict) else {}
    scaling = config.get("rope_scaling") or (
        known if known.get("rope_type", "default") != "default" else None
    )
    partial = config.get("partial_rotary_factor", known.get("partial_rotary_factor", 1))
    if scaling is not None or partial != 1:
        raise ValueError(
            f"{source.name}: config.json scales or shortens the rotations; supported is plain RoPE"
        )
    base = config.get("rope_theta", known.get("rope_theta", 10000))
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < LARGEST:
        raise ValueError(f"{source.name}: config.json has rope_theta = {str(base)[:40]}")
    return str(Fraction(repr(base)))


def _projected(
    source: Checkpoint, at: str, size: int, d: int, biased: bool, given: list[Fraction] | None
) -> list[Fraction]:
    """W x + b, exactly; b alone without a content vector x."""
    bias = [Fraction(0)] * size
    if biased:
        bias = [Fraction(x) for x in source.tensor(f"{at}.bias", (size,)).tolist()]
    if given is None:
        return bias
    lines, shift = integers(source.tensor(f"{at}.weight", (size, d)))
    common = math.lcm(*(x.denominator for x in given))
    whole = [int(x * common) for x in given]
    unit = Fraction(2) ** -shift / common
    return [sum(map(mul, line, whole)) * unit + b for line, b in zip(lines, bias, strict=True)]


def vectors(path: Path, d: int) -> list[Fraction]:
    """The exact mean of a file's content vectors: .npy or .json, (d,) or (count, d) numbers.

    They are what the projections of queries and keys are given, after any norm. ValueError else.
    """
    name = f"the content file {str(path)!r}"
    if path.suffix.lower() == ".json":
        data = options.read_json(str(path), "the content file")
    elif path.suffix.lower() == ".npy":
        try:
            data = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not an array of numbers"
            raise ValueError(f"{name} cannot be read: {reason}") from None
    else:
        raise ValueError(f"{name} must end in .npy or .json")
    try:
        table = np.atleast_2d(np.asarray(data, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold vectors of {d} numbers") from None
    if table.ndim != 2 or table.shape[1] != d or not len(table):
        raise ValueError(f"{name} has the shape {list(table.shape)}; give vectors of {d} numbers")
    if not (np.abs(table) < LARGEST).all():
        raise ValueError(f"{name} contains NaN, infinity or an entry beyond 2**100")
    lines, shift = integers(table)
    unit = Fraction(2) ** -shift / len(table)
    return [sum(column) * unit for column in zip(*lines, strict=True)]
