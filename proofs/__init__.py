"""The results of the two papers as statements, one file per result, in the order of the paper."""

from __future__ import annotations

from proofs import (
    corollaries,
    growing_offsets,
    invariance,
    operators,
    outside_colspan,
    positional_heads,
    proposition_1,
    proposition_2,
    proposition_3,
    proposition_4,
    published,
    rescue,
    scale_hint,
    scope,
    theorem_1,
    theorem_2,
    transfer_of_the_parameter,
    trichotomy,
)
from proofs.conjecture_1 import (
    bounded,
    cone,
    deep_row,
    dichotomy,
    margin_law,
    polynomial,
    selected,
    span,
)
from verify.statements import Statement

STATEMENTS: tuple[Statement, ...] = (
    *scope.STATEMENTS,
    *transfer_of_the_parameter.STATEMENTS,
    *theorem_1.STATEMENTS,
    *theorem_2.STATEMENTS,
    *corollaries.STATEMENTS,
    *proposition_1.STATEMENTS,
    *proposition_2.STATEMENTS,
    *proposition_3.STATEMENTS,
    *proposition_4.STATEMENTS,
    *outside_colspan.STATEMENTS,
    *growing_offsets.STATEMENTS,
    *span.STATEMENTS,
    *cone.STATEMENTS,
    *dichotomy.STATEMENTS,
    *margin_law.STATEMENTS,
    *deep_row.STATEMENTS,
    *selected.STATEMENTS,
    *bounded.STATEMENTS,
    *polynomial.STATEMENTS,
    *operators.STATEMENTS,
    *scale_hint.STATEMENTS,
    *published.STATEMENTS,
    *trichotomy.STATEMENTS,
    *invariance.STATEMENTS,
    *rescue.STATEMENTS,
    *positional_heads.STATEMENTS,
)
