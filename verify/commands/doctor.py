"""`pe-verify doctor`: what is installed, what is missing, what a missing part would add."""

from __future__ import annotations

import platform

import click

from verify import __version__, environment
from verify.commands._shared import Output, json_option
from verify.report import json_report, layout


@click.command("doctor")
@json_option
def command(json_output: Output | None) -> int:
    """Say what is installed, what is missing, and what each missing part would add.

    Exit code 1 when something that pe-verify always needs is missing or broken.
    """
    broken = False
    packages = []
    rows = [("ok", "pe-verify", __version__, ""), ("ok", "Python", platform.python_version(), "")]
    for package in environment.PACKAGES:
        version = package.version
        fault = environment.fault(package) if version else None
        state = "missing" if version is None else "broken" if fault else "ok"
        broken |= state != "ok" and not package.extra
        remedy = f"; {package.command}" if version is None else ""
        rows.append((state, package.distribution, version or "-", fault or package.adds + remedy))
        packages.append(
            {
                "name": package.distribution,
                "extra": package.extra or None,
                "version": version,
                "state": state,
                "adds": package.adds,
                "fault": fault,
            }
        )
    if json_output is not None:
        document = {
            "version": __version__,
            "python": platform.python_version(),
            "packages": packages,
        }
        json_report.write(document, json_output.file)
    if json_output is None or not json_output.standard:
        layout.table(layout.console(), ("", "package", "version", "what it is for"), rows)
    return int(broken)
