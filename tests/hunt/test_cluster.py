"""A real Dask scheduler with two worker processes on this machine; needs the extra `cluster`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from verify.cli import main
from verify.hunt import campaigns, finds

ROOT = Path(__file__).parents[2]
SPACE = "polynomial:height=1,dimension=2,tasks=small"

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """The scheduler's address, and the ids of the workers' nannies."""
    with started(tmp_path_factory.mktemp("dask"), workers=2, threads=1) as found:
        yield found


@contextmanager
def started(folder: Path, workers: int, threads: int) -> Iterator[tuple[str, list[int]]]:
    pytest.importorskip("distributed")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    log = folder / "scheduler.log"
    processes = []
    with open(log, "w") as out:
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
        command += ["--host", "127.0.0.1", "--no-dashboard"]
        processes.append(subprocess.Popen(command, stderr=out, stdout=out, env=environment))
    for _ in range(300):
        found = re.search(r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)", log.read_text())
        if found:
            break
        time.sleep(0.1)
    assert found, log.read_text()
    with open(folder / "workers.log", "w") as out:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", found[1]]
        command += ["--nworkers", str(workers), "--nthreads", str(threads), "--no-dashboard"]
        command += ["--local-directory", str(folder)]
        processes.append(subprocess.Popen(command, stderr=out, stdout=out, env=environment))
    _wait_for_workers(found[1], workers)
    try:
        yield found[1], [p.pid for p in processes]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


def results(directory: Path) -> tuple[object, ...]:
    campaign = campaigns.read(directory)
    with campaign.ledger() as ledger:
        totals = ledger.totals()
        return totals.instances, totals.outcomes, totals.digest, finds.best(campaign, ledger)


def test_a_cluster_decides_what_one_process_decides(
    cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    command = ["hunt", "start", "dichotomy-finite", "--space", SPACE, "--directory"]
    assert main([*command, str(tmp_path / "far"), "--cluster", cluster[0]]) == 10
    assert main([*command, str(tmp_path / "near")]) == 10
    assert results(tmp_path / "far") == results(tmp_path / "near")


def test_a_worker_that_is_killed_is_replaced(
    cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "verify", "hunt", "start", "span", "--space"]
    command += ["polynomial:height=1", "--strategy", "random", "--instances", "40000"]
    command += ["--directory", str(tmp_path / "c"), "--cluster", cluster[0]]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    time.sleep(4)
    os.kill(_worker_ids(cluster[0])[0], signal.SIGKILL)
    assert run.wait(300) == 10
    command[-1:] = []  # the same on this machine
    command = [*command[:-1], "--jobs", "2"]
    command[command.index(str(tmp_path / "c"))] = str(tmp_path / "d")
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 10
    assert results(tmp_path / "c") == results(tmp_path / "d")


def _worker_ids(address: str) -> list[int]:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


def test_an_unreachable_cluster_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    command = ["hunt", "start", "span", "--directory", str(tmp_path / "c")]
    assert main([*command, "--cluster", "tcp://127.0.0.1:1"]) == 2
    told = capsys.readouterr().err
    assert "is unreachable" in told and "tcp://host:8786" in told
    assert not (tmp_path / "c").exists()


def test_workers_with_several_threads_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with started(tmp_path, workers=1, threads=2) as (address, _):
        command = ["hunt", "start", "span", "--directory", str(tmp_path / "c")]
        assert main([*command, "--cluster", address]) == 2
    assert "start them with `--nthreads 1`" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
