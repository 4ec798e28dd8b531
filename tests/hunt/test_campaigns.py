from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import fastjsonschema
import pytest

from verify.cli import main
from verify.hunt import (
    budgets,
    campaigns,
    conjectures,
    executors,
    export,
    finds,
    running,
    spaces,
)
from verify.hunt.batches import decide
from verify.hunt.description import Description
from verify.hunt.ledger import Totals

ROOT = Path(__file__).parents[2]
SMALL = "polynomial:height=1,dimension=2,longest=6,tasks=small"
TINY = "polynomial:height=1,dimension=2,longest=5,tasks=small"

# A predicate that ends its process, or hangs in it, on chosen instances.
TROUBLE = """
import os, time
from verify.hunt import HOLDS, Conjecture

def at(case):
    return (case.encoding, case.task, case.train_length, case.length) == {where}

def dies(case):
    if at(case):
        os._exit(3)
    return HOLDS

def hangs(case):
    while at(case):
        time.sleep(0.01)
    return HOLDS

def wrong(case):
    return 1 / 0 if at(case) else HOLDS

DIES, HANGS, WRONG = (Conjecture(f.__name__, "words", f) for f in (dies, hangs, wrong))
"""


def described(name: str, space: str = SMALL, strategy: str = "exhaustive") -> Description:
    return Description(conjectures.source(name), spaces.space(space), strategy, 5)


def hunted(
    directory: Path, description: Description, jobs: int, goals: list[int], hang: float = 60.0
) -> tuple[Totals, list[str]]:
    """A campaign run to each goal in turn."""
    campaign = campaigns.create(directory, description)
    names = []
    for goal in goals:
        with (
            executors.local(jobs) as workers,
            campaigns.locked(campaign),
            campaign.ledger() as ledger,
        ):
            running.run(description, ledger, workers, goal=goal, seconds=None, hang=hang, batch=500)
            totals, names = ledger.totals(), finds.certify(campaign, ledger)
    return totals, names


