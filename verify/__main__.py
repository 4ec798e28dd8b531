"""The command `pe-verify`, also `python -m verify`.

`recheck` is dispatched here, before the command-line library is imported: it has to work with the
standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on these arguments (default: those of the process); the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["recheck"]:
        from verify import recheck

        return recheck.main(given[1:])
    from verify import cli

    return cli.main(given)


if __name__ == "__main__":
    sys.exit(main())
