"""Whatever a subject does is a finding; whatever the user does wrong is one sentence."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from verify.audit import audit
from verify.audit.kinds import recognise
from verify.audit.subjects import Session, subject
from verify.audit.values import NotNumbers, to_values

AFFINE = "affine"


def only(name, **options):
    (finding,) = audit(f"awkward:{name}", AFFINE, length=16, **options).findings
    return finding


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (
            "raise_features",
            "error",
            "RuntimeError: no table for these positions (in raise_features",
        ),
        ("exit_features", "error", "SystemExit: 0"),
        ("die_features", "error", "ended by itself with exit code 3"),
        ("abort_features", "error", "SIGABRT"),
        ("complex_features", "shape", "complex numbers (complex128)"),
        ("none_features", "shape", "NoneType"),
        ("ragged_features", "shape", "one length"),
        ("flat_features", "shape", "(17, 4); (16, d) is right"),
    ],
)
def test_misbehaviour_is_a_finding(name, kind, words):
    finding = only(name)
    assert finding.kind == kind
    assert words in finding.message


def test_a_hanging_subject_is_ended():
    began = time.monotonic()
    finding = only("hang_features", seconds=1.0)
    assert finding.kind == "error"
    assert "no answer within 1 s" in finding.message
    assert time.monotonic() - began < 30


def test_nan_from_the_first_position_on():
    result = audit("awkward:nan_features", length=16)
    (finding,) = result.of("nonfinite")
    assert (finding.position, finding.count, finding.observed) == (5, 11, "nan")


def test_objects_in_memory_run_in_a_copy_of_the_process():
    calls = []

    def features(positions):
        calls.append(len(positions))
        return [[Fraction(1), Fraction(int(p))] for p in positions]

    assert audit(features, AFFINE, length=8).clean
    assert calls == []


@pytest.mark.parametrize("name", ["array_protocol_features", "dlpack_features"])
def test_any_array_protocol(name):
    assert audit(f"awkward:{name}", AFFINE, length=16).clean


def test_a_dtype_is_handed_to_those_who_take_one():
    pytest.importorskip("ml_dtypes")
    assert audit("awkward:Half", AFFINE, length=256, dtype="bfloat16").clean
    finding = audit("awkward:Half", AFFINE, length=300, dtype="bfloat16").of("collision")[0]
    assert finding.position == 256


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "no_such_module:f"}, "there is no module 'no_such_module'"),
        ({"target": "awkward:nothing"}, "'awkward' has no attribute 'nothing'"),
        ({"target": "awkward"}, "is not of the form MODULE:NAME"),
        ({"target": "awkward:STARTED"}, "is of no known kind"),
        ({"target": "awkward:cumulative", "kind": "tables"}, "kind 'tables' is not one of"),
        ({"target": "awkward:affine_features", "spec": "affin"}, "did you mean 'affine'?"),
        ({"target": "awkward:affine_features", "length": 0}, "length must be from 1 to"),
        ({"target": "awkward:affine_features", "length": 10**30}, "length must be from 1 to"),
        ({"target": "awkward:affine_features", "dtype": "float7"}, "dtype 'float7' is not one of"),
        ({"target": "awkward:affine_features", "model": "some words"}, "is not understood"),
        ({"target": "awkward:affine_features", "positions": [99], "length": 9}, "0..8"),
        ({"target": "awkward:affine_features", "spec": "reference:x"}, "MODULE:NAME"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words):
    with pytest.raises(ValueError, match=r".") as caught:
        audit(**arguments)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_module_that_cannot_be_imported_is_a_finding(tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("raise OSError('no device')")
    (tmp_path / "needs_more.py").write_text("import not_installed_anywhere")
    monkeypatch.syspath_prepend(str(tmp_path))
    (finding,) = audit("broken_module:f").findings
    assert (finding.kind, finding.subject) == ("error", "import")
    assert "OSError: no device" in finding.message
    (finding,) = audit("needs_more:f").findings
    assert "ModuleNotFoundError" in finding.message


def test_recognition_by_name_by_parameters_and_by_attributes():
    class Several:
        def features(self, positions): ...
        def slopes(self, heads): ...

    assert set(recognise(Several, "s")) == {"features", "slopes"}
    assert set(recognise(lambda offsets: None, "s", "buckets")) == {"buckets"}
    assert set(recognise(lambda x, positions: None, "s")) == {"rotate"}

    def alibi_slopes(n): ...

    assert set(recognise(alibi_slopes, "s")) == {"slopes"}
    with pytest.raises(ValueError, match="kernel, buckets; say which with --kind"):
        recognise(lambda offsets: None, "s")


def test_the_process_survives_an_exception_and_is_replaced_after_a_hang():
    with Session(subject("awkward:hang_features"), 0.5) as session:
        assert session.call("features", np.arange(2)).status == "timeout"
        assert session.call("features", np.arange(2)).status == "timeout"
    with Session(subject("awkward:hang_once_features"), 2.0) as session:
        assert session.call("features", np.arange(2)).status == "timeout"
        assert session.call("features", np.arange(3)).status == "value"
    with Session(subject("awkward:raise_features"), 5.0) as session:
        for _ in range(2):
            assert session.call("features", np.arange(2)).status == "error"


@pytest.mark.parametrize(
    ("data", "kind", "expected"),
    [
        ([1, 2], "int64", [1, 2]),
        ([True, False], "bool", [True, False]),
        ([0.5, 1], "float64", [0.5, 1.0]),
        ([Fraction(1, 3), 1], "exact", [Fraction(1, 3), 1]),
        ([1 << 70], "exact", [1 << 70]),
        (np.array([1.5], np.float16), "float16", [1.5]),
        (np.array([1 << 63], np.uint64), "exact", [1 << 63]),
    ],
)
def test_values_are_read_without_loss(data, kind, expected):
    values = to_values(data)
    assert values.kind == kind
    assert values.array.tolist() == expected


@pytest.mark.parametrize("data", ["abc", [1, None], {"a": 1}, [1j], object()])
def test_what_is_no_number_is_refused(data):
    with pytest.raises(NotNumbers):
        to_values(data)


def test_the_auditor_imports_neither_torch_nor_jax():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from verify.audit import audit\n"
        "assert audit('awkward:affine_features', 'affine', length=4).clean\n"
        "print(sorted({'torch', 'jax', 'mlx', 'hypothesis'} & set(sys.modules)))"
    )
    cases = next(p for p in sys.path if p.endswith("cases"))
    done = subprocess.run(
        [sys.executable, "-c", code, cases], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
