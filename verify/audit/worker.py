"""The process in which a subject runs: it loads the subject and answers calls until told to stop.

Whatever the subject does (raise, hang, exhaust memory, kill its process) ends here.
"""

from __future__ import annotations

import importlib
import os
import socket
import sys
import traceback
from collections.abc import Callable
from importlib import metadata
from types import ModuleType
from typing import Any

from verify.audit.kinds import Unrecognised, instance, parameters, recognise
from verify.audit.values import NotNumbers, Values, library_dtype, to_library, to_values
from verify.audit.wire import Closed, receive, send


class Missing(ValueError):
    """The named module or attribute does not exist."""


def load(reference: str) -> Any:
    """The object that `module:name` names; the name may be dotted."""
    module_name, _, path = reference.partition(":")
    if not module_name or not path:
        raise Missing(f"subject {reference!r} is not of the form MODULE:NAME")
    try:
        target: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        if problem.name and (module_name + ".").startswith(problem.name + "."):
            raise Missing(f"there is no module {problem.name!r} to find {reference} in") from None
        raise
    for name in path.split("."):
        try:
            target = getattr(target, name)
        except AttributeError:
            raise Missing(f"{module_name!r} has no attribute {path!r}") from None
    return target


def _libraries(function: Callable[..., Any]) -> list[str]:
    """The array libraries to offer arguments in, best first: those the function's module uses."""
    inner: Any = function
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    owner = getattr(inner, "__self__", inner)
    declared = getattr(owner, "array", None) or getattr(inner, "array", None)
    if isinstance(declared, str):
        return [declared]
    call = type(owner).__call__ if not hasattr(inner, "__code__") else inner
    scope = getattr(getattr(inner, "__func__", inner), "__globals__", None)
    scope = scope if scope is not None else getattr(call, "__globals__", {})
    roots = {
        (value.__name__ if isinstance(value, ModuleType) else type(value).__module__)
        for value in list(scope.values())
    } | {base.__module__ for base in type(owner).__mro__}
    used = {root.partition(".")[0] for root in roots}
    return [name for name in ("torch", "jax", "mlx") if name in used and name in sys.modules] + [
        "numpy"
    ]


def _version(root: str) -> str | None:
    """The version of an imported package, if it says one."""
    try:
        return metadata.version(root)
    except metadata.PackageNotFoundError:
        version = getattr(sys.modules[root], "__version__", None)
        return version if isinstance(version, str) else None


def _source(function: Callable[..., Any]) -> tuple[str, int] | None:
    """The file and line where the callable is written, if it is written in Python."""
    inner: Any = function
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code = getattr(getattr(inner, "__func__", inner), "__code__", None)
    code = code or getattr(type(inner).__call__, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


def _explain(problem: BaseException) -> str:
    """One line: the exception and where in the subject's code it was raised."""
    frames = traceback.extract_tb(problem.__traceback__)
    last = next((f for f in reversed(frames) if "/verify/audit/" not in f.filename), None)
    place = f" (in {last.name}, {os.path.basename(last.filename)}:{last.lineno})" if last else ""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:300]}{place}"


def _split(result: Any) -> tuple[list[str], list[Values]]:
    """A dict or a tuple of arrays gives several named arrays, anything else one."""
    if isinstance(result, dict):
        return [str(key) for key in result], [to_values(value) for value in result.values()]
    if isinstance(result, tuple) and result and all(hasattr(e, "shape") for e in result):
        return [str(k) for k in range(len(result))], [to_values(value) for value in result]
    return [""], [to_values(result)]


