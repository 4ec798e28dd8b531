"""The cone reading: a new row is forced exactly when its constraints lie in the training cone."""

from __future__ import annotations

from proofs.models import decisions, fix, on_model, use
from verify.statements import (
    Claim,
    Control,
    Given,
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


def combination() -> Claim:
    """sum_k y(k) <a_k, W> > 0 for non-negative y, not all zero, and <a_k, W> > 0."""
    return theorem(
        "int m, int p, real y, real s, real S",
        {
            "start": "S(0) == 0",
            "step": "int k: 0 <= k, k < m => S(k + 1) == S(k) + y(k)*s(k)",
            "realizes-train": "int k: 0 <= k, k < m => s(k) > 0",
            "non-negative": "int k: 0 <= k, k < m => y(k) >= 0",
            "non-zero": "y(p) > 0",
            "index-from-0": "p >= 0",
            "index-to-m": "p < m",
        },
        [
            "int k: k >= 0, k <= p => S(k) >= 0",
            "int k: k >= p + 1, k <= m, S(p) >= 0 => S(k) > 0",
        ],
    )


COMBINATION = Sketch(
    (
        {
            "rule": "induct",
            "on": "k",
            "from": "0",
            "base": fix(*use("start")),
            "step": fix(
                *use("IH", "index-to-m"), *use("step", "realizes-train", "non-negative", k="k")
            ),
        },
        {
            "rule": "induct",
            "on": "k",
            "from": "p + 1",
            "base": fix(
                *use("index-from-0", "index-to-m", "non-zero"),
                *use("step", "realizes-train", k="p"),
            ),
            "step": fix(
                *use("IH", "index-from-0"), *use("step", "realizes-train", "non-negative", k="k")
            ),
        },
    )
)
OFFSETS = [["0", "0"], ["1", "0"], ["0", "1"], ["1", "1"]]


def _system() -> Claim:
    """Training: offset 1 beats offset 0 on row 1 (a relative basis in the plane)."""
    return {"vectors": OFFSETS, "rows": [[-1, 0, 2, 1]]}


def _forced() -> Claim:
    """Offset 3 beats offset 2: (1, 1) - (0, 1) is the training constraint again."""
    return {"kind": "forced", "system": _system(), "row": [-1, 2, 4, 3]}


MODEL = {"m": 2, "p": 0, "y": "1", "s": "1", "S": "x0"}
SURE = with_goal(combination(), "int k: k >= 0, k <= m => S(k) > 0")
STATEMENT = Statement(
    id="conjecture-1.cone",
    title="A new row is forced exactly when its constraints lie in the cone of the training ones",
    latex=r"\langle a, W\rangle > 0 \text{ for every realizing } W \iff a = \sum_k y_k a_k,"
    r"\ y \ge 0,\ y \ne 0",
    words="A new constraint holds for every parameter that realizes the task at L0 exactly when"
    " it is"
    " a non-negative, non-zero combination of training constraints. From right to left this is"
    " proved"
    " here for any number of constraints; from left to right it is Farkas' lemma (in the form of"
    " Motzkin's transposition theorem), used through its certificates: every `transfer` verdict"
    " of a"
    " rational encoding carries one.",
    source="ours: what replaces the span in the corrected argument before Conjecture 1",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis("realizes-train", "the parameter realizes the task at L0", ("realizes-train",)),
        Hypothesis("non-negative", "the multipliers are non-negative", ("non-negative",)),
        Hypothesis("non-zero", "some multiplier is positive", ("non-zero",)),
    ),
    obligations=(
        Obligation(
            "cone-suffices",
            "a non-negative, non-zero combination of positive numbers is positive, by induction",
            "any number of constraints, all real W",
            lambda profile: combination(),
            COMBINATION,
        ),
        Obligation(
            "forced-example",
            "a row that is forced, with its combination",
            "one row",
            lambda profile: _forced(),
            Given({"rule": "cone", "cones": [[[0, 0, "1"]]]}),
        ),
        on_model(
            "not-vacuous", "two constraints", lambda: satisfiable(combination(), MODEL, {"k": 0})
        ),
    ),
    controls=(
        Control(
            "realizes-train",
            "a parameter that does not realize L0 may lose a forced row",
            (
                decisions(
                    "zero",
                    "w = 0 ties on the forced row",
                    lambda: {"vectors": OFFSETS, "rows": [[-1, 2, 4, 3]]},
                    ["0", "0"],
                    "t",
                ),
                on_model(
                    "model",
                    "s = -1",
                    lambda: countermodel(
                        without(combination(), "realizes-train"),
                        MODEL | {"p": 1, "s": "-1", "S": "-x0"},
                        {"k": 1},
                    ),
                ),
            ),
        ),
        Control(
            "non-negative",
            "in the span but not in the cone: the row can be lost (the span argument)",
            (
                decisions(
                    "lost",
                    "w = (1, 0) realizes L0 and misses offset 2 against offset 1",
                    lambda: {"vectors": OFFSETS, "rows": [[-1, 0, 2, 1], [-1, 1, 3, 2]]},
                    ["1", "0"],
                    "hm",
                ),
                on_model(
                    "model",
                    "y = -1 at the first constraint",
                    lambda: countermodel(
                        without(combination(), "non-negative"),
                        MODEL | {"p": 1, "y": ({(0,): -1}, "1"), "S": ({(0,): 0, (1,): -1}, "0")},
                        {"k": 1},
                    ),
                ),
            ),
        ),
        Control(
            "non-zero",
            "the zero combination proves nothing: identical features tie",
            (
                on_model(
                    "model",
                    "y = 0",
                    lambda: countermodel(
                        without(combination(), "non-zero"),
                        MODEL | {"y": "0", "S": "0"},
                        {"k": 1},
                        1,
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: every partial sum is positive, the empty one included",
            SURE,
            on_model("empty", "S(0) = 0", lambda: countermodel(SURE, MODEL, {"k": 0})),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
