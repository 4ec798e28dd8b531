"""What a change of basis of the features leaves alone, and what it does not."""

from __future__ import annotations

from proofs.models import absolute_system, decisions, fix, on_model, use
from verify.statements import (
    Claim,
    Control,
    Hypothesis,
    Obligation,
    Sketch,
    Solve,
    Statement,
    Twin,
    countermodel,
    satisfiable,
    theorem,
    with_goal,
    without,
)
from verify.theory import encodings, heads, tasks

# ---------------------------------------------------------------- realizability and classes


def correspond() -> Claim:
    """Margins of w in one basis are those of T(w) in the other, and of v those of S(v).

    F, G: logits of a parameter at query i and key j in the old and in the new basis.
    """
    return theorem(
        "real F, real G, real S, real T",
        {
            "change": "real v, int i, int j: G(v, i, j) == F(S(v), i, j)",
            "invertible": "real w, int i, int j: F(w, i, j) == G(T(w), i, j)",
        },
        [
            "real w, int i, int t, int j: F(w, i, t) > F(w, i, j) => G(T(w), i, t) > G(T(w), i, j)",
            "real v, int i, int t, int j: G(v, i, t) > G(v, i, j) => F(S(v), i, t) > F(S(v), i, j)",
        ],
    )


CORRESPOND = Sketch(
    (
        fix(*use("invertible", w="w", i="i", j="t"), *use("invertible", w="w", i="i", j="j")),
        fix(*use("change", v="v", i="i", j="t"), *use("change", v="v", i="i", j="j")),
    )
)


def bilinear(d: int) -> Claim:
    """(B x)^T V (B y) = x^T (B^T V B) y for all B, V, x, y: each V is the old basis' B^T V B."""
    span = range(d)
    names = [f"real {m}{a}{b}" for m in "bv" for a in span for b in span]
    names += [f"real {u}{a}" for u in "xy" for a in span]

    def moved(u: str, a: int) -> str:
        return "(" + " + ".join(f"b{a}{c}*{u}{c}" for c in span) + ")"

    left = " + ".join(f"{moved('x', a)}*v{a}{b}*{moved('y', b)}" for a in span for b in span)
    pulled = {
        (c, e): " + ".join(f"b{a}{c}*v{a}{b}*b{b}{e}" for a in span for b in span)
        for c in span
        for e in span
    }
    right = " + ".join(f"x{c}*({pulled[c, e]})*y{e}" for c in span for e in span)
    return theorem(", ".join(names), {}, [f"{left} == {right}"])


def linear(m: int) -> Claim:
    """v . (B x) = (B^T v) . x for all B, v, x."""
    span = range(m)
    names = [f"real b{a}{c}" for a in span for c in span]
    names += [f"real {u}{a}" for u in "vx" for a in span]
    left = " + ".join(f"v{a}*(" + " + ".join(f"b{a}{c}*x{c}" for c in span) + ")" for a in span)
    right = " + ".join("(" + " + ".join(f"b{a}{c}*v{a}" for a in span) + f")*x{c}" for c in span)
    return theorem(", ".join(names), {}, [f"{left} == {right}"])


def posed(kind: str, encoding: str, task: str, n: int) -> Claim:
    """That a task is realizable, or unrealizable, at length n."""
    build = heads.realizable_claim if kind == "realizable" else heads.unrealizable_claim
    return build(encodings.encoding(encoding), [(n, tasks.rows(tasks.task(task), n))])


def classed(kind: str, encoding: str, task: str, train: int, n: int) -> Claim:
    """That the first new row is forced, or impossible."""
    found, named = encodings.encoding(encoding), tasks.task(task)
    training = [(train, tasks.rows(named, train))]
    i, t = next((i, t) for i, t in tasks.rows(named, n) if i >= train)
    if kind == "forced":
        return heads.forced_claim(found, training, (n, i, t))
    return heads.unrealizable_claim(found, [*training, (n, [(i, t)])])


PAIRS = (
    # the same features in two bases; what is claimed of both
    ("affine", ("affine", "expr:[1 + i, 1 - i]"), "unrealizable", "previous"),
    ("affine-first", ("affine", "expr:[1 + i, 1 - i]"), "realizable", "attend-first"),
    ("quadratic", ("polynomial:degree=2", "expr:[1 + i**2, i - 3, i + i**2]"), "realizable",
     "expr:i//2"),
    ("offsets", ("expr:[1, o, o**2]", "expr:[o + 2, (o - 1)**2, 3 - o]"), "realizable", "skip:k=2"),
)  # fmt: skip
CLASSED = (
    ("offset-forced", ("expr:[1, o, o**2]", "expr:[o + 2, (o - 1)**2, 3 - o]"), "forced",
     "skip:k=2", 6, 8),
    ("residue-impossible", ("expr:[i % 2, i % 3]", "expr:[i % 2 + i % 3, i % 2 - i % 3]"),
     "impossible", "attend:p=2", 6, 9),
)  # fmt: skip


