"""The dichotomy reading: only eventually fixed offsets or positions are carried.

Refuted for all lengths by an eventually periodic encoding; the two other refutations, [1, i, i^2]
with t = floor(i/2) and the sinusoidal encoding with decimation, are in `proofs.growing_offsets`.
"""

from __future__ import annotations

from proofs import growing_offsets
from proofs.models import decisions, fix, use
from verify.statements import Claim, Obligation, Sketch, Statement, theorem

# position classes {0}, {1}, even >= 2, odd >= 3; the task asks row i for key i mod 2
CLASSES = {
    "first": "f(0) == 0",
    "second": "f(1) == 1",
    "even": "int k: k >= 1 => f(2*k) == 2",
    "odd": "int k: k >= 1 => f(2*k + 1) == 3",
    "not-first": "int j: j >= 1 => f(j) >= 1",
    "not-second": "int j: j >= 0, j != 1 => f(j) != 1",
}
ENTRIES = {
    "even-first": "F(2, 0) == 1",
    "even-others": "int x: x >= 1 => F(2, x) == 0",
    "odd-second": "F(3, 1) == 1",
    "odd-others": "int x: x != 1 => F(3, x) == 0",
}


def realized() -> Claim:
    """One parameter over the four classes puts every strict argmax right, at every length."""
    return theorem(
        "int f, real F",
        CLASSES | ENTRIES,
        [
            "int k, int j: k >= 1, 1 <= j, j <= 2*k => F(f(2*k), f(0)) > F(f(2*k), f(j))",
            "int k, int j: k >= 1, 0 <= j, j <= 2*k + 1, j != 1 =>"
            " F(f(2*k + 1), f(1)) > F(f(2*k + 1), f(j))",
        ],
    )


def forced() -> Claim:
    """Any parameter that is right on rows 4 and 5 is right on every later row."""
    return theorem(
        "int f, int u, real F, real g",
        {
            "even": "int k: k >= 2 => f(2*k) == f(4)",
            "odd": "int k: k >= 2 => f(2*k + 1) == f(5)",
            # every key has the features of one of the keys 0..3, its representative u
            "alike": "int j: j >= 0 => f(j) == f(u(j))",
            "from-0": "int j: j >= 0 => u(j) >= 0",
            "to-3": "int j: j >= 0 => u(j) <= 3",
            "not-0": "int j: j >= 1 => u(j) != 0",
            "not-1": "int j: j >= 0, j != 1 => u(j) != 1",
            "row-4": "int j: 1 <= j, j <= 4 => F(f(4), f(0)) - F(f(4), f(j)) >= g",
            "row-5": "int j: 0 <= j, j <= 5, j != 1 => F(f(5), f(1)) - F(f(5), f(j)) >= g",
        },
        [
            "int k, int j: k >= 2, 1 <= j, j <= 2*k => F(f(2*k), f(0)) - F(f(2*k), f(j)) >= g",
            "int k, int j: k >= 2, 0 <= j, j <= 2*k + 1, j != 1 =>"
            " F(f(2*k + 1), f(1)) - F(f(2*k + 1), f(j)) >= g",
        ],
    )


def _rewrite(fact: str, by: str, term: str) -> dict[str, object]:
    return {"rule": "rewrite", "fact": fact, "by": by, "term": term}


REALIZED = Sketch(
    (
        fix(
            *use("first", "even-first"),
            *use("even", k="k"),
            *use("not-first", j="j"),
            *use("even-others", x="f(j)"),
            _rewrite("F(f(2*k), f(0)) <= F(f(2*k), f(j))", "f(2*k) == 2", "f(2*k)"),
            _rewrite("F(2, f(0)) <= F(2, f(j))", "f(0) == 0", "f(0)"),
        ),
        fix(
            *use("second", "odd-second"),
            *use("odd", k="k"),
            *use("not-second", j="j"),
            *use("odd-others", x="f(j)"),
            _rewrite("F(f(2*k + 1), f(1)) <= F(f(2*k + 1), f(j))", "f(2*k + 1) == 3", "f(2*k + 1)"),
            _rewrite("F(3, f(1)) <= F(3, f(j))", "f(1) == 1", "f(1)"),
        ),
    )
)


