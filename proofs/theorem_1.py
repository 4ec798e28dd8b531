"""Theorem 1: alpha_L = 1 suffices, for all encodings, parameters and tasks that keep old targets.

The logit of the length-n grid is `F(w, f(i), f(j))` with an arbitrary function `F` of the parameter
and of the features of query and key: `w0`, `f0` at the training length, `wL`, `fL` at the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from proofs.models import chain, on_model, use
from verify.statements import (
    Claim,
    Control,
    Definition,
    Given,
    Hypothesis,
    Obligation,
    Sketch,
    Statement,
    Twin,
    countermodel,
    satisfiable,
    theorem,
    without,
)
from verify.theory import encodings, heads, tasks

SYMBOLS = (
    "int L0, int L, real g0, real gL, real g, real F, real w0, real wL, real f0, real fL, "
    "int t0, int tL, int q0, int qL, int v0, int vL"
)
OLD = "0 <= i, i < L0"
OLD_MARGIN = "F(w0, f0(i), f0(t0(i))) - F(w0, f0(i), f0(j))"
NEW_MARGIN = "F(wL, fL(i), fL(tL(i))) - F(wL, fL(i), fL(j))"
NEW_ROW = "int i, int j: L0 <= i, i < L, qL(i) > 0, 0 <= j, j <= vL(i), j != tL(i)"
HYPOTHESES = {
    "realizes-train": (
        f"int i, int j: {OLD}, q0(i) > 0, 0 <= j, j <= v0(i), j != t0(i) => {OLD_MARGIN} >= g0"
    ),
    "gamma-0-positive": "g0 > 0",
    "alpha-L": f"{NEW_ROW} => {NEW_MARGIN} > 0",
    "gamma-L-margin": f"{NEW_ROW} => {NEW_MARGIN} >= gL",
    "gamma-L-positive": "gL > 0",
    "same-parameter": "wL == w0",
    "length-free": f"int i: {OLD} => fL(i) == f0(i)",
    "same-keys": f"int i: {OLD} => vL(i) == v0(i)",
    "prefix-target": f"int i: {OLD}, qL(i) > 0 => tL(i) == t0(i)",
    "prefix-region": f"int i: {OLD}, qL(i) > 0 => q0(i) > 0",
    # what the words mean: a grid of L0 positions, a visible target, g = min(g0, gL)
    "grid": f"int i: {OLD} => v0(i) < L0",
    "target-from-0": "int i: 0 <= i, i < L, qL(i) > 0 => tL(i) >= 0",
    "target-visible": "int i: 0 <= i, i < L, qL(i) > 0 => tL(i) <= vL(i)",
    "g-below-g0": "g <= g0",
    "g-below-gL": "g <= gL",
}
ROW = "int i, int j: 0 <= i, i < L, qL(i) > 0, 0 <= j, j <= vL(i), j != tL(i)"


def claim() -> Claim:
    """Every row of the task at length L: margin at least min(gamma_0, gamma_L), and positive."""
    goals = [f"{ROW} => {NEW_MARGIN} >= g", f"{ROW} => {NEW_MARGIN} > 0"]
    return theorem(SYMBOLS, HYPOTHESES, goals)


def _old_row(last: str) -> object:
    """Below L0 the longer grid shows the row that was trained."""
    same_target = f"{OLD_MARGIN} >= g0".replace("t0(i)", "tL(i)")
    steps = [
        *use("same-keys", i="i"),
        *use("grid", i="i"),
        *use("prefix-target", i="i"),
        *use("prefix-region", i="i"),
        *use("target-from-0", i="i"),
        *use("target-visible", i="i"),
        *use("realizes-train", i="i", j="j"),
        *use("length-free", i="i"),
        *use("length-free", i="j"),
        *use("length-free", i="tL(i)"),
        *use("same-parameter"),
        _rewrite(f"{OLD_MARGIN} >= g0", "tL(i) == t0(i)", "t0(i)"),
        _rewrite(same_target, "fL(tL(i)) == f0(tL(i))", "f0(tL(i))"),
        _rewrite("F(w0, f0(i), fL(tL(i))) - F(w0, f0(i), f0(j)) >= g0", "fL(j) == f0(j)", "f0(j)"),
        _rewrite("F(w0, f0(i), fL(tL(i))) - F(w0, f0(i), fL(j)) >= g0", "fL(i) == f0(i)", "f0(i)"),
        _rewrite("F(w0, fL(i), fL(tL(i))) - F(w0, fL(i), fL(j)) >= g0", "wL == w0", "w0"),
        *use(last),
    ]
    return chain(steps)


def _rewrite(fact: str, by: str, term: str) -> dict[str, object]:
    return {"rule": "rewrite", "fact": fact, "by": by, "term": term}


def _goal(new: list[dict[str, object]], last: str) -> object:
    yes = chain(new)
    return {
        "rule": "fix",
        "then": {"rule": "split", "on": "i >= L0", "yes": yes, "no": _old_row(last)},
    }


SKETCH = Sketch(
    (
        _goal(
            [
                *use("gamma-L-margin", i="i", j="j"),
                *use("g-below-gL"),
            ],
            "g-below-g0",
        ),
        _goal(
            [
                *use("alpha-L", i="i", j="j"),
            ],
            "gamma-0-positive",
        ),
    )
)

# ---------------------------------------------------------------- concrete models


def model(
    train: int,
    length: int,
    logit: Callable[[int, int], int],
    targets: Mapping[int, int],
    long_targets: Mapping[int, int] | None = None,
    *,
    long_logit: Callable[[int, int], int] | None = None,
    **changed: Definition,
) -> dict[str, Definition]:
    """One-hot features with the given logits; targets name the rows of the query region.

    `long_logit` makes the longer grid use other logits (the code 1 for its parameter).
    """
    asked = targets if long_targets is None else long_targets
    grid = [(i, j) for i in range(length) for j in range(length)]
    table = {(0, i, j): logit(i, j) for i, j in grid}
    if long_logit is not None:
        table |= {(1, i, j): long_logit(i, j) for i, j in grid}
    old = {(i,): t for i, t in targets.items() if i < train}
    return {
        "L0": train,
        "L": length,
        "g0": 1,
        "gL": 1,
        "g": 1,
        "F": ({k: v for k, v in table.items() if v}, "0"),
        "w0": 0,
        "wL": int(long_logit is not None),
        "f0": "x0",
        "fL": "x0",
        "v0": "x0",
        "vL": "x0",
        "t0": (old, "0"),
        "tL": ({(i,): t for i, t in asked.items()}, "0"),
        "q0": (dict.fromkeys(old, 1), "0"),
        "qL": ({(i,): 1 for i in asked}, "0"),
    } | changed


def _first(i: int, j: int) -> int:
    """Logits that attend to the first key."""
    return int(j == 0)


def _copy(i: int, j: int) -> int:
    """Copy at length 20 on old rows, at length 30 on new ones: one one-hot parameter."""
    return int(j == (i - 10 if i < 20 else i - 15))


def _copy_decisions() -> Claim:
    """The parameter `_copy` over one-hot features, on the rows of copy at 20 and at 30."""
    encoding, copy = encodings.encoding("onehot:length=30"), tasks.task("copy")
    groups = [(n, tasks.rows(copy, n)) for n in (20, 30)]
    parameter = tuple(tuple(Fraction(_copy(i, j)) for j in range(30)) for i in range(30))
    outcomes = "h" * 10 + "m" * 5 + "h" * 10
    return heads.decisions_claim(encoding, groups, parameter, outcomes, margin=1)


FIRST = {1: 0, 2: 0, 3: 0, 4: 0}
COPY = {i: i - 10 for i in range(10, 20)}
LONG_COPY = {i: i - 15 for i in range(15, 30)}


def _counter(
    hypothesis: tuple[str, ...], definitions: dict[str, Definition], i: int, j: int, goal: int = 1
) -> Callable[[], Claim]:
    return lambda: countermodel(without(claim(), *hypothesis), definitions, {"i": i, "j": j}, goal)


def _wrong_at(row: int) -> Callable[[int, int], int]:
    return lambda i, j: int(j == (1 if i == row else 0))


STATEMENT = Statement(
    id="theorem-1",
    title="Sufficiency: alpha_L = 1 gives length generalization",
    latex=(
        r"\alpha_L = 1,\ \gamma_0 > 0 \;\Longrightarrow\; \text{margin}_L(i) \ge"
        r" \min(\gamma_0, \gamma_L) > 0 \quad \text{for all } i \in Q_L"
    ),
    words=(
        "If a parameter realizes the task at length L0 with margin gamma_0 > 0, and the same"
        " parameter hits every new row at length L with margin gamma_L, then it realizes the"
        " task at"
        " length L, every row with margin at least min(gamma_0, gamma_L)."
    ),
    source="A Positional Realizability Theory of Length Generalization, Theorem 1",
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis(
            "realizes-train",
            "the parameter realizes the task at L0 with margin gamma_0",
            ("realizes-train",),
        ),
        Hypothesis("gamma-0-positive", "gamma_0 > 0", ("gamma-0-positive",)),
        Hypothesis(
            "alpha-L", "alpha_L = 1: every new row of the query region is a hit", ("alpha-L",)
        ),
        Hypothesis(
            "gamma-L",
            "gamma_L is a lower bound of the margins of the new rows",
            ("gamma-L-margin",),
        ),
        Hypothesis(
            "gamma-L-positive",
            "gamma_L > 0",
            ("gamma-L-positive",),
            idle="it follows from alpha_L = 1: finitely many hits have a positive least margin",
        ),
        Hypothesis(
            "same-parameter", "the same parameter is read on the longer grid", ("same-parameter",)
        ),
        Hypothesis(
            "length-free",
            "the features of a position do not depend on the length",
            ("length-free",),
        ),
        Hypothesis("causal-mask", "an old row sees the same keys at both lengths", ("same-keys",)),
        Hypothesis(
            "prefix-consistency",
            "old rows keep their targets, and Q_L has no old row that Q_L0 lacks",
            ("prefix-target", "prefix-region"),
        ),
    ),
    obligations=(
        Obligation(
            "universal",
            "margin at least min(gamma_0, gamma_L), and positive, on every row at length L",
            "all L0 and L, all real parameters, any features and logits, all gamma_0 and gamma_L",
            lambda profile: claim(),
            SKETCH,
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "the hypotheses hold together: attend-first from 3 to 5 with one-hot features",
            lambda: satisfiable(claim(), model(3, 5, _first, FIRST), {"i": 1, "j": 1}),
        ),
    ),
    controls=(
        Control(
            "prefix-consistency",
            "copy at L0 = 20 and L = 30 with one-hot features: all new rows"
            " and all rows at L0 are hits with margin 1, but row 15 was trained on key 5 and is"
            " now asked for key 0",
            (
                on_model(
                    "copy",
                    "copy breaks on row 15",
                    _counter(
                        ("prefix-target", "prefix-region"),
                        model(20, 30, _copy, COPY, LONG_COPY),
                        15,
                        5,
                    ),
                ),
                Obligation(
                    "copy-one-hot",
                    "the encoding itself: at L0 = 20 ten hits; at L = 30 rows 15 to 19 are"
                    " misses and"
                    " the ten new rows hits",
                    "25 rows of copy",
                    lambda profile: _copy_decisions(),
                    Given({"rule": "evaluate"}),
                ),
            ),
        ),
        Control(
            "prefix-consistency",
            "a row that only the longer task asks",
            (
                on_model(
                    "region",
                    "row 1 is asked at length 4 and was not at length 3",
                    _counter(
                        ("prefix-region",),
                        model(3, 4, _wrong_at(1), {2: 0}, {1: 0, 2: 0, 3: 0}),
                        1,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "causal-mask",
            "full attention: at length 4 the old row 1 sees key 3, which wins",
            (
                on_model(
                    "full-attention",
                    "a new key beats the target of an old row",
                    _counter(
                        ("same-keys",),
                        model(
                            3,
                            4,
                            lambda i, j: 2 * (j == 3 > i) + (j == 0),
                            FIRST,
                            {1: 0, 2: 0, 3: 0},
                            v0="2",
                            vL="3",
                        ),
                        1,
                        3,
                    ),
                ),
            ),
        ),
        Control(
            "same-parameter",
            "another parameter on the longer grid, right on new rows only",
            (
                on_model(
                    "refitted",
                    "row 1 is lost",
                    _counter(
                        ("same-parameter",),
                        model(3, 4, _first, FIRST, {1: 0, 2: 0, 3: 0}, long_logit=_wrong_at(1)),
                        1,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "length-free",
            "scale-hinted features: at length 4 position 1 has other features",
            (
                on_model(
                    "scale-hint",
                    "row 1 is lost",
                    _counter(
                        ("length-free",),
                        model(
                            3,
                            4,
                            _first,
                            FIRST,
                            {1: 0, 2: 0, 3: 0},
                            fL=({(1,): 5}, "x0"),
                            F=({(0, 1, 0): 1, (0, 2, 0): 1, (0, 3, 0): 1, (0, 5, 5): 1}, "0"),
                        ),
                        1,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "gamma-0-positive",
            "gamma_0 = 0: an old row may tie",
            (
                on_model(
                    "tie",
                    "row 1 ties at both lengths",
                    _counter(
                        ("gamma-0-positive",),
                        model(
                            3,
                            4,
                            lambda i, j: int(i > 1 and j == 0),
                            FIRST,
                            {1: 0, 2: 0, 3: 0},
                            g0=0,
                            g=0,
                        ),
                        1,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "realizes-train",
            "a parameter that misses a training row",
            (
                on_model(
                    "missed",
                    "row 1 is a miss at both lengths",
                    _counter(
                        ("realizes-train",),
                        model(3, 4, _wrong_at(1), FIRST, {1: 0, 2: 0, 3: 0}),
                        1,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "alpha-L",
            "alpha_L < 1 with gamma_L <= 0",
            (
                on_model(
                    "new-miss",
                    "the new row 3 is a miss",
                    _counter(
                        ("alpha-L", "gamma-L-positive"),
                        model(3, 4, _wrong_at(3), FIRST, {1: 0, 2: 0, 3: 0}, gL=-1, g=-1),
                        3,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "gamma-L",
            "new rows with a smaller margin than gamma_L",
            (
                on_model(
                    "small-margin",
                    "margin 1 < min(2, 2) on row 3",
                    _counter(
                        ("gamma-L-margin",),
                        model(
                            3,
                            4,
                            lambda i, j: (1 if i == 3 else 2) * (j == 0),
                            FIRST,
                            {1: 0, 2: 0, 3: 0},
                            g0=2,
                            gL=2,
                            g=2,
                        ),
                        3,
                        1,
                        0,
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: margin at least gamma_0 (instead of the smaller of the two)",
            {**without(claim(), "g-below-gL")},
            on_model(
                "twin",
                "gamma_0 = 2, gamma_L = 1: a new row has margin 1",
                _counter(
                    ("g-below-gL",),
                    model(
                        3,
                        4,
                        lambda i, j: (1 if i == 3 else 2) * (j == 0),
                        FIRST,
                        {1: 0, 2: 0, 3: 0},
                        g0=2,
                        gL=1,
                        g=2,
                    ),
                    3,
                    1,
                    0,
                ),
            ),
        ),
    ),
    remarks=(
        "The summary does not state prefix consistency (t_L = t_L0 and Q_L within Q_L0 on old"
        " rows);"
        " copy and reverse violate it.",
        "gamma_L > 0 is idle: it follows from alpha_L = 1.",
    ),
)
STATEMENTS = (STATEMENT,)
