"""The positional channel of every head of a checkpoint, certified row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from verify.alpha import Score, TypeCheck
from verify.checkpoints import carrying, channels, deciding, horizons
from verify.checkpoints.channels import CHANNELS, Channel, Inputs
from verify.checkpoints.exact import Exact
from verify.checkpoints.files import Checkpoint, checkpoint
from verify.checkpoints.kernels import KERNELS, ROPE, Kernel, attended, kernel_logits, kernels
from verify.checkpoints.layouts import LEARNED, Learned, Projections, learned
from verify.checkpoints.matching import closest
from verify.checkpoints.results import Head, Heads
from verify.decisions import decide, region
from verify.engines.floats import narrow
from verify.engines.floats.products import product
from verify.theory.tasks import task
from verify.theory.visibility import VISIBILITIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Progress = Callable[[str, int, int], None]

LENGTH: Final = 512  # where the model has no table that ends
LONGEST: Final = 8192
_CONTENT: Final = "content: the word embeddings, and what earlier layers write"
_NORM: Final = "the layer norm"
_BIASES: Final = "the biases of queries and keys"
_SCALE: Final = "the positive factor on all logits, which changes no decision"


@dataclass(frozen=True, slots=True, eq=False)
class Channelled:
    """One head of a learned-absolute model with all that its decisions were made from."""

    source: Inputs
    projections: Projections
    queries: Floats
    keys: Floats

    def exact(self) -> Exact:
        """The same head in rational arithmetic."""
        return channels.exact(self.source, self.projections)


Parts = Channelled | Kernel
Read = tuple[Head, Parts]


@dataclass(frozen=True, slots=True)
class Question:
    """What to read of a checkpoint, as `heads` takes it."""

    channel: Channel
    visibility: str | None
    length: int | None
    only: frozenset[str] | None
    content: Path | None
    types: tuple[str, ...]

    def wants(self, name: str) -> bool:
        """Whether a head of this name was asked for."""
        return self.only is None or name in self.only


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A checkpoint whose layout is known. capacity: rows of its position table."""

    source: Checkpoint
    family: str
    model: Learned | None
    capacity: int | None
    length: int
    question: Question

    def read(self, progress: Progress | None = None) -> Iterator[Read]:
        """Every head that is wanted, in the order of layers and heads."""
        if self.model is None:
            return _kernels(self, progress)
        return _learned(self, self.model, progress)

    def left_out(self) -> tuple[str, ...]:
        """What the channel does not contain."""
        if self.model is not None:
            more = {
                "table": (_CONTENT, _NORM, _BIASES),
                "biases": (_CONTENT, _NORM),
                "norm": ("content beyond the mean embedding of all words, and earlier layers",),
            }
            return (*more[self.question.channel], _SCALE)
        if self.family in ROPE:
            given = self.question.content is not None
            what = "content beyond the mean of the given vectors" if given else _CONTENT
            return (what, _SCALE) if given else (what, _NORM, _SCALE)
        if self.family == "bloom":
            return (_CONTENT, _NORM, _BIASES)
        return (_CONTENT, _NORM, "rounding of the bucket boundaries, which are exact here")


@contextmanager
def opened(path: str | Path, question: Question) -> Iterator[Opened]:
    """Open a checkpoint for a question. ValueError for what is not supported."""
    if question.channel not in CHANNELS:
        raise ValueError(f"channel must be one of {', '.join(CHANNELS)}, not {question.channel!r}")
    if question.visibility not in (None, *VISIBILITIES):
        raise ValueError(f"visibility must be 'causal' or 'full', not {question.visibility!r}")
    for name in question.types:
        narrow.dtype(name)
    with checkpoint(path) as source:
        family = str(source.config.get("model_type"))
        if family not in (*LEARNED, *KERNELS):
            raise ValueError(
                f"{path}: config.json has model_type = {family[:40]!r}; supported are "
                f"{', '.join((*LEARNED, *KERNELS))}"
            )
        if question.content is not None and family not in ROPE:
            raise ValueError(f"content vectors go with RoPE models only, and {path} is {family}")
        model = learned(source) if family in LEARNED else None
        if model is None and question.channel != "table":
            raise ValueError(
                f"the channel {question.channel!r} goes with learned-absolute tables only, and "
                f"{path} is {family}; leave it out"
            )
        capacity = None if model is None else len(model.positions)
        length = _length(question.length, capacity)
        yield Opened(source, family, model, capacity, length, question)


def _length(wanted: int | None, capacity: int | None) -> int:
    if wanted is None:
        return LENGTH if capacity is None else min(capacity, LONGEST)
    most = min(capacity or LONGEST, LONGEST)
    if isinstance(wanted, bool) or not 2 <= wanted <= most:
        table = f"; the position table has {capacity} rows" if capacity else ""
        raise ValueError(f"length must be from 2 to {most}, not {wanted}{table}")
    return wanted


def heads(
    path: str | Path,
    *,
    channel: Channel = "table",
    visibility: str | None = None,
    length: int | None = None,
    only: Iterable[str] | None = None,
    content: str | Path | None = None,
    types: Iterable[str] = (),
    train_length: int | None = None,
    progress: Progress | None = None,
) -> Heads:
    """Certify the positional channel of every head on the task it comes closest to.

    channel: what of a learned-absolute model it includes, see `verify.checkpoints.channels`.
    visibility: default as the model attends. length: default the whole table, or 512. only: names
    of heads, such as "0.5". content: vectors for RoPE. types: float types to compare with.
    train_length: L0 of the classes in `carries` (`verify.checkpoints.carrying`). The task is the
    one that most rows agree with in float64; its rows are then decided exactly. ValueError for bad
    input.
    """
    asked = question(channel, visibility, length, only, content, types)
    return examine(path, asked, train_length, progress)[0]


