"""Theorem 2: relative heads transfer exactly the offset of their strict unique maximizer.

A relative head has logits `P(i, j) = kappa(i - j)` with any function `kappa` of the offset;
`d` is its strict unique maximizer among the offsets in sight. Counts run over the new rows in
[L0, r): `S(r)` scored, `D(r)` demanding the offset d, `H(r)` hits, `B(r)` scored rows below d.
"""

from __future__ import annotations

from proofs.models import chain, fix, on_model, use
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
    with_goal,
    without,
)

RELATIVE = "int i, int j: 0 <= i, i < L, 0 <= j, j <= i => P(i, j) == kappa(i - j)"
PEAK = "int o: 0 <= o, o < L, o != d => kappa(d) > kappa(o)"


def row_lemma() -> Claim:
    """Row i >= d has its strict argmax at i - d; a row that demands another offset is a miss."""
    return theorem(
        "int L, int d, real P, real kappa",
        {"relative": RELATIVE, "peak": PEAK, "offset": "d >= 0"},
        [
            "int i, int j: d <= i, i < L, 0 <= j, j <= i, j != i - d => P(i, i - d) > P(i, j)",
            "int i, int t: d <= i, i < L, 0 <= t, t <= i, i - t != d => P(i, i - d) > P(i, t)",
        ],
    )


def _beats(key: str) -> object:
    """The key i - d beats another one."""
    return chain(
        [
            *use("offset"),
            *use("peak", o=f"i - {key}"),
            *use("relative", i="i", j="i - d"),
            *use("relative", i="i", j=key),
        ]
    )


def hit_indicator() -> Claim:
    """For a scored row at or beyond d: it is a hit exactly when it demands the offset d."""
    return theorem(
        "int L, int d, real P, real kappa, int t, int s, int h, int e, int c",
        {
            "relative": RELATIVE,
            "peak": PEAK,
            "offset": "d >= 0",
            # what the indicators mean: h a hit, e a demand for d, s a scored row, c a better key
            "hit": "int i, int j: 0 <= i, i < L, h(i) == 1, 0 <= j, j <= i, j != t(i)"
            " => P(i, t(i)) > P(i, j)",
            "no-hit": "int i: 0 <= i, i < L, s(i) == 1, h(i) == 0 => P(i, c(i)) >= P(i, t(i))",
            "rival-from-0": "int i: 0 <= i, i < L, s(i) == 1, h(i) == 0 => c(i) >= 0",
            "rival-visible": "int i: 0 <= i, i < L, s(i) == 1, h(i) == 0 => c(i) <= i",
            "rival-other": "int i: 0 <= i, i < L, s(i) == 1, h(i) == 0 => c(i) != t(i)",
            "demand": "int i: 0 <= i, i < L, e(i) == 1 => i - t(i) == d",
            "no-demand": "int i: 0 <= i, i < L, s(i) == 1, e(i) == 0 => i - t(i) != d",
        },
        [
            "int i: d <= i, i < L, s(i) == 1, h(i) == 1, e(i) == 0, 0 <= t(i), t(i) <= i => 1 < 0",
            "int i: d <= i, i < L, s(i) == 1, h(i) == 0, e(i) == 1, 0 <= t(i), t(i) <= i => 1 < 0",
        ],
    )


INDICATOR = Sketch(
    (
        fix(
            *use("offset"),
            *use("no-demand", i="i"),
            *use("hit", i="i", j="i - d"),
            *use("peak", o="i - t(i)"),
            *use("relative", i="i", j="i - d"),
            *use("relative", i="i", j="t(i)"),
        ),
        fix(
            *use("offset"),
            *use("demand", i="i"),
            *use("rival-from-0", i="i"),
            *use("rival-visible", i="i"),
            *use("rival-other", i="i"),
            *use("no-hit", i="i"),
            *use("relative", i="i", j="t(i)"),
            *use("relative", i="i", j="c(i)"),
            {
                "rule": "rewrite",
                "fact": "P(i, t(i)) == kappa(i - t(i))",
                "by": "i - t(i) == d",
                "term": "t(i)",
            },
            *use("peak", o="i - c(i)"),
        ),
    )
)

