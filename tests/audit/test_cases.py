"""Sixteen faults of real numeric code in small.

Each is found under its kind, at its first position, and its right twin stays clean.
"""

from __future__ import annotations

import pytest

from verify.audit import audit
from verify.audit.findings import Audit, Finding

pytest.importorskip("ml_dtypes")


def one(result: Audit, kind: str) -> Finding:
    (finding,) = result.of(kind)
    return finding


def notes(result: Audit, kind: str) -> list[str]:
    return [note.message for note in result.notes if note.kind == kind]


def kinds(result: Audit) -> set[str]:
    return {finding.kind for finding in result.findings}


ROPE = "rope:dim=16"
LONG = "rope:dim=128,base=500000"
DYNAMIC = "rope:dim=4,scaling=dynamic,factor=2,original=2048"

CLEAN = [
    ("rope_bf16_position_ids:right_features", ROPE, {"length": 512}),
    ("inv_freq_buffer_bf16:right_kernel", LONG, {"length": 300}),
    ("alibi_bias_bf16:right_bias", "alibi:heads=8,head=3", {"length": 600}),
    ("alibi_slopes:slopes", "alibi:heads=8", {}),
    ("alibi_slopes:slopes", "alibi:heads=16", {}),
    ("alibi_slopes:right_slopes", "alibi", {}),
    ("alibi_row_constant:one_row_bias", "alibi:heads=8,head=0", {"length": 64}),
    ("alibi_row_constant:shifted_bias", "alibi:heads=8,head=0", {"length": 64}),
    ("sinusoid_odd_dimension:right_features", "sinusoidal:dim=5", {"length": 6}),
    ("rope_mixed_layout:right_rotate", None, {"length": 8}),
    ("decode_offset_jump:right_positions", ROPE, {}),
    ("learned_table_clamped:strict_features", "onehot:length=16", {"length": 32}),
    ("t5_bucket_no_clamp:right_buckets", "t5:buckets=16,max_distance=128", {"length": 400}),
    ("dynamic_ntk_static_factor:right_parameters", DYNAMIC, {"length": 4096}),
    ("fully_masked_row:Right", None, {"length": 3}),
    ("finite_mask_leak:Safe", None, {"length": 3}),
    ("logits_rounded_to_bf16:Exact", "reference:logits_rounded_to_bf16:Exact",
     {"visibility": "full"}),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "spec", "options"), CLEAN, ids=[row[0] for row in CLEAN])
def test_right_code_has_no_findings(subject, spec, options):
    assert audit(subject, spec, **options).findings == ()


def test_position_ids_in_bfloat16():
    result = audit("rope_bf16_position_ids:features", ROPE, length=512)
    collision, tie = one(result, "collision"), one(result, "tie")
    assert collision.position == 256
    assert collision.details["first_class"] == [256, 257]
    assert collision.details["classes"] == 64
    assert collision.stage == "position id in bfloat16"
    assert (tie.position, tie.unit, tie.count) == (257, "row", 127)
    assert tie.details["rows"][:4] == [257, 260, 261, 264]
    assert (tie.exact, tie.observed) == ("257", "tie of 256 and 257")
    assert one(result, "value").position == 257  # 256 is a bfloat16 number itself


def test_frequency_buffer_in_bfloat16_as_a_calibrated_kernel():
    result = audit("inv_freq_buffer_bf16:kernel", LONG, length=1200)
    flip = one(result, "flip")
    assert kinds(result) == {"flip"}
    assert (flip.position, flip.unit, flip.exact, flip.observed) == (1065, "offset", "1065", "1064")
    assert flip.stage == "frequency in bfloat16"


def test_frequency_buffer_in_bfloat16_as_features():
    result = audit("inv_freq_buffer_bf16:features", LONG, length=1200)
    flip = one(result, "flip")
    assert (flip.position, flip.exact, flip.observed) == (1065, "1065", "1064")
    assert one(result, "value").stage == "frequency in bfloat16"
    assert "collision" not in kinds(result)


def test_alibi_bias_in_bfloat16():
    result = audit("alibi_bias_bf16:bias", "alibi:heads=8,head=3", length=600)
    collision, tie = one(result, "collision"), one(result, "tie")
    assert (collision.position, collision.unit) == (256, "distance")
    assert collision.details["pair"] == [256, 257]
    assert (tie.position, tie.details["task"]) == (257, "farthest key (slope negated)")
    assert (tie.count, tie.margin, tie.stage) == (193, 0.5, "bias in bfloat16")
    assert kinds(result) == {"collision", "tie"}  # the nearest key still wins every row


def test_alibi_bias_in_bfloat16_is_a_limit_where_that_is_declared():
    result = audit(
        "alibi_bias_bf16:bias", "alibi:heads=8,head=3", length=600, model="bfloat16 bias"
    )
    assert "collision" not in kinds(result)
    assert any("cannot resolve" in text for text in notes(result, "limit"))


def test_alibi_slopes_of_twelve_heads():
    finding = one(audit("alibi_slopes:slopes", "alibi:heads=12"), "value")
    assert (finding.position, finding.unit, finding.count) == (0, "head", 12)
    assert finding.exact == "1/2"
    assert "geometric" in finding.message


