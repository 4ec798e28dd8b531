"""The margin law: bounded features and a uniform margin leave room for finitely many targets."""

from __future__ import annotations

from proofs.models import fix, on_model, relative_system, use
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

# P: logits; N(i) = |phi(i)|; D(a, b) = |phi(a) - phi(b)|; V = |W|; s(i) = 1 on scored rows below n
HYPOTHESES = {
    "absolute": "absolute == 1",
    "bounded": "int i: 0 <= i, i < n => N(i) <= B",
    "uniform-margin": "int i, int j: 0 <= i, i < n, s(i) == 1, 0 <= j, j <= i, j != t(i) =>"
    " P(i, t(i)) - P(i, j) >= g",
    # what the words mean
    "target-from-0": "int i: 0 <= i, i < n, s(i) == 1 => t(i) >= 0",
    "target-visible": "int i: 0 <= i, i < n, s(i) == 1 => t(i) <= i",
    "norm": "V >= 0",
    "distance": "int a, int b: 0 <= a, a < n, 0 <= b, b < n => D(a, b) >= 0",
}
CAUCHY_SCHWARZ = {
    "cauchy-schwarz": "int i, int a, int b: absolute == 1, 0 <= i, i < n, 0 <= a, a < n, 0 <= b,"
    " b < n => P(i, a) - P(i, b) <= N(i)*V*D(a, b)"
}


def law() -> Claim:
    """Two different targets a = t(i), b = t(k) have |phi(a) - phi(b)| >= g/(B |W|)."""
    return theorem(
        "int n, int absolute, int s, int t, real P, real N, real D, real V, real B, real g",
        HYPOTHESES,
        [
            "int i, int k: 0 <= k, k <= i, i < n, s(i) == 1, s(k) == 1, t(i) != t(k) =>"
            " B*V*D(t(i), t(k)) >= g"
        ],
        CAUCHY_SCHWARZ,
    )


SKETCH = Sketch(
    (
        fix(
            *use("absolute", "norm"),
            *use("target-from-0", "target-visible", i="i"),
            *use("target-from-0", "target-visible", i="k"),
            *use("uniform-margin", i="i", j="t(k)"),
            *use("bounded", i="i"),
            *use("distance", a="t(i)", b="t(k)"),
            *use("cauchy-schwarz", i="i", a="t(i)", b="t(k)"),
            last={"rule": "close", "degree": 3},
        ),
    )
)
# two one-hot classes, t(i) = i mod 2 on rows 1 and 2: |phi(0) - phi(1)| = sqrt(2) >= 1
TWO = {
    "n": 3, "absolute": 1, "s": ({(0,): 0}, "1"), "t": ({(1,): 1}, "0"), "g": 1, "B": 1, "V": 1,
    "N": "1", "D": ({(k, k): 0 for k in range(3)}, "3/2"),
    "P": ({(1, 1): 1, (2, 0): 1}, "0"),
}  # fmt: skip
# the relative kernel 1[offset = 1]: margin 1 on every row, as many targets as rows
RELATIVE = TWO | {
    "t": "x0 - 1", "D": "0", "N": "0",
    "P": ({(i, i - 1): 1 for i in range(1, 3)}, "0"),
}  # fmt: skip


def _shift() -> Claim:
    """The relative kernel 1[offset = 1] on 12 rows of `previous`."""
    offsets = [[int(o == 1)] for o in range(13)]
    return {
        "kind": "decisions",
        "system": relative_system(offsets, [(i, i - 1) for i in range(1, 13)]),
        "parameter": ["1"],
        "outcomes": "h" * 12,
        "margin": "1",
    }


FAR = with_goal(
    law(),
    "int i, int k: 0 <= k, k <= i, i < n, s(i) == 1, s(k) == 1 => B*V*D(t(i), t(k)) >= g",
)
STATEMENT = Statement(
    id="conjecture-1.margin-law",
    title="Bounded features and a uniform margin allow finitely many targets",
    latex=r"|\varphi| \le B,\ \text{margin} \ge \gamma \;\Longrightarrow\; |\varphi(a) -"
    r" \varphi(b)| \ge \frac{\gamma}{B\,\|W\|} \text{ for targets } a \ne b",
    words="An absolute encoding with features bounded by B and one fixed W with margin at least"
    " gamma"
    " on every scored row at all lengths: any two different targets have features at distance at"
    " least gamma/(B |W|). So there are at most (1 + 2 B^2 |W|/gamma)^d targets (by comparing"
    " volumes"
    " of balls), and for a task with infinitely many targets the margin decays at least like"
    " (number of targets)^(-1/d).",
    source="ours; a boundary for every reading of Conjecture 1 with bounded features",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis("absolute", "the logit is phi(i)^T W phi(j)", ("absolute",)),
        Hypothesis("bounded", "|phi(i)| <= B on every row", ("bounded",)),
        Hypothesis(
            "uniform-margin", "margin at least gamma on every scored row", ("uniform-margin",)
        ),
    ),
    obligations=(
        Obligation(
            "separation",
            "two targets are at distance at least gamma/(B |W|)",
            "all absolute encodings, all W, all lengths",
            lambda profile: law(),
            SKETCH,
        ),
        on_model(
            "not-vacuous",
            "two one-hot classes with t(i) = i mod 2",
            lambda: satisfiable(law(), TWO, {"i": 2, "k": 1}),
        ),
    ),
    controls=(
        Control(
            "absolute",
            "the relative kernel 1[offset = 1] has margin 1 for ever and infinitely many targets",
            (
                Obligation(
                    "shift",
                    "margin 1 on every row, twelve targets",
                    "12 rows",
                    lambda profile: _shift(),
                    Given({"rule": "evaluate"}),
                ),
                on_model(
                    "no-features",
                    "there are no key features whose distance could be bounded",
                    lambda: countermodel(
                        without(law(), "absolute"), RELATIVE | {"absolute": 0}, {"i": 2, "k": 1}
                    ),
                ),
            ),
        ),
        Control(
            "bounded",
            "features that grow make up for targets that move together",
            (
                on_model(
                    "growing",
                    "|phi(2)| = 8, targets at distance 1/8",
                    lambda: countermodel(
                        without(law(), "bounded"),
                        TWO | {"N": "8", "D": "1/8"},
                        {"i": 2, "k": 1},
                    ),
                ),
            ),
        ),
        Control(
            "uniform-margin",
            "a small margin allows targets that are close",
            (
                on_model(
                    "small",
                    "margin 1/8 < gamma = 1",
                    lambda: countermodel(
                        without(law(), "uniform-margin"),
                        TWO | {"D": "1/8", "P": ({(1, 1): "1/8", (2, 0): "1/8"}, "0")},
                        {"i": 2, "k": 1},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: any two rows have targets at that distance",
            FAR,
            on_model(
                "same-target", "row 2 and itself", lambda: countermodel(FAR, TWO, {"i": 2, "k": 2})
            ),
        ),
    ),
    remarks=(
        "Lemma used: Cauchy-Schwarz. The count of targets follows from the separation by comparing"
        " volumes of balls; that step is standard and not certified here.",
    ),
)
STATEMENTS = (STATEMENT,)
