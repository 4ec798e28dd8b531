"""A conjecture of your own. Hunt it with

pe-verify hunt start examples/my_conjecture.py:FAR --space polynomial --directory far
"""

from verify.hunt import (
    HOLDS,
    NOT_APPLICABLE,
    Conjecture,
    Instance,
    Verdict,
    counterexample,
    decided,
)


def predicate(case: Instance) -> Verdict:
    """False already for [1, i, i^2], so the hunt finds something."""
    if case.parameter(case.train) is None:  # no parameter realizes the task at L0
        return NOT_APPLICABLE
    for row in case.new:
        if (w := case.parameter((*case.train, row))) is not None and row[1] >= case.train_length:
            return counterexample(lambda w=w, row=row: [decided(case, w, [row])])
    return HOLDS


FAR = Conjecture("far", "no parameter that realizes L0 attends to a key beyond L0", predicate)
