"""Pictures inside the page: SVG that no other part of the page can disturb, and its numbers.

Each has a title and a description for those who do not see it, and the numbers as a table and as
a CSV file that is part of the page.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from verify.report.markup import Markup, element, join, table

if TYPE_CHECKING:
    from verify.plots import Picture

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_LINKS = ("href", f"{{{_XLINK}}}href")


def gallery(pictures: Sequence[Picture]) -> Markup:
    """The section with all pictures, without matplotlib their numbers; nothing without any."""
    if not pictures:
        return Markup()
    drawn = [_svg(picture) for picture in pictures]
    return element(
        "section",
        element("h2", "Pictures", id="section-pictures"),
        _missing() if None in drawn else Markup(),
        (
            _figure(picture, svg, f"picture-{k}")
            for k, (picture, svg) in enumerate(zip(pictures, drawn, strict=True), 1)
        ),
        aria_labelledby="section-pictures",
    )


def _svg(picture: Picture) -> str | None:
    """The drawing; None without matplotlib."""
    try:
        return picture.svg()
    except ModuleNotFoundError as problem:
        if problem.name != "matplotlib":
            raise
        return None


def _missing() -> Markup:
    return element(
        "p",
        "matplotlib is not installed, so only the numbers are here: ",
        element("code", "pip install 'pe-verify[plot]'"),
        " adds the drawings.",
    )


def _figure(picture: Picture, svg: str | None, name: str) -> Markup:
    csv = base64.b64encode(picture.csv().encode()).decode()
    link = element(
        "a", f"{name}.csv", href=f"data:text/csv;charset=utf-8;base64,{csv}",
        download=f"{name}.csv",
    )  # fmt: skip
    count = f"{len(picture.rows)} row{'' if len(picture.rows) == 1 else 's'}"
    numbers = element(
        "details",
        element("summary", f"The numbers of this picture ({count})"),
        element("p", "As a file: ", link),
        table(f"Numbers of: {picture.title}", picture.header, picture.rows),
    )
    # A wide picture scrolls by itself on a narrow screen, at a size at which it can be read.
    drawing = (
        element(
            "div", inline(svg, name, picture.title, picture.words), class_="drawing",
            role="region", aria_label=f"Drawing: {picture.title}", tabindex="0",
        )
        if svg is not None
        else Markup()
    )  # fmt: skip
    return join(
        element("h3", picture.title, id=name),
        element(
            "figure", drawing, element("figcaption", picture.words), numbers, aria_labelledby=name
        ),
    )


def inline(svg: str, name: str, title: str, words: str) -> Markup:
    """SVG as an image of this page: named, of flexible width, with ids of its own.

    Metadata and style sheets are left out, for the first names foreign addresses and the second
    would style the page. Raises ElementTree.ParseError if `svg` is not XML.
    """
    root = ElementTree.fromstring(svg)
    _, _, width, height = (float(x) for x in root.attrib["viewBox"].split())
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-words",
        "style": f"stroke-linejoin:round;stroke-linecap:butt;aspect-ratio:{width:g}/{height:g};"
        f"width:{width / 12:.4g}rem",
    }
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
        if parent is not root:
            parent.attrib = {k: _own(k, v, name) for k, v in parent.attrib.items()}
    for place, (tag, text) in enumerate((("title", title), ("words", words))):
        node = ElementTree.Element(f"{{{_SVG}}}{'desc' if tag == 'words' else tag}")
        node.set("id", f"{name}-{tag}")
        node.text = text
        root.insert(place, node)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _own(attribute: str, value: str, name: str) -> str:
    """The attribute with every id, and every reference to one, made this picture's own."""
    if attribute == "id":
        return f"{name}-{value}"
    if attribute in _LINKS and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return value.replace("url(#", f"url(#{name}-")
