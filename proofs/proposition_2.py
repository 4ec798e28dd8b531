"""Proposition 2: learned-absolute extrapolation is at or below chance.

Row i sees k = i - L0 + 1 new keys; `N_i = L0..i-1` leaves the query's own key out and has k - 1
members, numbered 0..k-2. `p(m)` is the probability that the winner M is member m, `s` that of
`M in N_i`, `tau(m)` that of the target being member m, `J` that of winner and target both being the
same member, `c` the conditional probability J / s.
"""

from __future__ import annotations

from itertools import permutations

from proofs.models import fix, on_model, use
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
    countermodel,
    satisfiable,
    theorem,
    with_goal,
    without,
)

SUMS = {
    "P-start": "P(0) == 0",
    "P-step": "int r: 0 <= r, r < k - 1 => P(r + 1) == P(r) + p(r)",
    "T-start": "T(0) == 0",
    "T-step": "int r: 0 <= r, r < k - 1 => T(r + 1) == T(r) + tau(r)",
    "J-start": "J(0) == 0",
    "independent-target": "int r: 0 <= r, r < k - 1 => J(r + 1) == J(r) + tau(r)*p(r)",
    "trained-rows-only": "seen == 1",
    "exchangeable": "exchangeable == 1",
}
LEMMA = {"equally-likely": "int a: seen == 1, exchangeable == 1, 0 <= a, a < k - 1 => p(a) == p(0)"}
SYMBOLS = "int k, int seen, int exchangeable, real p, real tau, real P, real T, real J"


def sums() -> Claim:
    """Partial sums over the first r members: P(r) = r p(0) and J(r) = T(r) p(0)."""
    return theorem(
        SYMBOLS,
        SUMS,
        [
            "int r: r >= 0, r <= k - 1 => P(r) == r*p(0)",
            "int r: r >= 0, r <= k - 1 => J(r) == T(r)*p(0)",
        ],
        LEMMA,
    )


CHANCE = {
    "sum-law": "P(k - 1) == (k - 1)*p(0)",
    "joint-law": "J(k - 1) == T(k - 1)*p(0)",
    "no-ties": "P(k - 1) == s",
    "target-among-new": "T(k - 1) == 1",
    "positive": "s > 0",
    "conditional": "c*s == J(k - 1)",
    "probability": "s <= 1",
    "two-new-keys": "k >= 2",
}


def chance() -> Claim:
    """Pr[M = t | M in N_i] = 1/(k - 1), and unconditionally at most that."""
    return theorem(
        "int k, real p, real P, real T, real J, real s, real c",
        CHANCE,
        ["(k - 1)*c == 1", "(k - 1)*J(k - 1) <= 1"],
    )


def _induct(*names: str) -> object:
    return {
        "rule": "induct",
        "on": "r",
        "from": "0",
        "base": fix(*use(*(f"{n}-start" for n in names))),
        "step": fix(
            *use("IH"),
            *_steps(names),
            *use("trained-rows-only", "exchangeable"),
            *use("equally-likely", a="r"),
        ),
    }


def _steps(names: tuple[str, ...]) -> list[dict[str, object]]:
    named = ["independent-target" if n == "J" else f"{n}-step" for n in names]
    return use(*named, r="r")


SUM_SKETCH = Sketch((_induct("P"), _induct("T", "J")))
CHANCE_SKETCH = Sketch(
    (
        fix(
            *use("sum-law", "joint-law", "no-ties", "target-among-new", "positive", "conditional"),
            last={"rule": "apart", "fact": "(k - 1)*c != 1"},
        ),
        fix(*use("sum-law", "joint-law", "no-ties", "target-among-new", "probability")),
    )
)

# ---------------------------------------------------------------- exact enumeration


def _arrangements(k: int) -> list[tuple[int, ...]]:
    return list(permutations(range(1, k + 1)))


