"""Pictures, each with the numbers behind it: alpha against the length, tables, strips, patterns.

A picture is data until it is saved, and then a file and a CSV beside it with the same stem. Drawing
needs matplotlib. Colours are those of Okabe and Ito (https://jfly.uni-koeln.de/color/), or a
perceptually uniform map, and never the only signal.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verify.decisions import HIT, MISS, TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from verify.alpha import AlphaResult
    from verify.complexity import Growth
    from verify.taxonomy import Taxonomy
    from verify.transfer import Kind, Transfer

    Panel = tuple[str, NDArray[Any], Sequence[int]]  # title, logits (n, n), failing rows

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
_COLOURS: Final = (BLUE, VERMILION, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000")
_MARKERS: Final = "os^Dvx+*"
_KINDS: Final[dict[Kind, tuple[str, str]]] = {  # colour and hatching
    "forced": (BLUE, ""), "impossible": (VERMILION, "xx"), "free": ("#F0E442", "//"),
    "unknown": ("#BBBBBB", "\\\\"),
}  # fmt: skip
_OUTCOMES: Final = (
    (HIT, "hit", "o", BLUE), (MISS, "miss", "x", VERMILION), (TIE, "tie", "s", "#CC79A7"),
)  # fmt: skip
FORMATS: Final = (".svg", ".png", ".pdf")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture and what it shows. size: in inches; draw: paints a matplotlib figure of that size.

    words: the same in a sentence, for those who do not see it; header and rows: its numbers.
    """

    title: str
    words: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    size: tuple[float, float]
    draw: Callable[[Any], None]

    def csv(self) -> str:
        """The numbers, one line a row."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([self.header, *self.rows])
        return out.getvalue()

    def svg(self) -> str:
        """The picture as SVG text; ModuleNotFoundError without matplotlib."""
        out = io.StringIO()
        _save(self, out, "svg")
        return out.getvalue()


def check(path: Path) -> None:
    """ValueError for another kind of file; ModuleNotFoundError without matplotlib."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"a picture is a file {', '.join(FORMATS)}, not {path.name!r}")
    import matplotlib  # noqa: F401


def save(picture: Picture, path: Path) -> None:
    """Draw into a file; ValueError and ModuleNotFoundError as `check` says."""
    check(path)
    _save(picture, path, path.suffix.lower()[1:])


def _save(picture: Picture, target: Any, kind: str) -> None:
    """Without dates and random ids, so that equal results give equal files."""
    import matplotlib
    from matplotlib.figure import Figure

    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    settings: dict[Any, Any] = {
        "svg.hashsalt": "pe-verify", "svg.fonttype": "none", "hatch.linewidth": 0.6
    }  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.draw(figure)
        figure.savefig(target, format=kind, dpi=150, metadata=dated)


# ---------------------------------------------------------------- one function a picture


def curves(
    results: Sequence[AlphaResult], published: Sequence[dict[int, float]] | None = None
) -> Picture:
    """alpha against the length, one line for each result; published: values to set beside them."""
    printed = published or [{} for _ in results]
    rows = tuple(
        (
            result.encoding.spec, result.task.spec, result.rule, str(s.length), str(s.alpha),
            f"{float(s.alpha):.4f}", str(beside.get(s.length, "")),
        )
        for result, beside in zip(results, printed, strict=True) for s in result.lengths
    )  # fmt: skip
    first = results[0]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for k, (result, beside) in enumerate(zip(results, printed, strict=True)):
            does = "" if result.realizes_train else " (does not realize L0)"
            colour = _COLOURS[k % len(_COLOURS)]
            axes.plot(
                [s.length for s in result.lengths], [float(s.alpha) for s in result.lengths],
                color=colour, marker=_MARKERS[k % len(_MARKERS)], markersize=5,
                label=f"{result.encoding.spec}, {result.task.spec}, {result.rule}{does}",
            )  # fmt: skip
            if beside:
                axes.plot(
                    list(beside), list(beside.values()), linestyle="", marker="D", markersize=10,
                    markerfacecolor="none", markeredgecolor=colour, label="as published",
                )  # fmt: skip
        axes.axvline(first.train_length, color="0.5", linewidth=1, linestyle=":")
        axes.set(xlabel="length L", ylabel="alpha at L", ylim=(-0.04, 1.04))
        axes.set_title(f"parameter selected at L0 = {first.train_length}", fontsize=10)
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)

    told = "; ".join(
        f"{r.encoding.spec} on {r.task.spec}: "
        + ", ".join(f"{float(s.alpha):.3f} at L = {s.length}" for s in r.lengths)
        for r in results
    )
    return Picture(
        "Alpha against the length",
        f"Parameters selected at L0 = {first.train_length}. {told}.",
        ("encoding", "task", "rule", "L", "alpha", "as a decimal", "published"),
        rows, (7, 4), draw,
    )  # fmt: skip


