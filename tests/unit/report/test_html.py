"""The page: well formed, self-contained, readable by everybody, and saying what was found."""

from __future__ import annotations

import base64
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from verify.plots import Picture
from verify.report.figures import inline
from verify.report.html import MAX_EMBEDDED, Page, text
from verify.report.markup import Markup, element, math
from verify.statements import (
    Control,
    Hypothesis,
    Measured,
    Measurement,
    Model,
    Obligation,
    Profile,
    Sketch,
    Statement,
    Twin,
    countermodel,
    theorem,
    without,
)
from verify.verdicts import Verdict

CLAIM = theorem("real P", {"floor": "int i: P(i) >= 1"}, ["int i: P(i) > 0"])
ZERO = countermodel(without(CLAIM, "floor"), {"P": 0}, {"i": 0})
VOID = {"meta", "br", "hr", "mspace"}


def obligation(name: str, claim: dict[str, object]) -> Obligation:
    proof = Sketch(("auto",)) if claim is CLAIM else Model()
    return Obligation(name, name, "all P", lambda profile: claim, proof)


STATEMENT = Statement(
    "theorem-1",
    "A <title> & more",
    r"P_i > 0 \Longrightarrow \sum_i P_i > 0",
    "Every value is positive.",
    "ours",
    "proved",
    hypotheses=(Hypothesis("mask", "causal", ("floor",)), Hypothesis("spare", "s", idle="unused")),
    obligations=(obligation("rows", CLAIM),),
    controls=(Control("mask", "full attention", (obligation("model", ZERO),)),),
    twins=(Twin("with <= for <", CLAIM, obligation("tie", ZERO)),),
    setting=("S1",),
    remarks=("A remark.",),
)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    file = tmp_path / "theorem-1--rows.json"
    file.write_text('{"format": "1.0"}', "utf-8")
    return file


@pytest.fixture
def page(proved: Verdict, certificate: Path) -> Page:
    (control,), (twin,) = proved.controls, proved.twins
    controls = replace(control, findings=(replace(control.findings[0], name="control/mask/model"),))
    twins = replace(twin, findings=(replace(twin.findings[0], name="twin/0/tie"),))
    verdict = replace(proved, controls=(controls,), twins=(twins,))
    return Page(
        [verdict],
        {"theorem-1": STATEMENT},
        Profile("quick"),
        {"z3-solver": "4.13", "cvc5": None},
        {("theorem-1", "rows"): certificate},
    )


class Reader(HTMLParser):
    """Checks the nesting; remembers every start tag with its attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: Page) -> Reader:
    reader = Reader()
    reader.feed(text(page))
    reader.close()
    assert not reader.open
    return reader


def test_it_is_well_formed_and_needs_nothing_from_outside(page: Page) -> None:
    reader = read(page)
    tags = [tag for tag, _ in reader.tags]
    assert "script" not in tags and "link" not in tags and "img" not in tags
    for _, attributes in reader.tags:
        for name in ("href", "src"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:"))
    style = re.search(r"<style>(.*?)</style>", text(page), re.DOTALL)
    assert style is not None and "url(" not in style[1] and "@import" not in style[1]


def test_links_within_the_page_arrive(page: Page) -> None:
    attributes = [a for _, a in read(page).tags]
    ids = [a["id"] for a in attributes if "id" in a]
    assert len(ids) == len(set(ids))
    for a in attributes:
        if (a.get("href") or "").startswith("#"):
            assert (a["href"] or "")[1:] in ids
        if "aria-labelledby" in a:
            assert a["aria-labelledby"] in ids


def test_a_screen_reader_finds_its_way(page: Page) -> None:
    reader = read(page)
    assert dict(reader.tags)["html"] == {"lang": "en"}
    levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    headers = [a for tag, a in reader.tags if tag == "th"]
    assert headers and all(a.get("scope") in ("col", "row") for a in headers)
    assert [tag for tag, _ in reader.tags].count("caption") == text(page).count("<table")


def test_it_says_what_was_found_and_why_each_hypothesis_is_needed(page: Page) -> None:
    words = " ".join(" ".join(read(page).words).split())
    for expected in (
        "1 statement: 1 PROVED; all as declared.",
        "A <title> & more",
        "small numeric ranges",
        "Without it: full attention (certified).",
        "Idle: unused.",
        "for all int i: P(i) >= 1",
        "P(0) <= 0",
        "with <= for <",
        "z3 4.13: unsat",
        "A remark.",
        "cvc5 missing",
    ):
        assert expected in words


def test_a_certificate_is_part_of_the_page(page: Page, certificate: Path) -> None:
    (link,) = [a for tag, a in read(page).tags if tag == "a" and "download" in a]
    assert link["download"] == "theorem-1--rows.json"
    header, _, data = (link["href"] or "").partition(",")
    assert header == "data:application/json;base64"
    assert json.loads(base64.b64decode(data)) == json.loads(certificate.read_text("utf-8"))
    assert "pe-verify recheck theorem-1--rows.json" in text(page)


def test_contradictions_come_before_the_results(page: Page) -> None:
    assert "Not as declared" not in text(page)
    wrong = replace(page.verdicts[0], declared="refuted", problems=("x < y <script>",))
    found = text(replace(page, verdicts=[wrong]))
    assert found.index("Not as declared") < found.index('<h2 id="theorem-1">')
    assert "PROVED, declared refuted" in found
    assert "<pre>x &lt; y &lt;script&gt;</pre>" in found


def test_measured_numbers_have_a_table(measured: Verdict) -> None:
    numbers = [f.measured for f in measured.findings if f.measured]
    statement = Statement(
        measured.id,
        "Rates",
        "r",
        "",
        "ours",
        "measured",
        obligations=tuple(
            Measurement(f.name, f.words, f.scope, lambda profile: numbers[0])
            for f in measured.findings
        ),
    )
    page = Page([measured], {measured.id: statement}, Profile(), {}, {})
    words = " ".join(read(page).words)
    assert isinstance(numbers[0], Measured)
    assert text(page).count("<td>[0.109, 0.116]</td>") == 2  # in the overview, and in the result
    for expected in ("full numeric ranges", "0.115", "[0.109, 0.116]", "NO", "seed 0"):
        assert expected in words


def test_text_is_escaped_and_markup_is_not() -> None:
    assert element("p", "a < b", Markup("<br>"), ["&"], class_='"') == (
        '<p class="&quot;">a &lt; b<br>&amp;</p>'
    )
    assert element("div", aria_label="x") == '<div aria-label="x"></div>'


def test_formulas_are_mathml() -> None:
    assert math(r"\alpha_L \ge 1").startswith("<math ")


@pytest.mark.parametrize("latex", [r"\text{<b>}", r"\text{<script>x</script>}", r"\left("])
def test_a_formula_that_is_no_plain_mathml_is_shown_as_its_source(latex: str) -> None:
    found = math(latex)
    assert found.startswith("<code>")
    assert "<b>" not in found and "<script>" not in found


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio of two colours #rrggbb."""

    def luminance(colour: str) -> float:
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_colours_have_enough_contrast_in_both_modes() -> None:
    style = (resources.files("verify.report") / "style.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
        for ground in ("ground", "panel"):
            for name in ("text", "soft", "link", "good", "bad", "open"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


# ---------------------------------------------------------------- pictures


def drawn(figure: Any) -> None:
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], marker="o", label="a < b")
    axes.legend()


