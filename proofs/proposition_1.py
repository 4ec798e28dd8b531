"""Proposition 1: affine features put the strict masked argmax at an endpoint, or tie flat."""

from __future__ import annotations

from functools import partial

from proofs.models import fix, on_model, realizable, use
from verify.statements import (
    Claim,
    Control,
    Hypothesis,
    Obligation,
    Profile,
    Sketch,
    Statement,
    Twin,
    countermodel,
    satisfiable,
    theorem,
    with_goal,
    without,
)


def absolute(query: str, key: str) -> str:
    """phi(query)^T W phi(key) for phi(i) = [1, i] and W = [[p, b], [c, e]]."""
    return f"(p + b*({key}) + c*({query}) + e*({query})*({key}))"


def relative(query: str, key: str) -> str:
    """The logit in the basis {1, offset}."""
    return f"(p + b*(({query}) - ({key})))"


FORMS = {
    "absolute": (absolute, "real p, real b, real c, real e"),
    "relative": (relative, "real p, real b"),
}


def endpoint(form: str) -> Claim:
    """An interior key does not beat both endpoints; with slope 0 all keys tie, else an end wins."""
    logit, symbols = FORMS[form]
    inside = "int i, int t: 0 < t, t < i"
    slope = {"absolute": "b + e*i", "relative": "-b"}[form]
    first, last = logit("i", "0"), logit("i", "i")
    inner, key = logit("i", "t"), logit("i", "j")
    return theorem(
        symbols,
        {},
        [
            f"{inside}, {inner} > {first} => {last} > {inner}",
            f"int i, int j: 0 <= j, j < i, {slope} > 0 => {last} > {key}",
            f"int i, int j: 0 < j, j <= i, {slope} < 0 => {first} > {key}",
            f"int i, int j: 0 <= j, j <= i, {slope} == 0 => {first} == {key}",
        ],
    )


def algebra(form: str) -> Claim:
    """(i - t) times the gap to key 0 plus t times the gap to key i is identically zero."""
    logit, symbols = FORMS[form]
    to_first = f"({logit('i', 't')} - {logit('i', '0')})"
    to_last = f"({logit('i', 't')} - {logit('i', 'i')})"
    return theorem(symbols, {}, [f"int i, int t: (i - t)*{to_first} + t*{to_last} == 0"])


def unrealizable(form: str) -> Claim:
    """No parameter realizes a task that asks row r <= n - 1 for a target 0 < t(r) < r."""
    logit, symbols = FORMS[form]
    return theorem(
        f"{symbols}, int n, int r, int t, int q",
        {
            "realizes": "int i, int j: 0 <= i, i < n, q(i) > 0, 0 <= j, j <= i, j != t(i) => "
            f"{logit('i', 't(i)')} > {logit('i', 'j')}",
            "row-exists": "r < n",
            "row-scored": "q(r) > 0",
            "after-first": "t(r) > 0",
            "before-last": "t(r) < r",
        },
        ["1 < 0"],
    )


def previous(form: str) -> Claim:
    """`previous` at every length n >= 3: row 2 asks for key 1."""
    logit, symbols = FORMS[form]
    return theorem(
        f"{symbols}, int n",
        {
            "realizes": "int i, int j: 1 <= i, i < n, 0 <= j, j <= i, j != i - 1 => "
            f"{logit('i', 'i - 1')} > {logit('i', 'j')}",
            "three": "n >= 3",
        },
        ["1 < 0"],
    )


def _algebra(form: str, profile: Profile) -> Claim:
    return algebra(form)


ENDPOINT = Sketch(
    (
        fix(last={"rule": "split", "on": "b + e*i > 0", "yes": "auto", "no": "auto"}),
        fix(),
        fix(),
        fix(),
    )
)
ENDPOINT_RELATIVE = Sketch(
    (fix(last={"rule": "split", "on": "b < 0", "yes": "auto", "no": "auto"}), fix(), fix(), fix())
)
UNREALIZABLE = Sketch(
    (
        fix(
            *use("row-exists", "row-scored", "after-first", "before-last"),
            *use("realizes", i="r", j="0"),
            *use("realizes", i="r", j="r"),
        ),
    )
)
PREVIOUS = Sketch(
    (fix(*use("three"), *use("realizes", i="2", j="0"), *use("realizes", i="2", j="2")),)
)


def _quadratic() -> Claim:
    """Rows of `previous` at length 8 over [1, i, i^2]."""
    vectors = [[str(i**k) for k in range(3)] for i in range(8)]
    return {"vectors": vectors, "rows": [[i, 0, i + 1, i - 1] for i in range(1, 8)]}


def _quadratic_offsets() -> Claim:
    """The same over the relative basis [1, o, o^2]."""
    vectors = [[str(o**k) for k in range(3)] for o in range(8)]
    return {"vectors": vectors, "rows": [[-1, 0, i + 1, 1] for i in range(1, 8)]}


_FIRST = {"p": 0, "b": -1, "c": 0, "e": 0, "n": 4, "r": 3, "t": "0", "q": "1"}
_RIGHT = with_goal(
    endpoint("absolute"),
    f"int i, int j: 0 <= j, j < i => {absolute('i', 'i')} >= {absolute('i', 'j')}",
)

