"""The selected dichotomy with infinitely many targets: refuted, whatever rule selects."""

from __future__ import annotations

from proofs.models import absolute_system, decisions, fix, on_model, use
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

# phi(i) = [1 - i mod 2, i], t(i) = i - i mod 2 (the largest even position), W = [[a, b], [c, d]].
# The logits of even and odd rows i at even and odd keys j:
EVEN_EVEN = "(a + b*({j}) + c*({i}) + d*({i})*({j}))"
EVEN_ODD = "(b*({j}) + d*({i})*({j}))"
ODD_EVEN = "(c*({i}) + d*({i})*({j}))"
ODD_ODD = "(d*({i})*({j}))"


def _beats(first: str, target: str, second: str, key: str, row: str) -> str:
    return f"{first.format(i=row, j=target)} > {second.format(i=row, j=key)}"


TRAINING = {
    "row-1-key-1": _beats(ODD_EVEN, "0", ODD_ODD, "1", "1"),
    "row-2-key-0": _beats(EVEN_EVEN, "2", EVEN_EVEN, "0", "2"),
    "row-2-key-1": _beats(EVEN_EVEN, "2", EVEN_ODD, "1", "2"),
    "row-3-key-0": _beats(ODD_EVEN, "2", ODD_EVEN, "0", "3"),
}
EVEN, ODD = "2*k", "2*k + 1"


def forced() -> Claim:
    """Every W that is right on rows 1, 2 and 3 is right on every row from 4 on."""
    keys = "int k, int m: k >= 2, 0 <= m"
    return theorem(
        "real a, real b, real c, real d",
        TRAINING,
        [
            f"{keys}, m < k => {_beats(EVEN_EVEN, EVEN, EVEN_EVEN, '2*m', EVEN)}",
            f"{keys}, m < k => {_beats(EVEN_EVEN, EVEN, EVEN_ODD, '2*m + 1', EVEN)}",
            f"{keys}, m < k => {_beats(ODD_EVEN, EVEN, ODD_EVEN, '2*m', ODD)}",
            f"{keys}, m <= k => {_beats(ODD_EVEN, EVEN, ODD_ODD, '2*m + 1', ODD)}",
        ],
    )


def _rises(*names: str) -> object:
    """b + 2 d k > 0 from row 2 and d > 0, then the goal."""
    steps = use("row-2-key-0", "row-3-key-0", *names)
    return fix(*steps, last={"have": "b + 2*d*k > 0", "by": "auto", "then": "auto"})


FORCED = Sketch(
    (
        _rises(),
        _rises("row-2-key-1", "row-1-key-1"),
        fix(*use("row-3-key-0")),
        fix(*use("row-3-key-0", "row-1-key-1")),
    )
)
GOOD = {"a": 0, "b": 0, "c": 2, "d": 1}
ROWS = [(i, i - i % 2) for i in range(1, 13)]


def _rows(rows: list[tuple[int, int]]) -> Claim:
    return absolute_system([[1 - i % 2, i] for i in range(13)], rows)


ODD_TARGET = with_goal(forced(), f"int k: k >= 2 => {_beats(ODD_ODD, ODD, ODD_EVEN, EVEN, ODD)}")
AT = {"k": 2, "m": 0}
STATEMENT = Statement(
    id="conjecture-1.selected",
    title="'The parameter selected at L0 carries no task with infinitely many targets'",
    latex=r"\varphi(i) = [1 - (i \bmod 2),\ i],\ t(i) = i - (i \bmod 2):\ \text{every } W \text{"
    r" that realizes } L_0 = 4 \text{ realizes every length}",
    words="Reading: the dichotomy for the parameter that a selection rule (max-margin, ce) picks at"
    " L0, when the task has infinitely many targets. Refuted for every rule at once: over"
    " [1 - i mod 2, i] every W that realizes t(i) = i - i mod 2 (the largest even position,"
    " offsets 0"
    " and 1 in turn) at L0 = 4 is right on every later row. So no selection is needed, and the"
    " target"
    " is neither eventually a fixed offset nor a fixed position. The features are unbounded; for"
    " bounded ones see conjecture-1.bounded.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public); found by `pe-verify hunt start"
    " dichotomy-forced` on the periodic space",
    status="refuted",
    setting=("S1", "S2"),
    hypotheses=(Hypothesis("realizes-train", "W is right on rows 1, 2 and 3", tuple(TRAINING)),),
    obligations=(
        Obligation(
            "forced",
            "every W that realizes L0 = 4 is right on every row from 4 on",
            "all lengths, all real W that realize L0 = 4",
            lambda profile: forced(),
            FORCED,
            shows="fails",
            solvers=("z3",),
        ),
        decisions(
            "example",
            "W = [[0, 0], [2, 1]] on rows 1 to 12",
            lambda: _rows(ROWS),
            [[0, 0], [2, 1]],
            "h" * 12,
            "1",
            shows="fails",
        ),
        on_model("not-vacuous", "W = [[0, 0], [2, 1]]", lambda: satisfiable(forced(), GOOD, AT)),
    ),
    controls=(
        Control(
            "realizes-train",
            "a parameter that misses a training row can miss later rows",
            (
                on_model(
                    "row-3",
                    "d = -1: row 5 prefers key 0",
                    lambda: countermodel(
                        without(forced(), "row-3-key-0"),
                        {"a": 0, "b": 4, "c": 2, "d": -1},
                        AT,
                        2,
                    ),
                ),
                on_model(
                    "row-1",
                    "c = d: row 5 ties with its own key",
                    lambda: countermodel(
                        without(forced(), "row-1-key-1"),
                        {"a": 0, "b": 0, "c": 1, "d": 1},
                        {"k": 2, "m": 2},
                        3,
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: odd rows attend to themselves",
            ODD_TARGET,
            on_model("row-5", "key 4 wins row 5", lambda: countermodel(ODD_TARGET, GOOD, {"k": 2})),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
