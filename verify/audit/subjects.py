"""Subjects: what is audited, and the process that it runs in."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class _Home:
    """A process that has loaded the subject and forks servers, and the socket to it."""

    process: int
    control: socket.socket


@dataclass(slots=True)
class Session:
    """A running subject. Calls never raise for what the subject does; `fresh` starts it anew.

    A subject named `module:name` is loaded once, in a new interpreter from which every server is
    forked; an object in memory is served by a copy of this process.
    """

    subject: Subject
    seconds: float
    offered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    direct: bool = True
    made: bool = False
    libraries: dict[str, str] = field(default_factory=dict)
    sources: dict[str, tuple[str, int]] = field(default_factory=dict)
    failure: Reply | None = None
    _home: _Home | None = None
    _process: int | None = None
    _streams: tuple[int, int] = (-1, -1)

    def start(self) -> None:
        """Load the subject and start serving it; ValueError if there is no such subject."""
        try:
            known = self.subject.target is not None
            description = self._fork() if known else self._spawn()
        except Late:
            self._fail("timeout", "importing the subject did not end in time")
        except Closed:
            self._fail("died", "importing the subject ended its process")
        else:
            self._read(description)

    def _fail(self, status: str, text: str) -> None:
        self.close()
        self.failure = Reply(status, text=text)

    def _read(self, header: Mapping[str, Any]) -> None:
        """What the subject offers, as the process says that loaded it."""
        if header["status"] == "usage":
            self.close()
            raise ValueError(header["text"])
        if header["status"] == "error":
            self._fail("error", header["text"])
            return
        self.failure = None
        self.offered = {kind: tuple(names) for kind, names in header["offered"].items()}
        self.versions, self.direct = header["versions"], header["direct"]
        self.made, self.libraries = header["made"], header["libraries"]
        self.sources = {kind: (path, line) for kind, (path, line) in header["sources"].items()}

    def _spawn(self) -> Mapping[str, Any]:
        """A new interpreter that imports the subject, unless one has, and a server forked there."""
        description: Mapping[str, Any] = {}
        if self._home is None:
            self._home = _interpreter(self.subject)
            seconds = max(self.seconds, STARTUP_SECONDS)
            description, _ = receive(self._home.control.fileno(), seconds)
            if description["status"] != "ready":
                return description
        control = self._home.control
        send(control.fileno(), {"new": True})
        answer, _ = receive(control.fileno(), STARTUP_SECONDS)
        _, (answers, requesting), _, _ = socket.recv_fds(control, 1, 2)
        self._process, self._streams = answer["process"], (answers, requesting)
        if answer["alone"]:  # it serves by itself and cannot start another server
            control.close()
            self._home = None
        return description

    def _fork(self) -> Mapping[str, Any]:
        """A copy of this process that has the object already."""
        (answers, answering), (requests, requesting) = os.pipe(), os.pipe()
        process = os.fork()
        if process == 0:
            try:
                os.close(answers)
                os.close(requesting)
                worker.silence()
                what = self.subject
                server = worker.obtain(lambda: what.target, what.reference, what.kind)
                if isinstance(server, dict):
                    send(answering, server)
                else:
                    send(answering, {"status": "ready", **server.describe()})
                    worker.serve(server, requests, answering)
            finally:
                os._exit(0)
        os.close(requests)
        os.close(answering)
        self._process, self._streams = process, (answers, requesting)
        return receive(answers, max(self.seconds, STARTUP_SECONDS))[0]

    def fresh(self) -> None:
        """End the server and start one that has answered nothing yet."""
        self._end()
        if self._home is None:
            self.start()
        else:
            self._spawn()

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
        if self._process is None and self.failure is None:
            self.fresh()
        if self.failure is not None:
            return self.failure
        try:
            send(self._streams[1], dict(request), arrays)
            header, values = receive(self._streams[0], self.seconds)
        except Late:
            self._end()
            return Reply("timeout", text=f"no answer within {self.seconds:g} s")
        except Closed:
            return Reply("died", text=f"the process {_spelled(self._end())}")
        return Reply(
            header["status"], tuple(header.get("names", ())), tuple(values), header.get("text", "")
        )

    def _end(self) -> int:
        """End the server, if there is one, and reap it: its exit code, minus a signal's number."""
        if self._process is None:
            return 0
        process, self._process = self._process, None
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)  # no effect on one that has ended
        for stream in self._streams:
            with suppress(OSError):
                os.close(stream)
        if self._home is None:
            return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        try:
            send(self._home.control.fileno(), {"reap": process})
            return int(receive(self._home.control.fileno(), STARTUP_SECONDS)[0]["code"])
        except (Closed, Late):  # the process that loaded the subject is gone too
            self._home = None
            return -int(signal.SIGKILL)

    def close(self) -> None:
        """End all processes of this subject."""
        with suppress(Closed, Late, ChildProcessError):
            self._end()
        if self._home is not None:
            home, self._home = self._home, None
            home.control.close()
            with suppress(ProcessLookupError):
                os.kill(home.process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(home.process, 0)

    def __enter__(self) -> Session:
        self.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def _spelled(code: int) -> str:
    if code < 0:
        return f"was ended by signal {-code} ({signal.Signals(-code).name})"
    return f"ended by itself with exit code {code}"


_BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from verify.audit.worker import main; main(int(sys.argv[2]))"
)


def _interpreter(what: Subject) -> _Home:
    """A new interpreter that is told which subject to load. One thread: it is going to fork."""
    ours, theirs = socket.socketpair()
    path = [entry or os.getcwd() for entry in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-c", _BOOT, json.dumps(path), str(theirs.fileno())],
        pass_fds=(theirs.fileno(),),
        stdin=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    process.returncode = 0  # it is reaped by its id, not by the Popen object
    theirs.close()
    with suppress(Closed):
        send(ours.fileno(), {"reference": what.reference, "kind": what.kind})
    return _Home(process.pid, ours)