def _later(row: str, old: int, target: int, parity: str, other: str) -> object:
    gap = f"F(f({row}), f({target})) - F(f({row}), f(j)) < g"
    moved = f"F(f({old}), f({target})) - F(f({old}), f(j)) < g"
    return fix(
        *use("alike", "from-0", "to-3", other, j="j"),
        *use(parity, k="k"),
        _rewrite(gap, f"f({row}) == f({old})", f"f({row})"),
        _rewrite(moved, "f(j) == f(u(j))", "f(j)"),
        *use(f"row-{old}", j="u(j)"),
    )


FORCED = Sketch((_later("2*k", 4, 0, "even", "not-0"), _later("2*k + 1", 5, 1, "odd", "not-1")))


def _classes(length: int) -> Claim:
    names = [0, 1, *(2 + i % 2 for i in range(2, length))]
    vectors = [[str(int(c == name)) for c in range(4)] for name in names]
    rows = [[i, 0, i + 1, i % 2] for i in range(1, length)]
    return {"vectors": vectors, "rows": rows}


PARAMETER = [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
STATEMENT = Statement(
    id="conjecture-1.dichotomy",
    title="'What is carried to every length has an eventually fixed offset or position'",
    latex=r"W \text{ realizes } t \text{ at every } n \;\Longrightarrow\; t(i) = i - \delta"
    r" \text{ or } t(i) = p \text{ for all large } i",
    words="Reading: if one parameter of a deterministic finite-dimensional encoding realizes a"
    " prefix-consistent task at every length, the target is eventually a fixed offset or a fixed"
    " position. Refuted at every length: one-hot features of the classes {0}, {1}, even, odd carry"
    " t(i) = i mod 2; every row from 6 on is forced by rows 4 and 5, with their margins, so"
    " variants"
    " for the selected parameter, or with bounded features and a uniform margin, fail too.",
    source="our reading of Conjecture 1 of A Positional Realizability Theory of Length"
    " Generalization (its wording is not public)",
    status="refuted",
    setting=("S1", "S2"),
    obligations=(
        Obligation(
            "realized",
            "one parameter over four position classes carries t(i) = i mod 2",
            "all lengths",
            lambda profile: realized(),
            REALIZED,
            shows="fails",
        ),
        Obligation(
            "forced",
            "whatever parameter is right on rows 4 and 5 is right on every later row, with at least"
            " their margin",
            "all lengths, all real W",
            lambda profile: forced(),
            FORCED,
            shows="fails",
        ),
        decisions(
            "example",
            "the first 12 rows",
            lambda: _classes(13),
            PARAMETER,
            "h" * 12,
            "1",
            shows="fails",
        ),
        Obligation(
            "floor-half",
            "[1, i, i^2] carries t = floor(i/2), with infinitely many targets",
            "all lengths",
            lambda profile: growing_offsets.halves(),
            growing_offsets.HALVES,
            shows="fails",
        ),
        Obligation(
            "decimation",
            "the standard sinusoidal encoding (bounded) carries t = i/10 on multiples of 10",
            "all lengths",
            lambda profile: growing_offsets.decimation(),
            growing_offsets.DECIMATION,
            shows="fails",
        ),
    ),
    remarks=(
        "The last two have infinitely many targets; for the parameter that a selection rule picks,"
        " with infinitely many targets, see conjecture-1.selected.",
        "Where every parameter that realizes L0 hits all new rows (`pe-verify hunt start"
        " dichotomy-forced`, height 1, every instance of the space): polynomial 982,170 instances,"
        " none refutes it; relative 986,847, none; periodic 982,170, 193 do; piecewise 982,170, 126"
        " do. Each holds for its own lengths alone.",
    ),
)
STATEMENTS = (STATEMENT,)
