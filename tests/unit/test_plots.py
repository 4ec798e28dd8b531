"""Pictures: what they show is in their numbers and their words too."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest

import verify
from verify import plots
from verify.alpha import alpha
from verify.plots import Picture
from verify.taxonomy import taxonomy


def texts(picture: Picture) -> str:
    """The words that a reader of the picture sees."""
    return " ".join(ElementTree.fromstring(picture.svg()).itertext())


def parsed(picture: Picture) -> list[list[str]]:
    return list(csv.reader(io.StringIO(picture.csv())))


def test_a_pattern_marks_hits_misses_and_ties() -> None:
    found = alpha("clipped:length=8", "attend-first", train_length=8, lengths=[12])
    picture = plots.pattern(found, 12)
    outcomes = {int(row): outcome for row, _, outcome in parsed(picture)[1:]}
    # offsets from 7 on share one value
    assert outcomes == dict.fromkeys((8, 9, 10, 11), "tie") and found[12].ties == 4
    assert "tie 4" in texts(picture) and "4 ties" in picture.words
    rope = alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30])
    shown = parsed(plots.pattern(rope, 30))[1:]
    assert [o for *_, o in shown].count("hit") == 8 and [o for *_, o in shown].count("miss") == 2


def test_curves_set_published_values_beside_ours() -> None:
    found = alpha("rope:frequencies=16", "attend-first", train_length=20, lengths=[30, 40])
    picture = plots.curves([found], [{30: 0.80}])
    assert parsed(picture)[1][3:] == ["30", "4/5", "0.8000", "0.8"]
    assert parsed(picture)[2][3:] == ["40", "2/5", "0.4000", ""]
    assert "as published" in texts(picture)
    assert "as published" not in texts(plots.curves([found]))


def test_a_heat_map_says_its_numbers() -> None:
    table = taxonomy(["alibi", "onehot:length=9"], ["self"], train_length=8, lengths=[12])
    picture = plots.heat_map(table)
    assert parsed(picture) == [
        ["L", "encoding", "self"], ["12", "alibi", "1.00"], ["12", "onehot:length=9", "×"],
    ]  # fmt: skip
    assert "1.00" in texts(picture) and "×" in texts(picture)


def test_a_strip_tells_classes_by_hatching_and_counts() -> None:
    found = verify.transfer("rope:frequencies=1", "previous", train_length=9, length=20)
    picture = plots.classes(found)
    kinds = [kind for _, kind in parsed(picture)[1:]]
    assert kinds.count("forced") == 5 and kinds.count("free") == 6
    assert "forced 5" in texts(picture) and "free 6" in texts(picture)
    assert picture.svg().count("<pattern") >= 1


def test_a_campaign_over_time() -> None:
    picture = plots.over_time([(1.0, 100, 0, 2), (7200.0, 5000, 1, 9)])
    assert parsed(picture)[-1] == ["7200.0", "5000", "1", "9"]
    assert "counterexamples" in texts(picture)


def test_the_same_numbers_give_the_same_svg() -> None:
    rows = [(1.0, 100, 0, 2), (7200.0, 5000, 1, 9)]
    assert plots.over_time(rows).svg() == plots.over_time(rows).svg()


@pytest.mark.parametrize("encoding", ["alibi", "sinusoidal:frequencies=4", "learned:dim=6"])
def test_drawn_logits_choose_what_the_decisions_say(encoding: str) -> None:
    found = alpha(encoding, "attend-first", train_length=8, lengths=[14])
    decisions = found[14].decisions
    from verify.engines.floats.plain import logits

    best = logits(found.encoding, found.parameter.nearest, 14).argmax(axis=1)
    hits = best[decisions.rows.rows] == decisions.rows.targets
    assert list(hits) == list(decisions.float_hits)