def heat_map(table: Taxonomy) -> Picture:
    """The table as squares, one panel for each length; a cross where alpha is undefined."""
    panels = len(table.lengths)
    size = (1.1 * len(table.tasks) + 3.5) * panels, 0.45 * len(table.encodings) + 1.6

    def cell(encoding: str, task: str, length: int) -> str:
        found = table.cell(encoding, task)
        value = found.value(length)
        mark = "" if value is None or found.realizes_train else "*"
        return "×" if value is None else f"{float(value):.2f}{mark}"

    def draw(figure: Any) -> None:
        for axes, length in zip(_panels(figure, panels), table.lengths, strict=True):
            values = [
                [table.cell(e, t).value(length) for t in table.tasks] for e in table.encodings
            ]
            shown = [[float("nan") if v is None else float(v) for v in row] for row in values]
            image = axes.imshow(shown, vmin=0, vmax=1, cmap="cividis", aspect="auto")
            axes.set_xticks(range(len(table.tasks)), table.tasks, rotation=35, ha="right")
            axes.set_yticks(range(len(table.encodings)), table.encodings)
            axes.tick_params(labelsize=8)
            axes.set_title(f"alpha at L = {length}, L0 = {table.train_length}", fontsize=9)
            for y, encoding in enumerate(table.encodings):
                for x, task in enumerate(table.tasks):
                    value = values[y][x]
                    colour = "white" if value is not None and value < 0.48 else "black"
                    text = cell(encoding, task, length)
                    axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
            figure.colorbar(image, ax=axes, fraction=0.046)

    rows = tuple(
        (str(length), encoding, *(cell(encoding, task, length) for task in table.tasks))
        for length in table.lengths for encoding in table.encodings
    )  # fmt: skip
    return Picture(
        "Encodings and tasks",
        f"Alpha of every pair, rule {table.rule}, L0 = {table.train_length}; × undefined,"
        " * the selected parameter does not realize L0.",
        ("L", "encoding", *table.tasks), rows, size, draw,
    )  # fmt: skip


def classes(found: Transfer) -> Picture:
    """The classes of new rows as a strip of squares, with the bounds on alpha."""
    asked = found.question
    bounds = f"{found.alpha_forced} ≤ alpha ≤ {found.alpha_possible} at L = {asked.length}"
    counted = {kind: found.count(kind) for kind in _KINDS if found.count(kind)}

    def draw(figure: Any) -> None:
        from matplotlib.patches import Patch

        axes = figure.subplots()
        for row in found.rows:
            colour, hatch = _KINDS[row.kind]
            axes.barh(
                0, 1, left=row.row - 0.5, color=colour, hatch=hatch, edgecolor="#222222",
                linewidth=0.4,
            )  # fmt: skip
        axes.set(yticks=[], xlabel="new row")
        axes.set_xlim(found.rows[0].row - 0.5, found.rows[-1].row + 0.5)
        axes.set_title(f"{asked.encoding.spec} on {asked.task.spec}: {bounds}", fontsize=9)
        patches = [
            Patch(
                facecolor=_KINDS[kind][0], hatch=_KINDS[kind][1], edgecolor="#222222",
                label=f"{kind} {count}",
            )
            for kind, count in counted.items()
        ]  # fmt: skip
        figure.legend(handles=patches, fontsize=8, ncols=4, loc="outside lower center")

    told = ", ".join(f"{count} {kind}" for kind, count in counted.items())
    return Picture(
        f"Classes of new rows: {asked.encoding.spec} on {asked.task.spec}",
        f"L0 = {asked.train_length}: {told}; {bounds},"
        " whatever selects the parameter.",
        ("row", "class"), tuple((str(row.row), row.kind) for row in found.rows),
        (max(5.0, 0.12 * len(found.rows) + 2), 2.1), draw,
    )  # fmt: skip


