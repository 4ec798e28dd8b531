"""How long the kernel takes on large certificates: `pytest tests/benchmarks/test_kernel.py`."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from verify import kernel
from verify.theory import heads
from verify.theory.encodings import encoding

Made = tuple[dict[str, Any], dict[str, Any]]  # a claim and a proof
THETA = "2**(-15/4)*5**(-15/4)"  # 10000^(-15/16), the lowest standard frequency


def finite() -> Made:
    """sin(d * theta) increases over 8832 steps, each by an enclosure."""
    claim = {
        **{"kind": "theorem", "symbols": {}, "definitions": {}, "hypotheses": {}, "lemmas": {}},
        "goals": [
            {
                **{"for": {"d": "int"}, "if": ["d >= 0", "d <= 8831"]},
                "then": f"sin((d + 1)*{THETA}) > sin(d*{THETA})",
            }
        ],
    }
    each = {"rule": "sign", "fact": 2, "bits": 64}
    steps = {"rule": "finite", "name": "d", "low": 0, "high": 1, "each": each}
    return claim, {"rule": "goals", "goals": [{"rule": "fix", "then": steps}]}


def sinusoidal() -> Made:
    """sum_k cos(theta_k (i - j - 1)) over 512 positions and 32 features hits `previous`."""
    made, count = encoding("sinusoidal:frequencies=16"), 16
    matrix = [[Fraction(0)] * 32 for _ in range(32)]
    for k in range(count):
        theta = 10000 ** (-k / 16)
        c, s = Fraction(math.cos(theta)), Fraction(math.sin(theta))
        matrix[k][k] = matrix[count + k][count + k] = c
        matrix[count + k][k], matrix[k][count + k] = -s, s
    rows = [(i, i - 1) for i in range(1, 512)]
    claim = heads.decisions_claim(
        made, [(512, rows)], tuple(map(tuple, matrix)), "h" * 511, Fraction(1, 2)
    )
    return claim, {"rule": "evaluate", "bits": 64}


def copy() -> Made:
    """The lowest frequency alone hits the target of `copy` on 8832 rows of length 17665."""
    vectors = [[f"sin({o}*{THETA})"] for o in range(17665)]
    rows = [[-1, 0, i + 1, 8833] for i in range(8833, 17665)]
    system = {"vectors": vectors, "rows": rows}
    claim = {"kind": "decisions", "system": system, "parameter": ["1"], "margin": "0"}
    return {**claim, "outcomes": "h" * len(rows)}, {"rule": "evaluate", "bits": 64}


def farkas(bits: int) -> Made:
    """51200 multipliers of so many bits for a system with 1024 unknowns."""
    chance, d, n = random.Random(1), 32, 320
    vectors = [[str(chance.randint(-9, 9)) for _ in range(d)] for _ in range(n)]
    rows = [[q, a, a + 2, t] for q in range(80) for a in range(0, n, 1) for t in (a, a + 1)]
    rows = [row for row in rows if row[2] <= n][: 2 * 25600]
    bottom = chance.getrandbits(bits) | 1
    multipliers = [
        [k, row[1] + row[2] - 1 - row[3], str(Fraction(bottom + 2 * row[1] + 1, bottom))]
        for k, row in enumerate(rows)
    ]
    claim = {"kind": "unrealizable", "system": {"vectors": vectors, "rows": rows}}
    return claim, {"rule": "farkas", "multipliers": multipliers}


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (finite, 6),
        (sinusoidal, 10),
        (copy, 15),
        (lambda: farkas(8), 5),
        (lambda: farkas(3000), 15),
    ],
    ids=["finite", "sinusoidal", "copy", "farkas", "farkas-3000-bits"],
)
def test_check(benchmark: BenchmarkFixture, make: Callable[[], Made], bound: float) -> None:
    claim, proof = make()
    certificate = {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}
    checked = benchmark.pedantic(kernel.check, (claim, certificate), rounds=1, iterations=1)
    assert checked.outcome == "valid", checked.reason
    assert benchmark.stats.stats.max < bound