def test_results_do_not_depend_on_workers_or_on_interruptions(tmp_path: Path) -> None:
    description = described("dichotomy-finite", strategy="random")
    one = hunted(tmp_path / "one", description, 1, [6000])
    two = hunted(tmp_path / "two", description, 2, [700, 1234, 6000])
    assert one[0].instances == two[0].instances == 6000
    assert one[0].outcomes == two[0].outcomes and one[0].outcomes["counterexample"] > 0
    assert one[0].digest == two[0].digest and one[0].best == two[0].best
    assert one[1] == two[1] != []
    for name in one[1]:
        files = [tmp_path / side / "finds" / f"{name}.json" for side in ("one", "two")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_pending_covers_what_is_left_once() -> None:
    generator = random.Random(3)
    for _ in range(200):
        cuts = sorted(generator.sample(range(100), 6))
        done = [(cuts[0], cuts[1]), (cuts[2], cuts[3]), (cuts[4], cuts[5])]
        goal = generator.randrange(1, 120)
        left = [k for low, high in running.pending(done, goal, 7) for k in range(low, high)]
        wanted = [k for k in range(goal) if not any(low <= k < high for low, high in done)]
        assert left == wanted


def test_questions_and_encodings_are_distinct() -> None:
    space = spaces.space("polynomial:height=2,tasks=large")
    listed = spaces.questions(space)
    assert len({(q.train_length, q.length, q.train, q.new) for q in listed}) == len(listed) > 1000
    bases = spaces.encodings(space)
    assert len(set(bases)) == len(bases)
    assert spaces.size(space) == len(listed) * len(bases)
    assert spaces.spec(space, ((1, 0, -2, 3),)) == "expr:[1 - 2*i**2 + 3*i**3]"


def test_every_space_has_instances_that_decide(tmp_path: Path) -> None:
    for name in spaces.SPACES:
        found, _ = decide(described("dichotomy-finite", name).text(), 0, 300, 60)
        assert len(found.codes) == 300 and found.count("undecided") == 0


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with finds."""
    directory = tmp_path_factory.mktemp("hunt") / "span"
    command = ["hunt", "start", "span", "--space", TINY, "--directory", str(directory)]
    assert main(command) == 10
    return directory


def test_finds_are_shrunk_certified_and_exported(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hunt", "show", str(finished)]) == 0
    shown = capsys.readouterr().out
    assert "phi(i) = (" in shown and "accepted by the kernel" in shown and "W = [" in shown
    names = sorted(p.stem for p in (finished / "finds").glob("*.json"))
    assert names and all(name.startswith("span_fails_dim") for name in names)
    found = finds.read(finished / "finds" / f"{names[0]}.json")
    assert found.name == names[0] and len(found.parts) == 3
    target = tmp_path / "test_found.py"
    assert main(["hunt", "export", str(finished), "--pytest", str(target)]) == 0
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(target)]
    assert subprocess.run(run, cwd=ROOT, capture_output=True, check=False).returncode == 0
    # one changed number, and the exported test fails
    text = target.read_text().replace('"outcomes": "h', '"outcomes": "m')
    target.write_text(text)
    assert subprocess.run(run, cwd=ROOT, capture_output=True, check=False).returncode == 1
    assert main(["hunt", "export", str(finished), "--markdown", "-"]) == 0
    assert f"## `{names[0]}`" in capsys.readouterr().out
    assert main(["hunt", "export", str(finished), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    _valid("hunt_finds", document)
    assert names[0] in document["finds"]
    assert main(["hunt", "show", str(finished), names[0], "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["finds"] == {names[0]: document["finds"][names[0]]}


def _valid(schema: str, document: object) -> None:
    file = ROOT / "verify" / "report" / "schema" / f"{schema}.schema.json"
    fastjsonschema.compile(json.loads(file.read_text()))(document)


def test_shrinking_reaches_a_small_instance(finished: Path) -> None:
    smallest = [finds.read(p) for p in (finished / "finds").glob("*.json")]
    assert any(found.train_length == 2 and found.length == 3 for found in smallest)


def test_a_changed_find_is_refused(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next((finished / "finds").glob("*.json"))
    data = json.loads(path.read_text())
    data["instance"]["task"] = "attend-first"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(data))
    with pytest.raises(ValueError, match="another encoding or task"):
        finds.read(changed)


def test_an_exhausted_space_says_so(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "resume", str(finished)]) == 10
    assert "the space is exhausted" in capsys.readouterr().out
    assert main(["hunt", "status", str(finished), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    _valid("hunt", document)
    assert document["instances"] == document["size"] == sum(document["outcomes"].values())
    assert document["best"]["instance"]["task"] and document["finds"]


BAD = [
    (["start", "spam"], "did you mean 'span'"),
    (["start", "nothing.py:X"], "there is no file nothing.py"),
    (["start", "span", "--space", "polynomal"], "polynomial"),
    (["start", "span", "--space", "polynomial:height=ten"], "no option of a space"),
    (["start", "span", "--space", "polynomial:shortest=2"], "dependent"),
    (["start", "span", "--budget", "12 parsecs"], "a budget is a duration"),
    (["start", "span", "--budget", "0s"], "more than nothing"),
    (["start", "span", "--strategy", "lucky"], "lucky"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD)
def test_bad_input(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hunt", *arguments, "--directory", str(tmp_path / "new")]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_used_directory_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    assert main(["hunt", "start", "span", "--directory", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    assert main(["hunt", "resume", str(tmp_path)]) == 2
    assert "holds no campaign" in capsys.readouterr().err


@pytest.fixture
def campaign(tmp_path: Path) -> campaigns.Campaign:
    """A campaign with two ranges in its ledger."""
    description = described("cone")
    hunted(tmp_path / "c", description, 1, [800])
    return campaigns.read(tmp_path / "c")


def _edit(campaign: campaigns.Campaign, statement: str) -> None:
    db = sqlite3.connect(campaign.directory / "ledger.sqlite")
    with db:
        db.execute(statement)
    db.close()


def _garbage(campaign: campaigns.Campaign) -> None:
    (campaign.directory / "ledger.sqlite").write_bytes(b"no database at all, but long" * 200)


def _other_version(campaign: campaigns.Campaign) -> None:
    file = campaign.directory / "campaign.json"
    file.write_text(file.read_text().replace('"version": 1', '"version": 2'))


def _other_seed(campaign: campaigns.Campaign) -> None:
    file = campaign.directory / "campaign.json"
    file.write_text(file.read_text().replace('"seed": 5', '"seed": 6'))


DAMAGE = {
    "damaged": _garbage,
    "has version 2": _other_version,
    "another campaign": _other_seed,
    "was changed": lambda c: _edit(c, "UPDATE batches SET stop = stop - 1 WHERE start = 0"),
    "another version": lambda c: _edit(c, "UPDATE campaign SET version = 9"),
    "tables are missing": lambda c: _edit(c, "DROP TABLE finds"),
    "is missing": lambda c: (c.directory / "ledger.sqlite").unlink(),
    "description is damaged": lambda c: (c.directory / "campaign.json").write_text("{"),
}


@pytest.mark.parametrize("sentence", DAMAGE)
def test_damage_is_told_and_nothing_overwritten(
    sentence: str, campaign: campaigns.Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    DAMAGE[sentence](campaign)
    before = {p: p.read_bytes() for p in campaign.directory.glob("[cl]*") if p.suffix != ".sqlite"}
    assert main(["hunt", "resume", str(campaign.directory)]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1
    assert before == {p: p.read_bytes() for p in before}


def test_two_processes_on_one_campaign_are_refused(
    campaign: campaigns.Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    with campaigns.locked(campaign):
        done = subprocess.run(
            [sys.executable, "-m", "verify", "hunt", "resume", str(campaign.directory)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2 and "another process is at work" in done.stderr
    assert main(["hunt", "resume", str(campaign.directory), "--instances", "800"]) == 0


LIMITED = """
import resource, signal, sys
sys.dont_write_bytecode = True  # a truncated cache would break every later import
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, 1 << 15))
from verify.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are POSIX")
def test_a_full_disk_is_told_and_resumed_from(tmp_path: Path) -> None:
    script = tmp_path / "limited.py"
    script.write_text(LIMITED)
    directory = tmp_path / "full"
    arguments = [
        "hunt",
        "start",
        "deep-row",
        "--directory",
        str(directory),
        "--instances",
        "200000",
    ]
    space = ["--space", "polynomial:height=1"]
    # the limit holds for every file, and a cut .pyc file would stay
    environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, str(script), *arguments, *space],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot be used" in done.stderr and done.stderr.count("\n") == 1
    assert main(["hunt", "resume", str(directory), "--instances", "200000"]) in (0, 10)
    campaign = campaigns.read(directory)
    with campaign.ledger() as ledger:
        assert ledger.totals().instances == 200000


