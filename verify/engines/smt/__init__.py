"""What z3 and cvc5 think of a claim, each in a process that can be killed.

A solver's `unsat` without a certificate is an opinion (evidence `solvers`), not a proof for the
kernel; a time-out, a crash and a missing solver are answers of their own and never a pass.
"""

from __future__ import annotations

from verify.engines.smt.process import SOLVERS
from verify.engines.smt.systems import decide_system, find_parameter
from verify.engines.smt.theorems import decide, judge, second_opinion

__all__ = ["SOLVERS", "decide", "decide_system", "find_parameter", "judge", "second_opinion"]
