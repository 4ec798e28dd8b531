"""A rotary embedding cast to bfloat16: where it breaks, and why.

    python examples/audit_bfloat16.py

Its positions and frequencies are rounded to bfloat16 before they are multiplied, which is what a
model does that is cast as a whole.
"""

import ml_dtypes
import numpy as np

from verify.audit import audit
from verify.audit.report import text

THETA = 10000.0 ** -(np.arange(32) / 32)


def features(positions):
    """cos and sin of every phase, in float32."""
    narrow = ml_dtypes.bfloat16
    i = np.asarray(positions).astype(narrow).astype(np.float32)
    phase = np.outer(i, THETA.astype(narrow).astype(np.float32))
    return np.cos(phase), np.sin(phase)


if __name__ == "__main__":
    result = audit("audit_bfloat16:features", "rope:dim=64", length=1024)
    for finding in result.findings:
        print(text(finding), end="\n\n")
    print(f"{len(result.findings)} findings")