def test_budgets() -> None:
    assert budgets.seconds("1h30m") == 5400 and budgets.seconds("2d") == 172800
    assert budgets.seconds("1.5h") == 5400 and budgets.seconds("90s") == 90
    assert [budgets.spelled(x) for x in (42, 190, 7500)] == ["42s", "3m10s", "2h05m"]


def test_a_budget_ends_a_run(tmp_path: Path) -> None:
    began = time.monotonic()
    command = ["hunt", "start", "deep-row", "--directory", str(tmp_path / "b"), "--budget", "1s"]
    assert main(command) in (0, 10)
    assert time.monotonic() - began < 30


def test_own_conjecture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = ROOT / "examples" / "my_conjecture.py"
    assert len(example.read_text().splitlines()) < 30
    command = ["hunt", "start", f"{example}:FAR", "--space", SMALL]
    assert main([*command, "--directory", str(tmp_path / "far")]) == 10
    assert "certified" in capsys.readouterr().out
    assert main([f"{example}:NEAR" if a.endswith("FAR") else a for a in command]
                + ["--directory", str(tmp_path / "near")]) == 2  # fmt: skip
    assert "has no Conjecture named NEAR" in capsys.readouterr().err


def trouble(tmp_path: Path, name: str) -> tuple[Description, int]:
    """A conjecture that makes trouble at one instance of the first 40, and its number."""
    space, index = spaces.space(SMALL), 23
    case = next(spaces.instances(space, 0, index, index + 1))
    where = repr((case.encoding, case.task, case.train_length, case.length))
    file = tmp_path / "trouble.py"
    file.write_text(TROUBLE.replace("{where}", where))
    return Description(conjectures.source(f"{file}:{name}"), space), index


