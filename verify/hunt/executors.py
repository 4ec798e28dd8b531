"""Where ranges are decided: processes of this machine, or the workers of a Dask cluster.

Both are used through `concurrent.futures`. A worker that dies, or ends itself because it hangs
(`batches.decide`), shows as a future whose exception `died` recognizes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection
from typing import Any, Protocol

REACH = 10  # seconds to reach a cluster


class Workers(Protocol):
    """What a run needs. jobs: how many ranges are decided at a time."""

    @property
    def jobs(self) -> int: ...  # noqa: D102

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """As an executor does."""
        ...

    def renew(self) -> None:
        """Replace what a death has broken; every future handed out before has ended."""
        ...


class _Local:
    """A process pool, made anew after a death, which breaks it."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool = self._made()

    def _made(self) -> Executor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.jobs, mp_context=context, initializer=_stay_with_parent)

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._pool.submit(call, *arguments)

    def renew(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._made()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _stay_with_parent() -> None:
    """Leave the keyboard to the parent, and end when it ends, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def local(jobs: int) -> Iterator[Workers]:
    """Worker processes on this machine."""
    pool = _Local(jobs)
    try:
        yield pool
    finally:
        pool.close()


class _Cluster:
    """The executor of a Dask client; its scheduler replaces workers itself."""

    def __init__(self, executor: Executor, jobs: int) -> None:
        self.jobs = jobs
        self._executor = executor

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(call, *arguments)

    def renew(self) -> None:
        """Nothing to do."""


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """The workers of a Dask scheduler such as tcp://host:8786 (with one thread each).

    ValueError if it cannot be reached or has no worker.
    """
    from distributed import Client

    try:
        client = Client(address, timeout=REACH, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise ValueError(
            f"the cluster {address} is unreachable ({type(problem).__name__}); give the address of"
            " a running Dask scheduler such as tcp://host:8786"
        ) from None
    try:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        # The guard against hanging (`batches.decide`) is one to a process, so a range is, too.
        if any(worker["nthreads"] > 1 for worker in workers.values()):
            raise ValueError(
                f"the cluster {address} has workers with several threads; start them with"
                " `--nthreads 1`, and as many with `--nworkers` as there are cores"
            )
        jobs = len(workers)
        if not jobs:
            raise ValueError(f"the cluster {address} has no worker; start `dask worker {address}`")
        with client.get_executor(pure=False) as executor:
            yield _Cluster(executor, jobs)
    finally:
        client.close()


def died(problem: BaseException) -> bool:
    """Whether a future failed because its worker died."""
    return isinstance(problem, BrokenExecutor) or type(problem).__name__ == "KilledWorker"
