"""Caches, casts, decoding, padding, masks that were added twice."""

from __future__ import annotations

import pytest

from verify.audit import audit, report
from verify.audit.findings import Audit


def kinds(result: Audit) -> set[str]:
    return {finding.kind for finding in result.findings}


def test_a_cache_keyed_by_too_little():
    (finding,) = audit("awkward:Grown", None, length=200).of("stateful")
    assert finding.details["after"] == "a longer call"
    assert (finding.position, finding.exact, finding.observed) == (1, "7.5", "15.0")


def test_one_position_at_a_time():
    (finding,) = audit("awkward:Stepwise", "affine", length=32).findings
    assert (finding.kind, finding.position) == ("cache", 1)
    assert (finding.exact, finding.observed) == ("1.0", "0.0")


def test_a_cast_narrows_a_buffer():
    pytest.importorskip("ml_dtypes")
    assert audit("awkward:Module", "rope:dim=16", length=512).clean
    result = audit("awkward:Module", "rope:dim=16", length=512, cast="bfloat16")
    assert kinds(result) == {"stateful"}
    finding = result.findings[0]
    assert finding.details["kind"] == "value"
    assert finding.stage == "frequency in bfloat16"


def test_a_subject_that_cannot_be_cast():
    (finding,) = audit("awkward:affine_features", "affine", length=8, cast="float16").findings
    assert (finding.kind, finding.subject) == ("error", "cast")


def test_left_padding_moves_positions():
    (finding,) = audit("awkward:padded_positions", length=16).findings
    assert (finding.kind, finding.position, finding.exact, finding.observed) == (
        "padding", 0, "0", "3",
    )  # fmt: skip
    assert audit("awkward:right_padded_positions", length=16).clean


def test_a_mask_added_twice_overflows():
    result = audit("awkward:twice_mask", length=8)
    (leak,) = result.of("leak")
    assert "added twice" in leak.message
    assert leak.observed == "-inf"
    assert leak.position == 0


def test_a_mask_that_admits_the_next_key():
    (finding,) = audit("awkward:open_mask", length=8).findings
    assert (finding.kind, finding.position, finding.details["key"]) == ("leak", 0, 1)


def test_a_mask_whose_true_hides_is_a_convention():
    result = audit("awkward:inverted_mask", length=8)
    assert result.clean
    assert [note.name for note in result.notes] == ["True hides"]


def test_a_mask_that_hides_too_much_under_padding():
    result = audit("awkward:padding_mask", length=8)
    (padding,) = result.of("padding")
    assert padding.position == 3
    assert result.of("empty-row")[0].count == 6


def test_an_argmax_that_ignores_the_mask():
    (finding,) = audit("awkward:loose_decide", length=16).findings
    assert (finding.kind, finding.position) == ("leak", 0)
    result = audit("awkward:right_decide", length=16)
    assert result.clean
    names = [note.name for note in result.notes]
    assert names == ["first wins", "empty row answered"]


@pytest.mark.parametrize(
    ("name", "stage"),
    [("Staged", "phase"), ("StagedFrequencies", "frequency"), ("StagedPositions", "position id")],
)
def test_stages_that_are_shown_are_replayed(name, stage):
    result = audit(f"awkward:{name}", "rope:dim=16", length=4096)
    assert result.of("value")[0].stage == f"{stage} in float64"
    shown = [note.message for note in result.notes if note.kind == "stage"]
    assert [("lost here" in text) for text in shown].count(True) == 1
    assert next(text for text in shown if "lost here" in text).startswith(
        f"stage {stage.split()[0]}"
    )


def test_stages_of_sound_code():
    result = audit("awkward:StagedRight", "rope:dim=16", length=512)
    assert result.clean
    assert len([note for note in result.notes if note.kind == "stage"]) == 3


def test_features_that_change_with_the_length():
    (finding,) = audit("awkward:stretched_features", "affine", length=32).of("stateful")
    assert "a change of the length alone" in finding.message
    assert finding.position == 1


def test_a_bias_that_changes_with_the_length():
    finding = audit("awkward:scaled_bias", "alibi:heads=8,head=0", length=64).of("stateful")[0]
    assert "a change of the length alone" in finding.message


def test_an_argmax_that_answers_no_winner_of_a_tie():
    (finding,) = audit("awkward:second_best_decide", length=16).findings
    assert finding.kind == "flip"
    assert "not among the winners" in finding.message


def test_a_calibrated_kernel_that_ties():
    (finding,) = audit("awkward:flat_kernel", "rope:dim=16", length=64).findings
    assert (finding.kind, finding.position, finding.count) == ("tie", 40, 2)
    assert finding.observed == "40, 41"


def test_rounding_of_a_bias_by_key_is_no_dependence_on_the_length():
    spec = "alibi:heads=12,head=8"
    result = audit("awkward:by_key_bias", spec, length=512)
    assert result.clean, report.summary(result)
    assert [note.name for note in result.notes] == ["row-constant shift"]