def test_a_changed_conjecture_file_is_refused(tmp_path: Path) -> None:
    description, _ = trouble(tmp_path, "WRONG")
    Path(description.source.file or "").write_text("changed = True\n")
    with pytest.raises(ValueError, match="is not the file that this campaign was started with"):
        conjectures.load(description.source)


def test_an_exception_is_one_undecided_instance(tmp_path: Path) -> None:
    description, index = trouble(tmp_path, "WRONG")
    found, _ = decide(description.text(), 0, 40, 60)
    assert found.undecided == ((index, "ZeroDivisionError: division by zero"),)
    assert found.count("holds") == 39


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DIES", "HANGS"])
def test_a_lost_worker_costs_one_instance(name: str, tmp_path: Path) -> None:
    description, index = trouble(tmp_path, name)
    campaign = campaigns.create(tmp_path / "c", description)
    with executors.local(2) as workers, campaign.ledger() as ledger:
        running.run(description, ledger, workers, goal=60, seconds=None, hang=4.0, batch=20)
        totals, undecided = ledger.totals(), ledger.undecided()
    assert totals.instances == 60 and totals.outcomes["holds"] == 59
    assert [place for place, _ in undecided] == [index] and "worker died" in undecided[0][1]


@pytest.mark.slow
def test_twenty_kills_change_nothing(tmp_path: Path) -> None:
    count = "400000"
    rest = ["--space", "polynomial:height=2", "--strategy", "random", "--seed", "3"]
    work = ["--instances", count, "--jobs", "2"]

    def run(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "verify", "hunt", *arguments, *work]

    calm = run("start", "dichotomy-finite", *rest, "--directory", str(tmp_path / "calm"))
    assert subprocess.run(calm, cwd=ROOT, capture_output=True, check=False).returncode == 10
    directory, moments = tmp_path / "killed", random.Random(20)
    command = run("start", "dichotomy-finite", *rest, "--directory", str(directory))
    kills = interrupted = 0
    while kills < 20:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(moments.uniform(0.2, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        if (directory / "campaign.json").is_file():
            command = run("resume", str(directory))
            with campaigns.read(directory).ledger() as ledger:
                interrupted += ledger.totals().instances < int(count)
        elif directory.exists():  # killed before it had a description: no campaign yet
            directory.rename(tmp_path / f"stub{kills}")
    assert interrupted
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 10
    results = []
    for side in (tmp_path / "calm", directory):
        campaign = campaigns.read(side)
        with campaign.ledger() as ledger:
            totals = ledger.totals()
            names = finds.best(campaign, ledger)
        files = [(campaign.finds / f"{name}.json").read_bytes() for name in names]
        results.append(
            (totals.instances, totals.outcomes, totals.digest, totals.best, names, files)
        )
    assert results[0] == results[1]
    assert results[0][0] == int(count)


def test_a_find_reads_like_a_paper(finished: Path) -> None:
    found = finds.read(next((finished / "finds").glob("*.json")))
    lines = export.described(found)
    assert lines[0].startswith("Counterexample to span: ")
    assert f"  lengths    L0 = {found.train_length}, L = {found.length}" in lines
