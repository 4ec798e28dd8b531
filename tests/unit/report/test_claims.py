"""Claims in sentences."""

from __future__ import annotations

from verify.report.claims import sentences
from verify.statements import countermodel, theorem

CLAIM = theorem(
    "int L, int t, real g, real P",
    {"train": "int i: 0<=i, i<L => P(i, t(i)) >= g", "gap": "g > 0"},
    ["int i: 0 <= i, i < L => P(i, t(i)) > 0"],
    lemmas={"bound": "int k: P(k, k) <= 1"},
)


def test_a_theorem_says_its_quantifiers_hypotheses_lemmas_and_conclusion() -> None:
    assert sentences(CLAIM) == [
        "For all integers L; integer-valued functions t; reals g; real-valued functions P:",
        "if [train] for all int i with 0 <= i, i < L: P(i, t(i)) >= g",
        "if [gap] g > 0",
        "by the lemma [bound] for all int k: P(k, k) <= 1",
        "then for all int i with 0 <= i, i < L: P(i, t(i)) > 0",
    ]


def test_a_symbol_that_ends_another_name_is_no_function() -> None:
    claim = theorem("real f, real g", {"h": "g >= 0"}, ["real x: gf(x) > 0 => f > 0"])
    assert sentences(claim)[0] == "For all reals f, g:"


def test_a_concrete_model_is_its_definitions_and_its_point() -> None:
    table = {(k, 0): k for k in range(14)}
    model = countermodel(CLAIM, {"L": 2, "t": 0, "g": "1/2", "P": (table, "0")}, {"i": 1})
    *head, last = sentences(model)
    entries = ", ".join(f"({k}, 0): {k}" for k in range(12))
    assert head == [
        f"With L = 2; t = 0; g = 1/2; P = {entries}, 2 more values, otherwise 0",
        "5 conditions hold of it, and",
    ]
    assert last == "P(1, t(1)) <= 0"


SYSTEM = {"vectors": [["1", "0"], ["1", "1"], ["1", "2"]], "rows": [[1, 0, 2, 0], [2, 0, 3, 1]]}


def test_systems_say_how_large_they_are_and_what_is_claimed() -> None:
    size = "System of 2 rows over 3 feature vectors."
    assert sentences({"kind": "realizable", "system": SYSTEM}) == [
        size,
        "Some real 2 x 2 matrix W makes every row a hit.",
    ]
    linear = {"vectors": SYSTEM["vectors"], "rows": [[-1, 0, 2, 0]]}
    assert sentences({"kind": "unrealizable", "system": linear}) == [
        "System of 1 row over 3 feature vectors.",
        "No real vector w of 2 entries makes every row a hit.",
    ]
    forced = sentences({"kind": "forced", "system": SYSTEM, "row": [2, 0, 3, 0]})
    assert forced[1].endswith("also hits the row [2, 0, 3, 0].")
    decided = {"kind": "decisions", "system": SYSTEM, "outcomes": "hm", "margin": "1/3"}
    assert sentences(decided)[1] == (
        "The given 2 x 2 matrix W makes 1 hit (margin >= 1/3), 1 miss and 0 ties."
    )
