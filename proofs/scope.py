"""The setting S1-S3, and what a content term may do: constant along a row, it changes nothing."""

from __future__ import annotations

from proofs.models import fix, on_model, use
from verify.statements import (
    Claim,
    Control,
    Hypothesis,
    Obligation,
    Sketch,
    Statement,
    Twin,
    countermodel,
    satisfiable,
    theorem,
    with_goal,
    without,
)


def neutral() -> Claim:
    """Logits Z = P + c with c constant along each row decide exactly as P does."""
    return theorem(
        "int n, real P, real c, real Z, real r",
        {
            "sum": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => Z(i, j) == P(i, j) + c(i, j)",
            "row-constant": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => c(i, j) == r(i)",
        },
        [
            "int i, int j, int t: 0 <= i, i < n, 0 <= j, j <= i, 0 <= t, t <= i =>"
            " Z(i, t) - Z(i, j) == P(i, t) - P(i, j)"
        ],
    )


ANY = {"n": 4, "P": "x1", "c": "x0", "r": "x0", "Z": "x0 + x1"}
STATEMENT = Statement(
    id="scope",
    title="A content term that is constant along each row preserves every decision",
    latex=r"Z_{ij} = P_{ij} + c_i \;\Longrightarrow\; Z_{it} - Z_{ij} = P_{it} - P_{ij}",
    words="S1: one head, one layer, logits from positions alone. S2: to solve a row is to have the"
    " strict masked argmax at the target. S3: on the evaluated rows the content is neutral. A"
    " content"
    " term that is constant along each row is neutral: all gaps, hence hits, misses, ties and"
    " margins,"
    " stay as they are.",
    source="A Positional Realizability Theory of Length Generalization, hypotheses S1-S3",
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis("sum", "the logit is the positional one plus a content term", ("sum",)),
        Hypothesis("row-constant", "the content term is constant along the row", ("row-constant",)),
    ),
    obligations=(
        Obligation(
            "gaps",
            "all differences of logits along a row are unchanged",
            "all rows, all real logits and content terms",
            lambda profile: neutral(),
            Sketch(
                (
                    fix(
                        *use("sum", i="i", j="t"),
                        *use("sum", i="i", j="j"),
                        *use("row-constant", i="i", j="t"),
                        *use("row-constant", i="i", j="j"),
                    ),
                )
            ),
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "P = j, c = i",
            lambda: satisfiable(neutral(), ANY, {"i": 2, "j": 0, "t": 1}),
        ),
    ),
    controls=(
        Control(
            "sum",
            "logits that are something else",
            (
                on_model(
                    "other",
                    "Z = 0",
                    lambda: countermodel(
                        without(neutral(), "sum"), ANY | {"Z": "0"}, {"i": 2, "j": 0, "t": 1}
                    ),
                ),
            ),
        ),
        Control(
            "row-constant",
            "a key-dependent content term can move the argmax",
            (
                on_model(
                    "key",
                    "c(i, j) = -2 j against P = j",
                    lambda: countermodel(
                        without(neutral(), "row-constant"),
                        ANY | {"c": "-2*x1", "Z": "-x1"},
                        {"i": 2, "j": 0, "t": 1},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the logits themselves are unchanged",
            with_goal(
                neutral(), "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => Z(i, j) == P(i, j)"
            ),
            on_model(
                "shift",
                "c = i",
                lambda: countermodel(
                    with_goal(
                        neutral(),
                        "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => Z(i, j) == P(i, j)",
                    ),
                    ANY,
                    {"i": 2, "j": 0},
                ),
            ),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
