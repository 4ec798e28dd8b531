"""Small checkpoints of every supported layout, with random or chosen weights, written as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

Tensors = dict[str, np.ndarray[Any, Any]]


def normal(generator: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return generator.normal(size=shape).astype(np.float32)


def save(folder: Path, config: Mapping[str, Any], tensors: Tensors) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    plain = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    save_file(plain, str(folder / "model.safetensors"))
    return folder


def bert(
    n: int = 12, d: int = 8, heads: int = 2, layers: int = 2
) -> tuple[dict[str, Any], Tensors]:
    g = np.random.default_rng(0)
    config = {
        "model_type": "bert", "hidden_size": d, "num_attention_heads": heads,
        "num_hidden_layers": layers, "max_position_embeddings": n, "vocab_size": 5,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    tensors = {
        "embeddings.position_embeddings.weight": normal(g, n, d),
        "embeddings.word_embeddings.weight": normal(g, 5, d),
        "embeddings.token_type_embeddings.weight": normal(g, 2, d),
        "embeddings.LayerNorm.weight": normal(g, d),
        "embeddings.LayerNorm.bias": normal(g, d),
    }
    for layer in range(layers):
        for name in ("query", "key"):
            at = f"encoder.layer.{layer}.attention.self.{name}"
            tensors[f"{at}.weight"], tensors[f"{at}.bias"] = normal(g, d, d), normal(g, d)
    return config, tensors


def roberta() -> tuple[dict[str, Any], Tensors]:
    config, tensors = bert(n=14)
    renamed = {f"roberta.{name}": value for name, value in tensors.items()}
    return {**config, "model_type": "roberta", "pad_token_id": 1}, renamed


def distilbert() -> tuple[dict[str, Any], Tensors]:
    config, tensors = bert()
    names = {"encoder": "transformer", "attention.self.query": "attention.q_lin",
             "attention.self.key": "attention.k_lin"}  # fmt: skip
    renamed = {}
    for name, value in tensors.items():
        for old, new in names.items():
            name = name.replace(old, new)  # noqa: PLW2901
        renamed[f"distilbert.{name}"] = value
    made = {"model_type": "distilbert", "dim": 8, "n_heads": 2, "n_layers": 2}
    return {**made, "max_position_embeddings": config["max_position_embeddings"]}, renamed


def gpt2() -> tuple[dict[str, Any], Tensors]:
    g = np.random.default_rng(1)
    n, d, layers = 10, 8, 2
    config = {"model_type": "gpt2", "n_embd": d, "n_head": 2, "n_layer": layers, "n_positions": n}
    tensors = {"transformer.wpe.weight": normal(g, n, d), "transformer.wte.weight": normal(g, 5, d)}
    for layer in range(layers):
        at = f"transformer.h.{layer}"
        tensors[f"{at}.attn.c_attn.weight"] = normal(g, d, 3 * d)
        tensors[f"{at}.attn.c_attn.bias"] = normal(g, 3 * d)
        tensors[f"{at}.ln_1.weight"], tensors[f"{at}.ln_1.bias"] = normal(g, d), normal(g, d)
    return config, tensors


def t5() -> tuple[dict[str, Any], Tensors]:
    g = np.random.default_rng(2)
    config = {"model_type": "t5", "num_heads": 3, "relative_attention_num_buckets": 8,
              "relative_attention_max_distance": 16}  # fmt: skip
    name = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    tensors = {f"{stack}.{name}": normal(g, 8, 3) for stack in ("encoder", "decoder")}
    return config, tensors


def bloom() -> tuple[dict[str, Any], Tensors]:
    return {"model_type": "bloom", "n_head": 3}, {"word_embeddings.weight": np.zeros((2, 2))}


def qwen2(biased: bool = True) -> tuple[dict[str, Any], Tensors]:
    g = np.random.default_rng(3)
    d, heads, groups, width, layers = 8, 4, 2, 4, 2
    config = {
        "model_type": "qwen2" if biased else "llama", "hidden_size": d,
        "num_attention_heads": heads, "num_key_value_heads": groups, "head_dim": width,
        "num_hidden_layers": layers, "rope_theta": 10000.0,
    }  # fmt: skip
    tensors = {}
    for layer in range(layers):
        for name, count in (("q_proj", heads), ("k_proj", groups)):
            at = f"model.layers.{layer}.self_attn.{name}"
            tensors[f"{at}.weight"] = normal(g, count * width, d)
            if biased:
                tensors[f"{at}.bias"] = normal(g, count * width)
    return config, tensors
