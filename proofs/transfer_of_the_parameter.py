"""The transfer operator acts on the parameter, not on the kernel block."""

from __future__ import annotations

from proofs.models import absolute_system, decisions, fix, on_model, use
from verify.statements import (
    Claim,
    Control,
    Hypothesis,
    Obligation,
    Sketch,
    Statement,
    countermodel,
    satisfiable,
    theorem,
    without,
)

# phi = [1, i, i^2] has rank 2 on {0, 1}; v = (0, 1, -1) vanishes there: phi(i).v = i - i^2
W = [[-1, -2, -1], [2, 2, 0], [-1, 0, 0]]  # -(i - 1 - j)^2
OTHER = [[-1, -2, -1], [2, 2 + 9, -9], [-1, -9, 9]]  # W + 9 v v^T


def logit(matrix: list[list[int]], i: int, j: int) -> str:
    """phi(i)^T W phi(j), written out."""
    return " + ".join(f"({matrix[a][b]})*{i}**{a}*{j}**{b}" for a in range(3) for b in range(3))


def same_block() -> Claim:
    """Both parameters have the same logits on the training grid {0, 1}."""
    pairs = [(0, 0), (1, 0), (1, 1)]
    return theorem("", {}, [f"{logit(W, i, j)} == {logit(OTHER, i, j)}" for i, j in pairs])


def _rows(length: int) -> Claim:
    return absolute_system(
        [[1, i, i * i] for i in range(length)], [(i, i - 1) for i in range(1, length)]
    )


def full_rank() -> Claim:
    """With features that span (e = [1, i] on {0, 1}) the block determines every later logit."""
    block = ["p == P", "p + b == P + B", "p + c == P + C", "p + b + c + e == P + B + C + E"]
    names = ("p", "b", "c", "e", "P", "B", "C", "E")
    return theorem(
        ", ".join(f"real {name}" for name in names),
        {f"block-{k}": equation for k, equation in enumerate(block)},
        ["int i, int j: i >= j => p + b*j + c*i + e*i*j == P + B*j + C*i + E*i*j"],
    )


_SAME = {name: 0 for name in ("p", "b", "c", "e", "P", "B", "C", "E")}
STATEMENT = Statement(
    id="transfer-is-of-the-parameter",
    title="Two parameters with the same kernel at L0 can transfer differently",
    latex=r"\Phi_{L_0} W \Phi_{L_0}^\top = \Phi_{L_0} W' \Phi_{L_0}^\top \;\not\Longrightarrow\;"
    r" \alpha_L(W) = \alpha_L(W')",
    words="With rank-deficient training features an exact pair W, W' has one and the same kernel"
    " block"
    " at L0 and different alpha_L. With features of full rank on the training grid the block does"
    " determine every later logit.",
    source="A Positional Realizability Theory of Length Generalization, Methodology (Transfer)",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "full-rank",
            "the training features span (converse part only)",
            ("block-0", "block-1", "block-2", "block-3"),
        ),
    ),
    obligations=(
        Obligation(
            "same-block",
            "W and W' agree on the training grid, L0 = 2 over [1, i, i^2]",
            "one exact pair",
            lambda profile: same_block(),
            Sketch((fix(), fix(), fix())),
        ),
        decisions(
            "first", "W: `previous` on rows 1..5, alpha_6 = 1", lambda: _rows(6), W, "hhhhh", "1"
        ),
        decisions(
            "second",
            "W': right at L0 = 2, wrong on every new row, alpha_6 = 0",
            lambda: _rows(6),
            OTHER,
            "hmmmm",
            "1",
        ),
        Obligation(
            "full-rank",
            "over [1, i] the block on {0, 1} fixes the logit everywhere",
            "all positions, all real W and W'",
            lambda profile: full_rank(),
            Sketch((fix(*use(*(f"block-{k}" for k in range(4))), last="auto"),)),
        ),
        on_model(
            "not-vacuous",
            "two equal parameters",
            lambda: satisfiable(full_rank(), _SAME, {"i": 2, "j": 1}),
        ),
    ),
    controls=(
        Control(
            "full-rank",
            "one equation of the block missing",
            (
                on_model(
                    "deficient",
                    "W' differs in the entry that the block does not see",
                    lambda: countermodel(
                        without(full_rank(), "block-3"), _SAME | {"E": 1}, {"i": 2, "j": 1}
                    ),
                ),
            ),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