PICTURE = Picture(
    "Values & lengths",
    "One line, rising.",
    ("L", "alpha"),
    (("1", "0"), ("2", "<1>")),
    (4, 3),
    drawn,
)


def with_pictures(page: Page) -> Page:
    return replace(page, pictures=[PICTURE, replace(PICTURE, title="The same again")])


def test_each_picture_has_a_name_a_description_and_its_numbers(page: Page) -> None:
    reader = read(with_pictures(page))
    ids = [a["id"] for _, a in reader.tags if "id" in a]
    assert len(ids) == len(set(ids))
    pictures = [a for tag, a in reader.tags if tag == "svg"]
    assert len(pictures) == 2
    for k, attributes in enumerate(pictures, 1):
        assert attributes["role"] == "img" and "width" not in attributes
        named = (attributes["aria-labelledby"] or "").split()
        assert named == [f"picture-{k}-title", f"picture-{k}-words"] and set(named) <= set(ids)
    found = text(with_pictures(page))
    for figure in re.findall(r"<figure.*?</figure>", found, re.DOTALL):
        assert '<th scope="col">alpha</th>' in figure and "<td>&lt;1&gt;</td>" in figure
        data = re.search(r'href="data:text/csv;charset=utf-8;base64,([^"]*)"', figure)
        assert data is not None and base64.b64decode(data[1]).decode() == PICTURE.csv()
    assert found.count("<figure") == 2


def test_a_picture_refers_to_its_own_parts_alone(page: Page) -> None:
    """Ids made by the drawing library are the same in every drawing."""
    found = text(with_pictures(page))
    ids = set(re.findall(r' id="([^"]*)"', found))
    targets = re.findall(r'xlink:href="#([^"]*)"', found) + re.findall(r"url\(#([^)]*)\)", found)
    assert targets and set(targets) <= ids
    assert all(target.startswith(("picture-1-", "picture-2-")) for target in targets)


def test_a_picture_brings_nothing_from_outside_and_styles_nothing_else(page: Page) -> None:
    found = text(with_pictures(page))
    drawing = found[found.index("<svg") :]
    assert "<style" not in drawing and "<metadata" not in drawing and "<!DOCTYPE" not in drawing
    addresses = re.findall(r'(\S+)="https?://', found)
    assert addresses and all(name.startswith("xmlns") for name in addresses)
    with pytest.raises(ElementTree.ParseError):
        inline("<svg", "x", "t", "w")


def test_without_matplotlib_the_numbers_remain(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = text(with_pictures(page))
    assert "<svg" not in found and found.count("matplotlib is not installed") == 1
    assert found.count("<td>&lt;1&gt;</td>") == 2
    read(with_pictures(page))


def test_equal_pictures_are_equal_text(page: Page) -> None:
    assert text(with_pictures(page)) == text(with_pictures(page))


def test_each_result_tells_its_time_and_its_evidence(
    page: Page,
) -> None:
    found = text(page)
    section = found[found.index('<h2 id="theorem-1">') :]
    assert "Declared proved; evidence: kernel; decided in 0.25 s. Source: ours." in section


def test_a_large_certificate_is_told_how_to_be_had(page: Page, certificate: Path) -> None:
    certificate.write_text(" " * (MAX_EMBEDDED + 1), "utf-8")
    found = text(page)
    assert "download=" not in found
    assert f"{MAX_EMBEDDED + 1:,} bytes, too many for this page" in found
    assert "pe-verify check theorem-1 --certificates DIR" in found
    assert f"pe-verify recheck DIR/{certificate.name}" in found
