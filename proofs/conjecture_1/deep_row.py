"""Theorem 2 transplanted to a deterministic absolute encoding: refuted in one dimension."""

from __future__ import annotations

from proofs.models import absolute_system, decisions
from verify.statements import Claim, Statement

# phi(i) = i + i^2 - i^3 is 0, 1, -2, -15 on the first positions; W = -1
FEATURES = [[i + i**2 - i**3] for i in range(4)]


def _rows(rows: list[tuple[int, int]]) -> Claim:
    return absolute_system(FEATURES, rows)


STATEMENT = Statement(
    id="conjecture-1.deep-row",
    title="'What wins every training row decides the deep rows, as in Theorem 2'",
    latex=r"\arg\max_j P_{ij} = i - \delta \ (i < L_0) \;\Longrightarrow\; \bigl(\text{row } i"
    r" \text{"
    r" is a hit} \iff i - t(i) = \delta\bigr)\quad (i \ge L_0)",
    words="Reading: if one offset delta is the strict unique argmax of every training row (two at"
    " least) under a deterministic encoding, a new row is a hit exactly when it demands delta, as"
    " Theorem 2 has it for relative heads. Both directions fail for phi(i) = i + i^2 - i^3 in one"
    " dimension with W = -1 at L0 = 3: rows 1 and 2 attend one back, row 3 attends two back.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public); found by `pe-verify hunt start deep-row`",
    status="refuted",
    setting=("S1", "S2"),
    obligations=(
        decisions(
            "training-rows",
            "offset 1 wins rows 1 and 2",
            lambda: _rows([(1, 0), (2, 1)]),
            [[-1]],
            "hh",
            "1",
            shows="fails",
        ),
        decisions(
            "other-offset-hit",
            "row 3 demands offset 2 (t = floor(i/2)) and is a hit",
            lambda: _rows([(3, 1)]),
            [[-1]],
            "h",
            "1",
            shows="fails",
        ),
        decisions(
            "offset-lost",
            "row 3 demands offset 1 (previous) and is a miss",
            lambda: _rows([(3, 2)]),
            [[-1]],
            "m",
            shows="fails",
        ),
    ),
    remarks=(
        "What makes Theorem 2 work is that a relative kernel gives every row the same logits by"
        " offset; nothing ties the rows of an absolute encoding together in this way.",
    ),
)
STATEMENTS = (STATEMENT,)
