"""Proposition 3: sinusoidal encodings have a kernel for every offset; existence is not selection.

The 16 standard frequencies are theta_k = 10000^(-k/16) = 10^(-k/4), written in primes.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.models import fix, use
from verify.statements import (
    Claim,
    Control,
    Given,
    Hypothesis,
    Measured,
    Measurement,
    Obligation,
    Profile,
    Sketch,
    Statement,
    Twin,
    theorem,
    with_goal,
)

SOURCE = "A Positional Realizability Theory of Length Generalization, Proposition 3"


def theta(k: int) -> str:
    """10^(-k/4)."""
    exponent = Fraction(-k, 4)
    return f"2**({exponent})*5**({exponent})"


LOWEST = theta(15)
LEMMAS = {
    "pi-irrational": "int m: m != 0 => cos(m) < 1",
    "cosine-at-most-1": "real x: cos(x) <= 1",
}
DIRICHLET = {
    "dirichlet-positive": "int Q: Q >= 1 => m(Q) >= 1",
    **{
        f"dirichlet-{k}-{side}": f"int Q: Q >= 1 => Q*(m(Q)*{theta(k)} - 2*pi*p{k}(Q)) {bound}"
        for k in range(16)
        for side, bound in (("high", "<= 2*pi"), ("low", ">= -2*pi"))
    },
}
ONE = (
    "int Q, real x, int z: Q >= 1, Q*(x - 2*pi*z) <= 2*pi, Q*(x - 2*pi*z) >= -2*pi =>"
    " Q**2*(1 - cos(x)) <= 2*pi**2"
)


def kernel_sum(offset: str, frequencies: int = 16) -> str:
    """sum_k cos(theta_k * offset)."""
    return " + ".join(f"cos({theta(k)}*({offset}))" for k in range(frequencies))


def unique_maximum() -> Claim:
    """sum_k cos(theta_k (o - d)) < 16 for every offset o != d; at o = d it is 16."""
    return theorem(
        "",
        {},
        [
            f"int o, int d: o != d => {kernel_sum('o - d')} < 16",
            f"int d: {kernel_sum('d - d')} == 16",
            "real x, real y: cos(x - y) == cos(x)*cos(y) + sin(x)*sin(y)",
        ],
        LEMMAS,
    )


def dropped_frequency() -> Claim:
    """Without a frequency that is rational to 2 pi (here: theta = 2 pi/3 alone) offsets repeat."""
    return theorem("", {}, ["cos(2/3*pi*3) == 1"], {"periodic": "int z: cos(2*pi*z) == 1"})


def margin(last: int) -> Claim:
    """16 - sum_k cos(theta_k m) >= 0.686 for 1 <= m <= last."""
    return theorem("", {}, [f"int m: 1 <= m, m <= {last} => 16 - ({kernel_sum('m')}) >= 343/500"])


RETURNS = {
    89468676394: "59/100",
    27648756634716700: "29/500",
    999875418946584283272: "1/12000",
    132010448960142818580994894: "1/1000000",
    2132609405758229667503632576895874: "1/5000000000",
    1102459468283860334480028632482874712665: "1/25000000000000",
}


def near_returns() -> Claim:
    """Offsets at which the margin is positive and smaller than the stated bound."""
    goals = []
    for m, bound in RETURNS.items():
        goals += [f"16 - ({kernel_sum(str(m))}) < {bound}", f"16 - ({kernel_sum(str(m))}) > 0"]
    return theorem("", {}, goals)


def one_frequency() -> Claim:
    """An angle within 2 pi/Q of a multiple of 2 pi has 1 - cos at most 2 pi^2/Q^2."""
    parabola = {"cosine-parabola": "real x, int z: 2 - 2*cos(x) <= (x - 2*pi*z)**2"}
    return theorem("", {}, [ONE], parabola)


def no_lower_bound() -> Claim:
    """Q^2 (16 - sum_k cos(theta_k m(Q))) <= 32 pi^2 for Dirichlet's m(Q) >= 1."""
    symbols = ", ".join(["int m", *(f"int p{k}" for k in range(16))])
    return theorem(
        symbols,
        {"one-frequency": ONE},
        [
            "int Q: Q >= 1 => m(Q) >= 1",
            f"int Q: Q >= 1 => Q**2*(16 - ({kernel_sum('m(Q)')})) <= 32*pi**2",
        ],
        DIRICHLET,
    )