EVERY = "all n, all real W"
STATEMENT = Statement(
    id="proposition-1",
    title="Affine features never place an interior argmax",
    latex=r"\varphi(i) = [1, i]^\top \;\Longrightarrow\; \arg\max_{j \le i} P_{ij} \in \{0, i\}"
    r"\ \text{or}\ P_{i0} = \dots = P_{ii}",
    words=(
        "With features [1, i] the logit is affine in the key, so on every row the strict masked"
        " argmax"
        " is the first or the last key, or all keys tie. A task that asks some row i <= n - 1 for a"
        " target 0 < t < i is unrealizable for every real W; `previous` at every n >= 3. The"
        " same for"
        " the relative basis {1, offset} (canonical ALiBi)."
    ),
    source="A Positional Realizability Theory of Length Generalization, Proposition 1",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis("affine-features", "the features are [1, i], or the basis is {1, offset}"),
        Hypothesis(
            "interior-target",
            "some scored row r <= n - 1 has its target strictly inside",
            ("row-exists", "row-scored", "after-first", "before-last"),
        ),
        Hypothesis("at-least-3", "n >= 3 (for `previous`)", ("three",)),
    ),
    obligations=(
        Obligation(
            "endpoint",
            "first or last key, or a flat tie",
            EVERY,
            lambda profile: endpoint("absolute"),
            ENDPOINT,
            solvers=("z3",),
        ),
        Obligation(
            "endpoint-relative",
            "the same for the basis {1, offset}",
            "all n, all real w",
            lambda profile: endpoint("relative"),
            ENDPOINT_RELATIVE,
            solvers=("z3",),
        ),
        *(
            Obligation(
                f"algebra-{form}",
                "the two gaps of an interior key, weighted, add up to zero",
                "all positions, all real parameters",
                partial(_algebra, form),
                Sketch((fix(),)),
                solvers=("sympy", "z3"),
            )
            for form in FORMS
        ),
        Obligation(
            "unrealizable",
            "no W realizes a task with an interior target",
            EVERY,
            lambda profile: unrealizable("absolute"),
            UNREALIZABLE,
            solvers=("z3",),
        ),
        Obligation(
            "unrealizable-relative",
            "the same for {1, offset}",
            "all n, all real w",
            lambda profile: unrealizable("relative"),
            UNREALIZABLE,
            solvers=("z3",),
        ),
        Obligation(
            "previous",
            "`previous` is unrealizable",
            "all n >= 3, all real W",
            lambda profile: previous("absolute"),
            PREVIOUS,
            solvers=("z3",),
        ),
        Obligation(
            "previous-relative",
            "`previous` is unrealizable over {1, offset}",
            "all n >= 3, all real w",
            lambda profile: previous("relative"),
            PREVIOUS,
            solvers=("z3",),
        ),
        on_model(
            "not-vacuous",
            "attend-first is realized by affine features (logit -j)",
            lambda: satisfiable(without(unrealizable("absolute"), "after-first"), _FIRST, {}),
        ),
    ),
    controls=(
        Control(
            "affine-features",
            "[1, i, i^2] and {1, o, o^2} do place interior argmaxes",
            (
                realizable(
                    "quadratic",
                    "-(i - 1 - j)^2 realizes `previous` at length 8",
                    _quadratic,
                    [[-1, -2, -1], [2, 2, 0], [-1, 0, 0]],
                ),
                realizable(
                    "quadratic-relative",
                    "-(o - 1)^2 realizes `previous` at length 8",
                    _quadratic_offsets,
                    [-1, 2, -1],
                ),
            ),
        ),
        Control(
            "interior-target",
            "attend-first asks for an endpoint",
            (
                on_model(
                    "first",
                    "the logit -j realizes attend-first",
                    lambda: countermodel(
                        without(unrealizable("absolute"), "after-first"), _FIRST, {}
                    ),
                ),
                on_model(
                    "last",
                    "the logit j realizes the target i",
                    lambda: countermodel(
                        without(unrealizable("absolute"), "before-last"),
                        _FIRST | {"b": 1, "t": "x0"},
                        {},
                    ),
                ),
                on_model(
                    "unscored",
                    "an interior target on a row that is not scored",
                    lambda: countermodel(
                        without(unrealizable("absolute"), "row-scored"),
                        _FIRST | {"t": "1", "q": "0"},
                        {},
                    ),
                ),
                on_model(
                    "beyond",
                    "an interior target on a row beyond n - 1",
                    lambda: countermodel(
                        without(unrealizable("absolute"), "row-exists"),
                        _FIRST | {"n": 2, "r": 5, "t": ({(0,): 0, (1,): 0, (5,): 1}, "0")},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "at-least-3",
            "at n = 2 `previous` asks row 1 for key 0, an endpoint",
            (
                on_model(
                    "two",
                    "the logit -j realizes `previous` at n = 2",
                    lambda: countermodel(
                        without(previous("absolute"), "three"), {**_FIRST, "n": 2}, {}
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the last key always wins or ties",
            _RIGHT,
            on_model(
                "first-wins",
                "W with logit -j",
                lambda: countermodel(_RIGHT, _FIRST, {"i": 2, "j": 0}),
            ),
        ),
    ),
)
STATEMENTS = (STATEMENT,)
