"""The page in a real browser, scripts off: whole, quick, legible, and for every reader.

A probe page holds the report in a frame that may not run scripts, and reads it from outside.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from verify.cli import main

pytestmark = pytest.mark.browser
MAX_BYTES, MAX_SECONDS, AA = 3 << 20, 2, 4.5  # AA: the contrast that WCAG 2 asks of text

PROBE = r"""<!doctype html><meta charset="utf-8"><title>probe</title>
<iframe sandbox="allow-same-origin" src="%(page)s"
  style="width:%(width)dpx;height:800px;border:0"></iframe>
<script>
const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const luminance = (c) => c.slice(0, 3).map((v) => v / 255)
  .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const opaque = (c) => c.length === 3 || c[3] === 1;
onload = () => {
  const inner = frames[0], page = inner.document, root = page.documentElement;
  page.querySelectorAll("details").forEach((d) => { d.open = true; });
  const ground = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const c = rgb(inner.getComputedStyle(n).backgroundColor);
      if (c.length >= 3 && opaque(c)) return c;
    }
    return [255, 255, 255];
  };
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT), faint = {};
  let texts = 0, least = 99;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("title, desc")) continue;
    if (node.closest("svg")) continue;
    texts += 1;
    const found = contrast(rgb(inner.getComputedStyle(node).color), ground(node));
    least = Math.min(least, found);
    if (found < 4.5) faint[walker.currentNode.data.trim().slice(0, 40)] = found;
  }
  const labelled = (n) => (n.getAttribute("aria-labelledby") || "").split(" ")
    .map((id) => page.getElementById(id)?.textContent.trim() || "").filter(Boolean);
  const timing = inner.performance.timing;
  const wide = [...page.querySelectorAll("body *")].filter((n) => !n.closest(".scroll, .drawing,"
    + " .math, svg, math") && n.getBoundingClientRect().right > root.clientWidth + 1);
  const result = {
    dark: inner.matchMedia("(prefers-color-scheme: dark)").matches,
    seconds: (timing.domComplete - timing.navigationStart) / 1000,
    scroll: root.scrollWidth, client: root.clientWidth,
    wide: wide.map((n) => n.outerHTML.slice(0, 80)),
    texts, least, faint,
    levels: [...page.querySelectorAll("h1,h2,h3,h4,h5,h6")].map((n) => +n.tagName[1]),
    tables: page.querySelectorAll("table").length,
    bare: [...page.querySelectorAll("table")].filter((t) => !t.caption?.textContent.trim()
      || !t.querySelector('th[scope="col"]') || !t.querySelector('th[scope="row"]')).length,
    pictures: [...page.querySelectorAll("figure svg")].map((n) =>
      ({role: n.getAttribute("role"), words: labelled(n), height: n.getBoundingClientRect().height,
        numbers: n.closest("figure").querySelectorAll("tbody tr").length})),
    formulas: [...page.querySelectorAll("math")].filter((n) =>
      n.getBoundingClientRect().height > 5).length,
    results: page.querySelectorAll("section.result").length,
    downloads: page.querySelectorAll("a[download]").length,
    fetched: inner.performance.getEntriesByType("resource").map((e) => e.name),
    end: !!page.querySelector("footer"),
  };
  document.title = JSON.stringify(result);
};
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "page.html"
    ids = ["theorem-1", "proposition-2", "outside-colspan", "published-rope-attend-first"]
    assert main(["report", *ids, "--output", str(file)]) == 0
    return file


def browse(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    assert browser, "these tests need Chromium (Debian: apt-get install chromium)"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    return subprocess.run(
        [*command, *options, page.as_uri()], capture_output=True, text=True, check=True, timeout=60
    )


@pytest.fixture(scope="module", params=["light", "dark"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=[360, 1280])
def seen(
    request: pytest.FixtureRequest, mode: str, page: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the probe read at this width and in this mode."""
    probe = tmp_path_factory.mktemp("probe") / "probe.html"
    probe.write_text(PROBE % {"page": page.as_uri(), "width": request.param}, "utf-8")
    options = ["--force-dark-mode"] if mode == "dark" else []
    # The local files are different origins otherwise; time stands still while scripts run.
    done = browse(probe, "--allow-file-access-from-files", *options, "--dump-dom")
    found = json.loads(unescape(done.stdout.partition("<title>")[2].partition("</title>")[0]))
    assert found["dark"] == (mode == "dark")
    assert isinstance(found, dict)
    return found


def test_it_opens_without_a_complaint(page: Path) -> None:
    assert page.stat().st_size < MAX_BYTES
    done = browse(page, "--dump-dom")
    assert "CONSOLE" not in done.stderr
    assert done.stdout.rstrip().endswith("</html>")


def test_it_is_whole_and_quick_without_scripts(seen: dict[str, Any]) -> None:
    assert seen["end"] and seen["results"] >= 4 and seen["formulas"] == seen["results"]
    assert seen["downloads"] > seen["results"] and seen["fetched"] == []
    assert 0 < seen["seconds"] < MAX_SECONDS


def test_it_is_not_wider_than_the_window(seen: dict[str, Any]) -> None:
    assert 0 < seen["scroll"] <= seen["client"]
    assert seen["wide"] == []


def test_every_text_has_enough_contrast(seen: dict[str, Any]) -> None:
    assert seen["texts"] > 200
    assert seen["faint"] == {} and seen["least"] >= AA


def test_headings_tables_and_pictures_speak(seen: dict[str, Any]) -> None:
    levels = seen["levels"]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert seen["tables"] > len(seen["pictures"]) and seen["bare"] == 0
    assert len(seen["pictures"]) >= 6
    for picture in seen["pictures"]:
        assert picture["role"] == "img" and len(picture["words"]) == 2
        assert picture["height"] > 80 and picture["numbers"] > 0
