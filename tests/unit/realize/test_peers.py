"""The benchmark's peers say what we say, and its tables say what its lines hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks import peers, realize_grid, realize_table
from tests.benchmarks.peers import PEERS, Peer
from verify import systems

INSTANCES = (
    ("affine", "previous", 8),
    ("poly2", "reverse", 8),
    ("clamped", "attend-first", 8),
    ("rnd4", "copy", 12),
    ("circ2", "previous", 8),
    ("relbucket", "reverse", 12),
    ("relfs8", "skip-2", 8),
)


@pytest.fixture(params=PEERS)
def peer(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name not in peers.installed():
        pytest.skip(f"{name} is not installed")
    return name


@pytest.mark.parametrize(("family", "task", "length"), INSTANCES)
def test_peers_agree(peer: str, family: str, task: str, length: int) -> None:
    system = realize_grid.posed(family, task, length)
    ours = systems.decide(system)
    assert isinstance(ours, systems.Found | systems.Refuted)
    expected = "sat" if isinstance(ours, systems.Found) else "unsat"
    assert PEERS[peer](realize_grid.constraints(system))() == expected


def test_both_verdicts_occur_among_the_instances() -> None:
    found = {type(systems.decide(realize_grid.posed(*i))) for i in INSTANCES}
    assert found == {systems.Found, systems.Refuted}


def test_a_peer_that_runs_out_of_time_is_replaced() -> None:
    asked = Peer("z3", 1)
    try:
        hard = realize_grid.constraints(realize_grid.posed("fs8", "previous", 20))
        assert asked.ask(hard).answer == "time-out"
        reply = asked.ask([[1, 0], [-1, 1]])
        assert reply.answer == "sat"
        assert 0 <= reply.seconds < 1
        assert asked.ask([[1, 0], [-1, 0]]).answer == "unsat"
    finally:
        asked.close()


def test_constraints_are_coprime_integers_in_the_same_directions() -> None:
    system = {"vectors": [["1/2", "1"], ["0", "1/3"]], "rows": [[1, 0, 2, 0]]}
    # (0, 1/3) (x) (1/2, 2/3) = (0, 0, 1/6, 2/9), which is (0, 0, 3, 4) / 18.
    assert realize_grid.constraints(system) == [[0, 0, 3, 4]]


def test_rescues_ask_each_row_at_its_own_length() -> None:
    rows = realize_grid.posed("poly2", "copy", 8, 4)["rows"]
    # At 4: t = i - 2 for i in 2, 3; at 8: t = i - 4 for i in 4..7.
    assert [(r[0], r[3]) for r in rows] == [(2, 0), (3, 1), (4, 0), (5, 1), (6, 2), (7, 3)]


def test_cells_cover_the_grid_with_families_alike() -> None:
    cells = realize_grid.cells()
    grid = [c for c in cells if c[0] == "realize"]
    assert len(set(cells)) == len(cells)
    families = {f for _, f, _ in grid}
    assert len(grid) == 5 * len(families)
    assert {f for _, f, _ in grid[: len(families)]} == families


# ------------------------------------------------------------ tables, on made-up lines


def line(length: int, solver: str, answer: str, seconds: float | None = None) -> dict[str, str]:
    shown = "" if seconds is None else str(seconds)
    return {
        "question": "realize", "family": "f", "task": "t", "length": str(length), "unknowns": "4",
        "constraints": "6", "solver": solver, "answer": answer, "seconds": shown, "wall": shown,
        "kernel": "0.01", "bytes": "100",
    }  # fmt: skip


LINES = (
    line(8, "pe-verify", "sat", 0.01), line(8, "z3", "sat", 0.5), line(8, "ppl", "sat", 0.06),
    line(12, "pe-verify", "unsat", 0.3), line(12, "z3", "unsat", 0.9),
    line(12, "ppl", "unsat", 0.1),
    line(20, "pe-verify", "sat", 0.02), line(20, "z3", "time-out", 15),
    line(20, "ppl", "sat", 0.04),
    line(32, "pe-verify", "sat", 0.2), line(32, "z3", "skipped"), line(32, "ppl", "unknown", 1),
    line(64, "pe-verify", "sat", 0.2), line(64, "z3", "skipped"), line(64, "ppl", "unsat", 2),
)  # fmt: skip


def at(length: int) -> tuple[str, str, str, int]:
    return "realize", "f", "t", length


def test_beside_counts_every_kind_of_answer() -> None:
    z3 = realize_table.beside(LINES, "z3")
    assert (z3.asked, z3.solved, z3.timeouts, z3.skipped, z3.failed) == (5, 2, 1, 2, 0)
    assert sorted(z3.ratios) == pytest.approx([3, 50])
    assert z3.wrong == ()
    ppl = realize_table.beside(LINES, "ppl")
    assert (ppl.asked, ppl.solved, ppl.timeouts, ppl.skipped, ppl.failed) == (5, 4, 0, 0, 1)
    assert ppl.ratios == pytest.approx((10.0,))  # 0.1 s is not more than 0.1 s
    assert ppl.wrong == (at(64),)


def test_hard_instances_are_compared_with_their_fastest_peer() -> None:
    found = {h.instance: h for h in realize_table.hard(LINES)}
    assert set(found) == {at(8), at(12), at(64)}  # at 20 a peer needs 40 ms, at 32 none answers
    assert found[at(8)].peer == "ppl"
    assert found[at(12)].ratio == pytest.approx(3)


def test_an_open_answer_of_ours_is_no_answer() -> None:
    lines = (line(8, "pe-verify", "open", 0.01), line(8, "z3", "sat", 1.0))
    assert realize_table.hard(lines) == []
    assert realize_table.beside(lines, "z3").ratios == ()
    assert "1 open" in realize_table.table(lines)


def test_the_table_names_what_is_beyond_twice() -> None:
    text = realize_table.table(LINES)
    assert "needs more than 50 ms on 3 instances; on 1 of them" in text
    assert "at most 3.0 times; in the median it needs 6.0 times ours." in text
    assert "- realize f t 12: 0.300 s, ppl 0.100 s" in text
    assert "Of the 3 that z3 left, 3 decided here." in text
    assert "| z3 | 5 | 2 | 1 | 2 | 0 | 0 | 2 | 26.5 | 26.5 |" in text


def test_growth_is_plotted_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    drawn: list[bytes] = []
    for name in ("a.svg", "b.svg"):
        realize_table.plot(LINES, tmp_path / name)
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].count(b"<use ") > counted(LINES)


def counted(lines: Sequence[dict[str, str]]) -> int:
    """Points that a plot shows: each line of ours in four panels."""
    return 4 * sum(x["solver"] == "pe-verify" for x in lines)
