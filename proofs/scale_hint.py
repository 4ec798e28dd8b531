"""Scale Hint for attention: which tasks need to know the length, and polynomials that use it."""

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

SOURCE = (
    "ours, after On the Limitations and Capabilities of Position Embeddings for Length"
    " Generalization (Scale Hint)"
)
COPY_ROW = "int i, int j: 0 <= i, i < {n}, i >= {c}, 0 <= j, j <= i, j != i - {c}"
REVERSE_ROW = "int i, int j: 0 <= i, i < {n}, {n} - 1 - i <= i, 0 <= j, j <= i, j != {n} - 1 - i"


def copy_conflict() -> Claim:
    """copy at n < m with c = ceil(n/2) != e = ceil(m/2) <= n - 1: row e has two targets."""
    return theorem(
        "int n, int m, int c, int e, real P",
        {
            "realizes-n": COPY_ROW.format(n="n", c="c") + " => P(i, i - c) > P(i, j)",
            "realizes-m": COPY_ROW.format(n="m", c="e") + " => P(i, i - e) > P(i, j)",
            "longer": "m > n",
            "shared-row": "e <= n - 1",
            "other-target": "c != e",
            "half-n-from": "2*c >= n",
            "half-n-to": "2*c <= n + 1",
            "half-m-from": "2*e >= m",
            "half-m-to": "2*e <= m + 1",
            "length": "n >= 1",
        },
        ["1 < 0"],
    )


def reverse_conflict() -> Claim:
    """reverse at n < m <= 2 n - 1: row n - 1 is asked for key 0 and for key m - n."""
    return theorem(
        "int n, int m, real P",
        {
            "realizes-n": REVERSE_ROW.format(n="n") + " => P(i, n - 1 - i) > P(i, j)",
            "realizes-m": REVERSE_ROW.format(n="m") + " => P(i, m - 1 - i) > P(i, j)",
            "longer": "m > n",
            "shared-row": "m <= 2*n - 1",
        },
        ["1 < 0"],
    )


COPY = Sketch(
    (
        fix(
            *use("longer", "shared-row", "other-target", "half-n-from", "half-n-to"),
            *use("half-m-from", "half-m-to", "length"),
            *use("realizes-n", i="e", j="0"),
            *use("realizes-m", i="e", j="e - c"),
        ),
    )
)
REVERSE = Sketch(
    (
        fix(
            *use("longer", "shared-row"),
            *use("realizes-n", i="n - 1", j="m - n"),
            *use("realizes-m", i="n - 1", j="0"),
        ),
    )
)


def polynomials() -> Claim:
    """-(n - 1 - i - j)^2 realizes reverse and -(i - n/2 - 1/4 - j)^2 copy, at every length."""
    copy_logit = "-(i - 1/2*n - 1/4 - ({}))**2"
    return theorem(
        "int n, int c",
        {"half-from": "2*c >= n", "half-to": "2*c <= n + 1"},
        [
            "int i, int j: j != n - 1 - i => -(n - 1 - i - (n - 1 - i))**2 > -(n - 1 - i - j)**2",
            f"int i, int j: j != i - c => {copy_logit.format('i - c')} > {copy_logit.format('j')}",
        ],
    )


def _apart(fact: str, above: str, below: str) -> object:
    return {
        "rule": "apart",
        "fact": fact,
        "above": {"rule": "tighten", "fact": above},
        "below": {"rule": "tighten", "fact": below},
    }


POLYNOMIALS = Sketch(
    (
        fix(last=_apart("j != n - 1 - i", "j > n - 1 - i", "n - 1 - i > j")),
        fix(
            *use("half-from", "half-to"),
            last=_apart("j != i - c", "j > i - c", "i - c > j"),
        ),
    )
)