def _by(*facts: object) -> dict[str, object]:
    return {"rule": "close", "using": list(facts), "degree": 1}


def _near_multiple(k: int) -> list[dict[str, object]]:
    """Frequency k: Dirichlet's two inequalities, then the bound for one frequency."""
    gap = f"Q*(m(Q)*{theta(k)} - 2*pi*p{k}(Q))"
    first = {"guards": [_by("Q >= 1", "Q < 1")]}
    sides: list[dict[str, object]] = [
        {"rule": "use", "of": f"dirichlet-{k}-{side}", "at": {"Q": "Q"}, **first}
        for side in ("high", "low")
    ]
    guards = [
        _by("Q >= 1", "Q < 1"),
        _by(f"{gap} <= 2*pi", f"{gap} > 2*pi"),
        _by(f"{gap} >= -2*pi", f"{gap} < -2*pi"),
    ]
    at = {"Q": "Q", "x": f"m(Q)*{theta(k)}", "z": f"p{k}(Q)"}
    return [*sides, {"rule": "use", "of": "one-frequency", "at": at, "guards": guards}]


def _bound(k: int) -> str:
    return f"Q**2*(1 - cos(m(Q)*{theta(k)})) <= 2*pi**2"


ALL_FREQUENCIES = fix(
    *[step for k in range(16) for step in _near_multiple(k)],
    last=_by(f"Q**2*(16 - ({kernel_sum('m(Q)')})) > 32*pi**2", *map(_bound, range(16))),
)


def increasing(first: int, last: int, sign: str) -> Claim:
    """sin(d theta_min) against sin((d + 1) theta_min) for first <= d <= last."""
    return theorem(
        "",
        {},
        [
            f"int d: {first} <= d, d <= {last} => sin({LOWEST}*(d + 1)) {sign} sin({LOWEST}*d)",
        ],
    )


def quarter_period() -> Claim:
    """8833.2368 < pi/(2 theta_min) < 8833.2369."""
    return theorem(
        "",
        {},
        [
            f"pi > 2*{LOWEST}*88332368/10000",
            f"pi < 2*{LOWEST}*88332369/10000",
        ],
    )


