"""Subjects: what is audited, and the process that it runs in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit import worker
from verify.audit.values import Values
from verify.audit.wire import Closed, Late, receive, send

STARTUP_SECONDS: Final = 300.0  # importing a large framework on a busy machine


@dataclass(frozen=True, slots=True)
class Subject:
    """The code under audit: `module:name`, or an object in memory, with the kind if it is said."""

    reference: str
    target: Any = None
    kind: str | None = None


def subject(target: Any, kind: str | None = None) -> Subject:
    """The subject for `module:name` or for any object."""
    if isinstance(target, Subject):
        return target
    if isinstance(target, str):
        return Subject(target, None, kind)
    owner = getattr(target, "__qualname__", type(target).__qualname__)
    module = getattr(target, "__module__", None) or type(target).__module__
    return Subject(f"{module}:{owner}", target, kind)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: `value` with the arrays, or `shape` (not numbers), `error`, `timeout`, `died`."""

    status: str
    names: tuple[str, ...] = ()
    values: tuple[Values, ...] = ()
    text: str = ""


@dataclass(slots=True)
class Session:
    """A running subject. Calls never raise for what the subject does; `fresh` starts it anew."""

    subject: Subject
    seconds: float
    offered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    direct: bool = True
    made: bool = False
    libraries: dict[str, str] = field(default_factory=dict)
    sources: dict[str, tuple[str, int]] = field(default_factory=dict)
    failure: Reply | None = None
    _process: int | None = None
    _streams: tuple[int, int] = (-1, -1)

    def start(self) -> None:
        """Start the process and load the subject; ValueError if there is no such subject."""
        start = _fork if self.subject.target is not None else _spawn
        self._process, self._streams = start(self.subject)
        try:
            header, _ = receive(self._streams[0], max(self.seconds, STARTUP_SECONDS))
        except Late:
            self.failure = Reply("timeout", text="importing the subject did not end in time")
            self.close()
            return
        except Closed:
            self.failure = Reply("died", text=f"importing the subject {self._ending()}")
            return
        if header["status"] == "usage":
            self.close()
            raise ValueError(header["text"])
        if header["status"] == "error":
            self.close()
            self.failure = Reply("error", text=header["text"])
            return
        self.failure = None
        self.offered = {kind: tuple(names) for kind, names in header["offered"].items()}
        self.versions, self.direct = header["versions"], header["direct"]
        self.made, self.libraries = header["made"], header["libraries"]
        self.sources = {kind: (path, line) for kind, (path, line) in header["sources"].items()}

    def fresh(self) -> None:
        """End the process and start the subject in a new one."""
        self.close()
        self.start()

    def call(
        self,
        kind: str,
        *arguments: int | npt.NDArray[Any] | Values,
        dtype: str | None = None,
        length: int | None = None,
        **keywords: Any,
    ) -> Reply:
        """Call one of the subject's callables; options it has no parameter for are left out."""
        arrays, described = list[Values](), list[dict[str, int]]()
        for argument in arguments:
            if isinstance(argument, int):
                described.append({"number": argument})
                continue
            if not isinstance(argument, Values):
                argument = Values(argument.dtype.name, argument)  # noqa: PLW2901
            described.append({"array": len(arrays)})
            arrays.append(argument)
        options = {"dtype": dtype, "length": length, **keywords}
        request = {
            "call": kind,
            "arguments": described,
            "keywords": {name: value for name, value in options.items() if value is not None},
        }
        return self._ask(request, arrays)

    def cast(self, dtype: str) -> Reply:
        """Cast the subject to another type, as a user would, without building it anew."""
        return self._ask({"cast": dtype}, [])

    def _ask(self, request: Mapping[str, Any], arrays: Sequence[Values]) -> Reply:
        if self._process is None:
            self.start()
        if self.failure is not None:
            return self.failure
        try:
            send(self._streams[1], dict(request), arrays)
            header, values = receive(self._streams[0], self.seconds)
        except Late:
            self.close()
            return Reply("timeout", text=f"no answer within {self.seconds:g} s")
        except Closed:
            return Reply("died", text=f"the process {self._ending()}")
        return Reply(
            header["status"], tuple(header.get("names", ())), tuple(values), header.get("text", "")
        )

    def _ending(self) -> str:
        """How the process ended; it is reaped."""
        assert self._process is not None
        _, status = os.waitpid(self._process, 0)
        self._release()
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            return f"was ended by signal {-code} ({signal.Signals(-code).name})"
        return f"ended by itself with exit code {code}"

    def _release(self) -> None:
        for stream in self._streams:
            with suppress(OSError):
                os.close(stream)
        self._process, self._streams = None, (-1, -1)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self._process, 0)
            self._release()

    def __enter__(self) -> Session:
        self.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def _pipes() -> tuple[int, int, int, int]:
    answers, answering = os.pipe()
    requests, requesting = os.pipe()
    return answers, answering, requests, requesting


_BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from verify.audit.worker import main; main(int(sys.argv[2]), int(sys.argv[3]))"
)


def _spawn(what: Subject) -> tuple[int, tuple[int, int]]:
    """A new interpreter that imports the subject by name."""
    answers, answering, requests, requesting = _pipes()
    path = [entry or os.getcwd() for entry in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-c", _BOOT, json.dumps(path), str(requests), str(answering)],
        pass_fds=(requests, answering),
        stdin=subprocess.DEVNULL,
    )
    process.returncode = 0  # it is reaped here by its id, not by the Popen object
    os.close(requests)
    os.close(answering)
    with suppress(Closed):
        send(requesting, {"reference": what.reference, "kind": what.kind})
    return process.pid, (answers, requesting)


def _fork(what: Subject) -> tuple[int, tuple[int, int]]:
    """A copy of this process that has the object already."""
    answers, answering, requests, requesting = _pipes()
    process = os.fork()
    if process == 0:
        try:
            os.close(answers)
            os.close(requesting)
            worker.serve(requests, answering, _obtain(what))
        finally:
            os._exit(0)
    os.close(requests)
    os.close(answering)
    return process, (answers, requesting)


def _obtain(what: Subject) -> Callable[[], tuple[Any, str, str | None]]:
    return lambda: (what.target, what.reference, what.kind)


def positions_argument(positions: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Positions as subjects receive them: int64."""
    return np.asarray(positions, np.int64)