class _Server:
    """The loaded subject: its callables and the array library each of them turned out to take."""

    def __init__(self, target: Any, name: str, kind: str | None) -> None:
        self.target = instance(target) if kind is None else target
        self.made = self.target is not target
        self.name, self.kind = name, kind
        self.offered = recognise(self.target, name, kind)
        self.library: dict[str, str] = {}

    def describe(self) -> dict[str, Any]:
        homes = {
            getattr(f, "__module__", None) or type(f).__module__ for f in self.offered.values()
        }
        roots = {home.partition(".")[0] for home in homes} | {"jax", "mlx", "numpy", "torch"}
        return {
            "offered": {kind: list(parameters(f)) for kind, f in self.offered.items()},
            "versions": {r: v for r in sorted(roots & set(sys.modules)) if (v := _version(r))},
            "sources": {k: place for k, f in self.offered.items() if (place := _source(f))},
            "libraries": {kind: _libraries(f)[0] for kind, f in self.offered.items()},
            "made": self.made,
            "direct": any(function is self.target for function in self.offered.values()),
        }

    def call(self, request: dict[str, Any], arrays: list[Values]) -> tuple[list[str], list[Values]]:
        kind = request["call"]
        function = self.offered[kind]
        known = parameters(function)
        options = [self.library[kind]] if kind in self.library else _libraries(function)
        first: Exception | None = None
        for library in options:
            given = [
                to_library(arrays[a["array"]], library) if "array" in a else a["number"]
                for a in request["arguments"]
            ]
            keywords = {k: v for k, v in request["keywords"].items() if k in known}
            try:
                if "dtype" in keywords:
                    keywords["dtype"] = library_dtype(keywords["dtype"], library)
                answer = _split(function(*given, **keywords))
            except Exception as problem:
                first = first or problem
                continue
            self.library[kind] = library
            return answer
        assert first is not None
        raise first

    def cast(self, dtype: str) -> None:
        """Cast the subject as its users do: `cast(dtype)` if it has that, else `to(dtype)`."""
        owner = self.target
        if not hasattr(owner, "cast") and not hasattr(owner, "to"):
            owner = getattr(owner, "__self__", owner)
        convert = getattr(owner, "cast", None) or getattr(owner, "to", None)
        if convert is None:
            raise TypeError("the subject has neither cast(dtype) nor to(dtype)")
        library = "torch" if "torch" in _libraries(convert) else "numpy"
        result = convert(library_dtype(dtype, library))
        if result is not None and result is not owner:
            self.target = result
            self.offered = recognise(result, self.name, self.kind)


def obtain(target: Callable[[], Any], name: str, kind: str | None) -> _Server | dict[str, Any]:
    """The loaded subject, or the message that says why there is none."""
    try:
        return _Server(target(), name, kind)
    except (Missing, Unrecognised) as problem:
        return {"status": "usage", "text": str(problem)}
    except BaseException as problem:
        return {"status": "error", "text": _explain(problem)}


def silence() -> None:
    """What a subject prints goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def serve(server: _Server, incoming: int, outgoing: int) -> None:
    """Answer requests until the auditor is gone."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)  # a forked process must not enter a parallel region
    while True:
        try:
            request, arrays = receive(incoming)
        except Closed:
            return
        try:
            if "cast" in request:
                server.cast(request["cast"])
                send(outgoing, {"status": "value", "names": []})
                continue
            names, values = server.call(request, arrays)
        except NotNumbers as problem:
            send(outgoing, {"status": "shape", "text": str(problem)})
        except BaseException as problem:
            send(outgoing, {"status": "error", "text": _explain(problem)})
        else:
            send(outgoing, {"status": "value", "names": names}, values)


def main(control_number: int) -> None:
    """Load the subject that the first message names, then fork a server whenever one is wanted.

    So a subject is imported once and every server starts from the state right after loading. The
    auditor's ends of a server's pipes go to it over the control socket.
    """
    silence()
    control = socket.socket(fileno=control_number)
    request, _ = receive(control_number)
    loaded = obtain(lambda: load(request["reference"]), request["reference"], request["kind"])
    if isinstance(loaded, dict):
        send(control_number, loaded)
        return
    send(control_number, {"status": "ready", **loaded.describe()})
    threaded = bool({"jax", "mlx"} & set(sys.modules))  # forking would break their threads
    while True:
        try:
            request, _ = receive(control_number)
        except Closed:
            return
        if "reap" in request:
            status = os.waitstatus_to_exitcode(os.waitpid(request["reap"], 0)[1])
            send(control_number, {"code": status})
            continue
        (answers, answering), (requests, requesting) = os.pipe(), os.pipe()
        process = os.getpid() if threaded else os.fork()
        if process == 0:
            for stream in (answers, requesting, control_number):
                os.close(stream)
            try:
                serve(loaded, requests, answering)
            finally:
                os._exit(0)
        send(control_number, {"process": process, "alone": threaded})
        socket.send_fds(control, [b"."], [answers, requesting])
        os.close(answers)
        os.close(requesting)
        if threaded:
            serve(loaded, requests, answering)
            return
        os.close(requests)
        os.close(answering)
