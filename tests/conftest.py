"""What every test module shares: the hypothesis profiles.

`ci` is loaded when the environment sets CI: the same examples on every run, no time limit on one
example (a shared machine is slow at will), nothing kept between runs. On a developer's machine the
examples are random and failures are remembered, so that more cases are seen over time.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")
