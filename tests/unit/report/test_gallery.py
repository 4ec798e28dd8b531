"""The pictures of the report: what they are said to show is in their numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from proofs.published import CLAIMS
from verify.gallery import pictures
from verify.plots import Picture
from verify.report.figures import gallery
from verify.taxonomy import taxonomy


@pytest.fixture(scope="module")
def shown() -> list[Picture]:
    return pictures(CLAIMS)


def titled(shown: list[Picture], start: str) -> list[Picture]:
    found = [picture for picture in shown if picture.title.startswith(start)]
    assert found
    return found


def test_curves_have_every_published_value_beside_the_count(shown: list[Picture]) -> None:
    (curves,) = titled(shown, "Alpha against")
    beside = [dict(zip(curves.header, row, strict=True)) for row in curves.rows]
    for name in ("rope-attend-first", "sinusoidal-previous"):
        claim = CLAIMS[name]
        spec = claim["encoding"]
        rows = [r for r in beside if r["encoding"].startswith(spec) and r["task"] == claim["task"]]
        printed = [float(x) for x in claim["published"].split(",")]
        assert [float(r["published"]) for r in rows] == printed
        assert {int(r["L"]) for r in rows} == {int(n) for n in claim["hits"]}
        for row, value in zip(rows, printed, strict=True):
            assert float(row["as a decimal"]) == pytest.approx(value, abs=0.005)


def test_the_heat_map_is_the_taxonomy(shown: list[Picture]) -> None:
    (table,) = titled(shown, "Encodings and tasks")
    document = taxonomy(["rope:frequencies=16"], ["attend-first"], lengths=[60]).to_json()
    (cell,) = document["cells"]
    assert cell["lengths"][0]["alpha"] == "1/5"
    (row,) = [r for r in table.rows if r[1] == cell["encoding"]]
    assert row[table.header.index("attend-first")] == "0.20"
    assert len(table.rows) == 8 and len(table.header) == 7


def test_patterns_show_hits_misses_and_ties(shown: list[Picture]) -> None:
    outcomes = Counter(row[2] for p in titled(shown, "Rows by keys") for row in p.rows)
    assert set(outcomes) == {"hit", "miss", "tie"}


def test_strips_show_every_class(shown: list[Picture]) -> None:
    kinds = Counter(row[1] for p in titled(shown, "Classes of new rows") for row in p.rows)
    assert set(kinds) == {"forced", "free", "impossible"}


def test_titles_differ_and_the_section_is_small(shown: list[Picture]) -> None:
    assert len({picture.title for picture in shown}) == len(shown)
    assert len(gallery(shown)) < 500_000
