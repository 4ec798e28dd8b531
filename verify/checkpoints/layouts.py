"""Where the families keep position tables and the projections of their heads.

Learned-absolute tables: BERT, RoBERTa, DistilBERT (full attention) and GPT-2 (causal). A projection
is read as (out, in): q = W x + b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from verify.checkpoints.files import Checkpoint, count, prefix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WORDS: Final = 4096  # rows of an embedding that are summed at a time


@dataclass(frozen=True, slots=True)
class Projections:
    """Queries and keys of one layer: weights (heads * width, d), biases (heads * width,)."""

    query: Floats
    query_bias: Floats
    key: Floats
    key_bias: Floats

    def head(self, head: int, width: int) -> Projections:
        """The slices of one head."""
        part = slice(head * width, (head + 1) * width)
        return Projections(
            self.query[part], self.query_bias[part], self.key[part], self.key_bias[part]
        )


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm: gain * (x - mean) / sqrt(variance + epsilon) + shift."""

    gain: Floats
    shift: Floats
    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class Learned:
    """A model with a learned-absolute table. positions: (n, d); width: of one head.

    projections(layer); norm(layer), what stands between the sum of embeddings and that layer's
    projections if the layers before it add nothing; content(), the mean embedding of all words.
    """

    family: str
    visibility: str
    layers: int
    heads: int
    width: int
    positions: Floats
    projections: Callable[[int], Projections]
    norm: Callable[[int], Norm]
    content: Callable[[], Floats]


def learned(source: Checkpoint) -> Learned:
    """The learned-absolute layout that config.json names. ValueError if tensors do not fit it."""
    family = str(source.config.get("model_type"))
    return {"gpt2": _gpt2, "distilbert": _distilbert}.get(family, _bert)(source)


LEARNED: Final = ("bert", "roberta", "distilbert", "gpt2")


def widths(source: Checkpoint, d: int, heads: int) -> int:
    """The width of one head; ValueError if the model's width is no multiple of the heads'."""
    if d % heads:
        raise ValueError(f"{source.name}: config.json has the width {d} for {heads} heads")
    return d // heads


def epsilon(source: Checkpoint, key: str, default: str) -> Fraction:
    """The epsilon of the layer norms, as the decimal that config.json spells."""
    value = source.config.get(key, float(default))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError(f"{source.name}: config.json has {key} = {str(value)[:40]}")
    return Fraction(repr(value))


def mean(source: Checkpoint, name: str, d: int) -> Floats:
    """The mean row of an embedding, rounded to float64."""
    shape = source.shapes.get(name, (1, d))
    table = source.tensor(name, (shape[0], d))
    sums = [table[k : k + WORDS].sum(axis=0) for k in range(0, len(table), WORDS)]
    return np.asarray(np.sum(sums, axis=0) / len(table))


def _bert(source: Checkpoint) -> Learned:
    d, heads = count(source, "hidden_size"), count(source, "num_attention_heads")
    layers, size = count(source, "num_hidden_layers"), count(source, "max_position_embeddings")
    kind = source.config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise ValueError(
            f"{source.name}: config.json has position_embedding_type {str(kind)[:40]!r}; supported "
            f"is 'absolute'"
        )
    table = "embeddings.position_embeddings.weight"
    start = prefix(source, table)
    positions = source.tensor(start + table, (size, d))
    family = str(source.config.get("model_type"))
    if family == "roberta":  # position i has the row i + padding index + 1
        positions = positions[_padding(source, size) + 1 :]

    def projections(layer: int) -> Projections:
        at = f"{start}encoder.layer.{layer}.attention.self."
        return _pair(source, d, f"{at}query", f"{at}key")

    @cache
    def norm() -> Norm:
        at = f"{start}embeddings.LayerNorm"
        return _norm(source, at, d, epsilon(source, "layer_norm_eps", "1e-12"))

    @cache
    def content() -> Floats:
        types = source.tensor(
            f"{start}embeddings.token_type_embeddings.weight",
            (count(source, "type_vocab_size", default=2), d),
        )
        return np.asarray(mean(source, f"{start}embeddings.word_embeddings.weight", d) + types[0])

    visibility = "causal" if source.config.get("is_decoder") is True else "full"
    return Learned(
        family, visibility, layers, heads, widths(source, d, heads), positions, projections,
        lambda layer: norm(), content,
    )  # fmt: skip


def _padding(source: Checkpoint, size: int) -> int:
    """The padding index; two rows of the table at least come after it."""
    index = source.config.get("pad_token_id", 1)
    if type(index) is not int or not 0 <= index < size - 2:
        raise ValueError(
            f"{source.name}: config.json has pad_token_id = {str(index)[:40]} for a table of "
            f"{size} rows"
        )
    return index


def _distilbert(source: Checkpoint) -> Learned:
    d, heads, layers = count(source, "dim"), count(source, "n_heads"), count(source, "n_layers")
    table = "embeddings.position_embeddings.weight"
    start = prefix(source, table)
    positions = source.tensor(start + table, (count(source, "max_position_embeddings"), d))

    def projections(layer: int) -> Projections:
        at = f"{start}transformer.layer.{layer}.attention."
        return _pair(source, d, f"{at}q_lin", f"{at}k_lin")

    @cache
    def norm() -> Norm:
        return _norm(source, f"{start}embeddings.LayerNorm", d, Fraction(1, 10**12))

    @cache
    def content() -> Floats:
        return mean(source, f"{start}embeddings.word_embeddings.weight", d)

    return Learned(
        "distilbert", "full", layers, heads, widths(source, d, heads), positions, projections,
        lambda layer: norm(), content,
    )  # fmt: skip


def _gpt2(source: Checkpoint) -> Learned:
    d, heads = count(source, "n_embd", "hidden_size"), count(source, "n_head")
    layers = count(source, "n_layer")
    start = prefix(source, "wpe.weight")
    positions = source.tensor(f"{start}wpe.weight", (count(source, "n_positions", "n_ctx"), d))

    def projections(layer: int) -> Projections:
        at = f"{start}h.{layer}.attn.c_attn"
        weight = source.tensor(f"{at}.weight", (d, 3 * d)).T  # stored as (in, out)
        bias = source.tensor(f"{at}.bias", (3 * d,))
        return Projections(weight[:d], bias[:d], weight[d : 2 * d], bias[d : 2 * d])

    def norm(layer: int) -> Norm:
        at = f"{start}h.{layer}.ln_1"
        return _norm(source, at, d, epsilon(source, "layer_norm_epsilon", "1e-05"))

    @cache
    def content() -> Floats:
        return mean(source, f"{start}wte.weight", d)

    return Learned(
        "gpt2", "causal", layers, heads, widths(source, d, heads), positions, projections, norm,
        content,
    )  # fmt: skip


def _pair(source: Checkpoint, d: int, query: str, key: str) -> Projections:
    return Projections(
        source.tensor(f"{query}.weight", (d, d)), source.tensor(f"{query}.bias", (d,)),
        source.tensor(f"{key}.weight", (d, d)), source.tensor(f"{key}.bias", (d,)),
    )  # fmt: skip


def _norm(source: Checkpoint, at: str, d: int, small: Fraction) -> Norm:
    return Norm(source.tensor(f"{at}.weight", (d,)), source.tensor(f"{at}.bias", (d,)), small)
