"""The results of the two papers as statements, one file per result, in the order of the paper."""

from __future__ import annotations

from proofs import theorem_1
from verify.statements import Statement

STATEMENTS: tuple[Statement, ...] = (*theorem_1.STATEMENTS,)
