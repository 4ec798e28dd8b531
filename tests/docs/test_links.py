"""Links between the project's own pages lead somewhere, anchors included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INCLUDED = {"CHANGELOG.md", "CONTRIBUTING.md"}  # by the site, from the root
PAGES = [
    *(ROOT / name for name in ("README.md", *sorted(INCLUDED), "verify/FORMAT.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("README.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def anchors(page: Path) -> set[str]:
    """As the site makes them from headings."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}


def targets(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", page.read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in targets(page):
        if re.match(r"https?://", target):
            assert re.fullmatch(r"https://[\w.-]+(/\S*)?", target), target
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{target} in {page.name}"
        if anchor:
            assert anchor in anchors(found), f"{target} in {page.name}"


def test_there_are_links_to_check() -> None:
    assert sum(len(targets(page)) for page in PAGES) > 20


def test_every_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text("utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        assert str(page.relative_to(ROOT / "docs")) in listed, page
