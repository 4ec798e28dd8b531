"""Pictures: alpha against the length, encoding x task tables, classes of rows, heads.

Needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from verify.alpha import AlphaResult
    from verify.complexity import Growth
    from verify.taxonomy import Taxonomy
    from verify.transfer import Kind, Transfer

_COLOURS: Final[dict[Kind, str]] = {
    "forced": "#2a9d4a", "impossible": "#c0392b", "free": "#e3b341", "unknown": "#8e44ad",
}  # fmt: skip
FORMATS: Final = (".svg", ".png", ".pdf")


def check(path: Path) -> None:
    """ValueError for another kind of file; ModuleNotFoundError without matplotlib."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"a picture is a file {', '.join(FORMATS)}, not {path.name!r}")
    import matplotlib  # noqa: F401


def curves(results: Sequence[AlphaResult], path: Path) -> None:
    """alpha against the length, one line for each result."""
    figure, axes = _figure(7, 4)
    for result in results:
        x = [score.length for score in result.lengths]
        y = [float(score.alpha) for score in result.lengths]
        does = "" if result.realizes_train else " (does not realize L0)"
        label = f"{result.encoding.spec}, {result.task.spec}, {result.rule}{does}"
        axes.plot(x, y, marker="o", markersize=4, label=label)
    first = results[0]
    axes.axvline(first.train_length, color="0.7", linewidth=1)
    axes.set(xlabel="length L", ylabel="alpha at L", ylim=(-0.04, 1.04))
    axes.set_title(f"parameter selected at L0 = {first.train_length}", fontsize=10)
    axes.legend(fontsize=7)
    axes.grid(alpha=0.3)
    _save(figure, path)


def heat_map(table: Taxonomy, path: Path) -> None:
    """The table as squares, one panel for each length; a cross where alpha is undefined."""
    width, height = 1.1 * len(table.tasks) + 3.5, 0.45 * len(table.encodings) + 1.6
    figure, _ = _figure(width * len(table.lengths), height, panels=len(table.lengths))
    for axes, length in zip(figure.axes, table.lengths, strict=True):
        image = None
        values = [[table.cell(e, t).value(length) for t in table.tasks] for e in table.encodings]
        shown = [[float("nan") if v is None else float(v) for v in row] for row in values]
        image = axes.imshow(shown, vmin=0, vmax=1, cmap="viridis", aspect="auto")
        axes.set_xticks(range(len(table.tasks)), table.tasks, rotation=35, ha="right", fontsize=8)
        axes.set_yticks(range(len(table.encodings)), table.encodings, fontsize=8)
        axes.set_title(f"alpha at L = {length}, L0 = {table.train_length}", fontsize=9)
        for y, encoding in enumerate(table.encodings):
            for x, task in enumerate(table.tasks):
                cell, value = table.cell(encoding, task), values[y][x]
                text = "×" if value is None else f"{float(value):.2f}"
                mark = "" if value is None or cell.realizes_train else "*"
                dark = value is not None and value < 0.6
                colour = "white" if dark else "black"
                axes.text(x, y, text + mark, ha="center", va="center", fontsize=8, color=colour)
        figure.colorbar(image, ax=axes, fraction=0.046)
    figure.text(0.01, 0.01, "* the selected parameter does not realize L0", fontsize=7)
    _save(figure, path)


def classes(found: Transfer, path: Path) -> None:
    """The classes as a strip of squares, with the bounds on alpha."""
    from matplotlib.patches import Patch

    asked = found.question
    drawn, axes = _figure(max(4.0, 0.12 * len(found.rows) + 2), 1.9)
    for row in found.rows:
        axes.barh(
            0, 1, left=row.row - 0.5, color=_COLOURS[row.kind], edgecolor="white", linewidth=0.4
        )
    axes.set(yticks=[], xlabel=f"row (key {asked.task.spec})")
    axes.set_xlim(found.rows[0].row - 0.5, found.rows[-1].row + 0.5)
    axes.set_title(
        f"{asked.encoding.spec}, L0 = {asked.train_length}: "
        f"{found.alpha_forced} ≤ alpha ≤ {found.alpha_possible} at L = {asked.length}",
        fontsize=9,
    )
    kinds = [kind for kind in _COLOURS if found.count(kind)]
    patches = [Patch(color=_COLOURS[kind], label=f"{kind} {found.count(kind)}") for kind in kinds]
    axes.legend(
        handles=patches, fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.4)
    )
    _save(drawn, path)


def operators(found: Sequence[Growth], path: Path) -> None:
    """How many operators each family needs over all lengths up to n."""
    figure, axes = _figure(7, 4)
    for of, marker in zip(found, "os^Dvx+*" * len(found), strict=False):
        x, y = [c.n for c in of.counts], [c.so_far for c in of.counts]
        axes.plot(x, y, marker=marker, markersize=4, label=of.family.name)
    axes.set(xlabel="n", ylabel="operators needed up to n")
    axes.legend(fontsize=7)
    _save(figure, path)


def attention(panels: Sequence[tuple[str, NDArray[Any], Sequence[int]]], path: Path) -> None:
    """Rows by keys, one panel for each (title, logits, failing rows): dark where the logit is best.

    logits: (n, n), -inf at keys that a row does not see. Each row is drawn by the share of its keys
    that it puts below, so that rows of any scale compare; failing rows have a mark at the left.
    """
    import numpy as np

    figure, found = _figure(4.2 * len(panels), 4.4, panels=len(panels))
    for axes, (title, logits, failing) in zip(np.atleast_1d(found), panels, strict=True):
        seen = np.isfinite(logits)
        ranks = logits.argsort(axis=1).argsort(axis=1) - (~seen).sum(axis=1)[:, None]
        shown = np.where(seen, ranks / np.maximum(seen.sum(axis=1) - 1, 1)[:, None], np.nan)
        axes.imshow(shown**8, vmin=0, vmax=1, cmap="Greys", interpolation="nearest")
        left = [-0.5] * len(failing)
        axes.scatter(left, failing, marker="_", s=12, color="#c0392b", clip_on=False)
        axes.set(xlabel="key", ylabel="row", xlim=(-0.5, len(logits) - 0.5))
        axes.set_title(title, fontsize=9)
    _save(figure, path)


def _figure(width: float, height: float, panels: int = 1) -> tuple[Any, Any]:
    """A figure of its own, without pyplot's global state or a display."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, panels)


def _save(figure: Any, path: Path) -> None:
    """Without dates and random ids, so that equal results give equal files."""
    import matplotlib

    kind = path.suffix.lower()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(kind, {})
    with matplotlib.rc_context({"svg.hashsalt": "pe-verify"}):
        figure.savefig(path, dpi=150, metadata=metadata)
