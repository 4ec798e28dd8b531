"""Forced, impossible or free: the classes of new rows, and the bounds that they give on alpha."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofs.models import fix, on_model, use
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

# ---------------------------------------------------------------- the bounds


def bounds() -> Claim:
    """F(k) <= H(k) <= k - I(k): forced rows, hits and impossible rows among the first k new ones.

    f, h, x are 1 or 0: row k is forced, a hit of the parameter at hand, impossible.
    """
    return theorem(
        "int m, real f, real h, real x, real F, real H, real I",
        {
            "F-start": "F(0) == 0",
            "H-start": "H(0) == 0",
            "I-start": "I(0) == 0",
            "F-step": "int k: 0 <= k, k < m => F(k + 1) == F(k) + f(k)",
            "H-step": "int k: 0 <= k, k < m => H(k + 1) == H(k) + h(k)",
            "I-step": "int k: 0 <= k, k < m => I(k + 1) == I(k) + x(k)",
            "forced-rows-hit": "int k: 0 <= k, k < m => f(k) <= h(k)",
            "impossible-rows-fail": "int k: 0 <= k, k < m => h(k) + x(k) <= 1",
        },
        [
            "int k: k >= 0, k <= m => F(k) <= H(k)",
            "int k: k >= 0, k <= m => H(k) <= k - I(k)",
            "int k: 0 <= k, k < m => f(k) + x(k) <= 1",
        ],
    )


def _induct(starts: list[str], steps: list[str]) -> object:
    return {
        "rule": "induct",
        "on": "k",
        "from": "0",
        "base": fix(*use(*starts)),
        "step": fix(*use("IH"), *use(*steps, k="k")),
    }


BOUNDS = Sketch(
    (
        _induct(["F-start", "H-start"], ["F-step", "H-step", "forced-rows-hit"]),
        _induct(["H-start", "I-start"], ["H-step", "I-step", "impossible-rows-fail"]),
        fix(*use("forced-rows-hit", "impossible-rows-fail", k="k")),
    )
)
# Three new rows of which the first is forced, the second free and missed, the third impossible.
MODEL = {
    "m": 3,
    "f": ({(0,): 1}, "0"),
    "h": ({(0,): 1}, "0"),
    "x": ({(2,): 1}, "0"),
    "F": ({(0,): 0}, "1"),
    "H": ({(0,): 0}, "1"),
    "I": ({(3,): 1}, "0"),
}
ATTAINED = with_goal(bounds(), "int k: k >= 0, k <= m => H(k) <= F(k)")
FREE_HIT = MODEL | {"h": ({(0,): 1, (1,): 1}, "0"), "H": ({(0,): 0, (1,): 1}, "2")}
STATEMENT = Statement(
    id="trichotomy",
    title="Forced and impossible rows bound alpha for every selection rule",
    latex=r"\frac{\#\,\text{forced}}{\#\,\text{new rows}} \;\le\; \alpha_L(W) \;\le\;"
    r" 1 - \frac{\#\,\text{impossible}}{\#\,\text{new rows}}",
    words="A new row is forced if every parameter that realizes the task at L0 hits it, impossible"
    " if none does, free otherwise. No row is both forced and impossible, and whatever rule selects"
    " a realizing parameter, its alpha lies between the two shares. The classes themselves are"
    " decided row by row (conjecture-1.cone): see trichotomy.grid.",
    source="ours",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "forced-rows-hit",
            "the parameter realizes L0, so it hits forced rows",
            ("forced-rows-hit",),
        ),
        Hypothesis(
            "impossible-rows-fail",
            "the parameter realizes L0, so it hits no impossible row",
            ("impossible-rows-fail",),
        ),
    ),
    obligations=(
        Obligation(
            "bounds",
            "sums over the first k new rows, by induction; no row is of both classes",
            "any number of new rows",
            lambda profile: bounds(),
            BOUNDS,
        ),
        on_model(
            "not-vacuous",
            "one row of each class",
            lambda: satisfiable(bounds(), MODEL, {"k": 2}),
        ),
    ),
    controls=(
        Control(
            "forced-rows-hit",
            "a parameter that does not realize L0 can lose forced rows: alpha = 0",
            (
                on_model(
                    "lost",
                    "no hits at all",
                    lambda: countermodel(
                        without(bounds(), "forced-rows-hit"), MODEL | {"h": 0, "H": 0}, {"k": 3}
                    ),
                ),
            ),
        ),
        Control(
            "impossible-rows-fail",
            "a parameter that does not realize L0 can hit impossible rows: alpha = 1",
            (
                on_model(
                    "hit",
                    "hits everywhere",
                    lambda: countermodel(
                        without(bounds(), "impossible-rows-fail"),
                        MODEL | {"h": 1, "H": "x0"},
                        {"k": 3},
                        1,
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: only forced rows are hit",
            ATTAINED,
            on_model(
                "free-hit",
                "the free row is hit",
                lambda: countermodel(ATTAINED, FREE_HIT, {"k": 2}),
            ),
        ),
    ),
)

# ---------------------------------------------------------------- the grid


@dataclass(frozen=True, slots=True)
class Cell:
    """An encoding and a task with the class of each new row: F forced, X impossible, . free.

    rival: for a free row i the key that some realizing parameter prefers to the target.
    """

    name: str
    encoding: str
    task: str
    train: int
    length: int
    classes: str
    rival: int = 0  # the key i + rival

    def asked(self) -> tuple[encodings.Encoding, list[heads.Group], list[tuple[int, int]]]:
        """The encoding, the training rows, and the new rows (i, t)."""
        found, named = encodings.encoding(self.encoding), tasks.task(self.task)
        new = [(i, t) for i, t in tasks.rows(named, self.length) if i >= self.train]
        return found, [(self.train, tasks.rows(named, self.train))], new


CELLS = (
    Cell("clipped-previous", "clipped:length=6", "previous", 6, 9, "FFF"),
    Cell("clamped-previous", "clamped:length=6", "previous", 6, 9, "XXX"),
    Cell("clamped-first", "clamped:length=6", "attend-first", 8, 11, "FFF"),
    Cell("alibi-first", "alibi", "attend-first", 5, 8, "FFF"),
    Cell("affine-first", "affine", "attend-first", 5, 7, ".."),
    Cell("onehot-previous", "onehot:length=8", "previous", 6, 8, ".."),
    Cell("learned-previous", "learned:dim=8,seed=0", "previous", 6, 8, ".."),
    Cell("quadratic-half", "polynomial:degree=2", "expr:i//2", 5, 7, ".."),
    Cell("quadratic-offset-skip", "expr:[1, o, o**2]", "skip:k=2", 6, 9, "FFF"),
    Cell("residues", "expr:[i % 2, i % 3]", "attend:p=2", 6, 9, "X.X", -2),
    Cell("saturating-self", "expr:[1, i if i < 6 else 6]", "self", 6, 9, ".XX", -1),
    Cell(
        "clipped-alternating", "clipped:length=6", "expr:i-2 if i % 2 == 0 else i-7", 7, 11, "XFXF"
    ),
    Cell("t5-previous", "t5:buckets=8,max_distance=16", "previous", 6, 8, "..", -6),
    Cell("rope-first", "rope:frequencies=2", "attend-first", 5, 7, ".."),
    Cell("sinusoidal-previous", "sinusoidal:frequencies=2", "previous", 5, 7, ".."),
)


def row_claim(cell: Cell, k: int, want: str) -> Claim:
    """That the k-th new row is forced (F), impossible (X), or can be hit (+) or failed (-)."""
    encoding, training, new = cell.asked()
    i, t = new[k]
    joint = [*training, (cell.length, [(i, t)])]
    if want == "F":
        return heads.forced_claim(encoding, training, (cell.length, i, t))
    if want == "X":
        return heads.unrealizable_claim(encoding, joint)
    claim = heads.realizable_claim(encoding, joint)
    if want == "+":
        return claim
    # target and rival side by side, the rival being the one that shall win
    layout = heads.grid(encoding, [cell.train, cell.length])
    key = layout.key(i, i + cell.rival, cell.length)
    *rows, (query, _, _, target) = claim["system"]["rows"]
    vectors, count = claim["system"]["vectors"], len(claim["system"]["vectors"])
    pair = [query, count, count + 2, count + 1]
    system = {"vectors": [*vectors, vectors[target], vectors[key]], "rows": [*rows, pair]}
    return {"kind": "realizable", "system": system}


def _obligations(cell: Cell) -> list[Obligation]:
    """Those of the cell's rows, and that some parameter realizes L0 at all."""
    scope = f"{cell.encoding} on {cell.task}, L0 = {cell.train}, L = {cell.length}"

    def trained() -> Claim:
        encoding, training, _ = cell.asked()
        return heads.realizable_claim(encoding, training)

    some = "some parameter realizes L0"
    found = [Obligation(f"{cell.name}/L0", some, scope, lambda profile: trained(), Solve())]
    words = {
        "F": "every realizing parameter hits it",
        "X": "no realizing parameter hits it",
        "+": "some realizing parameter hits it",
        "-": "some realizing parameter does not",
    }
    for k, kind in enumerate(cell.classes):
        for want in "+-" if kind == "." else kind:
            name = {"F": "forced", "X": "impossible", "+": "hit", "-": "failed"}[want]
            found.append(
                Obligation(
                    f"{cell.name}/{k}-{name}",
                    f"new row {k}: {words[want]}",
                    scope,
                    lambda profile, k=k, want=want: row_claim(cell, k, want),  # type: ignore[misc]
                    Solve(),
                )
            )
    return found