def enumeration(k: int, target: int) -> Claim:
    """All k! arrangements of k distinct new feature values after one trained key with value 0.

    Feature dimension 1, W = [1], query value 1 placed beside them: the logit of a key is its value.
    The row's keys are the trained key and the k - 1 members of N_i; its own key is left out.
    """
    vectors, rows, outcomes = [["1"]], [], ""
    for values in _arrangements(k):
        start = len(vectors)
        vectors += [["0"], *([str(v)] for v in values[: k - 1])]
        rows.append([0, start, start + k, start + 1 + target])
        outcomes += "h" if values[target] == max(values[: k - 1]) else "m"
    return {
        "kind": "decisions",
        "system": {"vectors": vectors, "rows": rows},
        "parameter": [["1"]],
        "outcomes": outcomes,
        "margin": "1",
    }


def _enumerated(k: int, target: int) -> Obligation:
    return Obligation(
        f"enumeration-{k}-{target}",
        f"k = {k}: of the {len(_arrangements(k))} equally likely arrangements of the new rows,"
        f" one in {k - 1} makes member {target} the winner",
        f"k = {k}",
        lambda profile: enumeration(k, target),
        Given({"rule": "evaluate"}),
    )


def monte_carlo(profile: Profile) -> Measured:
    """Seeded Monte Carlo on row L - 1 at L = 30 and 60 (see `verify.measure`)."""
    from verify.measure import learned_absolute

    return learned_absolute(samples=profile.pick(300, 4000))


HALF = {
    "k": 3,
    "seen": 1,
    "exchangeable": 1,
    "p": "1/4",
    "tau": ({(0,): 1}, "0"),
    "P": "1/4*x0",
    "T": ({(0,): 0}, "1"),
    "J": ({(0,): 0}, "1/4"),
}
LUCKY = {"p": ({(0,): "1/2"}, "0"), "P": ({(0,): 0}, "1/2"), "J": ({(0,): 0}, "1/2")}
FAIR = {"k": 3, "p": "1/4", "P": "1/4*x0", "T": "1/2*x0", "J": "1/8*x0", "s": "1/2", "c": "1/2"}

