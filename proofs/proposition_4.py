"""Proposition 4: absolute/relative duality, all four quadrants.

Clamped learned-absolute features share row L0 - 1 from there on; the logit is `F(f(i), f(j))` with
an arbitrary function F (any parameter). Relative heads have logits `kappa(i - j)`.
"""

from __future__ import annotations

from proofs.models import decisions, fix, on_model, use
from verify.statements import (
    Claim,
    Control,
    Hypothesis,
    Obligation,
    Sketch,
    Statement,
    Twin,
    countermodel,
    satisfiable,
    theorem,
    with_goal,
    without,
)

CLAMP = {"clamp": "int j: L0 - 1 <= j, j < L => f(j) == f(L0 - 1)"}


def clamped_previous() -> Claim:
    """On every new row the target of `previous` has exactly the logit of the row's own key."""
    return theorem(
        "int L0, int L, real F, real f",
        CLAMP,
        ["int i: L0 <= i, i < L => F(f(i), f(i - 1)) == F(f(i), f(i))"],
    )


def clamped_previous_negative() -> Claim:
    """If the parameter realizes `previous` at L0, key L0 - 2 beats the target on every new row."""
    return theorem(
        "int L0, int L, real F, real f",
        CLAMP
        | {
            "two-rows": "L0 >= 2",
            "realizes-train": "int i, int j: 1 <= i, i < L0, 0 <= j, j <= i, j != i - 1 => "
            "F(f(i), f(i - 1)) > F(f(i), f(j))",
        },
        ["int i: L0 <= i, i < L => F(f(i), f(L0 - 2)) > F(f(i), f(i - 1))"],
    )


def clamped_first() -> Claim:
    """attend-first: every new row inherits the margin g of row L0 - 1."""
    return theorem(
        "int L0, int L, real F, real f, real g",
        CLAMP
        | {
            "row-margin": "int j: 1 <= j, j <= L0 - 1 => "
            "F(f(L0 - 1), f(0)) - F(f(L0 - 1), f(j)) >= g",
            "competitor": "L0 >= 2",
        },
        ["int i, int j: L0 <= i, i < L, 1 <= j, j <= i => F(f(i), f(0)) - F(f(i), f(j)) >= g"],
    )


def relative_previous() -> Claim:
    """`previous`: a kernel with the strict maximizer 1 is right on every row."""
    return theorem(
        "int L, real kappa",
        {"peak-at-1": "int o: 0 <= o, o < L, o != 1 => kappa(1) > kappa(o)"},
        ["int i, int j: 1 <= i, i < L, 0 <= j, j <= i, j != i - 1 => kappa(1) > kappa(i - j)"],
    )


def relative_first() -> Claim:
    """attend-first: a kernel with a strict unique maximizer d misses every row beyond d."""
    return theorem(
        "int L, int d, real kappa",
        {
            "unique-maximizer": "int o: 0 <= o, o < L, o != d => kappa(d) > kappa(o)",
        },
        ["int i: 0 <= i, i > d, i < L => kappa(d) > kappa(i)"],
    )


def clipped_first() -> Claim:
    """attend-first over clipped offsets: key 1 ties with the target on every new row."""
    return theorem(
        "int L0, int L, real kappa",
        {"clip": "int o: L0 - 1 <= o, o < L => kappa(o) == kappa(L0 - 1)"},
        ["int i: L0 <= i, i < L => kappa(i) == kappa(i - 1)"],
    )


def _vectors(rows: list[str]) -> list[list[str]]:
    return [[str(int(c == key)) for c in "abc"] for key in rows]


def _clamped(targets: list[tuple[int, int]]) -> Claim:
    """Clamped one-hot features at L0 = 3, six positions."""
    return {"vectors": _vectors(list("abcccc")), "rows": [[i, 0, i + 1, t] for i, t in targets]}


