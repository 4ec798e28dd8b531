"""No answer of a subject, however strange, makes the auditor itself fail or warn."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from verify.audit import audit, report
from verify.audit.findings import KINDS
from verify.audit.kinds import KINDS as CALLABLES

SPECS = {
    "features": "rope:dim=4", "kernel": "rope:dim=4", "rotate": "rope:dim=4", "bias": "alibi",
    "slopes": "alibi", "buckets": "t5:buckets=8", "positions": "rope:dim=4",
    "parameters": "rope:dim=4,scaling=dynamic,factor=2,original=8",
}  # fmt: skip


def size(arguments):
    """How many rows the answer should have, more or less."""
    first = arguments[-1] if np.ndim(arguments[0]) == 2 else arguments[0]
    return len(first) if np.ndim(first) else int(first) + int(sum(arguments[1:]))


STRANGE = {
    "nan": lambda n: np.full((n, 4), np.nan),
    "nan square": lambda n: np.full((n, n), np.nan),
    "nan line": lambda n: np.full(n, np.nan),
    "infinite": lambda n: np.full((n, 4), np.inf),
    "infinite square": lambda n: np.full((n, n), -np.inf),
    "infinite line": lambda n: np.full(n, np.inf),
    "zeros": lambda n: np.zeros((n, 4)),
    "zero square": lambda n: np.zeros((n, n)),
    "zero line": np.zeros,
    "huge": lambda n: np.full((n, 4), 1e308),
    "huge square": lambda n: np.full((n, n), 1e308) * np.arange(n),
    "huge line": lambda n: np.full(n, 1e308),
    "tiny line": lambda n: np.full(n, 5e-324),
    "half nan": lambda n: np.where(np.arange(4 * n).reshape(n, 4) % 7 == 5, np.nan, 1.0),
    "integers": lambda n: np.arange(4 * n).reshape(n, 4),
    "integer line": np.arange,
    "negative line": lambda n: -np.arange(n),
    "booleans": lambda n: np.ones((n, n), bool),
    "no booleans": lambda n: np.zeros((n, n), bool),
    "halves": lambda n: np.linspace(0, 1, 4 * n).reshape(n, 4).astype(np.float16),
    "fractions": lambda n: [[Fraction(k, 7)] * 4 for k in range(n)],
    "fraction line": lambda n: [Fraction(-k, 7) for k in range(n)],
    "cube": lambda n: np.ones((2, n, n)),
    "four axes": lambda n: np.ones((1, 1, n, n)),
    "empty": lambda n: np.zeros((n, 0)),
    "nothing": lambda n: np.zeros((0, 4)),
    "scalar": lambda n: 1.0,
    "pair": lambda n: (np.ones((n, 2)), np.zeros((n, 2))),
    "unequal pair": lambda n: (np.ones((n, 2)), np.zeros(n)),
    "dictionary": lambda n: {"base": np.nan, "inv_freq": [1.0, np.inf]},
    "text": lambda n: "text",
    "a set": lambda n: {1, 2},
}


@pytest.mark.parametrize("length", [1, 2, 9])
@pytest.mark.parametrize("kind", [kind for kind in CALLABLES if kind != "stages"])
def test_strange_answers(kind, length):
    for name, make in STRANGE.items():

        def subject(*arguments, make=make):
            return make(size(arguments))

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = audit(
                subject, SPECS.get(kind), kind=kind, length=length, prompts=[2], steps=2, seconds=20
            )
        assert {finding.kind for finding in result.findings} <= set(KINDS), name
        report.document(result), report.junit([result]), report.markdown([result])
        assert report.sarif_log([result])["runs"]
        if "nan" in name or name in ("text", "a set", "nothing", "infinite", "infinite line"):
            assert result.findings, f"{kind} is clean although it returned {name}"
