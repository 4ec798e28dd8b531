"""The page in a real browser: it opens, nothing is missing, the console stays empty."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from verify.cli import main

pytestmark = pytest.mark.browser
MAX_BYTES, MAX_SECONDS = 3 << 20, 10  # of which most is the start of the browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "page.html"
    assert (
        main(["check", "theorem-1", "proposition-2", "outside-colspan", "--html", str(file)]) == 0
    )
    return file


def browse(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    assert browser, "these tests need Chromium (Debian: apt-get install chromium)"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    return subprocess.run(
        [*command, *options, page.as_uri()], capture_output=True, text=True, check=True, timeout=60
    )


def test_it_opens_whole_and_without_a_complaint(page: Path) -> None:
    assert page.stat().st_size < MAX_BYTES
    began = time.perf_counter()
    done = browse(page, "--dump-dom")
    assert time.perf_counter() - began < MAX_SECONDS
    assert "CONSOLE" not in done.stderr
    for expected in ('<h2 id="theorem-1">', "<mo>⟹</mo>", "</footer>", 'download="theorem-1--'):
        assert expected in done.stdout or expected.replace("mo>", "mi>") in done.stdout


@pytest.mark.parametrize("width", [360, 1280])
def test_it_is_not_wider_than_the_window(page: Path, width: int, tmp_path: Path) -> None:
    probe = tmp_path / "probe.html"
    probe.write_text(
        f'<iframe src="{page.as_uri()}" style="width:{width}px;height:800px;border:0"></iframe>'
        "<script>onload = () => { const d = frames[0].document.documentElement;"
        "document.title = `${d.scrollWidth} ${d.clientWidth}`; }</script>",
        "utf-8",
    )
    done = browse(probe, "--allow-file-access-from-files", "--dump-dom")
    title = done.stdout.partition("<title>")[2].partition("</title>")[0]
    scroll, client = map(int, title.split())
    assert 0 < scroll <= client
