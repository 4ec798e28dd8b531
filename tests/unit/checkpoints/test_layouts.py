"""Every supported layout, against logits that NumPy computes in its own words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.checkpoints import synthetic
from verify.checkpoints import Heads, heads, reading
from verify.decisions import HIT, MISS
from verify.theory.encodings import encoding
from verify.theory.heads import logit
from verify.theory.tasks import rows, task
from verify.theory.text import value


def agree(result: Heads, logits: Callable[[str], np.ndarray[Any, Any]]) -> None:
    """The decisions are what these float logits say, where they are clear."""
    assert result.heads
    for head in result.heads:
        found, n = head.score.decisions, head.score.length
        table = logits(head.name)
        pairs = rows(task(head.task), n, head.visibility)
        assert len(pairs) == len(found.outcomes)
        for k, (i, t) in enumerate(pairs):
            seen = [j for j in range(n) if j != t and (head.visibility == "full" or j <= i)]
            margin = table[i, t] - table[i, seen].max()
            low, high = found.margin(k)
            assert float(low) - 1e-4 <= margin <= float(high) + 1e-4
            if abs(margin) > 1e-4:
                assert found.outcomes[k] == (HIT if margin > 0 else MISS)


def two(x: np.ndarray[Any, Any], q: Any, qb: Any, k: Any, kb: Any) -> np.ndarray[Any, Any]:
    return np.asarray((x @ q.T + qb) @ (x @ k.T + kb).T)


def normalized(x: Any, gain: Any, shift: Any, epsilon: float) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    return gain * centred / np.sqrt(centred.var(axis=1, keepdims=True) + epsilon) + shift


def bert_like(
    tensors: dict[str, Any], positions: Any, channel: str, prefix: str, names: Any
) -> Any:
    t = {name.removeprefix(prefix): np.float64(value) for name, value in tensors.items()}
    x = np.float64(positions)
    if channel == "norm":
        words = t["embeddings.word_embeddings.weight"].mean(axis=0)
        types = names[3] * t["embeddings.token_type_embeddings.weight"][0]
        gain, shift = t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"]
        x = normalized(x + words + types, gain, shift, 1e-12)

    def logits(name: str) -> Any:
        layer, head = map(int, name.split("."))
        part, keep = slice(4 * head, 4 * head + 4), channel != "table"
        q, k = (f"{names[0]}.{layer}.{name}" for name in names[1:3])
        return two(
            x, t[f"{q}.weight"][part], keep * t[f"{q}.bias"][part],
            t[f"{k}.weight"][part], keep * t[f"{k}.bias"][part],
        )  # fmt: skip

    return logits


BERT = ("encoder.layer", "attention.self.query", "attention.self.key", 1)
DISTIL = ("transformer.layer", "attention.q_lin", "attention.k_lin", 0)


@pytest.mark.parametrize("visibility", [None, "causal"])
@pytest.mark.parametrize("channel", ["table", "biases", "norm"])
def test_bert(tmp_path: Path, channel: Any, visibility: str | None) -> None:
    config, tensors = synthetic.bert()
    found = heads(synthetic.save(tmp_path, config, tensors), channel=channel, visibility=visibility)
    assert len(found.heads) == 4 and found.length == found.capacity == 12
    assert {head.visibility for head in found.heads} == {visibility or "full"}
    positions = tensors["embeddings.position_embeddings.weight"]
    agree(found, bert_like(tensors, positions, channel, "", BERT))


def test_roberta_skips_the_padding_rows(tmp_path: Path) -> None:
    config, tensors = synthetic.roberta()
    found = heads(synthetic.save(tmp_path, config, tensors))
    assert found.capacity == 12
    positions = tensors["roberta.embeddings.position_embeddings.weight"][2:]
    agree(found, bert_like(tensors, positions, "table", "roberta.", BERT))


@pytest.mark.parametrize("channel", ["biases", "norm"])
def test_distilbert(tmp_path: Path, channel: Any) -> None:
    config, tensors = synthetic.distilbert()
    found = heads(synthetic.save(tmp_path, config, tensors), channel=channel)
    positions = tensors["distilbert.embeddings.position_embeddings.weight"]
    agree(found, bert_like(tensors, positions, channel, "distilbert.", DISTIL))


@pytest.mark.parametrize("channel", ["table", "biases", "norm"])
def test_gpt2(tmp_path: Path, channel: Any) -> None:
    config, tensors = synthetic.gpt2()
    found = heads(synthetic.save(tmp_path, config, tensors), channel=channel)
    assert {head.visibility for head in found.heads} == {"causal"}
    t = {name.removeprefix("transformer."): np.float64(v) for name, v in tensors.items()}

    def logits(name: str) -> Any:
        layer, head = map(int, name.split("."))
        x = t["wpe.weight"]
        if channel == "norm":
            gain, shift = t[f"h.{layer}.ln_1.weight"], t[f"h.{layer}.ln_1.bias"]
            x = normalized(x + t["wte.weight"].mean(axis=0), gain, shift, 1e-5)
        both = x @ t[f"h.{layer}.attn.c_attn.weight"]
        both = both + (channel != "table") * t[f"h.{layer}.attn.c_attn.bias"]
        return both[:, 4 * head : 4 * head + 4] @ both[:, 8 + 4 * head : 12 + 4 * head].T

    agree(found, logits)


def test_t5(tmp_path: Path) -> None:
    config, tensors = synthetic.t5()
    found = heads(synthetic.save(tmp_path, config, tensors), length=20)
    assert {h.name for h in found.heads} == {
        f"{s}.all.{h}" for s in ("encoder", "decoder") for h in range(3)
    }
    assert found["encoder.all.0"].visibility == "full"
    assert found["decoder.all.0"].visibility == "causal" and found.capacity is None

    def logits(name: str) -> Any:
        stack, _, head = name.split(".")
        both = ",bidirectional=true" if stack == "encoder" else ""
        basis = encoding(f"t5:buckets=8,max_distance=16{both}")
        table = tensors[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        w = tuple(map(Fraction, table[:, int(head)].tolist()))
        return np.array([[value(logit(basis, w, i, j, 20)) for j in range(20)] for i in range(20)])

    agree(found, logits)


def test_bloom_attends_to_itself(tmp_path: Path) -> None:
    found = heads(synthetic.save(tmp_path, *synthetic.bloom()), length=9)
    assert [(h.name, h.task, h.share) for h in found.heads] == [
        (f"all.{h}", "self", 1) for h in range(3)
    ]
    low, high = found["all.0"].margin or (0, 0)
    assert low <= Fraction(1, 16) <= high  # the slope 2**(-8/2) of the first of two heads


def rope_logits(q: Any, k: Any, n: int) -> Any:
    """Rotate as Llama's code does: x cos + rotate_half(x) sin, theta_c = base**(-2c / width)."""
    width = len(q)
    theta = 10000.0 ** (-np.arange(0, width, 2) / width)
    angles = np.arange(n)[:, None] * np.concatenate([theta, theta])

    def rotate(x: Any) -> Any:
        half = np.concatenate([-x[width // 2 :], x[: width // 2]])
        return x * np.cos(angles) + half * np.sin(angles)

    return rotate(q) @ rotate(k).T


def test_rope_with_biases(tmp_path: Path) -> None:
    config, tensors = synthetic.qwen2()
    found = heads(synthetic.save(tmp_path, config, tensors), length=15)
    assert len(found.heads) == 8

    def logits(name: str) -> Any:
        layer, head = map(int, name.split("."))
        at = f"model.layers.{layer}.self_attn."
        q, k = (np.float64(tensors[f"{at}{p}.bias"]) for p in ("q_proj", "k_proj"))
        group = head // 2
        return rope_logits(q[4 * head : 4 * head + 4], k[4 * group : 4 * group + 4], 15)

    agree(found, logits)


@pytest.mark.parametrize("suffix", [".npy", ".json"])
def test_rope_with_content(tmp_path: Path, suffix: str) -> None:
    config, tensors = synthetic.qwen2(biased=False)
    folder = synthetic.save(tmp_path / "model", config, tensors)
    x = np.random.default_rng(4).integers(-3, 4, size=(3, 8)).astype(np.float64)
    content = tmp_path / f"x{suffix}"
    if suffix == ".npy":
        np.save(content, x)
    else:
        content.write_text(str(x.tolist()), "utf-8")
    found = heads(folder, content=content, length=15)

    def logits(name: str) -> Any:
        layer, head = map(int, name.split("."))
        at = f"model.layers.{layer}.self_attn."
        q, k = (
            np.float64(tensors[f"{at}{p}.weight"]) @ x.mean(axis=0) for p in ("q_proj", "k_proj")
        )
        group = head // 2
        return rope_logits(q[4 * head : 4 * head + 4], k[4 * group : 4 * group + 4], 15)

    agree(found, logits)


def test_pictures_have_the_logits_of_the_head(tmp_path: Path) -> None:
    for make, tensor in ((synthetic.bert, False), (synthetic.t5, True)):
        folder = synthetic.save(tmp_path / str(tensor), *make())
        asked = reading.question("table", "causal", 8, None, None, ())
        result, parts = reading.examine(folder, asked)
        for head in result.heads:
            table = reading.logits(head, parts[head.name])
            assert np.array_equal(np.isfinite(table), np.tri(8, dtype=bool))
            found = head.score.decisions
            hits = {int(i) for i in found.rows.rows[found.outcomes == HIT]}
            targets = dict(zip(found.rows.rows.tolist(), found.rows.targets.tolist(), strict=True))
            assert all(table[i].argmax() == targets[i] for i in hits)