def examine(
    path: str | Path,
    asked: Question,
    train_length: int | None = None,
    progress: Progress | None = None,
) -> tuple[Heads, dict[str, Parts]]:
    """What `heads` finds, and by name what each head was decided from."""
    with opened(path, asked) as found:
        geometry = None if train_length is None else _geometry(found, train_length)
        read = list(found.read(progress))
        result = collect(found, (head for head, _ in read), geometry)
        return result, {head.name: parts for head, parts in read}


def question(
    channel: Channel,
    visibility: str | None,
    length: int | None,
    only: Iterable[str] | None,
    content: str | Path | None,
    types: Iterable[str],
) -> Question:
    """The arguments of `heads` together."""
    wanted = None if only is None else frozenset(only)
    vectors = None if content is None else Path(content)
    return Question(channel, visibility, length, wanted, vectors, tuple(types))


def _geometry(found: Opened, train_length: int) -> carrying.Geometry:
    if found.model is None:
        raise ValueError(
            f"classes of new rows are for learned-absolute tables; {found.family} has a kernel of "
            f"the offset: ask `transfer` about its encoding"
        )
    return carrying.geometry(found.model.positions[: found.length], train_length)


def collect(
    found: Opened, read: Iterable[Head], geometry: carrying.Geometry | None = None
) -> Heads:
    """Sort heads by their certified share. ValueError if an unknown head was asked for."""
    listed = sorted(read, key=lambda head: -head.share)
    missing = (found.question.only or frozenset()) - {head.name for head in listed}
    if missing:
        raise ValueError(
            f"{found.source.name} has no head {min(missing)[:40]}; a head is layer.head, such as "
            f"0.5 (all.5 if the layers share it, encoder.all.5 if there are two stacks)"
        )
    kinds = dict.fromkeys((head.task, head.visibility) for head in listed)
    carries = () if geometry is None else tuple(carrying.carry(geometry, *kind) for kind in kinds)
    return Heads(
        found.source.name, found.family, found.question.channel, found.length, found.capacity,
        tuple(listed), found.left_out(), carries,
    )  # fmt: skip


def _learned(found: Opened, model: Learned, progress: Progress | None) -> Iterator[Read]:
    asked, n = found.question, found.length
    visibility = asked.visibility or model.visibility
    source, norm = None, None
    for layer in range(model.layers):
        if progress is not None:
            progress("layers", layer, model.layers)
        wanted = [h for h in range(model.heads) if asked.wants(f"{layer}.{h}")]
        if not wanted:
            continue
        projections = model.projections(layer)
        here = model.norm(layer) if asked.channel == "norm" else None
        if source is None or here is not norm:
            source, norm = channels.inputs(model, asked.channel, layer, n), here
        for h in wanted:
            head = channels.head(model, asked.channel, projections, h)
            queries = channels.table(source, head.query, head.query_bias)
            keys = channels.table(source, head.key, head.key_bias)
            peaks = deciding.peaks(queries.values, keys.values, visibility)
            spec = closest(peaks.key, visibility)
            rows = region(task(spec), n, visibility)
            parts = Channelled(source, head, queries.values, keys.values)
            score = Score(deciding.decide(queries, keys, peaks, rows, parts.exact))
            typed = tuple(
                _typed(name, score, horizons.picks(
                    source, head, rows.rows, visibility == "full", name
                ))
                for name in asked.types
            )  # fmt: skip
            yield Head("", layer, h, visibility, spec, score, typed), parts


def _kernels(found: Opened, progress: Progress | None) -> Iterator[Read]:
    asked, n = found.question, found.length
    done = 0
    for kernel in kernels(found.source, asked.content):
        layer = "all" if kernel.layer is None else str(kernel.layer)
        if not asked.wants(".".join(filter(None, (kernel.stack, layer, str(kernel.head))))):
            continue
        if progress is not None:
            progress("heads", done, done + 1)
        done += 1
        visibility = asked.visibility or kernel.visibility
        spec = closest(attended(kernel, n, visibility), visibility)
        rows = region(task(spec), n, visibility)
        score = Score(decide(kernel.encoding, kernel.parameter, n, rows, visibility))
        nearest = kernel.parameter.nearest
        typed = tuple(
            _typed(name, score, narrow.picks(kernel.encoding, nearest, n, rows, visibility, name))
            for name in asked.types
        )
        head = Head(kernel.stack, kernel.layer, kernel.head, visibility, spec, score, typed)
        yield head, kernel


def _typed(name: str, score: Score, found: narrow.Picks) -> TypeCheck:
    targets = score.decisions.rows.targets
    return TypeCheck(name, score, found.first == targets, found.last == targets)


def logits(head: Head, parts: Parts) -> Floats:
    """(n, n): the head's logits in float64, -inf at keys that a row does not see; for pictures."""
    n = head.score.length
    if isinstance(parts, Kernel):
        found = kernel_logits(parts, np.arange(n), n, head.visibility)
    else:
        found = product(parts.queries, np.ascontiguousarray(parts.keys.T))
    if head.visibility == "causal":
        found[np.arange(n) > np.arange(n)[:, None]] = -np.inf
    return found
