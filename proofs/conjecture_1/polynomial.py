"""The forced dichotomy for polynomial features: open, and where it has been searched. Ours."""

from __future__ import annotations

from verify.statements import Statement

STATEMENT = Statement(
    id="conjecture-1.polynomial",
    title="'With polynomial features, what every realizing parameter carries to all lengths is a"
    " fixed offset or a fixed position'",
    latex=r"\varphi \text{ polynomial},\ \forall W\,(W \text{ realizes } L_0 \Rightarrow W \text{"
    r" realizes every } L) \;\Longrightarrow\; \exists N\ \forall i \ge N:\ t(i) = i - \delta"
    r" \text{ or } t(i) = p",
    words="Reading: the dichotomy where transfer is forced, for features that are polynomials in"
    " the position. What refutes the other readings uses features that depend on a residue of the"
    " position (conjecture-1.selected, conjecture-1.bounded), or a parameter that has to be chosen"
    " exactly (floor(i/2) over [1, i, i^2]). Nothing is proved here.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public)",
    status="open",
    setting=("S1", "S2"),
    remarks=(
        "Searched at finite horizons by `pe-verify hunt start dichotomy-forced`: the whole space"
        " polynomial:height=2 (2738 spans of 1, i, i^2, i^3 of dimension 3 at most, coefficients up"
        " to 2, every task of the grammar, L0 >= 3, L <= 12): 12,805,626 instances, no"
        " counterexample.",
        "A counterexample would have to be certified for all lengths; none at a finite horizon"
        " says nothing of higher degrees, larger coefficients or longer L0.",
    ),
)
STATEMENTS = (STATEMENT,)
