"""The span reading: a new row outside the training span cannot be right. Refuted."""

from __future__ import annotations

from dataclasses import replace

from proofs import outside_colspan

STATEMENT = replace(
    outside_colspan.NEW_ROWS,
    id="conjecture-1.span",
    title="'A new row outside the span of the training constraints cannot be right'",
    words="Reading: transfer needs the new rows' constraints inside the span of the training ones."
    " Refuted by the example of outside-colspan.new-rows; the cone decides (conjecture-1.cone).",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public)",
)
STATEMENTS = (STATEMENT,)
