"""The second paper's limits: position embeddings organize operations, they add none.

The model is ours: position-only linear attention computes y = A x, A[i, j] = p(r(i, j)) for
j <= i. `r0`, `r` are the relation classes at the lengths n0 and n, `A0`, `A` the targets;
the operators of a length are the entries of its target. A relation function generalizes *robustly*
when every p that realizes A0 realizes A, *by default* when the p with unseen classes at zero does.
"""

from __future__ import annotations

from proofs.models import fix, on_model, use
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
    "On the Limitations and Capabilities of Position Embeddings for Length Generalization, in a"
    " model of our own (the paper's definitions are not public to us in full)"
)
OLD_CELL = "int i, int j: 0 <= i, i < n0, 0 <= j, j <= i"
SYMBOLS = "int n0, int m, int r0, real p, real A0, int c, real v, real q"
HYPOTHESES = {
    "realizes-train": f"{OLD_CELL} => p(r0(i, j)) == A0(i, j)",
    "new-operator": f"{OLD_CELL} => A0(i, j) != v",
}


def seen() -> Claim:
    """The class c of the cell that needs the operator v occurs at n0: then p(c) is not v."""
    return theorem(SYMBOLS, HYPOTHESES, [f"{OLD_CELL}, r0(i, j) == c => p(c) != v"])


def unseen() -> Claim:
    """c does not occur at n0. By default p(c) = 0, not v. Robustly: changing p at c alone
    (call it q) still realizes n0, and q(c) is not v."""
    return theorem(
        SYMBOLS,
        HYPOTHESES
        | {
            "unseen": f"{OLD_CELL} => r0(i, j) != c",
            "default": "p(c) == 0",
            "an-operation": "v != 0",
            "changed": "q(c) != v",
            "elsewhere": "int x: 0 <= x, x < m, x != c => q(x) == p(x)",
            "class-from-0": f"{OLD_CELL} => r0(i, j) >= 0",
            "class-to-m": f"{OLD_CELL} => r0(i, j) < m",
        },
        ["p(c) != v", f"{OLD_CELL} => q(r0(i, j)) == A0(i, j)"],
    )


def ideal() -> Claim:
    """If every operator at n occurs at n0, the classes r(i, j, n) = A_n[i, j] generalize."""
    return theorem(
        "int n0, int n, real A0, real A, real p, int a, int b",
        {
            "realizes-train": f"{OLD_CELL} => p(A0(i, j)) == A0(i, j)",
            "same-operators": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i =>"
            " A0(a(i, j), b(i, j)) == A(i, j)",
            # where the operator of cell (i, j) occurs at n0
            "cell-from-0": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => b(i, j) >= 0",
            "cell-causal": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => b(i, j) <= a(i, j)",
            "cell-to-n0": "int i, int j: 0 <= i, i < n, 0 <= j, j <= i => a(i, j) < n0",
        },
        ["int i, int j: 0 <= i, i < n, 0 <= j, j <= i => p(A(i, j)) == A(i, j)"],
    )


def scale_free() -> Claim:
    """Two lengths that demand different operators at one cell refute every scale-free relation."""
    return theorem(
        "int i, int j, int r, int n, int m, real p, real A",
        {
            "realizes-both": "int k: k == n => p(r(i, j)) == A(k, i, j)",
            "realizes-other": "int k: k == m => p(r(i, j)) == A(k, i, j)",
            "different": "A(n, i, j) != A(m, i, j)",
        },
        ["1 < 0"],
    )


IDEAL = Sketch(
    (
        fix(
            *use("same-operators", "cell-from-0", "cell-causal", "cell-to-n0", i="i", j="j"),
            *use("realizes-train", i="a(i, j)", j="b(i, j)"),
            {
                "rule": "rewrite",
                "fact": "p(A0(a(i, j), b(i, j))) == A0(a(i, j), b(i, j))",
                "by": "A0(a(i, j), b(i, j)) == A(i, j)",
                "term": "A0(a(i, j), b(i, j))",
            },
        ),
    )
)
SEEN = Sketch(
    (
        fix(
            *use("realizes-train", "new-operator", i="i", j="j"),
            {
                "rule": "rewrite",
                "fact": "p(r0(i, j)) == A0(i, j)",
                "by": "r0(i, j) == c",
                "term": "r0(i, j)",
            },
        ),
    )
)
UNSEEN = Sketch(
    (
        fix(*use("default", "an-operation")),
        fix(
            *use("unseen", "realizes-train", "class-from-0", "class-to-m", i="i", j="j"),
            *use("elsewhere", x="r0(i, j)"),
        ),
    )
)
BOTH = Sketch(
    (fix(*use("realizes-both", k="n"), *use("realizes-other", k="m"), *use("different")),)
)

