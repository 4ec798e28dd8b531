"""How fast a hunt goes: `pytest tests/benchmarks/test_hunt.py`. The bounds are for each core.

The peers decide the same instances of the same space by the same reading (dichotomy-finite), model
building included: z3, and the exact simplexes of PPL and cddlib where pplpy and pycddlib are there.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import z3
from pytest_benchmark.fixture import BenchmarkFixture

from verify.hunt import campaigns, conjectures, executors, running, spaces
from verify.hunt.batches import CODES, decide, instance
from verify.hunt.description import Description
from verify.hunt.instances import Instance
from verify.hunt.readings.dichotomy import spread

AN_HOUR, TIMES_Z3, TWO_WORKERS, OVERHEAD, PLANTED_SECONDS = 5_000_000, 8, 1.7, 0.05, 300
SPACE = spaces.space("polynomial")
ENCODINGS = 20


def described(name: str = "dichotomy-finite", seed: int = 1) -> Description:
    return Description(conjectures.source(name), SPACE, "random", seed)


def constraints(case: Instance) -> list[list[int]]:
    return [v for row in (*case.train, *case.new) for v in case.oracle.constraints(row)]


def by_z3(case: Instance) -> str:
    """The reading's verdict, from z3."""
    if spread(case) < 2:
        return "not applicable"
    vectors = constraints(case)
    w = [z3.Real(f"w{k}") for k in range(len(vectors[0]))]
    solver = z3.Solver()
    solver.add([z3.Sum([a * x for a, x in zip(v, w, strict=True) if a]) > 0 for v in vectors])
    answer = solver.check()
    assert answer != z3.unknown
    return "counterexample" if answer == z3.sat else "holds"


def by_ppl(case: Instance) -> str:
    """The same from PPL; margins of at least 1, which scaling allows."""
    import ppl

    if spread(case) < 2:
        return "not applicable"
    vectors = constraints(case)
    problem = ppl.MIP_Problem(len(vectors[0]))
    for v in vectors:
        problem.add_constraint(ppl.Linear_Expression(v, 0) >= 1)
    return "counterexample" if problem.is_satisfiable() else "holds"


def by_cddlib(case: Instance) -> str:
    """The same from cddlib."""
    import cdd
    import cdd.gmp

    if spread(case) < 2:
        return "not applicable"
    vectors = constraints(case)
    rows = [[-1, *v] for v in vectors]
    program = cdd.gmp.linprog_from_array([*rows, [0] * len(rows[0])], obj_type=cdd.LPObjType.MAX)
    cdd.gmp.linprog_solve(program)
    return "counterexample" if program.status == cdd.LPStatusType.OPTIMAL else "holds"


def sampled(description: Description, count: int, many: int) -> list[tuple[int, Instance]]:
    """Instances among the first `many` of a description, drawn once."""
    places = random.Random(7).sample(range(many), count)
    return [(k, instance(description, k)) for k in places]


def rate_of(peer: Callable[[Instance], str], cases: Sequence[tuple[int, Instance]]) -> float:
    began = time.process_time()
    for _, case in cases:
        peer(case)
    return len(cases) / (time.process_time() - began)


def test_rate_and_peers(benchmark: BenchmarkFixture) -> None:
    description = described()
    many = ENCODINGS * len(spaces.questions(SPACE))
    spaces.encodings(SPACE)
    spent: list[float] = []
    found: list[Any] = []

    def batch() -> None:
        began = time.process_time()
        found.append(decide(description.text(), 0, many, 3600.0)[0])
        spent.append(time.process_time() - began)

    benchmark.pedantic(batch, rounds=1, iterations=1)
    rate = many / spent[0]
    cases = sampled(description, 300, many)
    for place, case in cases:
        assert CODES[by_z3(case)] == found[0].codes[place]  # type: ignore[index]
    peers = {"z3": rate_of(by_z3, cases)}
    for name, peer in (("ppl", by_ppl), ("cddlib", by_cddlib)):
        with contextlib.suppress(ModuleNotFoundError):
            for place, case in cases[:50]:
                assert CODES[peer(case)] == found[0].codes[place]  # type: ignore[index]
            peers[name] = rate_of(peer, cases)
    pairs = ENCODINGS * len({q.task for q in spaces.questions(SPACE)}) / spent[0]
    benchmark.extra_info |= {
        "instances an hour and core": round(rate * 3600),
        "encoding-task pairs an hour and core": round(pairs * 3600),
        **{f"times {name}": round(rate / other, 1) for name, other in peers.items()},
    }
    print(benchmark.extra_info)
    assert rate * 3600 >= AN_HOUR
    assert rate >= TIMES_Z3 * peers["z3"]
    assert rate >= max(peers.values())


