"""Certificates of heads, for the kernel alone.

A head of a learned-absolute model becomes the table of the rows (q_i, k_i), integers over a power
of two, and the parameter that pairs the first half with the second: phi(i)^T W phi(j) = <q_i, k_j>.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify import certificates
from verify.alpha import AlphaResult
from verify.checkpoints.channels import Channel
from verify.checkpoints.kernels import Kernel
from verify.checkpoints.reading import Channelled, Parts
from verify.decision_certificates import Skipped, Written, certify
from verify.kernel import number
from verify.parameters import Parameter, parameter
from verify.theory.encodings import Encoding
from verify.theory.encodings.custom import Table
from verify.theory.tasks import task

if TYPE_CHECKING:
    from verify.checkpoints.results import Head


def certificate(head: Head, parts: Parts, channel: Channel) -> dict[str, Any] | str:
    """A certificate of the head's decisions that the kernel accepted, or why there is none."""
    if isinstance(parts, Kernel):
        encoding, chosen = parts.encoding, parts.parameter
    elif channel == "norm":
        return "the layer norm divides by irrational roots, which certificates of tables exclude"
    else:
        encoding, chosen = paired(parts, head.score.length)
    result = AlphaResult(
        encoding, task(head.task), head.visibility, head.score.length, "given", chosen, head.score,
        (),
    )  # fmt: skip
    return certify(result, head.score)


def write(head: Head, parts: Parts, channel: Channel, directory: Path) -> Written | Skipped:
    """The same in a file of this folder."""
    n = head.score.length
    made = certificate(head, parts, channel)
    if isinstance(made, str):
        return Skipped(n, f"head {head.name}", made)
    name = f"head-{head.name}-{made['claim'].removeprefix('sha256:')[:12]}.json"
    certificates.write(directory / name, made)
    return Written(n, f"head {head.name}", directory / name)


def paired(parts: Channelled, length: int) -> tuple[Encoding, Parameter]:
    """The table and the parameter of a head without a layer norm."""
    exact = parts.exact()
    rows = []
    for i in range(length):
        q, k = exact.project("query", i)[0], exact.project("key", i)[0]
        rows.append(
            [a + b for a, b in zip(q, exact.query_shift, strict=True)]
            + [a + b for a, b in zip(k, exact.key_shift, strict=True)]
        )
    scale = math.lcm(*(x.denominator for row in rows for x in row))
    width = len(exact.query_shift)
    table = Table(tuple(tuple(number(x * scale) for x in row) for row in rows), False)
    unit = Fraction(1, scale * scale)
    matrix = [
        [unit if j == i + width else Fraction(0) for j in range(2 * width)]
        for i in range(2 * width)
    ]
    return table, parameter(table, matrix)