# n0 = 2 with the identity target: classes 0 off and 1 on the diagonal
PLAIN = {
    "n0": 2,
    "m": 3,
    "r0": ({(0, 0): 1, (1, 1): 1}, "0"),
    "A0": ({(0, 0): 1, (1, 1): 1}, "0"),
    "p": "x0",
    "c": 1,
    "v": 2,
    "q": "0",
}
FRESH = PLAIN | {"c": 2, "p": ({(0,): 0, (1,): 1}, "0"), "q": ({(0,): 0, (1,): 1, (2,): 3}, "0")}
IDENTITY = {
    "n0": 2,
    "n": 4,
    "A0": ({(0, 0): 1, (1, 1): 1}, "0"),
    "A": ({(i, i): 1 for i in range(4)}, "0"),
    "p": "x0",
    "a": "1",
    "b": ({(i, i): 1 for i in range(4)}, "0"),
}
CLASH = {
    "i": 3,
    "j": 0,
    "n": 5,
    "m": 4,
    "r": "0",
    "p": "0",
    "A": ({(4, 3, 0): 1}, "0"),
}
BEYOND = with_goal(
    ideal(), "int i, int j: 0 <= i, i < n + 1, 0 <= j, j <= i => p(A(i, j)) == A(i, j)"
)

NEW = Statement(
    id="operators.none-added",
    title="A relation function adds no operations",
    latex=r"v \in \mathrm{op}(A^*_n) \setminus \mathrm{op}(A^*_{n_0}) \;\Longrightarrow\;"
    r" \text{no } r \text{ generalizes from } n_0 \text{ to } n",
    words="If an operator is needed at n that is not among those at n0, no positional relation"
    " function"
    " generalizes from n0, neither robustly nor by default. If its class was seen at n0, every"
    " parameter that realizes n0 has another value there; if not, the default is zero, which is no"
    " operation, and robustly some parameter that realizes n0 is wrong. Strictly growing complexity"
    " (more distinct operators at n than at n0) implies such an operator by the pigeonhole"
    " principle.",
    source=SOURCE,
    status="proved",
    hypotheses=(
        Hypothesis(
            "realizes-train", "the parameter realizes the target at n0", ("realizes-train",)
        ),
        Hypothesis("new-operator", "the operator v does not occur at n0", ("new-operator",)),
        Hypothesis(
            "unseen", "robust part: the class of the cell does not occur at n0", ("unseen",)
        ),
        Hypothesis("default", "default part: unseen classes are at zero", ("default",)),
        Hypothesis("an-operation", "default part: zero is not an operation", ("an-operation",)),
    ),
    obligations=(
        Obligation(
            "seen",
            "a class seen at n0 cannot carry a new operator",
            "all relation functions, all n0 and n, all p",
            lambda profile: seen(),
            SEEN,
        ),
        Obligation(
            "unseen",
            "an unseen class fails by default, and robustly",
            "all relation functions, all n0 and n, all p",
            lambda profile: unseen(),
            UNSEEN,
        ),
        on_model(
            "not-vacuous",
            "the identity at n0 = 2 and a cell that needs 2",
            lambda: satisfiable(seen(), PLAIN, {"i": 0, "j": 0}),
        ),
        on_model(
            "not-vacuous-unseen",
            "the same with a new class",
            lambda: satisfiable(unseen(), FRESH, {"i": 0, "j": 0}, 1),
        ),
    ),
    controls=(
        Control(
            "realizes-train",
            "a parameter that does not realize n0",
            (
                on_model(
                    "wrong",
                    "p = 2 everywhere",
                    lambda: countermodel(
                        without(seen(), "realizes-train"), PLAIN | {"p": "2"}, {"i": 0, "j": 0}
                    ),
                ),
            ),
        ),
        Control(
            "new-operator",
            "an operator that occurs at n0 is carried",
            (
                on_model(
                    "old",
                    "v = 1 on the diagonal",
                    lambda: countermodel(
                        without(seen(), "new-operator"), PLAIN | {"v": 1}, {"i": 0, "j": 0}
                    ),
                ),
            ),
        ),
        Control(
            "unseen",
            "a seen class cannot be changed without losing n0",
            (
                on_model(
                    "seen",
                    "the class of the diagonal moved to 3",
                    lambda: countermodel(
                        without(unseen(), "unseen"),
                        FRESH | {"c": 0, "q": ({(0,): 3, (1,): 1}, "0")},
                        {"i": 1, "j": 0},
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "default",
            "an unseen class may happen to be right when nothing fixes it at zero",
            (
                on_model(
                    "lucky",
                    "p(2) = 2",
                    lambda: countermodel(
                        without(unseen(), "default"),
                        FRESH | {"p": ({(0,): 0, (1,): 1, (2,): 2}, "0")},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "an-operation",
            "zero itself is carried by default",
            (
                on_model(
                    "zero",
                    "v = 0 where n0 has ones only",
                    lambda: countermodel(
                        without(unseen(), "an-operation"),
                        FRESH
                        | {
                            "v": 0,
                            "n0": 1,
                            "A0": "1",
                            "r0": "1",
                            "q": ({(0,): 0, (1,): 1, (2,): 1}, "0"),
                        },
                        {},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: p(c) is the operator of some other cell only if c was seen",
            with_goal(unseen(), "p(c) == v"),
            on_model(
                "default-zero",
                "p(2) = 0, v = 2",
                lambda: countermodel(with_goal(unseen(), "p(c) == v"), FRESH, {}),
            ),
        ),
    ),
    remarks=(
        "The summary says 'for almost all tasks'; ours is 'for all', because the definition is"
        " ours.",
    ),
)
SUFFICIENT = Statement(
    id="operators.sufficient",
    title="The ideal relation function generalizes when no new operator is needed",
    latex=r"\mathrm{op}(A^*_n) \subseteq \mathrm{op}(A^*_{n_0}),\ r(i, j, n) = A^*_n[i, j]"
    r" \;\Longrightarrow\; p \text{ realizes } A^*_n",
    words="If the operators at n are among those at n0, the relation function whose classes are the"
    " operators themselves, r(i, j, n) = A*_n[i, j], generalizes: every parameter that realizes n0"
    " realizes n (no class is unseen, so also by default). It sees n; it is scale-free only"
    " where all"
    " lengths agree on the cells they share.",
    source=SOURCE,
    status="proved",
    hypotheses=(
        Hypothesis(
            "realizes-train", "the parameter realizes the target at n0", ("realizes-train",)
        ),
        Hypothesis("same-operators", "every operator at n occurs at n0", ("same-operators",)),
    ),
    obligations=(
        Obligation(
            "ideal",
            "r(i, j, n) = A*_n[i, j] carries every p from n0 to n",
            "all targets, all n0 and n, all p",
            lambda profile: ideal(),
            IDEAL,
        ),
        on_model(
            "not-vacuous",
            "the identity from 2 to 4",
            lambda: satisfiable(ideal(), IDENTITY, {"i": 3, "j": 3}),
        ),
    ),
    controls=(
        Control(
            "realizes-train",
            "a parameter that does not realize n0",
            (
                on_model(
                    "wrong",
                    "p = 0",
                    lambda: countermodel(
                        without(ideal(), "realizes-train"), IDENTITY | {"p": "0"}, {"i": 3, "j": 3}
                    ),
                ),
            ),
        ),
        Control(
            "same-operators",
            "an operator 2 at n = 4 that n0 does not have",
            (
                on_model(
                    "new",
                    "p(2) = 0",
                    lambda: countermodel(
                        without(ideal(), "same-operators"),
                        IDENTITY | {"A": ({(3, 0): 2}, "0"), "p": ({(0,): 0, (1,): 1}, "0")},
                        {"i": 3, "j": 0},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: one position further as well",
            BEYOND,
            on_model(
                "beyond",
                "cell (4, 0) needs 2",
                lambda: countermodel(
                    BEYOND,
                    IDENTITY
                    | {
                        "A": ({**{(i, i): 1 for i in range(4)}, (4, 0): 2}, "0"),
                        "p": ({(0,): 0, (1,): 1}, "0"),
                    },
                    {"i": 4, "j": 0},
                ),
            ),
        ),
    ),
)
SCALE_FREE = Statement(
    id="operators.scale-free",
    title="Without Scale Hint two lengths must agree on the cells they share",
    latex=r"A^*_n[i, j] \ne A^*_m[i, j] \;\Longrightarrow\; \text{no scale-free } r \text{ realizes"
    r" both}",
    words="If two lengths demand different operators at the same cell, no scale-free relation"
    " function"
    " and no parameter realize both. With Scale Hint the two cells have classes of their own.",
    source=SOURCE,
    status="proved",
    hypotheses=(
        Hypothesis(
            "scale-free", "one class r(i, j) at both lengths", ("realizes-both", "realizes-other")
        ),
        Hypothesis("different", "the two lengths demand different operators there", ("different",)),
    ),
    obligations=(
        Obligation(
            "conflict",
            "the two cells contradict each other",
            "all relation functions, all p",
            lambda profile: scale_free(),
            BOTH,
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "two lengths that agree are realized by p = A",
            lambda: satisfiable(without(scale_free(), "different"), CLASH | {"A": "0"}, {}),
        ),
    ),
    controls=(
        Control(
            "scale-free",
            "with Scale Hint the class of the second length is another one",
            (
                on_model(
                    "hinted",
                    "p at the shared class is right at n = 5 only",
                    lambda: countermodel(without(scale_free(), "realizes-other"), CLASH, {}),
                ),
            ),
        ),
        Control(
            "different",
            "lengths that agree",
            (
                on_model(
                    "agree",
                    "A = 0",
                    lambda: countermodel(
                        without(scale_free(), "different"), CLASH | {"A": "0"}, {}
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: two lengths can never share a relation function",
            without(scale_free(), "different"),
            on_model(
                "shared",
                "A = 0 at both",
                lambda: countermodel(without(scale_free(), "different"), CLASH | {"A": "0"}, {}),
            ),
        ),
    ),
)
STATEMENTS = (NEW, SUFFICIENT, SCALE_FREE)
