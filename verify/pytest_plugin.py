"""A pytest plugin: one test for each property of the audited subjects.

    pytest --pe-subject mylib.rope:features --pe-spec rope:dim=64 --pe-length 8192

or, for several subjects, in the configuration:

    [tool.pytest.ini_options]
    pe_audits = [
        "mylib.rope:features rope:dim=64 length=8192",
        "mylib.alibi:slopes alibi",
    ]
    pe_known = "known_failures.txt"

Without these it does nothing, and it imports nothing of the package at load.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

_OPTIONS = {"length": int, "steps": int, "seconds": float}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the configuration entries."""
    group = parser.getgroup("pe-verify", "audit of positional encodings")
    group.addoption("--pe-subject", action="append", default=[], metavar="MODULE:NAME",
                    help="audit this callable or object; may be repeated")  # fmt: skip
    group.addoption("--pe-spec", default=None, metavar="SPEC", help="the exact encoding")
    for name, words in (
        ("length", "positions to cover"), ("dtype", "given to callables that take one"),
        ("model", "the declared rounding"), ("kind", "what the callable is"),
        ("cast", "also audit after a cast to this type"),
    ):  # fmt: skip
        group.addoption(f"--pe-{name}", default=None, metavar=name.upper(), help=words)
    group.addoption("--pe-known", default=None, metavar="FILE", help="file of known failures")
    parser.addini("pe_audits", "lines 'MODULE:NAME SPEC key=value ...' to audit", type="linelist")
    parser.addini("pe_known", "file of known failures, one exact id a line")


def pytest_configure(config: pytest.Config) -> None:
    """Take part only if there is something to audit."""
    if config.getoption("--pe-subject") or config.getini("pe_audits"):
        config.pluginmanager.register(_Audits(config), "pe-verify-audits")


class _Audits:
    """The hooks of a run that audits something."""

    def __init__(self, config: pytest.Config) -> None:
        self.requests = _requests(config)
        self.known: tuple[str, ...] = ()
        self.counts: dict[str, int] = {"audited": 0, "not examined": 0}
        path = config.getoption("--pe-known") or config.getini("pe_known")
        if path:
            from verify.audit.known import read

            try:
                self.known = read(config.rootpath / path)
            except ValueError as problem:
                raise pytest.UsageError(str(problem)) from None

    def pytest_report_header(self) -> str:
        """Which subjects are audited."""
        return "pe-verify audits: " + ", ".join(request["target"] for request in self.requests)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Add one test for each property; a known failure that names none of them is an error."""
        collected: list[_Property] = []
        for request in self.requests:
            collector = _Subject.from_parent(
                session, name=request["target"], nodeid=request["target"], request=request
            )
            collected.extend(collector.collect())
        names = {item.nodeid for item in collected}
        unknown = [name for name in self.known if name not in names]
        if unknown:
            raise pytest.UsageError(
                f"known failure {unknown[0]!r} is stale: no property has this id"
            )
        for item in collected:
            item.counts = self.counts
            if item.nodeid in self.known:
                item.add_marker(pytest.mark.xfail(strict=True, reason="known failure"))
        items.extend(collected)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """How many properties were examined, and how many could not be."""
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        terminalreporter.write_line(
            f"pe-verify: properties: {counts}; {len(self.known)} known failures"
        )


def _requests(config: pytest.Config) -> list[dict[str, Any]]:
    """The arguments of each audit, from the command line and the configuration."""
    given = {
        name: value
        for name in ("length", "dtype", "model", "kind", "cast")
        if (value := config.getoption(f"--pe-{name}")) is not None
    }
    lines = [
        (target, config.getoption("--pe-spec"), dict(given))
        for target in config.getoption("--pe-subject")
    ]
    for line in config.getini("pe_audits"):
        target, *rest = line.split()
        spec = rest.pop(0) if rest and not _is_option(rest[0]) else None
        if not all(_is_option(part) for part in rest):
            raise pytest.UsageError(f"pe_audits line {line!r} is not 'MODULE:NAME SPEC key=value'")
        lines.append((target, spec, dict(part.split("=", 1) for part in rest)))
    requests = []
    for target, spec, options in lines:
        try:
            read = {name: _OPTIONS.get(name, str)(value) for name, value in options.items()}
        except ValueError as problem:
            raise pytest.UsageError(f"an option of the audit of {target}: {problem}") from None
        requests.append({"target": target, "spec": spec, **read})
    return requests


def _is_option(part: str) -> bool:
    name, equals, _ = part.partition("=")
    return bool(equals) and name in (
        "length", "dtype", "model", "kind", "cast", "visibility", "steps", "seconds",
    )  # fmt: skip


class _Subject(pytest.Collector):
    """One audited subject; the audit runs when the first of its properties is tested."""

    def __init__(self, *, request: dict[str, Any], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.request = request
        self._result: Any = None

    def collect(self) -> Iterator[_Property]:
        """The properties that the kinds of the subject have."""
        from verify.audit.run import properties

        try:
            names = properties(
                self.request["target"], self.request.get("kind"), self.request.get("cast")
            )
        except ValueError as problem:
            raise pytest.UsageError(str(problem)) from None
        for name in names:
            nodeid = f"{self.request['target']}::{name}"
            yield _Property.from_parent(self, name=name, nodeid=nodeid)

    def audit(self) -> Any:
        """The result, computed once."""
        if self._result is None:
            from verify.audit.run import audit

            arguments = dict(self.request)
            try:
                self._result = audit(arguments.pop("target"), arguments.pop("spec"), **arguments)
            except (ValueError, TypeError) as problem:
                raise pytest.UsageError(str(problem)) from None
        return self._result


class _Found(Exception):
    """The property fails; the text is that of its findings."""


class _Property(pytest.Item):
    """One property of one subject."""

    parent: _Subject
    counts: dict[str, int]

    def runtest(self) -> None:
        """Fail with the findings of this property; skip what an error left unexamined."""
        from verify.audit.report import text

        result = self.parent.audit()
        found = [finding for finding in result.findings if finding.identity == self.name]
        if found:
            self.counts["audited"] += 1
            raise _Found("\n".join(text(finding) for finding in found))
        if self.name not in result.examined:
            self.counts["not examined"] += 1
            pytest.skip("not examined: the subject gave no usable answer")
        self.counts["audited"] += 1

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The findings themselves, without a traceback through this plugin."""
        if isinstance(excinfo.value, _Found):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the test is said to be: at the subject."""
        return self.parent.request["target"], None, self.nodeid