def copy_rows(length: int) -> Claim:
    """The kernel sin(o theta_min) on the rows of copy at this length, offset ceil(n/2)."""
    offset = -(-length // 2)
    vectors = [[f"sin({LOWEST}*{o})"] for o in range(length)]
    rows = [[-1, 0, i + 1, offset] for i in range(offset, length)]
    return {
        "kind": "decisions",
        "system": {"vectors": vectors, "rows": rows},
        "parameter": ["1"],
        "outcomes": "h" * len(rows) if length == 17665 else "h" + "m" * (len(rows) - 1),
        "margin": "0",
    }


def float32_ties(profile: Profile) -> Measured:
    """The offsets whose float32 value of sin(o theta_min) is the largest among 0..17664."""
    import numpy as np

    offsets = np.arange(17665, dtype=np.float32)
    values = np.sin(offsets * np.float32(10.0**-3.75))
    tied = [int(o) for o in np.flatnonzero(values == values.max())]
    return Measured(
        value=", ".join(map(str, tied)),
        interval=None,
        published="8832, 8833, 8834",
        agrees=tied == [8832, 8833, 8834],
        certified=False,
        details="numpy float32 product and sine; in exact arithmetic 8833 is the strict maximum",
    )


def _each(name: str, bits: int) -> Given:
    """Every value of the bounded variable, by enclosures of so many bits."""
    case = {"rule": "sign", "fact": 2, "bits": bits}
    tree = {"rule": "finite", "name": name, "low": 0, "high": 1, "each": case}
    return Given({"rule": "goals", "goals": [{"rule": "fix", "then": tree}]})


A = Statement(
    id="proposition-3.a",
    title="A kernel for every fixed offset exists at every length",
    latex=r"\sum_{k<16} \cos(\theta_k (o - \delta)) < 16 \quad (o \ne \delta)",
    words="With the 16 standard frequencies the kernel sum_k cos(theta_k (o - delta)), which is"
    " in the"
    " family, has its strict unique maximum at delta, at every length. The margin has no positive"
    " lower bound over all lengths.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "a-frequency-1",
            "some frequency is a non-zero rational multiple of 1, so that no"
            " offset completes a period",
        ),
    ),
    obligations=(
        Obligation(
            "unique-maximum",
            "strictly below 16 off delta; in the family by the addition formula",
            "all lengths, all delta",
            lambda profile: unique_maximum(),
            Sketch(
                (
                    fix(
                        *use("pi-irrational", m="o - d"),
                        *[
                            step
                            for k in range(1, 16)
                            for step in use("cosine-at-most-1", x=f"{theta(k)}*(o - d)")
                        ],
                    ),
                    fix(),
                    fix(last={"rule": "zero", "fact": 0}),
                )
            ),
        ),
        Obligation(
            "no-lower-bound",
            "for every Q >= 1 some offset m >= 1 has margin at most 32 pi^2/Q^2",
            "all Q >= 1",
            lambda profile: no_lower_bound(),
            Sketch((fix(*use("dirichlet-positive", Q="Q")), ALL_FREQUENCIES)),
        ),
        Obligation(
            "one-frequency",
            "1 - cos(x) <= 2 pi^2/Q^2 within 2 pi/Q of a multiple of 2 pi",
            "all Q >= 1, all real x",
            lambda profile: one_frequency(),
            Sketch((fix(*use("cosine-parabola", x="x", z="z")),)),
        ),
        Obligation(
            "near-returns",
            "explicit offsets where the margin is positive and small, found by lattice reduction",
            f"{len(RETURNS)} offsets",
            lambda profile: near_returns(),
            Sketch((fix(),) * (2 * len(RETURNS))),
        ),
    ),
    controls=(
        Control(
            "a-frequency-1",
            "the single frequency 2 pi/3: offset 3 ties with offset 0",
            (
                Obligation(
                    "period",
                    "cos(2 pi/3 * 3) = 1",
                    "one offset",
                    lambda profile: dropped_frequency(),
                    Sketch((fix(*use("periodic", z="1")),)),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the margin stays at least 1/10 at every length",
            with_goal(unique_maximum(), f"int m: m >= 1 => 16 - ({kernel_sum('m')}) >= 1/10"),
            Obligation(
                "return",
                "m = 27648756634716700 has a smaller one",
                "one offset",
                lambda profile: theorem(
                    "", {}, [f"16 - ({kernel_sum('27648756634716700')}) < 1/10"]
                ),
                Sketch((fix(),)),
            ),
        ),
    ),
    remarks=(
        "Lemmas used: cos(m) < 1 for non-zero integers m (pi is irrational); Dirichlet's"
        " simultaneous"
        " approximation for theta_k/(2 pi); cos(x) <= 1 and 2 - 2 cos(x) <= (x - 2 pi z)^2.",
        "The 16 standard frequencies hide this: the margin stays 0.686 far beyond 10^6 (see"
        " proposition-3.margins); lattice reduction finds 0.59 at m = 89468676394.",
        "Existence is not selection: the parameter fitted at L0 = 20 is another one (see the"
        " published"
        " numbers).",
    ),
)
MARGINS = Statement(
    id="proposition-3.margins",
    title="Certified margins of the sinusoidal kernel",
    latex=r"16 - \sum_{k<16}\cos(\theta_k m) \ge 0.686,\quad 1 \le m \le N",
    words="The margin of the kernel sum_k cos(theta_k (o - delta)) is at least 0.686 on every"
    " row, up"
    " to the stated length.",
    source=SOURCE + " (the bound is ours)",
    status="proved",
    obligations=(
        Obligation(
            "margins",
            "16 - sum_k cos(theta_k m) >= 0.686",
            lambda profile: f"all lengths up to {profile.pick(2000, 100_000):,}",
            lambda profile: margin(profile.pick(2000, 100_000) - 1),
            _each("m", 48),
        ),
    ),
    twins=(
        Twin(
            "false: the margin is at least 0.687",
            margin(10),
            Obligation(
                "m-1",
                "m = 1 has a smaller one",
                "one offset",
                lambda profile: theorem("", {}, [f"16 - ({kernel_sum('1')}) < 687/1000"]),
                Sketch((fix(),)),
            ),
        ),
    ),
)
_RISING, _FALLING = increasing(0, 8832, ">"), increasing(8833, 17664, "<")
B = Statement(
    id="proposition-3.b",
    title="sin(d theta_min) increases up to d = 8833 and decreases after",
    latex=r"\sin(d\,\theta_{\min}) < \sin((d+1)\,\theta_{\min})\ (0 \le d \le 8832),\quad"
    r" \theta_{\min} = 10^{-15/4}",
    words="sin(d theta_min) is strictly increasing over the integers 0..8833 and strictly"
    " decreasing"
    " over 8833..17665: the quarter period pi/(2 theta_min) is 8833.2368...",
    source=SOURCE,
    status="proved",
    obligations=(
        Obligation(
            "increasing", "0..8833", "every d in 0..8832", lambda profile: _RISING, _each("d", 64)
        ),
        Obligation(
            "decreasing",
            "8833..17665",
            "every d in 8833..17664",
            lambda profile: _FALLING,
            _each("d", 64),
        ),
        Obligation(
            "quarter-period",
            "8833.2368 < pi/(2 theta_min) < 8833.2369",
            "two inequalities",
            lambda profile: quarter_period(),
            Sketch((fix(), fix())),
        ),
    ),
    twins=(
        Twin(
            "false: increasing up to 8834",
            increasing(0, 8833, ">"),
            Obligation(
                "8833",
                "the step from 8833 to 8834 goes down",
                "one step",
                lambda profile: theorem("", {}, [f"sin({LOWEST}*8834) < sin({LOWEST}*8833)"]),
                Sketch((fix(),)),
            ),
        ),
    ),
    remarks=(
        "The summary says 'up to d <~ 8833'; the exact turning point is between 8833 and 8834.",
    ),
)
C = Statement(
    id="proposition-3.c",
    title="At L = 17665 the lowest frequency alone hits copy's target on every new row",
    latex=r"L = 17665:\ \lceil L/2 \rceil = 8833 = \arg\max_{0 \le o < L} \sin(o\,\theta_{\min})",
    words="The kernel sin(o theta_min) hits the target of copy at L = 17665 on every scored row."
    " It does"
    " not realize copy at L0 = 20 (rows 11..19 are misses), so this is not transfer in the sense of"
    " Theorem 2.",
    source=SOURCE,
    status="proved",
    setting=("S1", "S2"),
    obligations=(
        Obligation(
            "all-rows",
            "rows 8833..17664, all scored",
            "8832 rows",
            lambda profile: copy_rows(17665),
            Given({"rule": "evaluate", "bits": 64}),
        ),
        Obligation(
            "not-at-20",
            "at L0 = 20: row 10 is a hit, rows 11..19 are misses",
            "10 rows",
            lambda profile: copy_rows(20),
            Given({"rule": "evaluate", "bits": 64}),
        ),
    ),
)
FLOAT32 = Statement(
    id="float32-ties-proposition-3",
    title="In float32 the offsets 8832, 8833 and 8834 tie",
    latex=r"\mathrm{fl}_{32}(\sin(8832\,\theta)) = \mathrm{fl}_{32}(\sin(8833\,\theta)) ="
    r" \mathrm{fl}_{32}(\sin(8834\,\theta))",
    words="Computed in float32, the kernel of proposition-3.c has three maximizers, so every argmax"
    " depends on the tie rule.",
    source="ours, about " + SOURCE,
    status="measured",
    obligations=(Measurement("ties", "the float32 maximizers", "offsets 0..17664", float32_ties),),
)
STATEMENTS = (A, MARGINS, B, C, FLOAT32)
