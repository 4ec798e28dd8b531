"""Corollaries of Theorem 2: fixed offsets transfer; copy and reverse fail, and where exactly."""

from __future__ import annotations

from proofs.models import decisions, fix, on_model, relative_system, use
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

PEAK = "int o: 0 <= o, o < n, o != d => kappa(d) > kappa(o)"
HALF = {"half-from": "2*c >= n", "half-to": "2*c <= n + 1"}  # c = ceil(n / 2)
SOURCE = "A Positional Realizability Theory of Length Generalization, Theorem 2 and its discussion"
EVERY = "all lengths, all kernels with a strict unique maximizer"


def fixed_offset() -> Claim:
    """t(i) = i - d: every row from d on is a hit, at every length."""
    return theorem(
        "int n, int d, real kappa",
        {"unique-maximizer": PEAK},
        ["int i, int j: d <= i, i < n, 0 <= j, j <= i, j != i - d => kappa(d) > kappa(i - j)"],
    )


def copy() -> Claim:
    """copy at length n asks for the offset c = ceil(n/2) on the rows c..n-1."""
    symbols = "int n, int c, int d, real kappa"
    hypotheses = {"unique-maximizer": PEAK, **HALF}
    row = "c <= i, i < n"
    return theorem(
        symbols,
        hypotheses,
        [
            f"int i, int j: c == d, {row}, 0 <= j, j <= i, j != i - c => kappa(c) > kappa(i - j)",
            f"int i: c > d, {row} => kappa(d) > kappa(c)",
            f"int i: c < d, {row}, d <= i => kappa(d) > kappa(c)",
        ],
    )


def reverse_one_row() -> Claim:
    """reverse asks row i for the offset 2 i - (n - 1): not two hits at or beyond d."""
    return theorem(
        "int n, int d, real kappa",
        {"unique-maximizer": PEAK},
        [
            "int i, int k: d <= i, i < k, k < n, 2*i >= n - 1, 2*i - (n - 1) == d => "
            "kappa(d) > kappa(2*k - (n - 1))",
            "int i: d <= i, i < n, 2*i >= n - 1, 2*i - (n - 1) != d => "
            "kappa(d) > kappa(2*i - (n - 1))",
        ],
    )


def reverse_unrealizable() -> Claim:
    """No kernel at all realizes reverse at n >= 5: rows c and c + 1 contradict each other."""
    return theorem(
        "int n, int c, real kappa",
        {
            "realizes": "int i, int j: 0 <= i, i < n, n - 1 - i <= i, 0 <= j, j <= i,"
            " j != n - 1 - i => kappa(i - (n - 1 - i)) > kappa(i - j)",
            "at-least-5": "n >= 5",
            "middle-from": "2*c >= n - 1",  # c = ceil((n - 1) / 2), the first scored row
            "middle-to": "2*c <= n",
        },
        ["1 < 0"],
    )


def _kernel(values: dict[int, int], length: int) -> list[int]:
    return [values.get(o, 0) for o in range(length)]


def _one_hot(length: int, rows: list[tuple[int, int]]) -> Claim:
    offsets = [[int(o == p) for p in range(length)] for o in range(length)]
    return relative_system(offsets, rows)


COPY_20 = [(i, i - 10) for i in range(10, 20)]
REVERSE_4 = [(i, 3 - i) for i in range(2, 4)]
PEAKED = {"n": 6, "d": 2, "kappa": ({(2,): 1}, "0")}

SELF = with_goal(
    fixed_offset(), "int i, int j: d <= i, i < n, 0 <= j, j <= i => kappa(d) > kappa(i - j)"
)
NO_HIT = with_goal(copy(), "int i: c < d, c <= i, i < n => kappa(0) >= kappa(c)")
NEVER = with_goal(
    reverse_one_row(),
    "int i: d <= i, i < n, 2*i >= n - 1 => kappa(d) > kappa(2*i - (n - 1))",
)

