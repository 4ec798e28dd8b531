"""The pictures of the report: what the theory looks like on four questions.

Each is an answer of `alpha`, `taxonomy` or `transfer`, computed when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from verify import plots
from verify.alpha import alpha
from verify.plots import Picture
from verify.taxonomy import taxonomy
from verify.transfer import transfer

TRAIN: Final = 20
PUBLISHED: Final = ("rope-attend-first", "sinusoidal-previous")  # claims with one value a length
PATTERNS: Final = (
    ("sinusoidal:frequencies=16", "previous", 60), ("clipped:length=20", "attend-first", 40),
)  # fmt: skip
STRIPS: Final = (
    ("rope:frequencies=1", "previous", 9, 20), ("clamped:length=12", "decimate:q=2", 12, 36),
)  # fmt: skip


def pictures(claims: Mapping[str, Mapping[str, Any]]) -> list[Picture]:
    """alpha beside what was published, the taxonomy, patterns, and strips of classes.

    claims: the published numbers by id, as `proofs/claims.toml` has them.
    """
    compared = [claims[name] for name in PUBLISHED]
    results = [
        alpha(c["encoding"], c["task"], train_length=TRAIN, lengths=sorted(map(int, c["hits"])))
        for c in compared
    ]
    return [
        plots.curves(results, [_printed(c) for c in compared]),
        plots.heat_map(taxonomy(train_length=TRAIN, lengths=[60])),
        *(plots.pattern(alpha(e, t, train_length=TRAIN, lengths=[n]), n) for e, t, n in PATTERNS),
        *(plots.classes(transfer(e, t, train_length=l0, length=n)) for e, t, l0, n in STRIPS),
    ]


def _printed(claim: Mapping[str, Any]) -> dict[int, float]:
    lengths: Sequence[int] = sorted(map(int, claim["hits"]))
    values = str(claim["published"]).split(",")
    return dict(zip(lengths, map(float, values), strict=True))
