"""Contexts of a million positions and more, limits of formats, and what is compared with what."""

from __future__ import annotations

import pytest

from verify.audit import audit


def test_the_first_failure_between_sampled_positions():
    result = audit("awkward:late_features", "rope:dim=16", length=1_000_000)
    assert result.of("value")[0].position == 700_001
    assert result.of("value")[0].stage is None  # no narrow type explains it


def test_float32_beyond_its_integers_is_a_limit():
    result = audit("awkward:float32_features", "rope:dim=16", length=(1 << 24) + 100)
    assert result.clean
    limits = [note.message for note in result.notes if note.kind == "limit"]
    assert any("positions 16777216 and 16777217 share their features" in text for text in limits)


def test_a_long_mask_is_compared_in_part_and_this_is_said():
    result = audit("awkward:open_mask", length=1100)
    assert result.of("leak")
    assert [note.message for note in result.notes if note.name == "length"] == [
        "masks are audited at length 1024, not 1100"
    ]


def test_columns_of_alibi_and_of_buckets_are_features_too():
    assert audit("awkward:affine_features", "alibi", length=64).clean
    finding = audit("awkward:affine_features", "t5:buckets=2", length=64).findings[0]
    assert finding.kind == "value"


def test_a_specification_that_says_nothing_of_the_callable():
    with pytest.raises(ValueError, match="slopes are compared with alibi"):
        audit("alibi_slopes:slopes", "rope:dim=4")
    result = audit("awkward:Mixed", "affine", length=32)
    assert result.clean
    assert [note.name for note in result.notes] == ["not compared"]
    assert "slopes::value" not in result.examined


def test_declared_models_decide():
    subject, spec = "inv_freq_buffer_bf16:features", "rope:dim=128,base=500000"
    assert audit(subject, spec, length=600).of("value")
    assert audit(subject, spec, length=600, model="bfloat16 frequency").findings == ()
    assert audit(subject, spec, length=600, model="float32 phase, then cast").of("value")
