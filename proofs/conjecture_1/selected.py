"""The selected dichotomy with infinitely many targets: open."""

from __future__ import annotations

from verify.statements import Statement

STATEMENT = Statement(
    id="conjecture-1.selected",
    title="'The parameter selected at L0 carries no task with infinitely many targets'",
    latex=r"W = \mathrm{select}(L_0) \text{ realizes } t \text{ at every } n,\ |t(\mathbb N)| ="
    r" \infty \;\Longrightarrow\; t(i) = i - \delta \text{ eventually}",
    words="Reading: the dichotomy for the parameter that a selection rule (max-margin, ce) picks"
    " at L0,"
    " when the task has infinitely many targets. Open for all lengths. A finite horizon only ranks"
    " candidates; a refutation needs the exact selected parameter and a certificate for all"
    " lengths.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public)",
    status="open",
    setting=("S1", "S2"),
)
STATEMENTS = (STATEMENT,)