def run(directory: Path, jobs: int, goal: int) -> tuple[float, float]:
    """Wall seconds of the run itself (workers started before), and the share spent on records."""
    description = described()
    campaign = campaigns.create(directory, description)
    with executors.local(jobs) as workers, campaign.ledger() as ledger:
        warm = [workers.submit(decide, description.text(), k, k + 1, 60.0) for k in range(4 * jobs)]
        for future in warm:
            future.result()
        inside, record = 0.0, ledger.record

        def timed(*arguments: Any) -> None:
            nonlocal inside
            began = time.perf_counter()
            record(*arguments)
            inside += time.perf_counter() - began

        ledger.record = timed  # type: ignore[method-assign]
        began = time.perf_counter()
        running.run(description, ledger, workers, goal=goal, seconds=None, hang=600.0)
        seconds = time.perf_counter() - began
    return seconds, inside / seconds


def test_two_workers_and_the_ledger(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    goal = 60 * len(spaces.questions(SPACE))
    one, overhead = run(tmp_path / "one", 1, goal)
    two: list[float] = []
    benchmark.pedantic(
        lambda: two.append(run(tmp_path / "two", 2, goal)[0]), rounds=1, iterations=1
    )
    benchmark.extra_info |= {
        "two workers": round(one / two[0], 2),
        "ledger": f"{100 * overhead:.2f} %",
    }
    print(benchmark.extra_info)
    assert overhead < OVERHEAD
    assert one / two[0] >= TWO_WORKERS


def test_a_thousand_verdicts_of_a_ledger_again_by_z3(tmp_path: Path) -> None:
    description, goal = described(seed=2), 40 * len(spaces.questions(SPACE))
    campaign = campaigns.create(tmp_path / "c", description)
    with executors.local(2) as workers, campaign.ledger() as ledger:
        running.run(description, ledger, workers, goal=goal, seconds=None, hang=600.0)
        codes = b"".join(found.codes for found in ledger.decided())
    assert len(codes) == goal
    cases = sampled(description, 1000, goal)
    assert [codes[k] for k, _ in cases] == [CODES[by_z3(c)] for _, c in cases]  # type: ignore[index]


PLANTED = """
from verify.hunt import Conjecture, NOT_APPLICABLE
from verify.hunt.readings.span import SPAN

def predicate(case):
    # the published example, [1, i, i^2] on `previous`, and all that it contains are out
    if "i**3" not in case.encoding or all(i - t == 1 for i, t in case.train):
        return NOT_APPLICABLE
    return SPAN.predicate(case)

REST = Conjecture("span-rest", SPAN.words, predicate)
"""


def test_a_planted_counterexample_is_found(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    from verify.cli import main

    file = tmp_path / "planted.py"
    file.write_text(PLANTED)
    command = ["hunt", "start", f"{file}:REST", "--jobs", "2", "--budget", "4m"]
    command += ["--strategy", "random", "--instances", "100000", "--directory", str(tmp_path / "c")]
    codes: list[int] = []
    benchmark.pedantic(lambda: codes.append(main(command)), rounds=1, iterations=1)
    assert codes == [10]
    assert benchmark.stats.stats.max < PLANTED_SECONDS
