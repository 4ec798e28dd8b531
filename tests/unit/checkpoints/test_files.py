"""What is read, and what is refused with one sentence."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.unit.checkpoints import synthetic
from verify.checkpoints import heads
from verify.checkpoints.files import checkpoint, count

QUERY = "encoder.layer.0.attention.self.query.weight"
TABLE = "embeddings.position_embeddings.weight"


def outcomes(path: Path) -> list[tuple[str, str, str]]:
    return [(h.name, h.task, h.score.decisions.text()) for h in heads(path).heads]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return synthetic.save(tmp_path / "model", *synthetic.bert())


@pytest.mark.parametrize("inner", ["", "deep/model/"])
def test_folder_zip_and_file_are_alike(folder: Path, tmp_path: Path, inner: str) -> None:
    packed = tmp_path / "model.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pooling/config.json", "[]")  # some other part's
        for path in folder.iterdir():
            archive.write(path, inner + path.name)
    assert outcomes(packed) == outcomes(folder) == outcomes(folder / "model.safetensors")


def test_shards(folder: Path, tmp_path: Path) -> None:
    config, tensors = synthetic.bert()
    split = synthetic.save(tmp_path / "split", config, {})
    (split / "model.safetensors").unlink()
    names = sorted(tensors)
    weight_map = {}
    for k, part in enumerate((names[::2], names[1::2])):
        save_file({name: tensors[name] for name in part}, str(split / f"{k}.safetensors"))
        weight_map |= dict.fromkeys(part, f"{k}.safetensors")
    index = split / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}), "utf-8")
    assert outcomes(split) == outcomes(folder)
    index.write_text(json.dumps({"weight_map": {QUERY: "../0.safetensors"}}), "utf-8")
    with pytest.raises(ValueError, match="is missing"):
        heads(split)


@pytest.mark.parametrize("kind", [np.float16, np.float64, ml_dtypes.bfloat16])
def test_types_of_weights_are_exact(tmp_path: Path, kind: Any) -> None:
    config, tensors = synthetic.bert()
    rounded = {name: value.astype(kind) for name, value in tensors.items()}
    folder = synthetic.save(tmp_path, config, rounded)
    with checkpoint(folder) as source:
        found = source.tensor(TABLE, (12, 8))
    assert found.dtype == np.float64
    assert np.array_equal(found, rounded[TABLE].astype(np.float64))


Change = Callable[[dict[str, Any], dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c, t: t.pop(QUERY), f"the tensor {QUERY} is missing"),
        (lambda c, t: t.pop(TABLE), f"the tensor {TABLE} is missing"),
        (lambda c, t: c.update(hidden_size=16), r"has the shape \[12, 8\]; config.json asks for"),
        (lambda c, t: t[QUERY].__setitem__((0, 0), np.nan), f"{QUERY} contains NaN"),
        (lambda c, t: t[TABLE].__setitem__((0, 0), np.inf), f"{TABLE} contains NaN, infinity"),
        (lambda c, t: t.update({QUERY: np.ones((8, 8), dtype=np.int32)}), "is of type I32"),
        (lambda c, t: c.update(model_type="mamba"), "model_type = 'mamba'; supported are bert"),
        (lambda c, t: c.pop("model_type"), "model_type = 'None'; supported are"),
        (lambda c, t: c.pop("hidden_size"), "does not say hidden_size"),
        (lambda c, t: c.update(num_attention_heads=3), "the width 8 for 3 heads"),
        (
            lambda c, t: c.update(num_attention_heads="2"),
            "num_attention_heads = 2; give a positive",
        ),
        (
            lambda c, t: c.update(num_attention_heads=-2),
            "num_attention_heads = -2; give a positive",
        ),
        (lambda c, t: c.update(position_embedding_type="relative_key"), "supported is 'absolute'"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, change: Change, sentence: str) -> None:
    config, tensors = synthetic.bert()
    change(config, tensors)
    folder = synthetic.save(tmp_path, config, tensors)
    with pytest.raises(ValueError, match=sentence) as caught:
        heads(folder)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


class Trap:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("unpickled",))


def test_pickles_are_never_opened(folder: Path, tmp_path: Path) -> None:
    (folder / "model.safetensors").unlink()
    weights = folder / "pytorch_model.bin"
    weights.write_bytes(pickle.dumps(Trap()))
    packed = tmp_path / "weights.pt"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Trap()))
    for path in (folder, weights, packed):
        with pytest.raises(ValueError, match="a pickled checkpoint, which is never opened"):
            heads(path)


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_truncated_weights(folder: Path, keep: int) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"model.safetensors is truncated or no safetensors file"):
        heads(folder)


def test_other_files(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nowhere does not exist; supported is a folder or a zip"):
        heads("nowhere")
    text = tmp_path / "notes.txt"
    text.write_text("no model", "utf-8")
    with pytest.raises(ValueError, match=r"notes.txt is foreign; supported is a folder or a zip"):
        heads(text)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty holds no model.safetensors"):
        heads(tmp_path / "empty")
    config = folder / "config.json"
    for content, sentence in (("{", "config.json is not JSON"), ("[]", "must be an object")):
        config.write_text(content, "utf-8")
        with pytest.raises(ValueError, match=sentence):
            heads(folder)
    config.unlink()
    with pytest.raises(ValueError, match=r"has no config.json"):
        heads(folder)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_zip(folder: Path, tmp_path: Path, method: int) -> None:
    packed = tmp_path / "model.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    data = bytearray(packed.read_bytes())
    middle = data.index(b"model.safetensors") + 600
    data[middle : middle + 4] = b"xxxx"  # inside the weights
    packed.write_bytes(data)
    with pytest.raises(ValueError, match=r"model.zip is a damaged zip"):
        heads(packed)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"channel": "all"}, "channel must be one of table, biases, norm, not 'all'"),
        ({"visibility": "both"}, "visibility must be 'causal' or 'full', not 'both'"),
        ({"length": 13}, "length must be from 2 to 12, not 13; the position table has 12 rows"),
        ({"length": 1}, "length must be from 2 to 12, not 1"),
        ({"only": ["9.9"]}, "has no head 9.9"),
        ({"types": ["float8"]}, "unknown float type 'float8'"),
        ({"content": "x.npy"}, "content vectors go with RoPE models only"),
        ({"train_length": 12}, "train must be from 2 to 11, not 12"),
    ],
)
def test_arguments(folder: Path, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        heads(folder, **arguments)


def test_rope_needs_something_to_rotate(tmp_path: Path) -> None:
    config, tensors = synthetic.qwen2(biased=False)
    folder = synthetic.save(tmp_path / "model", config, tensors)
    with pytest.raises(ValueError, match="no query and key biases, so its channel needs content"):
        heads(folder)
    cases = {
        "a.npy": (np.ones((2, 7)), r"has the shape \[2, 7\]; give vectors of 8 numbers"),
        "b.npy": (np.full((2, 8), np.nan), "contains NaN"),
        "c.npy": (np.array([Trap()], dtype=object), "cannot be read: it is not an array"),
    }
    for name, (array, sentence) in cases.items():
        np.save(tmp_path / name, array, allow_pickle=True)
        with pytest.raises(ValueError, match=sentence):
            heads(folder, content=tmp_path / name)
    with pytest.raises(ValueError, match=r"must end in .npy or .json"):
        heads(folder, content=tmp_path / "d.txt")
    for extra in ({"rope_scaling": {"type": "linear", "factor": 2.0}}, {"rope_theta": "big"}):
        synthetic.save(tmp_path / "model", {**config, **extra}, tensors)
        np.save(tmp_path / "x.npy", np.ones(8))
        with pytest.raises(ValueError, match=r"config.json (scales|has rope_theta)"):
            heads(folder, content=tmp_path / "x.npy")


@pytest.mark.parametrize("index", [None, "1", -1, 12, 14])
def test_the_padding_index_of_roberta(tmp_path: Path, index: Any) -> None:
    config, tensors = synthetic.roberta()
    folder = synthetic.save(tmp_path, {**config, "pad_token_id": index}, tensors)
    with pytest.raises(ValueError, match=r"pad_token_id = .* for a table of 14 rows"):
        heads(folder)


def test_counts_have_defaults(folder: Path) -> None:
    with checkpoint(folder) as source:
        assert count(source, "nothing", "hidden_size") == 8
        assert count(source, "nothing", default=3) == 3


def test_kernels_have_no_table_to_carry(tmp_path: Path) -> None:
    folder = synthetic.save(tmp_path, *synthetic.t5())
    with pytest.raises(ValueError, match="t5 has a kernel of the offset"):
        heads(folder, train_length=4)
    with pytest.raises(ValueError, match="'norm' goes with learned-absolute tables only"):
        heads(folder, channel="norm")
