"""The table: the duality of the papers, undefined cells, CSV, JSON, pictures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from verify import plots
from verify.alpha import alpha
from verify.report.json_report import schema
from verify.taxonomy import TASKS, Taxonomy, encodings, taxonomy

ROWS = ["clamped:length=20", "clipped:length=20", "alibi", "onehot:length=20"]
COLUMNS = ["previous", "attend-first"]


@pytest.fixture(scope="module")
def table() -> Taxonomy:
    return taxonomy(ROWS, COLUMNS, lengths=[40, 60])


def test_duality(table: Taxonomy) -> None:
    values = {(e, t): table.cell(e, t).value(60) for e in table.encodings for t in table.tasks}
    assert (
        values["clamped:length=20", "attend-first"] == values["clipped:length=20", "previous"] == 1
    )
    assert (
        values["clamped:length=20", "previous"] == values["clipped:length=20", "attend-first"] == 0
    )
    assert values["alibi", "previous"] == 0
    assert not table.cell("alibi", "previous").realizes_train


def test_undefined_cells_say_why(table: Taxonomy) -> None:
    cell = table.cell("onehot:length=20", "previous")
    assert cell.value(60) is None and cell.result is None
    assert "outside onehot:length=20" in cell.reason
    assert table.rows(60)[3] == ["onehot:length=20", "x", "x"]
    assert table.rows(60)[2][1] == "0.00*"


def test_csv_and_json_agree(table: Taxonomy) -> None:
    import fastjsonschema

    document = json.loads(json.dumps(table.to_json(), allow_nan=False))
    fastjsonschema.compile(schema("taxonomy"))(document)
    lines = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert len(lines) == 12
    for line in lines:
        (cell,) = (
            c for c in document["cells"]
            if (c["encoding"], c["task"]) == (line["encoding"], line["task"])
        )  # fmt: skip
        (entry,) = (e for e in cell["lengths"] if e["length"] == int(line["length"]))
        assert (str(entry["hits"]), str(entry["scored"])) == (line["hits"], line["scored"])


def test_repr_is_the_table(table: Taxonomy) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "alpha at L = 40, L0 = 20, rule ce"
    assert lines[1].split() == COLUMNS
    assert lines[2].split() == ["clamped:length=20", "0.00", "1.00"]


def test_defaults_are_valid_specs() -> None:
    found = taxonomy(encodings(6)[:2], TASKS[:1], train_length=6, lengths=[9])
    assert len(found.cells) == 2 and all(cell.result is not None for cell in found.cells)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rule": "given:w.npy"}, "one given parameter does not fit a table"),
        ({"lengths": [20]}, "lengths must name at least one length above 20"),
        ({"lengths": []}, "lengths must name at least one length above 20"),
        ({"encoded": ["alibis"]}, "unknown encoding 'alibis'; did you mean 'alibi'"),
        ({"named": []}, "at least one encoding and one task"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        taxonomy(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_pictures_are_written_and_reproducible(
    table: Taxonomy, suffix: str, tmp_path: Path
) -> None:
    result = alpha("alibi", "self", train_length=5, lengths=[6, 9])
    for k, picture in enumerate((plots.heat_map(table), plots.curves([result]))):
        first, second = tmp_path / f"{k}a.{suffix}", tmp_path / f"{k}b.{suffix}"
        plots.save(picture, first)
        plots.save(picture, second)
        assert first.read_bytes() == second.read_bytes()
        assert len(first.read_bytes()) > 2000


def test_other_picture_formats_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a picture is a file .svg, .png, .pdf, not 'x.gif'"):
        plots.check(Path("x.gif"))
