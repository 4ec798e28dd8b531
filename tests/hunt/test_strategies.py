"""Local search and z3: what they find, that they can be repeated, and that z3 excludes nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from verify.cli import main
from verify.hunt import batches, campaigns, conjectures, executors, running, spaces
from verify.hunt.batches import CODES
from verify.hunt.climbs import STEPS
from verify.hunt.description import Description

TINY = "polynomial:height=1,longest=6,tasks=small"


def description(name: str, space: str, strategy: str, seed: int = 5) -> Description:
    return Description(conjectures.source(name), spaces.space(space), strategy, seed)


def codes(asked: Description, start: int, stop: int) -> bytes:
    return batches.decide(asked.text(), start, stop, 600)[0].codes


# ------------------------------------------------------------ local search


def test_a_climb_is_the_same_whatever_the_range_it_is_cut_into() -> None:
    asked = description("dichotomy-finite", TINY, "local")
    whole = codes(asked, 0, 2 * STEPS)
    cuts = (0, 37, STEPS + 11, 2 * STEPS)
    parts = [codes(asked, a, b) for a, b in pairwise(cuts)]
    assert b"".join(parts) == whole and len(whole) == 2 * STEPS


def test_a_climb_judges_no_instance_twice_and_stays_in_the_space() -> None:
    asked = description("dichotomy-finite", TINY, "local")
    judge = conjectures.load(asked.source).judge
    places = [at for _, at, _ in asked.way.walk(asked, judge, 0, STEPS)]
    assert len(set(places)) == STEPS
    assert all(0 <= e < len(spaces.encodings(asked.space)) for e, _ in places)
    assert [asked.way.place(asked, judge, k) for k in (0, 1, STEPS - 1)] == [
        places[0], places[1], places[-1],
    ]  # fmt: skip


def test_climbing_needs_fewer_judgements_than_the_order_of_size() -> None:
    """The rare counterexamples of the forced dichotomy: 193 of 982,170 in the periodic space."""
    found = {}
    for strategy, most in (("local", 40_000), ("exhaustive", 40_000)):
        asked = description("dichotomy-forced", "periodic:height=1", strategy, 1)
        judge = conjectures.load(asked.source).judge
        walk = asked.way.walk(asked, judge, 0, most)
        outcomes = (k for k, _, verdict in walk if verdict.outcome == "counterexample")
        found[strategy] = next(outcomes, most)
    assert found["local"] < found["exhaustive"]


def test_other_seeds_climb_elsewhere() -> None:
    first, second = (
        codes(description("dichotomy-finite", TINY, "local", seed), 0, STEPS) for seed in (1, 2)
    )
    assert first != second


@pytest.mark.parametrize("jobs", [1, 2])
def test_local_campaigns_do_not_depend_on_the_number_of_workers(tmp_path: Path, jobs: int) -> None:
    asked = description("dichotomy-finite", TINY, "local")
    campaign = campaigns.create(tmp_path / "c", asked)
    with campaign.ledger() as ledger, executors.local(jobs) as workers:
        running.run(asked, ledger, workers, goal=4 * STEPS, seconds=None, hang=600, batch=STEPS)
        digest = ledger.totals().digest
    again = campaigns.create(tmp_path / "d", asked)
    with again.ledger() as ledger, executors.local(1) as workers:
        for goal in (STEPS, 4 * STEPS):  # stopped and resumed
            running.run(asked, ledger, workers, goal=goal, seconds=None, hang=600, batch=STEPS)
        assert ledger.totals().digest == digest


def test_a_climb_without_an_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "c"
    arguments = ["hunt", "start", "span", "--strategy", "local", "--directory", str(target)]
    assert main(arguments) == 2
    assert "give --budget TIME or --instances N" in capsys.readouterr().err
    assert not target.exists()
    assert main([*arguments, "--instances", "400", "--space", TINY]) == 10
    out = capsys.readouterr().out
    assert "400 judgements, some of the same instance" in out


# ------------------------------------------------------------ z3


@pytest.mark.parametrize("space", ["dimension=2,", "dimension=1,height=2,"])
@pytest.mark.parametrize("name", ["dichotomy-finite", "deep-row"])
def test_z3_excludes_only_what_the_exact_oracle_decides_alike(space: str, name: str) -> None:
    """Some questions of a small space, exhausted both ways."""
    tiny = f"polynomial:{space}height=1,longest=6,tasks=small"
    if "height=2" in space:
        tiny = "polynomial:dimension=1,height=2,longest=6,tasks=small"
    asked = description(name, tiny, "z3")
    exact = description(name, tiny, "exhaustive")
    count, total = len(spaces.encodings(asked.space)), len(spaces.questions(asked.space))
    excluded = judged = 0
    for question in range(0, total, 31):
        by_z3 = codes(asked, question * count, (question + 1) * count)
        for number, code in enumerate(by_z3):
            (alone,) = codes(exact, number * total + question, number * total + question + 1)
            if code == CODES["excluded"]:
                excluded += 1
                assert alone in (CODES["holds"], CODES["not applicable"])
            else:
                judged += 1
                assert code == alone
    assert excluded and judged


def test_where_z3_gives_up_everything_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.engines.smt import spans

    monkeypatch.setattr(spans, "RLIMIT", 1)
    monkeypatch.setattr(spans.spans, "__defaults__", (1,))
    asked = description("dichotomy-finite", TINY, "z3")
    found = codes(asked, 0, len(spaces.encodings(asked.space)))
    assert CODES["excluded"] not in found


def test_z3_finds_a_counterexample_through_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = "polynomial:height=1,dimension=1,longest=7,tasks=small"
    target = str(tmp_path / "c")
    code = main(
        ["hunt", "start", "deep-row", "--strategy", "z3", "--space", space, "--directory", target]
    )
    out = capsys.readouterr().out
    assert code == 10 and "certified in" in out and "the space is exhausted" in out
    assert "12 counterexample, 144 holds" in out and "5833 excluded" in out
    picture = tmp_path / "c.svg"
    assert main(["hunt", "status", target, "--plot", str(picture)]) == 0
    last = (tmp_path / "c.svg.csv").read_text("utf-8").splitlines()[-1].split(",")
    assert last[1:] == ["6800", "12", "2"] and "counterexamples" in picture.read_text("utf-8")