def _offsets(targets: list[tuple[int, int]]) -> Claim:
    """Clipped one-hot offsets at L0 = 3, six positions."""
    return {
        "vectors": _vectors(list("abcccc")),
        "rows": [[-1, 0, i + 1, i - t] for i, t in targets],
    }


PREVIOUS = [(i, i - 1) for i in range(1, 6)]
FIRST = [(i, 0) for i in range(1, 6)]
SHIFT = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
F_PREVIOUS = ({(1, 0): 1, (2, 1): 1}, "0")
CLAMPED = {"L0": 3, "L": 6, "F": F_PREVIOUS, "f": ({(0,): 0, (1,): 1}, "2"), "g": 1}
TWIN = with_goal(clamped_previous(), "int i: 1 <= i, i < L => F(f(i), f(i - 1)) == F(f(i), f(i))")


STATEMENT = Statement(
    id="proposition-4",
    title="Absolute/relative duality",
    latex=r"\varphi(j) = \varphi(L_0 - 1)\ (j \ge L_0 - 1) \;\Longrightarrow\; P_{i,i-1} = P_{i,i}"
    r"\ \text{and}\ P_{i,L_0-2} > P_{i,i-1}\quad (i \ge L_0)",
    words=(
        "Clamped learned-absolute features: on every new row the target of `previous` has"
        " exactly the"
        " logit of another visible key, for every W, so alpha is 0; attend-first inherits the"
        " margin of"
        " row L0 - 1. Relative families the other way round: a kernel peaked at 1 carries"
        " `previous` to"
        " every length, and no kernel with a strict unique maximizer d carries attend-first"
        " beyond row d"
        " (clipped offsets tie)."
    ),
    source="A Positional Realizability Theory of Length Generalization, Proposition 4",
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis("clamp", "positions from L0 - 1 on share one feature row", ("clamp",)),
        Hypothesis(
            "realizes-train",
            "the parameter realizes `previous` at L0 (for the negative margin)",
            ("realizes-train",),
        ),
        Hypothesis("two-rows", "L0 >= 2 (for the negative margin)", ("two-rows",)),
        Hypothesis("row-margin", "row L0 - 1 attends to key 0 with margin g", ("row-margin",)),
        Hypothesis("competitor", "L0 >= 2, so that row L0 - 1 has a competitor", ("competitor",)),
        Hypothesis("peak-at-1", "the kernel has its strict maximum at offset 1", ("peak-at-1",)),
        Hypothesis(
            "unique-maximizer", "the kernel has a strict unique maximizer", ("unique-maximizer",)
        ),
        Hypothesis("clip", "offsets from L0 - 1 on share one value", ("clip",)),
    ),
    obligations=(
        Obligation(
            "clamped-previous",
            "the target ties with the row's own key: margin at most 0",
            "all L0, all new rows, all W",
            lambda profile: clamped_previous(),
            Sketch(
                (
                    fix(
                        *use("clamp", j="i"),
                        *use("clamp", j="i - 1"),
                        {
                            "rule": "rewrite",
                            "fact": "F(f(i), f(i - 1)) != F(f(i), f(i))",
                            "by": "f(i - 1) == f(L0 - 1)",
                            "term": "f(i - 1)",
                        },
                        {
                            "rule": "rewrite",
                            "fact": "F(f(i), f(L0 - 1)) != F(f(i), f(i))",
                            "by": "f(i) == f(L0 - 1)",
                            "term": "f(i)",
                        },
                    ),
                )
            ),
            solvers=("z3",),
        ),
        Obligation(
            "clamped-previous-negative",
            "key L0 - 2 wins: the margin is negative, a miss",
            "all L0 >= 2, all new rows, all W that realize L0",
            lambda profile: clamped_previous_negative(),
            Sketch(
                (
                    fix(
                        *use("two-rows"),
                        *use("clamp", j="i"),
                        *use("clamp", j="i - 1"),
                        *use("realizes-train", i="L0 - 1", j="L0 - 1"),
                        {
                            "rule": "rewrite",
                            "fact": "F(f(i), f(L0 - 2)) <= F(f(i), f(i - 1))",
                            "by": "f(i - 1) == f(L0 - 1)",
                            "term": "f(i - 1)",
                        },
                        {
                            "rule": "rewrite",
                            "fact": "F(f(i), f(L0 - 2)) <= F(f(i), f(L0 - 1))",
                            "by": "f(i) == f(L0 - 1)",
                            "term": "f(i)",
                        },
                    ),
                )
            ),
            solvers=("z3",),
        ),
        Obligation(
            "clamped-first",
            "attend-first inherits row L0 - 1's margin",
            "all L0 >= 2, all new rows, all W",
            lambda profile: clamped_first(),
            Sketch(
                (
                    fix(
                        *use("competitor"),
                        *use("clamp", j="i"),
                        {
                            "rule": "rewrite",
                            "fact": "F(f(i), f(0)) - F(f(i), f(j)) < g",
                            "by": "f(i) == f(L0 - 1)",
                            "term": "f(i)",
                        },
                        last={
                            "rule": "split",
                            "on": "j >= L0",
                            "yes": {
                                "rule": "use",
                                "of": "clamp",
                                "at": {"j": "j"},
                                "then": {
                                    "rule": "use",
                                    "of": "row-margin",
                                    "at": {"j": "L0 - 1"},
                                    "then": {
                                        "rule": "rewrite",
                                        "fact": "F(f(L0 - 1), f(0)) - F(f(L0 - 1), f(j)) < g",
                                        "by": "f(j) == f(L0 - 1)",
                                        "term": "f(j)",
                                        "then": "auto",
                                    },
                                },
                            },
                            "no": {
                                "rule": "use",
                                "of": "row-margin",
                                "at": {"j": "j"},
                                "then": "auto",
                            },
                        },
                    ),
                )
            ),
        ),
        Obligation(
            "relative-previous",
            "`previous` is right on every row",
            "all lengths, all kernels peaked at 1",
            lambda profile: relative_previous(),
            Sketch((fix(*use("peak-at-1", o="i - j")),)),
        ),
        Obligation(
            "relative-first",
            "attend-first is a miss on every row beyond d",
            "all lengths, all kernels with a strict unique maximizer",
            lambda profile: relative_first(),
            Sketch((fix(*use("unique-maximizer", o="i")),)),
        ),
        Obligation(
            "clipped-first",
            "key 1 ties with the target on every new row",
            "all L0, all kernels on clipped offsets",
            lambda profile: clipped_first(),
            Sketch((fix(*use("clip", o="i"), *use("clip", o="i - 1")),)),
        ),
        decisions(
            "clamped-previous-example",
            "clamped one-hot, L0 = 3: right at L0, a miss on each new row",
            lambda: _clamped(PREVIOUS),
            SHIFT,
            "hhmmm",
        ),
        decisions(
            "clamped-first-example",
            "clamped one-hot, L0 = 3: attend-first everywhere",
            lambda: _clamped(FIRST),
            [[1, 0, 0]] * 3,
            "hhhhh",
            "1",
        ),
        decisions(
            "relative-previous-example",
            "clipped offsets, L0 = 3: `previous` everywhere",
            lambda: _offsets(PREVIOUS),
            [0, 1, 0],
            "hhhhh",
            "1",
        ),
        decisions(
            "relative-first-example",
            "clipped offsets, L0 = 3: right at L0, ties on new rows",
            lambda: _offsets(FIRST),
            [0, 1, 2],
            "hhttt",
        ),
        on_model(
            "not-vacuous",
            "clamped one-hot features that realize `previous` at L0 = 3",
            lambda: satisfiable(clamped_previous_negative(), CLAMPED, {"i": 4}),
        ),
    ),
    controls=(
        Control(
            "clamp",
            "one-hot features go on: they carry `previous`, and not attend-first",
            (
                on_model(
                    "one-hot",
                    "F(f(3), f(2)) = 1, F(f(3), f(3)) = 0",
                    lambda: countermodel(
                        without(clamped_previous(), "clamp"),
                        CLAMPED | {"f": "x0", "F": ({(i, i - 1): 1 for i in range(1, 6)}, "0")},
                        {"i": 3},
                    ),
                ),
                on_model(
                    "one-hot-first",
                    "row 3 attends to itself",
                    lambda: countermodel(
                        without(clamped_first(), "clamp"),
                        CLAMPED | {"f": "x0", "F": ({(2, 0): 1, (3, 3): 1}, "0")},
                        {"i": 3, "j": 3},
                    ),
                ),
            ),
        ),
        Control(
            "realizes-train",
            "W = 0 ties everywhere: margin 0, not negative",
            (
                on_model(
                    "zero",
                    "all logits are 0",
                    lambda: countermodel(
                        without(clamped_previous_negative(), "realizes-train"),
                        CLAMPED | {"F": "0"},
                        {"i": 3},
                    ),
                ),
            ),
        ),
        Control(
            "two-rows",
            "at L0 = 1 there is no key L0 - 2",
            (
                on_model(
                    "one-row",
                    "all positions share one feature row",
                    lambda: countermodel(
                        without(clamped_previous_negative(), "two-rows"),
                        {"L0": 1, "L": 3, "F": "0", "f": ({(-1,): 1}, "0")},
                        {"i": 1},
                    ),
                ),
            ),
        ),
        Control(
            "row-margin",
            "a parameter that does not attend to key 0 on row L0 - 1",
            (
                on_model(
                    "zero",
                    "all logits are 0, g = 1",
                    lambda: countermodel(
                        without(clamped_first(), "row-margin"),
                        CLAMPED | {"F": "0"},
                        {"i": 3, "j": 1},
                    ),
                ),
            ),
        ),
        Control(
            "competitor",
            "at L0 = 1 row 0 has no competitor and every new row ties",
            (
                on_model(
                    "one-row",
                    "all positions share one feature row",
                    lambda: countermodel(
                        without(clamped_first(), "competitor"),
                        {"L0": 1, "L": 3, "F": "0", "f": "0", "g": 1},
                        {"i": 1, "j": 1},
                    ),
                ),
            ),
        ),
        Control(
            "peak-at-1",
            "a kernel peaked at 2 misses `previous` on row 2",
            (
                on_model(
                    "skip-2",
                    "kappa(2) = 1",
                    lambda: countermodel(
                        without(relative_previous(), "peak-at-1"),
                        {"L": 4, "kappa": ({(2,): 1}, "0")},
                        {"i": 2, "j": 0},
                    ),
                ),
            ),
        ),
        Control(
            "unique-maximizer",
            "an increasing kernel (ALiBi with negative slope) attends to key 0 on every row",
            (
                on_model(
                    "increasing",
                    "kappa(o) = o",
                    lambda: countermodel(
                        without(relative_first(), "unique-maximizer"),
                        {"L": 5, "d": 0, "kappa": "x0"},
                        {"i": 2},
                    ),
                ),
            ),
        ),
        Control(
            "clip",
            "offsets that are told apart",
            (
                on_model(
                    "increasing",
                    "kappa(o) = o",
                    lambda: countermodel(
                        without(clipped_first(), "clip"), {"L0": 3, "L": 5, "kappa": "x0"}, {"i": 3}
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the target of `previous` ties with the own key on old rows too",
            TWIN,
            on_model(
                "old-row",
                "row 1 of clamped one-hot features",
                lambda: countermodel(TWIN, CLAMPED, {"i": 1}),
            ),
        ),
    ),
    remarks=(
        "The summary says that `previous` ties exactly, with margin 0. That is the tie among the"
        " new"
        " keys (the target, the row's own key and all new keys share one logit). For a W that"
        " realizes"
        " `previous` at L0 the margin of every new row, as we define it, is negative: key L0 - 2"
        " wins."
        " Either way alpha is 0.",
    ),
)
STATEMENTS = (STATEMENT,)
