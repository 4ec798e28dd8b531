"""HTML by nested calls: text is escaped, markup is not, and the two are different types."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

_VOID = frozenset({"meta", "br", "col", "hr", "link"})
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_MATH_TAGS = frozenset(
    [
        *("math", "mrow", "mstyle", "mpadded", "mphantom", "mspace", "menclose", "semantics"),
        *("mi", "mn", "mo", "ms", "mtext", "mtable", "mtr", "mtd", "mfrac", "msqrt", "mroot"),
        *("msub", "msup", "msubsup", "munder", "mover", "munderover"),
    ]
)


class Markup(str):
    """HTML that is ready; everything else counts as text."""

    __slots__ = ()


def element(tag: str, *children: str | Iterable[str], **attributes: str) -> Markup:
    """`element("p", "a < b", class_="note")`; a trailing underscore of an attribute is dropped.

    Underscores inside attribute names become hyphens (aria_label).
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for name, value in attributes.items()
    )
    if tag in _VOID:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{join(*children)}</{tag}>")


def join(*children: str | Iterable[str]) -> Markup:
    """The children one after the other, text escaped."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(html.escape(child, quote=False))
        else:
            parts.append(join(*child))
    return Markup("".join(parts))


def table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, wide: bool = False
) -> Markup:
    """A table whose first column names its rows; it scrolls by itself on a narrow screen.

    wide: with cells of many words, which need room.
    """
    head = element("tr", (element("th", name, scope="col") for name in header))
    body = [
        element("tr", element("th", first, scope="row"), (element("td", cell) for cell in rest))
        for first, *rest in rows
    ]
    whole = element(
        "table", element("caption", caption), element("thead", head), element("tbody", body),
        class_="wide" if wide else "narrow",
    )  # fmt: skip
    return element("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def math(latex: str) -> Markup:
    """MathML of a formula, or its source where it cannot be converted to plain MathML."""
    from latex2mathml.converter import convert

    try:
        converted = convert(latex, display="block")
        tags = {node.tag for node in ElementTree.fromstring(converted).iter()}
    except Exception:  # the converter raises anything on what it does not know
        return element("code", latex)
    if not tags <= {_MATHML + tag for tag in _MATH_TAGS}:
        return element("code", latex)
    return Markup(converted)
