"""Growing offsets that one finite-dimensional deterministic encoding realizes at all lengths."""

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
    theorem,
    with_goal,
    without,
)


def previous() -> Claim:
    """-(i - 1 - j)^2 is largest at j = i - 1 alone; it is phi(i)^T W phi(j) over [1, i, i^2]."""
    return theorem(
        "",
        {},
        [
            "int i, int j: j != i - 1 => -(i - 1 - (i - 1))**2 > -(i - 1 - j)**2",
            "int i, int j: -(i - 1 - j)**2 == -1 - 2*j - j**2 + i*(2 + 2*j) - i**2",
        ],
    )


def halves() -> Claim:
    """-(i - 2 j - 1/2)^2 is largest at j = floor(i/2) alone (t = floor(i/2))."""
    return theorem(
        "int t",
        {
            "floor-below": "int i: i >= 0 => 2*t(i) <= i",
            "floor-above": "int i: i >= 0 => i <= 2*t(i) + 1",
        },
        [
            "int i, int j: i >= 0, j != t(i) => -(i - 2*t(i) - 1/2)**2 > -(i - 2*j - 1/2)**2",
            "int i, int j: -(i - 2*j - 1/2)**2 == -1/4 - 2*j - 4*j**2 + i*(1 + 4*j) - i**2",
        ],
    )


def _either(apart: str, above: str, below: str) -> object:
    """The key lies beyond the target or before it, by at least one."""
    return {
        "rule": "apart",
        "fact": apart,
        "above": {"rule": "tighten", "fact": above},
        "below": {"rule": "tighten", "fact": below},
    }


def decimation() -> Claim:
    """cos(i/10 - j) has its strict masked maximum at j = i/10 on every row i = 10 q."""
    return theorem(
        "",
        {},
        [
            "int q, int j: q >= 0, 0 <= j, j <= 10*q, j != q =>"
            " cos(1/10*(10*q) - q) > cos(1/10*(10*q) - j)",
            "int i, int j: cos(1/10*i - j) == cos(1/10*i)*cos(j) + sin(1/10*i)*sin(j)",
        ],
        {"pi-irrational": "int m: m != 0 => cos(m) < 1"},
    )


HALVES = Sketch(
    (
        fix(
            *use("floor-below", "floor-above", i="i"),
            last=_either("j != t(i)", "j > t(i)", "t(i) > j"),
        ),
        fix(),
    )
)
DECIMATION = Sketch((fix(*use("pi-irrational", m="q - j")), fix(last={"rule": "zero", "fact": 0})))
ALL = "all lengths"
FLOOR = {"t": ({(i,): i // 2 for i in range(12)}, None)}
SOURCE = "ours; it bears on Conjecture 1 (a growing offset with a deterministic encoding)"

QUADRATIC = Statement(
    id="quadratic-growing-offset",
    title="[1, i, i^2] realizes t = floor(i/2) (and previous) at every length",
    latex=r"-(i - 2j - \tfrac12)^2 = \varphi(i)^\top W \varphi(j),\quad \varphi(i) = [1, i, i^2]",
    words="One fixed parameter over [1, i, i^2] realizes `previous` at every length, and another"
    " one"
    " t = floor(i/2), whose offset grows without bound.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "floor", "t(i) = floor(i/2): 2 t <= i <= 2 t + 1", ("floor-below", "floor-above")
        ),
    ),
    obligations=(
        Obligation(
            "previous",
            "-(i - 1 - j)^2 and its parameter",
            ALL,
            lambda profile: previous(),
            Sketch((fix(last=_either("j != i - 1", "j > i - 1", "i - 1 > j")), fix())),
            solvers=("z3",),
        ),
        Obligation(
            "halves",
            "-(i - 2 j - 1/2)^2 and its parameter",
            ALL,
            lambda profile: halves(),
            HALVES,
            solvers=("z3",),
        ),
    ),
    controls=(
        Control(
            "floor",
            "a target that is not the floor",
            (
                on_model(
                    "below",
                    "t(4) = 1",
                    lambda: countermodel(
                        without(halves(), "floor-above"), {"t": "0"}, {"i": 4, "j": 2}
                    ),
                ),
                on_model(
                    "above",
                    "t(0) = 1",
                    lambda: countermodel(
                        without(halves(), "floor-below"), {"t": "x0"}, {"i": 4, "j": 2}
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: -(i - 2 j)^2 does it as well (odd rows tie)",
            with_goal(
                halves(), "int i, int j: i >= 0, j != t(i) => -(i - 2*t(i))**2 > -(i - 2*j)**2"
            ),
            on_model(
                "odd",
                "row 3 with t = 1 and j = 2",
                lambda: countermodel(
                    with_goal(
                        {**halves(), "hypotheses": {}},
                        "int i, int j: i >= 0, j != t(i) => -(i - 2*t(i))**2 > -(i - 2*j)**2",
                    ),
                    FLOOR,
                    {"i": 3, "j": 2},
                ),
            ),
        ),
    ),
    remarks=("The features are unbounded, so this leaves bounded readings of Conjecture 1 open.",),
)

SINUSOIDAL = Statement(
    id="sinusoidal-growing-offset",
    title="The standard sinusoidal encoding realizes decimation at every length",
    latex=r"\cos(i\,\theta_4 - j\,\theta_0) < 1 = \cos 0,\quad \theta_0 = 1,\ \theta_4 ="
    r" \tfrac1{10},"
    r"\ 10 \mid i,\ j \ne i/10",
    words="With 16 frequencies and base 10^4, theta_0 = 1 and theta_4 = 1/10. The kernel"
    " cos(i/10 - j), bilinear in the features, has its strict masked maximum at j = i/10 on"
    " every row"
    " divisible by 10, at every length: bounded features and infinitely many targets.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(),
    obligations=(
        Obligation(
            "strict",
            "strict maximum, and the kernel is in the family",
            ALL,
            lambda profile: decimation(),
            DECIMATION,
        ),
        Obligation(
            "frequencies",
            "theta_0 = 1 and theta_4 = 1/10 for base 10^4 and 16 frequencies",
            "two numbers",
            lambda profile: theorem(
                "", {}, ["(2**(-1/4)*5**(-1/4))**0 == 1", "(2**(-1/4)*5**(-1/4))**4 == 1/10"]
            ),
            Sketch((fix(), fix())),
        ),
    ),
    twins=(
        Twin(
            "false: the gap has the positive lower bound 10^-8 at every length",
            with_goal(
                decimation(),
                "int q, int j: q >= 0, 0 <= j, j <= 10*q, j != q =>"
                " cos(0) - cos(q - j) >= 1/100000000",
            ),
            Obligation(
                "near-return",
                "j - q = 103993 is nearly a multiple of 2 pi",
                "one pair of keys",
                lambda profile: theorem("", {}, ["cos(0) - cos(208341 - 2*52174) < 1/100000000"]),
                Sketch((fix(),)),
            ),
        ),
    ),
    remarks=(
        "Lemma used: cos(m) < 1 for every non-zero integer m, because pi is irrational.",
        "The gap has no positive lower bound; it is 1.8e-9 by row 20000.",
    ),
)
STATEMENTS = (QUADRATIC, SINUSOIDAL)
