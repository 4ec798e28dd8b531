"""The tempting "outside the column span" argument, in two readings, refuted by examples."""

from __future__ import annotations

from proofs.models import absolute_system, decisions, fix, realizable
from verify.statements import Claim, Obligation, Sketch, Statement, theorem

N = 5
FEATURES = [[1, i, i * i] for i in range(N)]
PREVIOUS = [(i, i - 1) for i in range(1, N)]
W = [[-1, -2, -1], [2, 2, 0], [-1, 0, 0]]  # -(i - 1 - j)^2
LEFT = (-1, 3, -3, 1, 0)  # third differences: sum_i u_i phi(i) = 0


def _logit(i: int) -> str:
    terms = [f"w{a}{b}*{i}**{a}*j**{b}" for a in range(3) for b in range(3)]
    return " + ".join(terms)


def pattern_outside() -> Claim:
    """u^T P = 0 for every kernel P = Phi W Phi^T, but u^T T != 0 for the one-hot pattern T."""
    symbols = ", ".join(f"real w{a}{b}" for a in range(3) for b in range(3))
    combined = " + ".join(f"({u})*({_logit(i)})" for i, u in enumerate(LEFT) if u)
    column = sum(u for i, u in enumerate(LEFT) if (i, 0) in PREVIOUS)
    return theorem(symbols, {}, [f"int j: {combined} == 0", f"{column} != 0"])


def _rows(rows: list[tuple[int, int]]) -> Claim:
    return absolute_system(FEATURES, rows)


SOURCE = (
    "A Positional Realizability Theory of Length Generalization, the corrected argument before"
    " Conjecture 1"
)
PATTERN = Statement(
    id="outside-colspan.pattern",
    title="'The target pattern lies outside the column span, so it is unrealizable'",
    latex=r"T \notin \{\Phi W \Phi^\top\} \;\Longrightarrow\; \text{unrealizable}",
    words="First reading: if the one-hot target pattern is not of the form Phi W Phi^T, no W"
    " realizes"
    " the task. False: only the argmax has to match, not the matrix.",
    source=SOURCE,
    status="refuted",
    obligations=(
        Obligation(
            "outside",
            "`previous` at n = 5: the pattern is outside the span over [1, i, i^2]",
            "one example",
            lambda profile: pattern_outside(),
            Sketch((fix(), fix())),
            shows="fails",
        ),
        realizable(
            "realized", "yet -(i - 1 - j)^2 realizes it", lambda: _rows(PREVIOUS), W, "fails"
        ),
    ),
)
NEW_ROWS = Statement(
    id="outside-colspan.new-rows",
    title="'New rows lie outside the training span, so transfer fails'",
    latex=r"a_{\text{new}} \notin \operatorname{span}\{a_{\text{train}}\} \;\Longrightarrow\;"
    r" \text{the new row is not a hit}",
    words="Second reading: if a new row's constraint vectors lie outside the span of the"
    " training ones,"
    " the transferred parameter cannot hit it. False: what decides is the cone, and a vector"
    " outside"
    " the span leaves the row free, not lost.",
    source=SOURCE,
    status="refuted",
    obligations=(
        decisions(
            "outside",
            "L0 = 2: the parameter with the only entry 1 at (3, 3) vanishes on the one"
            " training constraint (row 1 ties) and not on those of row 2, which are therefore"
            " outside the span",
            lambda: _rows([(1, 0), (2, 1)]),
            [[0, 0, 0], [0, 0, 0], [0, -1, 1]],
            "tm",
            shows="fails",
        ),
        decisions(
            "transfers",
            "yet W = -(i - 1 - j)^2, which realizes L0 = 2, hits row 2 (and 3, 4)",
            lambda: _rows(PREVIOUS),
            W,
            "hhhh",
            "1",
            shows="fails",
        ),
    ),
)
STATEMENTS = (PATTERN, NEW_ROWS)
