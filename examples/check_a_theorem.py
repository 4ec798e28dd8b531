"""Check one theorem and see what each hypothesis is for."""

import verify

verdict = verify.check("theorem-2", profile="quick")
print(verdict.outcome, "by", verdict.evidence, "-", verdict.scope)
for control in verdict.controls:
    print(f"without {control.hypothesis}: {control.words}")
