"""The selected dichotomy for bounded features with infinitely many targets: refuted as well. Ours.

phi(i) = [1 if 3 divides i else 0, h(i)] with h > 0 rising, bounded, and rising ever more slowly,
such as h(i) = (i + 1)/(i + 2). The task asks the rows between multiples of 3 for the last multiple:
t(i) = i - i mod 3. There the query is [0, h(i)], so with W = [[a, b], [c, d]] the row compares
c e(j) + d h(j) for every i, with e(j) = 1 on multiples of 3.
"""

from __future__ import annotations

from proofs.models import absolute_system, chain, decisions, fix, on_model, use
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

SETUP = {
    "rising": "int i, int j: 0 <= i, i < j => h(i) < h(j)",
    "slower": "int i: i >= 0 => h(i + 2) - h(i) <= h(2) - h(0)",
}
TRAINING = {
    "row-2-key-2": "c + d*h(0) > d*h(2)",
    "row-4-key-0": "c + d*h(3) > c + d*h(0)",
}


GOALS = (
    "int k, int m: k >= 1, 0 <= m, m < k => c + d*h(3*k) > c + d*h(3*m)",
    "int k, int j: k >= 1, 0 <= j, j < 3*k => c + d*h(3*k) > d*h(j)",
    "int k: k >= 1 => c + d*h(3*k) > d*h(3*k + 1)",
    "int k: k >= 1 => c + d*h(3*k) > d*h(3*k + 2)",
)


def forced() -> Claim:
    """Every W that is right on rows 2 and 4 is right on the rows 3k + 1 and 3k + 2, k >= 1."""
    return theorem("real h, real c, real d", {**SETUP, **TRAINING}, GOALS)


def _proved(*steps: dict[str, object], last: object = "auto") -> object:
    """d > 0 from row 4, then the steps."""
    first = [*use("rising", i="0", j="3"), *use("row-4-key-0")]
    return fix(*first, last={"have": "d > 0", "by": "auto", "then": chain(steps, last)})


_LAST = (*use("slower", i="3*k"), *use("row-2-key-2"))
FORCED = Sketch(
    (
        _proved(*use("rising", i="3*m", j="3*k")),
        _proved(*use("rising", i="j", j="3*k"), *use("row-2-key-2"), *use("rising", i="0", j="2")),
        _proved(*use("rising", i="3*k + 1", j="3*k + 2"), *_LAST),
        _proved(*_LAST),
    )
)
GOOD = {"c": 3, "d": 1, "h": "x0"}
ROWS = [(i, i - i % 3) for i in range(1, 13) if i % 3]


def _rows() -> Claim:
    features = [[int(i % 3 == 0), f"{i + 1}/{i + 2}"] for i in range(13)]
    return absolute_system(features, ROWS)


def example() -> Claim:
    """h(i) = (i + 1)/(i + 2) rises, and by at most h(2) - h(0) = 1/4 in two steps."""
    return theorem(
        "",
        {},
        [
            "int i, int j: 0 <= i, i < j => (i + 1)*(j + 2) < (j + 1)*(i + 2)",
            "int i: i >= 0 => 4*((i + 3)*(i + 2) - (i + 1)*(i + 4)) <= (i + 2)*(i + 4)",
        ],
    )


def _model(words: str, without_: str, changed: dict[str, object], goal: int, **at: int) -> Control:
    model = on_model(
        "model", words, lambda: countermodel(without(forced(), without_), GOOD | changed, at, goal)
    )
    return Control(without_, words, (model,))


OWN = with_goal(forced(), "int k: k >= 1 => d*h(3*k + 1) > c + d*h(3*k)")
STATEMENT = Statement(
    id="conjecture-1.bounded",
    title="'The parameter selected at L0 carries no task with infinitely many targets if features"
    " are bounded'",
    latex=r"\varphi(i) = [\mathbf 1[3 \mid i],\ h(i)],\ t(i) = i - (i \bmod 3):\ \text{every } W"
    r" \text{ that realizes } L_0 = 5 \text{ realizes every length}",
    words="Reading: the selected dichotomy with infinitely many targets, for bounded features."
    " Refuted for every selection rule at once: let h be positive, rising and rising ever more"
    " slowly, such as (i + 1)/(i + 2). The rows between multiples of 3 ask for the last multiple,"
    " offsets 1 and 2 in turn. Every W that is right on rows 1, 2 and 4 is right on all later rows."
    " The margin decays, as conjecture-1.margin-law says it must.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public); ours",
    status="refuted",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis("rising", "h rises", ("rising",)),
        Hypothesis("slower", "h rises no faster than at 0", ("slower",)),
        Hypothesis("row-2-key-2", "row 2 prefers key 0 to itself", ("row-2-key-2",)),
        Hypothesis("row-4-key-0", "row 4 prefers key 3 to key 0", ("row-4-key-0",)),
    ),
    obligations=(
        Obligation(
            "forced",
            "every W that is right on rows 2 and 4 is right on every row 3k + 1 and 3k + 2, k >= 1",
            "all lengths, all such h, all real W that realize L0 = 5",
            lambda profile: forced(),
            FORCED,
            shows="fails",
            solvers=("z3",),
        ),
        Obligation(
            "bounded-example",
            "h(i) = (i + 1)/(i + 2) < 1 rises, ever more slowly (denominators multiplied out)",
            "all positions",
            lambda profile: example(),
            Sketch((fix(), fix())),
        ),
        decisions(
            "example",
            "h(i) = (i + 1)/(i + 2), W = [[0, 0], [1, 1]]",
            _rows,
            [[0, 0], [1, 1]],
            "h" * len(ROWS),
            shows="fails",
        ),
        on_model("not-vacuous", "h(i) = i", lambda: satisfiable(forced(), GOOD, {"k": 1, "m": 0})),
    ),
    controls=(
        _model(
            "h(i) = 10 i - i^2 falls from 6 to 9, and row 10 prefers key 6",
            "rising",
            {"c": 20, "h": "10*x0 - x0**2"},
            0,
            k=3,
            m=2,
        ),
        _model("h(i) = i^2: row 5 prefers itself", "slower", {"c": 5, "h": "x0**2"}, 3, k=1),
        _model("c = 0: row 5 prefers itself", "row-2-key-2", {"c": 0}, 3, k=1),
        _model("d = -1: row 7 prefers key 0", "row-4-key-0", {"d": -1}, 0, k=2, m=0),
    ),
    twins=(
        Twin(
            "false: the rows attend to themselves",
            OWN,
            on_model("row-4", "key 3 wins row 4", lambda: countermodel(OWN, GOOD, {"k": 1})),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