GRID = Statement(
    id="trichotomy.grid",
    title="The classes of new rows on a grid of encodings and tasks",
    latex=r"\text{row} \in \{\text{forced}, \text{impossible}, \text{free}\}",
    words="For each cell of the grid some parameter realizes L0, and every new row is forced (a"
    " combination of training constraints for each competitor), impossible (the joint system is"
    " refuted) or free (a realizing parameter that hits it and one that does not). Encodings that"
    " repeat features force or exclude; those that add a dimension leave free; a quadratic in the"
    " offset is forced by a combination that is not a single training constraint.",
    source="ours",
    status="proved",
    setting=("S1", "S2"),
    obligations=tuple(o for cell in CELLS for o in _obligations(cell)),
)

# ---------------------------------------------------------------- interior targets

INTERIOR = (
    ("affine", "previous"), ("affine", "skip:k=2"), ("affine", "expr:i//2"),
    ("affine", "attend:p=1"), ("alibi", "previous"), ("alibi", "skip:k=3"),
    ("alibi", "expr:i//2"), ("alibi:heads=8,head=2", "previous"),
    ("alibi:heads=12,head=9", "previous"),
)  # fmt: skip
LENGTHS = (5, 6, 8, 12, 16, 24, 32, 64)


def _interior(encoding: str, task: str, n: int) -> Obligation:
    def claim() -> Claim:
        return heads.unrealizable_claim(
            encodings.encoding(encoding), [(n, tasks.rows(tasks.task(task), n))]
        )

    name = re.sub(r"[^a-z0-9=]+", "-", f"{encoding} {task}")
    words = f"{encoding} carries {task} at n = {n} with no parameter"
    return Obligation(f"{name}-{n}", words, f"n = {n}", lambda profile: claim(), Solve())


ENDS = Statement(
    id="interior-targets",
    title="Affine features and ALiBi realize no task with an interior target",
    latex=r"\nexists W:\ \operatorname*{argmax}_{j \le i} P_{ij} = t(i),\quad 0 < t(i) < i",
    words="Logits that are affine along a row are largest at an end of it: proposition-1 for every"
    " n. Here the exact engine finds the multipliers for itself, for tasks with interior targets at"
    " a range of lengths, the radical slopes of ALiBi included.",
    source="A Positional Realizability Theory of Length Generalization, Proposition 1",
    status="proved",
    setting=("S1", "S2"),
    obligations=tuple(_interior(e, t, n) for e, t in INTERIOR for n in LENGTHS),
)
STATEMENTS = (STATEMENT, GRID, ENDS)