def _instances() -> list[Obligation]:
    found = []
    for name, pair, kind, task in PAIRS:
        for which, encoding in zip(("old", "new"), pair, strict=True):
            found.append(
                Obligation(
                    f"{name}-{which}",
                    f"{task} is {kind} at n = 8 over {encoding}",
                    "one system",
                    lambda profile, k=kind, e=encoding, t=task: posed(k, e, t, 8),  # type: ignore[misc]
                    Solve(),
                )
            )
    for name, pair, kind, task, train, n in CLASSED:
        for which, encoding in zip(("old", "new"), pair, strict=True):
            found.append(
                Obligation(
                    f"{name}-{which}",
                    f"the first new row of {task} is {kind} over {encoding}",
                    "one row",
                    lambda profile, k=kind, e=encoding, t=task, a=train, b=n: classed(  # type: ignore[misc]
                        k, e, t, a, b
                    ),
                    Solve(),
                )
            )
    return found


MODEL = {"F": "x0*x2", "G": "2*x0*x2", "S": "2*x0", "T": "1/2*x0"}
AT = {"w": 1, "v": 1, "i": 2, "t": 2, "j": 0}
SAME = with_goal(
    correspond(), "real w, int i, int t, int j: G(w, i, t) - G(w, i, j) == F(w, i, t) - F(w, i, j)"
)
STATEMENT = Statement(
    id="basis-invariance",
    title="Realizability and the classes of rows do not depend on the basis of the features",
    latex=r"\phi' = B\phi,\ \det B \neq 0:\quad \phi'^\top V \phi' = \phi^\top (B^\top V B) \phi",
    words="An invertible change of basis of the features carries realizing parameters to realizing"
    " parameters in both directions, with the same logits: so realizability, rescues, and whether a"
    " row is forced, impossible or free are properties of the span of the features alone. The"
    " correspondence is proved for all parameters and logits; that the matrix B^T V B (the vector"
    " B^T v) provides it, for all real features in dimensions 2 and 3; applying it to the inverse"
    " gives the other direction.",
    source="ours",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis("change", "each new parameter has an old one with the same logits", ("change",)),
        Hypothesis(
            "invertible", "each old parameter has a new one with the same logits", ("invertible",)
        ),
    ),
    obligations=(
        Obligation(
            "correspondence",
            "hits and misses correspond in both directions",
            "all parameters, all logits",
            lambda profile: correspond(),
            CORRESPOND,
        ),
        *(
            Obligation(
                f"bilinear-{d}",
                "logits in the new basis are those of B^T V B in the old",
                f"all real features and matrices, d = {d}",
                lambda profile, d=d: bilinear(d),  # type: ignore[misc]
                Sketch((fix(),)),
            )
            for d in (2, 3)
        ),
        Obligation(
            "linear-3",
            "the same for relative encodings: B^T v",
            "all real bases and vectors, m = 3",
            lambda profile: linear(3),
            Sketch((fix(),)),
        ),
        on_model("not-vacuous", "G = 2 F", lambda: satisfiable(correspond(), MODEL, AT)),
        *_instances(),
    ),
    controls=(
        Control(
            "invertible",
            "a singular B loses what it sends to zero",
            (
                on_model(
                    "zero",
                    "F(w, i, j) = w j, G = 0",
                    lambda: countermodel(
                        without(correspond(), "invertible"),
                        {"F": "x0*x2", "G": 0, "S": 0, "T": 0},
                        AT,
                    ),
                ),
                Obligation(
                    "projected",
                    "attend-first is realizable over [1, i] and not over its projection [1, 0]",
                    "n = 4",
                    lambda profile: posed("unrealizable", "expr:[1, 0*i]", "attend-first", 4),
                    Solve(),
                ),
            ),
        ),
        Control(
            "change",
            "features outside the old span do more",
            (
                on_model(
                    "more",
                    "F = 0, G(v, i, j) = v j",
                    lambda: countermodel(
                        without(correspond(), "change"),
                        {"G": "x0*x2", "F": 0, "S": 0, "T": 0},
                        AT,
                        1,
                    ),
                ),
                Obligation(
                    "more-features",
                    "previous is not realizable over [1, i] and is over [1, i, i^2]",
                    "n = 8",
                    lambda profile: posed("realizable", "polynomial:degree=2", "previous", 8),
                    Solve(),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: one and the same parameter keeps its margins",
            SAME,
            on_model("doubled", "G = 2 F", lambda: countermodel(SAME, MODEL, AT)),
        ),
    ),
)

# ---------------------------------------------------------------- what is not invariant

PLAIN, SCALED = "polynomial:degree=2", "expr:[1, i/10, i**2/100]"
HALF = [(i, i // 2) for i in range(1, 12)]
# The active constraints (row, key) and their multipliers: W is the sum of multiples of constraints.
ACTIVE = ((1, 1), (2, 0), (3, 2))
MARGINS = {
    1: ("791/645", "857/1290", "73/1290"),
    10: ("88341535250000/3050142531", "117041644000000/3050142531", "287217250000/30199431"),
}
LARGEST = {
    1: (("0", "-133/215", "-472/645"), ("0", "-29/430", "-35/86"), ("0", "1189/1290", "-25/258")),
    10: (
        ("0", "-10294450000/1016714177", "-583267180000/3050142531"),
        ("0", "195716420000/1016714177", "-38446242500/1016714177"),
        ("0", "118744560500/3050142531", "-40341640000/3050142531"),
    ),
}


def features(unit: int) -> list[list[str]]:
    """[1, i/u, (i/u)^2] at the positions below 12."""
    return [["1", f"{i}/{unit}", f"{i * i}/{unit * unit}"] for i in range(12)]


def least_norm(unit: int) -> Claim:
    """Whoever has margin 1 at the three active constraints has at least the norm of LARGEST.

    The sum of the multipliers is the squared norm of W, which is W's product with itself.
    """
    table, span = features(unit), range(3)

    def margin(i: int, j: int) -> str:
        t = i // 2
        return " + ".join(
            f"v{a}{b}*({table[i][a]})*({table[t][b]} - {table[j][b]})" for a in span for b in span
        )

    symbols = ", ".join(f"real v{a}{b}" for a in span for b in span)
    least = " + ".join(MARGINS[unit])
    hypotheses = {f"margin-{i}-{j}": f"{margin(i, j)} >= 1" for i, j in ACTIVE}
    return theorem(symbols, hypotheses, [f"{_norm()} >= {least}"])


def _least_norm_sketch(unit: int) -> Sketch:
    squares: list[dict[str, object]] = [
        {"rule": "square", "of": f"v{a}{b} - ({LARGEST[unit][a][b]})"}
        for a in range(3)
        for b in range(3)
    ]
    used = use(*(f"margin-{i}-{j}" for i, j in ACTIVE))
    return Sketch((fix(*used, *squares),))


def _norm() -> str:
    return " + ".join(f"v{a}{b}*v{a}{b}" for a in range(3) for b in range(3))


ABOVE = with_goal(least_norm(10), f"{_norm()} > {' + '.join(MARGINS[10])}")


def _selected(unit: int, outcomes: str, words: str) -> list[Obligation]:
    own = f"{'[1, i, i^2]' if unit == 1 else '[1, i/10, i^2/100]'}"
    return [
        Obligation(
            f"least-norm-{unit}",
            f"no parameter over {own} with margin 1 on the rows below 6 has a smaller norm",
            "all real parameters",
            lambda profile: least_norm(unit),
            _least_norm_sketch(unit),
        ),
        decisions(
            f"margin-{unit}",
            f"the parameter of that norm has margin 1 on all rows below 6 over {own}",
            lambda: absolute_system(features(unit), HALF[:5]),
            LARGEST[unit],
            "hhhhh",
            "1",
        ),
        decisions(
            f"alpha-{unit}",
            words,
            lambda: absolute_system(features(unit), HALF[5:]),
            LARGEST[unit],
            outcomes,
        ),
    ]


SELECTION = Statement(
    id="selection-not-invariant",
    title="alpha under max-margin depends on the basis of the features",
    latex=r"\alpha_{12} = \tfrac16 \text{ over } [1, i, i^2],\qquad"
    r" \alpha_{12} = 1 \text{ over } [1, \tfrac{i}{10}, \tfrac{i^2}{100}]",
    words="The task t = floor(i/2) with L0 = 6 over [1, i, i^2], and over the same features in"
    " another unit of length: the max-margin parameter (least norm with all margins at least 1),"
    " exact, hits one of the six new rows below 12 in the one and all of them in the other. The"
    " rows are free in both: the features leave it to the selection rule, and the rule looks at the"
    " norm, which is not invariant.",
    source="ours",
    status="proved",
    setting=("S1", "S2"),
    obligations=(
        *_selected(1, "mhmmmm", "one hit in six over [1, i, i^2]"),
        *_selected(10, "hhhhhh", "six hits in six over [1, i/10, i^2/100]"),
    ),
    twins=(
        Twin(
            "false: every parameter with these margins has a larger norm",
            ABOVE,
            on_model(
                "the-least",
                "the parameter itself",
                lambda: countermodel(
                    ABOVE,
                    {f"v{a}{b}": LARGEST[10][a][b] for a in range(3) for b in range(3)},
                    {},
                ),
            ),
        ),
    ),
)
STATEMENTS = (STATEMENT, SELECTION)