def operators(found: Sequence[Growth]) -> Picture:
    """How many operators each family needs over all lengths up to n."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for k, of in enumerate(found):
            axes.plot(
                [c.n for c in of.counts], [c.so_far for c in of.counts], markersize=4,
                marker=_MARKERS[k % len(_MARKERS)], color=_COLOURS[k % len(_COLOURS)],
                label=of.family.name,
            )  # fmt: skip
        axes.set(xlabel="n", ylabel="operators needed up to n")
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)

    rows = tuple((of.family.name, str(c.n), str(c.so_far)) for of in found for c in of.counts)
    told = "; ".join(f"{of.family.name}: {of.counts[-1].so_far} up to {of.counts[-1].n}"
                     for of in found)  # fmt: skip
    return Picture(
        "Operators needed", f"{told}.", ("family", "n", "operators up to n"), rows, (7, 4), draw
    )


def pattern(result: AlphaResult, length: int) -> Picture:
    """Rows by keys at one length, with the outcome of every new row at its target."""
    from verify.engines.floats.plain import logits

    score = result[length]
    found = score.decisions
    shown = logits(result.encoding, result.parameter.nearest, length, result.visibility)
    targets = list(zip(found.rows.rows.tolist(), found.rows.targets.tolist(), strict=True))
    names = {code: word for code, word, _, _ in _OUTCOMES}
    outcomes = [names[int(code)] for code in found.outcomes]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        _ranked(axes, shown)
        for _, word, marker, colour in _OUTCOMES:
            at = [place for place, o in zip(targets, outcomes, strict=True) if o == word]
            if at:
                rows, keys = zip(*at, strict=True)
                axes.scatter(
                    keys, rows, marker=marker, s=22, linewidth=1.1, label=f"{word} {len(at)}",
                    **({"color": colour} if marker == "x"
                       else {"facecolor": "none", "edgecolor": colour}),
                )  # fmt: skip
        axes.axhline(result.train_length - 0.5, color="0.5", linewidth=1, linestyle=":")
        axes.set_title(f"{result.encoding.spec} on {result.task.spec}, L = {length}", fontsize=9)
        axes.legend(fontsize=8, loc="upper right")

    return Picture(
        f"Rows by keys: {result.encoding.spec} on {result.task.spec}",
        f"Parameter selected at L0 = {result.train_length}, read at L = {length}:"
        f" {score.hits} hits, {score.misses} misses, {score.ties} ties. The darker a key, the"
        " higher it ranks in its row; each new row is marked at its target.",
        ("row", "target", "outcome"),
        tuple((str(i), str(t), o) for (i, t), o in zip(targets, outcomes, strict=True)),
        (5.6, 5.2), draw,
    )  # fmt: skip


def attention(panels: Sequence[Panel]) -> Picture:
    """Rows by keys, one panel for each (title, logits, failing rows): dark where the logit is best.

    logits: (n, n), -inf at keys that a row does not see; failing rows have a mark at the left.
    """

    def draw(figure: Any) -> None:
        for axes, (title, logits, failing) in zip(
            _panels(figure, len(panels)), panels, strict=True
        ):
            _ranked(axes, logits)
            left = [-0.5] * len(failing)
            axes.scatter(left, failing, marker="_", s=12, color=VERMILION, clip_on=False)
            axes.set_title(title, fontsize=9)

    rows = tuple(
        (title, str(i), str(int(line.argmax())), "no" if i in set(failing) else "yes")
        for title, logits, failing in panels for i, line in enumerate(logits)
    )  # fmt: skip
    told = "; ".join(f"{title}: {len(failing)} rows fail" for title, _, failing in panels)
    return Picture(
        "Rows by keys of heads", f"{told}.", ("head", "row", "best key in float64", "as the task"),
        rows, (4.2 * len(panels), 4.4), draw,
    )  # fmt: skip


def over_time(
    rows: Sequence[tuple[float, int, int, int]], title: str = "A campaign over time"
) -> Picture:
    """rows: (seconds, instances, counterexamples, best score), in the order of time."""

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        hours = [seconds / 3600 for seconds, *_ in rows]
        above.plot(hours, [r[1] for r in rows], color=BLUE, label="instances")
        above.set(ylabel="instances decided")
        below.step(hours, [r[2] for r in rows], color=VERMILION, where="post",
                   label="counterexamples")  # fmt: skip
        below.step(hours, [r[3] for r in rows], color=GREEN, where="post", linestyle="--",
                   label="best score")  # fmt: skip
        below.set(xlabel="hours of work")
        for axes in (above, below):
            axes.legend(fontsize=8)
            axes.grid(alpha=0.3)

    last = rows[-1]
    return Picture(
        title, f"{last[1]} instances, {last[2]} counterexamples, best score {last[3]}.",
        ("seconds", "instances", "counterexamples", "best score"),
        tuple((f"{s:.1f}", str(n), str(c), str(b)) for s, n, c, b in rows), (7, 5), draw,
    )  # fmt: skip


def _panels(figure: Any, count: int) -> list[Any]:
    found = figure.subplots(1, count, squeeze=False)
    return list(found[0])


def _ranked(axes: Any, logits: NDArray[Any]) -> None:
    """Each row by the share of its keys that a key is above, so that rows of any scale compare."""
    import numpy as np

    seen = np.isfinite(logits)
    ranks = logits.argsort(axis=1).argsort(axis=1) - (~seen).sum(axis=1)[:, None]
    shown = np.where(seen, ranks / np.maximum(seen.sum(axis=1) - 1, 1)[:, None], np.nan)
    axes.imshow(shown**8, vmin=0, vmax=1.6, cmap="Greys", interpolation="nearest")
    n = len(logits)
    axes.set(xlabel="key", ylabel="row", xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