SURE = with_goal(chance(), "(k - 1)*J(k - 1) == 1")
STATEMENT = Statement(
    id="proposition-2",
    title="Learned-absolute extrapolation is at or below chance",
    latex=r"\Pr[M_i = t_L(i) \mid M_i \in N_i] = \frac{1}{k - 1},\qquad \Pr[M_i = t_L(i)] \le"
    r" \frac{1}{k - 1}",
    words="For a selection rule that sees trained rows only, new feature rows that are exchangeable"
    " given the trained rows, no ties, a target in N_i chosen independently of the new features and"
    " Pr[M_i in N_i] > 0: given that the winner is one of the k - 1 new keys other than the query's"
    " own, it is the target with probability 1/(k - 1), for all k >= 2; unconditionally with at"
    " most"
    " that probability.",
    source="A Positional Realizability Theory of Length Generalization, Proposition 2",
    status="proved",
    setting=("S1", "S2"),
    hypotheses=(
        Hypothesis(
            "trained-rows-only", "the selection rule sees trained rows only", ("trained-rows-only",)
        ),
        Hypothesis(
            "exchangeable",
            "the new feature rows of N_i are exchangeable given the trained rows"
            " and the query's row",
            ("exchangeable",),
        ),
        Hypothesis("no-ties", "there is one winner", ("no-ties",)),
        Hypothesis("target-among-new", "the target is in N_i", ("target-among-new",)),
        Hypothesis(
            "independent-target",
            "the target is independent of the new features",
            ("independent-target",),
        ),
        Hypothesis(
            "positive", "Pr[M_i in N_i] > 0, so that the condition makes sense", ("positive",)
        ),
        Hypothesis(
            "two-new-keys",
            "k >= 2",
            ("two-new-keys",),
            idle="with k <= 1 the sums are empty and Pr[M_i in N_i] = 0",
        ),
    ),
    obligations=(
        Obligation(
            "sums",
            "P(r) = r p(0) and J(r) = T(r) p(0), by induction over the members",
            "all k",
            lambda profile: sums(),
            SUM_SKETCH,
        ),
        Obligation(
            "chance",
            "the conditional probability is 1/(k - 1), the unconditional at most that",
            "all k, all distributions",
            lambda profile: chance(),
            CHANCE_SKETCH,
            solvers=("z3",),
        ),
        *(_enumerated(k, target) for k in (2, 3, 4) for target in range(k - 1)),
        on_model("not-vacuous", "k = 3, p = 1/4 each", lambda: satisfiable(sums(), HALF, {"r": 1})),
        on_model("not-vacuous-chance", "k = 3, s = 1/2", lambda: satisfiable(chance(), FAIR, {})),
    ),
    controls=(
        Control(
            "trained-rows-only",
            "a rule that sees the new rows can prefer one of them",
            (
                on_model(
                    "peeking",
                    "member 0 wins whenever a new key does",
                    lambda: countermodel(
                        without(sums(), "trained-rows-only"), HALF | LUCKY | {"seen": 0}, {"r": 2}
                    ),
                ),
            ),
        ),
        Control(
            "exchangeable",
            "the query's own key counted among them: its logit is of another kind",
            (
                on_model(
                    "own-key",
                    "member 0 is the own key and always wins",
                    lambda: countermodel(
                        without(sums(), "exchangeable"),
                        HALF | LUCKY | {"exchangeable": 0},
                        {"r": 2},
                    ),
                ),
            ),
        ),
        Control(
            "independent-target",
            "a target chosen after the winner is always right",
            (
                on_model(
                    "oracle",
                    "J = P",
                    lambda: countermodel(
                        without(sums(), "independent-target"),
                        HALF | {"tau": "1/2", "T": "1/2*x0", "J": "1/4*x0"},
                        {"r": 2},
                        1,
                    ),
                ),
            ),
        ),
        Control(
            "no-ties",
            "two winners at once: the members' shares no longer add up to s",
            (
                on_model(
                    "tied",
                    "both members win together, p = s = 1/2",
                    lambda: countermodel(
                        without(chance(), "no-ties"),
                        FAIR | {"p": "1/2", "P": "1/2*x0", "J": "1/4*x0", "s": "1/2", "c": "1"},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "target-among-new",
            "a trained target is never among them",
            (
                on_model(
                    "old-target",
                    "T = 0",
                    lambda: countermodel(
                        without(chance(), "target-among-new"),
                        FAIR | {"T": "0", "J": "0", "c": "0"},
                        {},
                    ),
                ),
            ),
        ),
        Control(
            "positive",
            "if a new key never wins, the conditional probability is anything",
            (
                on_model(
                    "never",
                    "s = 0, c = 5",
                    lambda: countermodel(
                        without(chance(), "positive"),
                        FAIR | {"p": "0", "P": "0", "J": "0", "s": "0", "c": "5"},
                        {},
                    ),
                ),
            ),
        ),
    ),
    twins=(
        Twin(
            "false: the unconditional probability is 1/(k - 1) as well",
            SURE,
            on_model("half", "s = 1/2", lambda: countermodel(SURE, FAIR, {})),
        ),
    ),
    remarks=(
        "Named lemma: exchangeability of the new rows given everything that the rule and the"
        " query see"
        " makes the events 'member m wins' equally likely.",
    ),
)

MONTE_CARLO = Statement(
    id="monte-carlo-proposition-2",
    title="Learned-absolute: conditional and unconditional hit rates, measured",
    latex=r"\widehat{\Pr}[M = t \mid M \in N] \text{ at } L = 30, 60",
    words="Seeded Monte Carlo on the last row for `previous`, L0 = 20, Gaussian features of"
    " dimension"
    " 12, cross-entropy selection: conditional hit rate with its Clopper-Pearson interval next to"
    " 1/(k - 1), and the unconditional rate.",
    source="A Positional Realizability Theory of Length Generalization, Proposition 2 (Monte"
    " Carlo)",
    status="measured",
    setting=("S1", "S2"),
    obligations=(
        Measurement(
            "rates",
            "hit rates on row L - 1 at L = 30 and 60",
            lambda profile: f"{profile.pick(300, 4000)} samples, seed 0",
            monte_carlo,
        ),
    ),
    remarks=(
        "The summary does not say which dimension was used; the unconditional rate depends on it.",
    ),
)
STATEMENTS = (STATEMENT, MONTE_CARLO)