COUNTS = {
    "H-start": "H(L0) == 0",
    "D-start": "D(L0) == 0",
    "B-start": "B(L0) == 0",
    "H-step": "int r: r >= L0 => H(r + 1) == H(r) + h(r)",
    "D-step": "int r: r >= L0 => D(r + 1) == D(r) + e(r)",
    "B-step": "int r: r >= L0 => B(r + 1) == B(r) + b(r)",
    "deep": "int i: i >= L0, i >= d => h(i) == e(i)",
    "shallow": "int i: i >= L0, i < d => b(i) == s(i)",
    "b-from-0": "int i: i >= L0 => b(i) >= 0",
    "b-deep": "int i: i >= L0, i >= d => b(i) == 0",
    "h-from-0": "int i: i >= L0 => h(i) >= 0",
    "h-scored": "int i: i >= L0 => h(i) <= s(i)",
    "e-from-0": "int i: i >= L0 => e(i) >= 0",
    "e-scored": "int i: i >= L0 => e(i) <= s(i)",
    "s-to-1": "int i: i >= L0 => s(i) <= 1",
    "room-shallow": "int r: r <= d => m(r) == d - r",
    "room-deep": "int r: r >= d => m(r) == 0",
}
COUNT_SYMBOLS = "int L0, int d, int H, int D, int B, int h, int e, int b, int s, int m"


def counting() -> Claim:
    """|hits - rows demanding d| <= scored new rows below d <= max(0, d - L0) = m(L0)."""
    return theorem(
        COUNT_SYMBOLS,
        COUNTS,
        [
            "int r: r >= L0 => H(r) - D(r) <= B(r)",
            "int r: r >= L0 => D(r) - H(r) <= B(r)",
            "int r: r >= L0 => B(r) + m(r) <= m(L0)",
        ],
    )


def _difference(first: str, second: str, least: str, most: str) -> object:
    shallow_or_deep = {
        "rule": "split",
        "on": "r >= d",
        "yes": chain(use("deep", "b-from-0", i="r")),
        "no": chain(use("shallow", least, most, i="r")),
    }
    steps = use("IH") + use(f"{first}-step", f"{second}-step", "B-step", r="r")
    return {
        "rule": "induct",
        "on": "r",
        "from": "L0",
        "base": fix(*use(f"{first}-start", f"{second}-start", "B-start")),
        "step": fix(*steps, last=shallow_or_deep),
    }


COUNTING = Sketch(
    (
        _difference("H", "D", "e-from-0", "h-scored"),
        _difference("D", "H", "h-from-0", "e-scored"),
        {
            "rule": "induct",
            "on": "r",
            "from": "L0",
            "base": {"rule": "fix", "then": chain(use("B-start"))},
            "step": {
                "rule": "fix",
                "then": {
                    "rule": "use",
                    "of": "IH",
                    "at": {},
                    "then": {
                        "rule": "use",
                        "of": "B-step",
                        "at": {"r": "r"},
                        "then": {
                            "rule": "split",
                            "on": "r >= d",
                            "yes": chain(
                                [
                                    *use("b-deep", i="r"),
                                    *use("room-deep", r="r"),
                                    *use("room-deep", r="r + 1"),
                                ]
                            ),
                            "no": {
                                "rule": "tighten",
                                "fact": "d > r",
                                "then": chain(
                                    [
                                        *use("shallow", "s-to-1", i="r"),
                                        *use("room-shallow", r="r"),
                                        *use("room-shallow", r="r + 1"),
                                    ]
                                ),
                            },
                        },
                    },
                },
            },
        },
    )
)

LIMIT = {
    "few-below": "int r: r >= L0 => H(r) - D(r) <= K",
    "few-above": "int r: r >= L0 => D(r) - H(r) <= K",
    "many-scored": "real M, int r: r >= L0, r >= N(M) => S(r) >= M",
    "constant-offset": "real a, int r: a > 0, r >= L0, r >= C(a) => S(r) - D(r) <= a*S(r)",
    "hits-most": "real a, int r: a > 0, r >= L0, r >= A(a) => S(r) - H(r) <= a*S(r)",
}
EPSILON = "real a, real u, int r: a > 0, u*a == 1, r >= L0, r >= N(K*u)"


