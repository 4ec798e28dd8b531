"""The faulty cases are importable by name, here and in the processes that run them."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"


@pytest.fixture(autouse=True)
def cases(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(CASES))
    return CASES