def _both(task: str, first: int, second: int) -> Claim:
    """One-hot features, the rows of both lengths (scale-free: one table of positions)."""
    rows = []
    for n in (first, second):
        for i in range(n):
            t = i - -(-n // 2) if task == "copy" else n - 1 - i
            if 0 <= t <= i and i > 0:
                rows.append([i, 0, i + 1, t])
    vectors = [[str(int(a == b)) for b in range(second)] for a in range(second)]
    return {"vectors": vectors, "rows": rows}


def _table(task: str, first: int, second: int) -> list[list[int]]:
    """The one-hot parameter with a 1 at each target."""
    w = [[0] * second for _ in range(second)]
    for i, _, _, t in _both(task, first, second)["rows"]:
        w[i][t] = 1
    return w


FAR = {"n": 2, "m": 6, "c": 1, "e": 3, "P": ({(1, 0): 1, (3, 0): 1, (4, 1): 1, (5, 2): 1}, "0")}
SAME = {"n": 3, "m": 4, "c": 2, "e": 2, "P": ({(2, 0): 1, (3, 1): 1}, "0")}
MIRROR = {"n": 2, "m": 4, "P": ({(1, 0): 1, (2, 1): 1, (3, 0): 1}, "0")}
SHORT = with_goal(without(reverse_conflict(), "shared-row"), "m <= n")
CONFLICT = Statement(
    id="scale-hint.needed",
    title="copy and reverse need the length: two lengths that share a row conflict",
    latex=r"\text{copy: } \lceil n/2\rceil \ne \lceil n'/2\rceil \le n - 1;\quad \text{reverse: }"
    r" n' \le 2n - 1",
    words="For n < n', every scale-free encoding and every parameter: copy is unrealizable at both"
    " lengths together when ceil(n/2) != ceil(n'/2) <= n - 1, reverse when n' <= 2 n - 1,"
    " because one"
    " row is asked for two different keys. Beyond that the query regions share no row (or"
    " agree), and"
    " one-hot features realize both lengths.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "scale-free", "one logit table P for both lengths", ("realizes-n", "realizes-m")
        ),
        Hypothesis("longer", "n < n'", ("longer",)),
        Hypothesis("shared-row", "the regions share a row", ("shared-row",)),
        Hypothesis("other-target", "copy: the two offsets differ", ("other-target",)),
    ),
    obligations=(
        Obligation(
            "copy",
            "row ceil(n'/2) is asked for two keys",
            "all n < n' with a shared row, all scale-free encodings and parameters",
            lambda profile: copy_conflict(),
            COPY,
            solvers=("z3",),
        ),
        Obligation(
            "reverse",
            "row n - 1 is asked for two keys",
            "all n < n' <= 2 n - 1, all scale-free encodings and parameters",
            lambda profile: reverse_conflict(),
            REVERSE,
            solvers=("z3",),
        ),
        decisions(
            "copy-both",
            "one-hot features realize copy at 2 and 6 (ceil(6/2) = 3 > 1)",
            lambda: _both("copy", 2, 6),
            _table("copy", 2, 6),
            "hhhh",
            "1",
        ),
        decisions(
            "reverse-both",
            "one-hot features realize reverse at 3 and 6 (6 > 2*3 - 1)",
            lambda: _both("reverse", 3, 6),
            _table("reverse", 3, 6),
            "hhhhh",
            "1",
        ),
        on_model(
            "not-vacuous",
            "reverse at 2 and 4",
            lambda: satisfiable(without(reverse_conflict(), "shared-row"), MIRROR, {}),
        ),
    ),
    controls=(
        Control(
            "scale-free",
            "with Scale Hint each length has logits of its own",
            (
                on_model(
                    "hinted",
                    "P is right at n = 4 alone",
                    lambda: countermodel(
                        without(reverse_conflict(), "realizes-n"),
                        {"n": 3, "m": 4, "P": ({(2, 1): 1, (3, 0): 1}, "0")},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "longer",
            "one length with itself",
            (
                on_model(
                    "equal",
                    "reverse at 3 and 3",
                    lambda: countermodel(
                        without(reverse_conflict(), "longer"),
                        {"n": 3, "m": 3, "P": ({(1, 1): 1, (2, 0): 1}, "0")},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "shared-row",
            "regions that share no row",
            (
                on_model(
                    "copy-far",
                    "copy at 2 and 6",
                    lambda: countermodel(without(copy_conflict(), "shared-row"), FAR, {}),
                ),
                on_model(
                    "reverse-far",
                    "reverse at 2 and 4",
                    lambda: countermodel(without(reverse_conflict(), "shared-row"), MIRROR, {}),
                ),
            ),
        ),
        Control(
            "other-target",
            "copy at 3 and 4 asks for the same offset 2",
            (
                on_model(
                    "same-offset",
                    "ceil(3/2) = ceil(4/2)",
                    lambda: countermodel(without(copy_conflict(), "other-target"), SAME, {}),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: no scale-free encoding does reverse at any two lengths",
            SHORT,
            on_model("two-four", "reverse at 2 and 4", lambda: countermodel(SHORT, MIRROR, {})),
        ),
    ),
)
NO_QUARTER = with_goal(
    polynomials(), "int i, int j: j != i - c => -(1/2*n - c)**2 > -(i - 1/2*n - j)**2"
)
SUFFICES = Statement(
    id="scale-hint.suffices",
    title="With the length as an input one polynomial parameter realizes reverse, and one copy",
    latex=r"-(n - 1 - i - j)^2 \text{ and } -(i - \tfrac n2 - \tfrac14 - j)^2",
    words="Features that are polynomials of degree at most 2 in i and n carry reverse with the"
    " fixed"
    " parameter of -(n - 1 - i - j)^2 and copy with that of -(i - n/2 - 1/4 - j)^2, at every"
    " length.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(Hypothesis("half", "c = ceil(n/2)", ("half-from", "half-to")),),
    obligations=(
        Obligation(
            "polynomials",
            "strict argmax at the target on every row",
            "all lengths",
            lambda profile: polynomials(),
            POLYNOMIALS,
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "n = 5, c = 3",
            lambda: satisfiable(polynomials(), {"n": 5, "c": 3}, {"i": 4, "j": 0}, 1),
        ),
    ),
    controls=(
        Control(
            "half",
            "another offset is not what the polynomial picks",
            (
                on_model(
                    "offset-1",
                    "n = 5, c = 1",
                    lambda: countermodel(
                        without(polynomials(), "half-from"), {"n": 5, "c": 1}, {"i": 4, "j": 1}, 1
                    ),
                ),
                on_model(
                    "offset-5",
                    "n = 5, c = 5",
                    lambda: countermodel(
                        without(polynomials(), "half-to"), {"n": 5, "c": 5}, {"i": 5, "j": 2}, 1
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: -(i - n/2 - j)^2 does copy as well (odd lengths tie)",
            NO_QUARTER,
            on_model(
                "odd",
                "n = 5, c = 3: offsets 2 and 3 tie",
                lambda: countermodel(NO_QUARTER, {"n": 5, "c": 3}, {"i": 4, "j": 2}),
            ),
        ),
    ),
)
CONJECTURE = Statement(
    id="src-conjecture",
    title="Length generalization if and only if sequential representation complexity stays"
    " invariant",
    latex=r"\text{LG possible} \iff \mathrm{SRC} \text{ does not grow with the scale}",
    words="The second paper conjectures that length generalization is possible exactly when the"
    " number"
    " of unit operators needed to solve a task step by step does not grow with its scale. The"
    " formal"
    " definitions are not public to us in full; declared open, nothing is decided here.",
    source="On the Limitations and Capabilities of Position Embeddings for Length Generalization,"
    " conjecture on SRC",
    status="open",
)
STATEMENTS = (CONFLICT, SUFFICES, CONJECTURE)