def test_alibi_slopes_of_all_head_counts():
    finding = one(audit("alibi_slopes:slopes", "alibi"), "value")
    assert (finding.position, finding.unit) == (3, "head count")
    right = {1, 2, 4, 8, 16, 32, 64, 128}
    assert set(finding.details["head_counts"]) == set(range(1, 129)) - right


@pytest.mark.parametrize("name", ["one_row_bias", "shifted_bias"])
def test_row_constants_are_named_and_not_reported(name):
    result = audit(f"alibi_row_constant:{name}", "alibi:heads=8,head=0", length=64)
    assert result.clean
    assert any("constant in each row" in text for text in notes(result, "equivalence"))


def test_sinusoid_of_odd_dimension():
    finding = one(audit("sinusoid_odd_dimension:features", "sinusoidal:dim=5", length=6), "error")
    assert "ValueError: could not broadcast" in finding.observed


def test_sinusoid_of_odd_dimension_truncated_silently():
    result = audit("sinusoid_odd_dimension:silent_features", "sinusoidal:dim=5", length=6)
    finding = one(result, "shape")
    assert (finding.exact, finding.observed) == ("(6, 5)", "(6, 4)")


def test_mixed_rotation_layouts():
    finding = one(audit("rope_mixed_layout:rotate", length=8), "not-relative")
    assert finding.position == 1
    assert "norm" in finding.message
    assert "7 different values for 7 rows" in finding.message
    assert "interleaved" in finding.details["pairing"]


def test_decoding_offset():
    result = audit("decode_offset_jump:positions", ROPE, prompts=[6])
    cache, flip = one(result, "cache"), one(result, "flip")
    assert (cache.position, cache.exact, cache.observed) == (6, "6", "12")
    assert cache.details["ids"][6:] == [12, 13, 14, 15]
    assert flip.details["rows"] == [[6, [6], 5]]


def test_clamped_table():
    result = audit("learned_table_clamped:features", "onehot:length=16", length=32)
    collision = one(result, "collision")
    assert (collision.position, collision.details["largest_class"]) == (15, 17)
    assert one(result, "clamped").position == 16
    assert (one(result, "tie").position, one(result, "tie").count) == (16, 16)


def test_buckets_without_clamp():
    result = audit("t5_bucket_no_clamp:buckets", "t5:buckets=16,max_distance=128", length=400)
    finding = one(result, "value")
    assert (finding.position, finding.exact, finding.observed) == (128, "15", "16")
    assert finding.details["out_of_range"]


def test_static_factor():
    result = audit("dynamic_ntk_static_factor:parameters", DYNAMIC, length=4096)
    finding = one(result, "value")
    assert finding.position == 1  # every length but 4096 is wrong
    assert (finding.exact, finding.observed) == ("10000", "90000")


def test_static_factor_at_given_lengths():
    lengths = [100, 2048, 3072]
    result = audit("dynamic_ntk_static_factor:parameters", DYNAMIC, length=4096, positions=lengths)
    finding = one(result, "value")
    assert finding.details["table"] == [
        [100, "10000", "90000"], [2048, "10000", "90000"], [3072, "40000", "90000"],
    ]  # fmt: skip


def test_equal_channels_are_no_collision():
    length, window = 262144 + 512, range(262144, 262144 + 512)
    spec = "rope:dim=64,base=10000000"
    result = audit("fp16_equal_channels:features", spec, length=length, positions=window)
    assert result.clean
    assert any("26 of 64 channels at 262144" in text for text in notes(result, "channels"))


@pytest.mark.parametrize(
    ("name", "convention"), [("LastWins", "last wins"), ("FirstWins", "first wins")]
)
def test_ties_under_either_argmax(name, convention):
    result = audit(f"argmax_last_wins:{name}", visibility="full", targets=[1, 1, 0])
    tie = one(result, "tie")
    assert (tie.position, tie.count, tie.details["rows"]) == (1, 2, [1, 2])
    assert "first-wins returns 1, last-wins 2" in tie.message
    assert kinds(result) == {"tie"}
    assert any(convention in text for text in notes(result, "convention"))


def test_empty_row():
    result = audit("fully_masked_row:Masked", length=3)
    finding = one(result, "empty-row")
    assert (finding.position, finding.count) == (1, 1)
    assert kinds(result) == {"empty-row"}


def test_leaking_mask_constant():
    finding = one(audit("finite_mask_leak:Leaky", length=3), "leak")
    assert (finding.position, finding.exact, finding.observed) == (0, "0", "2")
    assert finding.details["needed_above"] == "11"


def test_rounded_logits():
    spec = "reference:logits_rounded_to_bf16:Exact"
    result = audit("logits_rounded_to_bf16:logits", spec, visibility="full")
    tie, flip = one(result, "tie"), one(result, "flip")
    assert (tie.position, tie.exact, tie.observed, tie.margin) == (0, "1", "0, 1", 0.25)
    assert (flip.position, flip.exact, flip.observed) == (1, "2", "1")
    assert flip.stage == "logits in bfloat16"