def limit() -> Claim:
    """|H/S - D/S| <= epsilon from N(K/epsilon) on: the two shares have the same limit."""
    return theorem(
        "int L0, real K, int H, int D, int S, real N",
        {k: v for k, v in LIMIT.items() if k not in ("constant-offset", "hits-most")},
        [f"{EPSILON} => H(r) - D(r) <= a*S(r)", f"{EPSILON} => D(r) - H(r) <= a*S(r)"],
    )


def transfers() -> Claim:
    """If d is demanded on all but a vanishing share of the scored rows, alpha_L tends to 1."""
    return theorem(
        "int L0, real K, int H, int D, int S, real N, real C",
        {k: v for k, v in LIMIT.items() if k != "hits-most"},
        [f"{EPSILON}, r >= C(a) => S(r) - H(r) <= 2*a*S(r)"],
    )


def demands() -> Claim:
    """If alpha_L tends to 1, d is demanded on all but a vanishing share of the scored rows."""
    return theorem(
        "int L0, real K, int H, int D, int S, real N, real A",
        {k: v for k, v in LIMIT.items() if k != "constant-offset"},
        [f"{EPSILON}, r >= A(a) => S(r) - D(r) <= 2*a*S(r)"],
    )


def _limit(bound: str, *more: dict[str, object]) -> object:
    return fix(*use(bound, r="r"), *use("many-scored", M="K*u", r="r"), *more)


def training_accuracy() -> Claim:
    """Our reading of the corollary: a kernel that realizes L0 is asked for d from row d on."""
    return theorem(
        "int L0, int L, int d, real P, real kappa, int t, int s",
        {
            "relative": RELATIVE,
            "peak": PEAK,
            "offset": "d >= 0",
            "train-in-sight": "L0 <= L",
            "realizes-train": "int i, int j: 0 <= i, i < L0, s(i) == 1, 0 <= j, j <= i, j != t(i)"
            " => P(i, t(i)) > P(i, j)",
            "target-from-0": "int i: 0 <= i, i < L0, s(i) == 1 => t(i) >= 0",
            "target-visible": "int i: 0 <= i, i < L0, s(i) == 1 => t(i) <= i",
        },
        ["int i: d <= i, i < L0, s(i) == 1 => i - t(i) == d"],
    )


TRAINING = Sketch(
    (
        fix(
            *use("offset"),
            *use("train-in-sight"),
            *use("target-from-0", i="i"),
            *use("target-visible", i="i"),
            *use("realizes-train", i="i", j="i - d"),
            *use("peak", o="i - t(i)"),
            *use("relative", i="i", j="i - d"),
            *use("relative", i="i", j="t(i)"),
        ),
    )
)

# ---------------------------------------------------------------- concrete models


def head(length: int, peak: int, kappa: dict[tuple[int, ...], int]) -> dict[str, Definition]:
    """The relative head with this kernel (zero elsewhere)."""
    table = {(i, j): kappa.get((i - j,), 0) for i in range(length) for j in range(i + 1)}
    return {"L": length, "d": peak, "P": (table, "0"), "kappa": (kappa, "0")}


def _attainable() -> Claim:
    """A kernel peaked at 1, asked for offset 2 below row 4 and for 1 from there on."""
    offsets = [["1"] if o == 1 else ["0"] for o in range(12)]
    rows = [[-1, 0, i + 1, 2 if i < 4 else 1] for i in range(2, 12)]
    return {
        "kind": "decisions",
        "system": {"vectors": offsets, "rows": rows},
        "parameter": ["1"],
        "outcomes": "mm" + "h" * 8,
        "margin": "1",
    }


