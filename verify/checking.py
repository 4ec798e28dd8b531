"""The theorem suite from Python: `verify.check("proposition-1").outcome`."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Literal

from verify.statements import Profile, Statement, load, registry, select
from verify.verdicts import Verdict

ProfileName = Literal["quick", "full"]


def known(file: Path | None = None) -> dict[str, Statement]:
    """The statements of a user's FILE, or the project's own.

    Whatever goes wrong while FILE runs is one ValueError that names the place.
    """
    if file is None:
        return registry()
    try:
        found = load(file)
    except SyntaxError as problem:
        where = problem.filename or file
        raise ValueError(f"{where}, line {problem.lineno}: {problem.msg}") from problem
    except Exception as problem:
        line = _line_in(os.path.abspath(file), problem.__traceback__)
        if line is None:  # the file could not be read at all: the message says so
            raise
        what = (
            str(problem) if type(problem) is ValueError else f"{type(problem).__name__}: {problem}"
        )
        raise ValueError(f"{file}, line {line}: {what}") from problem
    if not found:
        raise ValueError(f"{file} declares no statement")
    return found


def _line_in(file: str, trace: TracebackType | None) -> int | None:
    """The innermost line of FILE that a traceback passes through."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def check_all(
    *ids: str,
    profile: ProfileName = "full",
    jobs: int = 1,
    statements: Path | str | None = None,
    certificates: Path | str | None = None,
) -> list[Verdict]:
    """Verdicts of the statements with these ids (all of them when none is given), in their order.

    profile: `quick` shrinks numeric ranges. jobs: processes. statements: a Python file with a tuple
    STATEMENTS instead of the project's own. certificates: a folder for the accepted certificates.
    Raises ValueError for an unknown id or profile.
    """
    from verify import suite

    if profile not in ("quick", "full"):
        raise ValueError(f"the profile is 'quick' or 'full', not {profile!r}")
    if jobs < 1:
        raise ValueError(f"the number of jobs is 1 or more, not {jobs}")
    source = Path(statements) if statements is not None else None
    chosen = select(ids, known(source))
    directory = Path(certificates) if certificates is not None else None
    return list(
        suite.run(chosen, profile=Profile(profile), jobs=jobs, source=source, directory=directory)
    )


def check(
    statement: str, *, profile: ProfileName = "full", statements: Path | str | None = None
) -> Verdict:
    """The verdict of one statement, e.g. `check("proposition-1").outcome`.

    Raises ValueError for an unknown id, and for an id that stands for several parts.
    """
    found = known(Path(statements) if statements is not None else None)
    parts = [chosen.id for chosen in select([statement], found)]
    if len(parts) > 1:
        raise ValueError(
            f"{statement!r} has the parts {', '.join(parts)}; name one of them, or use check_all"
        )
    (verdict,) = check_all(statement, profile=profile, statements=statements)
    return verdict