FIXED = Statement(
    id="corollary-fixed-offset",
    title="Fixed offsets transfer to every length",
    latex=r"t(i) = i - \delta \;\Longrightarrow\; \alpha_L = 1 \text{ for every } L",
    words="A kernel with the strict unique maximizer delta carries t(i) = i - delta (previous,"
    " skip-k)"
    " to every length: every row from delta on is a hit.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis(
            "unique-maximizer", "delta is the strict unique maximizer", ("unique-maximizer",)
        ),
    ),
    obligations=(
        Obligation(
            "every-row",
            "every row i >= delta is a hit",
            EVERY,
            lambda profile: fixed_offset(),
            Sketch((fix(*use("unique-maximizer", o="i - j")),)),
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "skip-2 at length 6",
            lambda: satisfiable(fixed_offset(), PEAKED, {"i": 3, "j": 0}),
        ),
    ),
    controls=(
        Control(
            "unique-maximizer",
            "a second maximizer ties",
            (
                on_model(
                    "tie",
                    "kappa(2) = kappa(3)",
                    lambda: countermodel(
                        without(fixed_offset(), "unique-maximizer"),
                        PEAKED | {"kappa": ({(2,): 1, (3,): 1}, "0")},
                        {"i": 4, "j": 1},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the target beats every key, itself included",
            SELF,
            on_model(
                "own",
                "row 2 and its target 0",
                lambda: countermodel(SELF, PEAKED, {"i": 2, "j": 0}),
            ),
        ),
    ),
)

COPY = Statement(
    id="corollary-copy",
    title="copy: all rows hit when ceil(L/2) = delta, none when it is larger",
    latex=r"\lceil L/2\rceil = \delta: \text{every row};\quad \lceil L/2\rceil > \delta:"
    r" \text{no row};\quad \lceil L/2\rceil < \delta: \text{only rows below } \delta",
    words="copy at length L asks every scored row for the offset ceil(L/2). With a strict unique"
    " maximizer delta every scored row is a hit when ceil(L/2) = delta, none is when ceil(L/2) >"
    " delta,"
    " and when ceil(L/2) < delta only rows below delta can be.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis(
            "unique-maximizer", "delta is the strict unique maximizer", ("unique-maximizer",)
        ),
    ),
    obligations=(
        Obligation(
            "three-cases",
            "equal, larger, smaller",
            EVERY,
            lambda profile: copy(),
            Sketch(
                (
                    fix(*use("unique-maximizer", o="i - j")),
                    fix(*use("half-from", "half-to"), *use("unique-maximizer", o="c")),
                    fix(*use("half-from", "half-to"), *use("unique-maximizer", o="c")),
                )
            ),
            solvers=("z3",),
        ),
        decisions(
            "smaller-can-hit",
            "ceil(20/2) = 10 < delta = 15 with kappa(15) = 2, kappa(10) = 1:"
            " rows 10..14 hit, rows 15..19 miss",
            lambda: _one_hot(20, COPY_20),
            _kernel({15: 2, 10: 1}, 20),
            "hhhhhmmmmm",
            "1",
        ),
        on_model(
            "not-vacuous",
            "n = 4, c = d = 2",
            lambda: satisfiable(
                copy(), {"n": 4, "c": 2, "d": 2, "kappa": ({(2,): 1}, "0")}, {"i": 3, "j": 0}
            ),
        ),
    ),
    controls=(
        Control(
            "unique-maximizer",
            "a kernel that grows with the offset hits the first scored row of every length",
            (
                on_model(
                    "increasing",
                    "kappa(o) = o, c = 3 > d = 0",
                    lambda: countermodel(
                        without(copy(), "unique-maximizer"),
                        {"n": 6, "c": 3, "d": 0, "kappa": "x0"},
                        {"i": 3},
                        1,
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: when ceil(L/2) < delta some other key beats the target on every row",
            NO_HIT,
            on_model(
                "below-delta",
                "kappa(3) = 2, kappa(2) = 1, row 2 of length 4",
                lambda: countermodel(
                    NO_HIT, {"n": 4, "c": 2, "d": 3, "kappa": ({(3,): 2, (2,): 1}, "0")}, {"i": 2}
                ),
            ),
        ),
    ),
)

REVERSE = Statement(
    id="corollary-reverse",
    title="reverse: one row at most, and no relative encoding realizes it at any n >= 5",
    latex=r"t(i) = n - 1 - i,\ n \ge 5 \;\Longrightarrow\; \nexists\, \kappa \text{ realizing it};"
    r"\quad \#\{\text{hits at or beyond } \delta\} \le 1",
    words="reverse asks row i for the offset 2 i - n + 1. With a strict unique maximizer delta"
    " at most"
    " one row at or beyond delta is a hit. And no relative encoding whatsoever realizes reverse"
    " at any"
    " length n >= 5: two neighbouring rows contradict each other.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis(
            "unique-maximizer",
            "delta is the strict unique maximizer (first part)",
            ("unique-maximizer",),
        ),
        Hypothesis("at-least-5", "n >= 5 (second part)", ("at-least-5",)),
    ),
    obligations=(
        Obligation(
            "one-row",
            "at most one hit at or beyond delta",
            EVERY,
            lambda profile: reverse_one_row(),
            Sketch(
                (
                    fix(*use("unique-maximizer", o="2*k - (n - 1)")),
                    fix(*use("unique-maximizer", o="2*i - (n - 1)")),
                )
            ),
        ),
        Obligation(
            "unrealizable",
            "no relative encoding realizes reverse",
            "all n >= 5, all kernels",
            lambda profile: reverse_unrealizable(),
            Sketch(
                (
                    fix(
                        *use("at-least-5", "middle-from", "middle-to"),
                        *use("realizes", i="c", j="c - (2*c - n + 3)"),
                        *use("realizes", i="c + 1", j="c + 1 - (2*c - n + 1)"),
                    ),
                )
            ),
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "n = 5, delta = 0",
            lambda: satisfiable(
                reverse_one_row(), {"n": 5, "d": 0, "kappa": ({(0,): 1}, "0")}, {"i": 2, "k": 3}
            ),
        ),
    ),
    controls=(
        Control(
            "unique-maximizer",
            "offsets 1 and 3 both maximal: rows 2 and 3 of length 4",
            (
                on_model(
                    "two",
                    "kappa(1) = kappa(3) = 1",
                    lambda: countermodel(
                        without(reverse_one_row(), "unique-maximizer"),
                        {"n": 4, "d": 1, "kappa": ({(1,): 1, (3,): 1}, "0")},
                        {"i": 2, "k": 3},
                    ),
                ),
            ),
        ),
        Control(
            "at-least-5",
            "at n = 4 a kernel with kappa(1) > kappa(0), kappa(2) and kappa(3) > all"
            " realizes reverse",
            (
                decisions(
                    "n-4",
                    "rows 2 and 3 of length 4 are hits",
                    lambda: _one_hot(4, REVERSE_4),
                    [0, 1, 0, 2],
                    "hh",
                    "1",
                ),
                on_model(
                    "n-4-model",
                    "the hypotheses hold at n = 4",
                    lambda: countermodel(
                        without(reverse_unrealizable(), "at-least-5"),
                        {"n": 4, "c": 2, "kappa": ({(1,): 1, (3,): 2}, "0")},
                        {},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: no row at or beyond delta can be a hit",
            NEVER,
            on_model(
                "one-hit",
                "delta = 2 on row 3 of n = 5",
                lambda: countermodel(NEVER, {"n": 5, "d": 2, "kappa": ({(2,): 1}, "0")}, {"i": 3}),
            ),
        ),
    ),
    remarks=(
        "Anything said of reverse under the condition that a relative kernel realizes it at L0"
        " >= 5 is"
        " vacuous; the first part therefore assumes no such thing.",
    ),
)
STATEMENTS = (FIXED, COPY, REVERSE)
