"""Theorem claims for the engines' tests: small, true or false on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def clause(variables: Mapping[str, str], guards: Sequence[str], then: str) -> dict[str, Any]:
    return {"for": dict(variables), "if": list(guards), "then": then}


def theorem(
    symbols: Mapping[str, str],
    hypotheses: Mapping[str, Any],
    goals: Sequence[Any],
    definitions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "kind": "theorem",
        "symbols": dict(symbols),
        "definitions": dict(definitions or {}),
        "hypotheses": dict(hypotheses),
        "lemmas": {},
        "goals": list(goals),
    }


def use(name: str, **at: str) -> dict[str, Any]:
    return {"rule": "use", "of": name, "at": at}


PAIR = {"i": "int", "j": "int"}

ROW_LEMMA = theorem(
    {"kappa": "real", "d": "int"},
    {"max": clause({"o": "int"}, ["o >= 0", "o != d"], "kappa(d) > kappa(o)")},
    [
        clause(
            PAIR,
            ["d >= 0", "i >= d", "j >= 0", "j <= i", "j != i - d"],
            "kappa(d) > kappa(i - j)",
        )
    ],
)

PROPOSITION_1 = theorem(
    {"a": "real", "b": "real"},
    {},
    [clause({"i": "int", "t": "int"}, ["t > 0", "t < i", "a + b*t > a"], "a + b*t <= a + b*i")],
)

_ROW = ["j >= 0", "j <= i"]
THEOREM_1 = theorem(
    {
        "P": "real", "t": "int", "t0": "int", "L0": "int", "L": "int",
        "g0": "real", "gL": "real", "m": "real",
    },
    {
        "train": clause(
            PAIR, ["i >= 0", "i < L0", *_ROW, "j != t0(i)"], "P(i, t0(i)) - P(i, j) >= g0"
        ),
        "new": clause(PAIR, ["i >= L0", "i < L", *_ROW, "j != t(i)"], "P(i, t(i)) - P(i, j) >= gL"),
        "consistent": clause({"i": "int"}, ["i >= 0", "i < L0"], "t(i) == t0(i)"),
        "min0": clause({}, ["g0 <= gL"], "m == g0"),
        "minL": clause({}, ["gL < g0"], "m == gL"),
    },
    [clause(PAIR, ["i >= 0", "i < L", *_ROW, "j != t(i)"], "P(i, t(i)) - P(i, j) >= m")],
)  # fmt: skip
_SMALLER = {"rule": "split", "on": "g0 <= gL", "yes": use("min0"), "no": use("minL")}
THEOREM_1_SKETCH = {
    "rule": "split",
    "on": "i >= L0",
    "yes": [use("new", i="i", j="j"), _SMALLER],
    "no": [use("consistent", i="i"), use("train", i="i", j="j"), _SMALLER],
}

COUNTING = theorem(
    {"H": "int", "D": "int", "h": "int", "e": "int", "L0": "int", "d": "int"},
    {
        "H-start": clause({}, [], "H(L0) == 0"),
        "D-start": clause({}, [], "D(L0) == 0"),
        "H-step": clause({"r": "int"}, ["r >= L0"], "H(r + 1) == H(r) + h(r)"),
        "D-step": clause({"r": "int"}, ["r >= L0"], "D(r + 1) == D(r) + e(r)"),
        "hits": clause({"r": "int"}, ["r >= L0"], "h(r) <= 1"),
        "demands": clause({"r": "int"}, ["r >= L0"], "e(r) >= 0"),
        "same": clause({"r": "int"}, ["r >= L0", "r >= d"], "h(r) == e(r)"),
        "d-new": clause({}, [], "d >= L0"),
    },
    [
        clause({"r": "int"}, ["r >= L0", "r <= d"], "H(r) - D(r) <= r - L0"),
        clause({"r": "int"}, ["r >= d"], "H(r) - D(r) <= H(d) - D(d)"),
    ],
)
_STEP = [use("H-step", r="r"), use("D-step", r="r"), use("IH")]
COUNTING_SKETCH = {
    "goals": [
        {
            "rule": "induct",
            "on": "r",
            "from": "L0",
            "base": [use("H-start"), use("D-start")],
            "step": [*_STEP, use("hits", r="r"), use("demands", r="r")],
        },
        {
            "rule": "induct",
            "on": "r",
            "from": "d",
            "step": [use("d-new"), *_STEP, use("same", r="r")],
        },
    ]
}


def table_model(target: str, logit: str, length: int = 12) -> dict[str, Any]:
    """Every row of a task is a hit: a claim about one concrete head."""
    return theorem(
        {"n": "int", "t": "int", "P": "real"},
        {},
        [
            clause(
                PAIR,
                ["i >= 1", "i < n", "j >= 0", "j <= i", "j != t(i)"],
                "P(i, t(i)) > P(i, j)",
            )
        ],
        {
            "n": {"table": [[[], str(length)]], "otherwise": None},
            "t": {"table": [], "otherwise": target},
            "P": {"table": [], "otherwise": logit},
        },
    )
