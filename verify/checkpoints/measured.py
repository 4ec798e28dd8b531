"""Heads of a checkpoint as a measurement: counts with every row certified, both visibilities.

The declarations are in `proofs/positional_heads.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verify.checkpoints.certifying import certificate
from verify.checkpoints.reading import examine, question
from verify.statements import Measured
from verify.theory.visibility import VISIBILITIES


def counts(
    checkpoint: Path, name: str, task: str, expected: Mapping[str, str], kernel_up_to: int
) -> Measured:
    """Hits over rows of one head, from its position table alone.

    expected: by visibility, as "502/511". The rows below `kernel_up_to` are also decided by the
    kernel, from a certificate; RuntimeError if it refuses that.
    """
    found: dict[str, str] = {}
    details = []
    agrees = True
    for visibility in VISIBILITIES:
        asked = question("table", visibility, None, [name], None, ())
        head = examine(checkpoint, asked)[0][name]
        found[visibility] = f"{head.score.hits}/{head.score.scored}"
        agrees &= head.task == task
        low = head.margin[0] if head.margin is not None else None
        details.append(
            f"{visibility} attention: {head.task}, {found[visibility]} ="
            f" {float(head.share):.4f}, {head.score.ties} ties, smallest margin of a hit"
            f" {'none' if low is None else f'{float(low):.4g}'}"
        )
        short = question("table", visibility, kernel_up_to, [name], None, ())
        few, parts = examine(checkpoint, short)
        made = certificate(few[name], parts[name], "table")
        if isinstance(made, str):
            raise RuntimeError(f"no certificate of head {name}, {visibility} attention: {made}")
    details.append(f"also decided by the kernel: the first {kernel_up_to} rows")
    return Measured(
        value=", ".join(f"{hits} {visibility}" for visibility, hits in found.items()),
        interval=None,
        published=None,
        agrees=agrees and found == dict(expected),
        certified=True,
        details="; ".join(details),
    )