POINT = {"a": "1/8", "u": "8", "r": "10"}
STEADY: dict[str, Definition] = {
    "L0": 0,
    "K": 0,
    "H": "x0",
    "D": "x0",
    "S": "x0",
    "N": "x0",
    "C": "0",
    "A": "0",
}
EVERYWHERE = with_goal(
    row_lemma(),
    "int i, int j: 0 <= i, i < L, 0 <= j, j <= i, j != i - d => P(i, i - d) > P(i, j)",
)
EVERY = "all relative heads (any kernel on offsets), all lengths"

STATEMENT = Statement(
    id="theorem-2",
    title="Relative heads: transfer means a constant offset that is the unique maximizer",
    latex=(
        r"\bigl|\,\#\text{hits} - \#\{i : i - t(i) = \delta\}\,\bigr| \le \#\{i \in Q_L : L_0 \le i"
        r" < \delta\} \quad\Longrightarrow\quad \alpha_L - \tfrac{D(L)}{S(L)} \to 0"
    ),
    words=(
        "A relative head whose kernel has the strict unique global maximizer delta puts the strict"
        " argmax of every row i >= delta at i - delta. So the number of hits differs from the"
        " number"
        " of rows that demand delta by at most the number of scored new rows below delta; if the"
        " number of scored new rows tends to infinity, alpha_L tends to 1 exactly when delta is"
        " demanded on all but a vanishing share of them."
    ),
    source="A Positional Realizability Theory of Length Generalization, Theorem 2",
    status="proved",
    setting=("S1", "S2", "S3"),
    hypotheses=(
        Hypothesis("relative", "the logit depends on the offset alone", ("relative",)),
        Hypothesis(
            "unique-maximizer",
            "delta is the strict unique maximizer among the offsets in sight",
            ("peak",),
        ),
        Hypothesis("causal-offset", "delta >= 0: attention is causal", ("offset",)),
        Hypothesis(
            "many-scored", "the number of scored new rows tends to infinity", ("many-scored",)
        ),
        Hypothesis(
            "constant-offset",
            "delta is demanded on all but a vanishing share of the scored"
            " new rows (for alpha_L -> 1)",
            ("constant-offset",),
        ),
        Hypothesis("hits-most", "alpha_L tends to 1 (for the converse)", ("hits-most",)),
        Hypothesis(
            "realizes-train",
            "the kernel realizes the task at L0: attainable among these"
            " kernels, not only in the family",
            ("realizes-train",),
        ),
    ),
    obligations=(
        Obligation(
            "row-lemma",
            "row i >= delta has its strict argmax at i - delta; a row that demands"
            " another offset is a miss under every tie rule",
            EVERY,
            lambda profile: row_lemma(),
            Sketch(({"rule": "fix", "then": _beats("j")}, {"rule": "fix", "then": _beats("t")})),
            solvers=("z3",),
        ),
        Obligation(
            "hit-indicator",
            "a scored row at or beyond delta is a hit exactly when it demands delta",
            EVERY,
            lambda profile: hit_indicator(),
            INDICATOR,
        ),
        Obligation(
            "counting",
            "|hits - rows demanding delta| <= scored new rows below delta <= max(0, delta - L0)",
            "all L0, delta and L",
            lambda profile: counting(),
            COUNTING,
        ),
        Obligation(
            "limit",
            "|alpha_L - share of rows demanding delta| <= epsilon from N(K/epsilon) on",
            "all epsilon > 0",
            lambda profile: limit(),
            Sketch((_limit("few-below"), _limit("few-above"))),
        ),
        Obligation(
            "transfers",
            "a vanishing share of other demands gives alpha_L -> 1",
            "all epsilon > 0",
            lambda profile: transfers(),
            Sketch((_limit("few-above", *use("constant-offset", a="a", r="r")),)),
        ),
        Obligation(
            "demands",
            "alpha_L -> 1 needs a vanishing share of other demands",
            "all epsilon > 0",
            lambda profile: demands(),
            Sketch((_limit("few-below", *use("hits-most", a="a", r="r")),)),
        ),
        Obligation(
            "training-accuracy",
            "a kernel that realizes the task at L0 is asked for delta on"
            " every scored training row i >= delta (our reading of the corollary)",
            "all relative heads, all L0",
            lambda profile: training_accuracy(),
            TRAINING,
        ),
        on_model(
            "not-vacuous",
            "a kernel peaked at 1 on 6 positions",
            lambda: satisfiable(row_lemma(), head(6, 1, {(1,): 1}), {"i": 3, "j": 0}),
        ),
        on_model(
            "not-vacuous-limit",
            "every row is scored and demands delta",
            lambda: satisfiable(transfers(), STEADY, POINT),
        ),
    ),
    controls=(
        Control(
            "relative",
            "an absolute head: row 3 attends to key 0",
            (
                on_model(
                    "absolute",
                    "the argmax is not at i - 1",
                    lambda: countermodel(
                        without(row_lemma(), "relative"),
                        head(6, 1, {(1,): 1}) | {"P": ({(3, 0): 2}, "0")},
                        {"i": 3, "j": 0},
                    ),
                ),
            ),
        ),
        Control(
            "unique-maximizer",
            "two offsets share the maximum: rows from 2 on tie",
            (
                on_model(
                    "tie",
                    "kappa(1) = kappa(2)",
                    lambda: countermodel(
                        without(row_lemma(), "peak"),
                        head(6, 1, {(1,): 1, (2,): 1}),
                        {"i": 3, "j": 1},
                    ),
                ),
            ),
        ),
        Control(
            "causal-offset",
            "delta = -1 would be a key that row i does not see",
            (
                on_model(
                    "future",
                    "key i + 1 is not on row i",
                    lambda: countermodel(
                        without(row_lemma(), "offset"),
                        head(3, -1, {(-1,): 1}) | {"P": ({(1, 2): 0}, "0")},
                        {"i": 1, "j": 0},
                    ),
                ),
            ),
        ),
        Control(
            "many-scored",
            "one scored new row in all: a single early row keeps its weight",
            (
                on_model(
                    "one-row",
                    "S = D = 1, H = 0 for ever",
                    lambda: countermodel(
                        without(limit(), "many-scored"),
                        STEADY | {"K": 1, "H": "0", "D": "1", "S": "1"},
                        POINT,
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "constant-offset",
            "the offset is demanded on density one half only",
            (
                on_model(
                    "half",
                    "H = D = r and S = 2 r: alpha_L = 1/2",
                    lambda: countermodel(
                        without(transfers(), "constant-offset"), STEADY | {"S": "2*x0"}, POINT
                    ),
                ),
            ),
        ),
        Control(
            "hits-most",
            "alpha_L = 1/2",
            (
                on_model(
                    "half",
                    "H = D = r and S = 2 r",
                    lambda: countermodel(
                        without(demands(), "hits-most"), STEADY | {"S": "2*x0"}, POINT
                    ),
                ),
            ),
        ),
        Control(
            "realizes-train",
            "attainable in the family, not among the kernels that realize L0 = 4:"
            " kappa(o) = 1[o = 1] hits every new row and misses both training rows, where the task"
            " demands offset 2",
            (
                Obligation(
                    "exact-kernel",
                    "alpha_L = 1 at every length shown, L0 not solved",
                    "rows 2 to 11",
                    lambda profile: _attainable(),
                    Given({"rule": "evaluate"}),
                ),
                on_model(
                    "accuracy",
                    "without realizing L0 a training row may demand another offset",
                    lambda: countermodel(
                        without(training_accuracy(), "realizes-train"),
                        head(6, 1, {(1,): 1})
                        | {"L0": 4, "t": ({(3,): 1}, "0"), "s": ({(3,): 1}, "0")},
                        {"i": 3},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the argmax sits at i - delta on every row (also below delta)",
            EVERYWHERE,
            on_model(
                "below",
                "row 1 with delta = 2 has no key -1",
                lambda: countermodel(EVERYWHERE, head(6, 2, {(2,): 1}), {"i": 1, "j": 0}),
            ),
        ),
    ),
    remarks=(
        "The denominator of alpha_L counts scored new rows; that it tends to infinity is a"
        " hypothesis"
        " which the summary leaves implicit.",
        "The wording of the training-accuracy corollary is not public; ours is stated as our"
        " reading.",
    ),
)
STATEMENTS = (STATEMENT,)
