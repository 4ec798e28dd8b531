"""Certify the positional heads of a trained model: python examples/heads.py [CHECKPOINT]

Without a checkpoint it writes a small BERT first, whose two heads turn the sinusoids of the query
by one step and by two, and so attend one and two positions back.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from verify.checkpoints import heads

ROWS, PAIRS = 64, 4
THETA = 10.0 ** -np.arange(PAIRS)


def turned(steps: int) -> np.ndarray:
    """The matrix that takes (cos i theta, sin i theta) to position i - steps."""
    cos, sin = np.diag(np.cos(steps * THETA)), np.diag(np.sin(steps * THETA))
    return np.block([[cos, sin], [-sin, cos]])


def small_bert(folder: Path) -> Path:
    phases = np.arange(ROWS)[:, None] * THETA
    width = 2 * PAIRS  # of one head; both read the same half of the table
    zero, one = np.zeros((width, width)), np.eye(width)
    tensors = {
        "embeddings.position_embeddings.weight": np.hstack(
            [np.cos(phases), np.sin(phases), np.zeros((ROWS, width))]
        ),
        "encoder.layer.0.attention.self.query.weight": np.block(
            [[turned(1), zero], [turned(2), zero]]
        ),
        "encoder.layer.0.attention.self.key.weight": np.block([[one, zero], [one, zero]]),
        "encoder.layer.0.attention.self.query.bias": np.zeros(2 * width),
        "encoder.layer.0.attention.self.key.bias": np.zeros(2 * width),
    }
    save_file({k: v.astype(np.float32) for k, v in tensors.items()}, folder / "model.safetensors")
    config = {
        "model_type": "bert", "hidden_size": 2 * width, "num_attention_heads": 2,
        "num_hidden_layers": 1, "max_position_embeddings": ROWS,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else small_bert(Path(folder))
        found = heads(path, types=["float32", "float16"])
    print("left out:", "; ".join(found.left_out))
    for head in found.heads[:10]:
        low = None if head.margin is None else float(head.margin[0])
        print(f"{head.name}: {head.task}, {head.score.hits} of {head.score.scored} rows, "
              f"margin {low}")  # fmt: skip
        for check in head.types:
            print(f"  {check}")


if __name__ == "__main__":
    main()
