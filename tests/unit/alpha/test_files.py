"""Parameter files: read exactly, never unpickled, refused in one sentence."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verify.alpha import alpha
from verify.parameters import read
from verify.theory.encodings import encoding

ALIBI = encoding("alibi")


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64"])
def test_npy_is_exact(dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    np.save(path, np.array([3, -1], dtype=dtype))
    assert read(str(path), ALIBI).exact == (3, -1)


def test_npz_by_name_or_alone(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, anything=np.array([0.5, -1]))
    assert read(str(path), ALIBI).exact == (Fraction(1, 2), -1)
    np.savez(path, other=np.zeros(9), parameter=np.array([0.25, -1]))
    assert read(str(path), ALIBI).exact == (Fraction(1, 4), -1)
    np.savez(path, a=np.zeros(2), b=np.zeros(2))
    with pytest.raises(ValueError, match="holds the arrays a, b; call one of them parameter"):
        read(str(path), ALIBI)


def test_json_rationals_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text('["2/3", -0.1]', "utf-8")
    given = read(str(path), ALIBI)
    assert given.exact == (Fraction(2, 3), Fraction(-1, 10))
    path.write_text(json.dumps(given.spelled()), "utf-8")
    assert read(str(path), ALIBI).exact == given.exact
    result = alpha("alibi", "self", train_length=3, lengths=[9], rule=f"given:{path}")
    assert result[9].alpha == 1 and result.rule == f"given:{path}"


def malicious(path: Path) -> None:
    class Payload:
        def __reduce__(self) -> tuple[Any, ...]:
            return (path.with_suffix(".owned").write_text, ("x",))

    np.save(path, np.array([Payload()], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("w.npy", malicious, "holds Python objects, which are never unpickled"),
        ("w.npy", lambda p: p.write_bytes(b"junk"), "cannot be read|not in NumPy|unpickled"),
        ("w.npz", lambda p: p.write_bytes(b"PK\x03\x04junk"), "not in NumPy's format"),
        ("w.npy", lambda p: p.write_bytes(b""), "not in NumPy's format|cannot be read"),
        ("w.npy", lambda p: np.save(p, np.zeros(3)), r"the shape \(3,\); alibi takes \(2,\)"),
        ("w.npy", lambda p: np.save(p, np.array([np.nan, 1])), "contains NaN or infinity"),
        ("w.npy", lambda p: np.save(p, np.array(["1", "2"])), "entries of type"),
        ("w.json", lambda p: p.write_text("[1, NaN]"), "contains NaN"),
        ("w.json", lambda p: p.write_text("[[1, 2]]"), "every entry must be a finite number"),
        ("w.json", lambda p: p.write_text("5"), "must be numbers of the shape"),
        ("w.json", lambda p: p.write_text("[1, true"), "is not JSON"),
        ("w.json", lambda p: p.write_text('["1+", 2]'), "the parameter"),
        ("w.txt", lambda p: p.write_text("1 2"), "must end in .npy, .npz or .json"),
        ("w.npy", lambda p: None, "cannot be read"),
    ],
)
def test_wrong_files_get_one_sentence(name: str, write: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write(path)
    with pytest.raises(ValueError, match=message) as caught:
        read(str(path), ALIBI)
    assert "\n" not in str(caught.value)
    assert not path.with_suffix(".owned").exists()
