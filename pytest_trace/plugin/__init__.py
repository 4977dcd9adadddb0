"""The layer that knows pytest.

pytest rewrites the assert statements of everything that a plugin's distribution installs, compiling
each module anew where it may not write bytecode, as in many containers. There is no assert
statement here, so the package is taken off that list before most of it is imported.
"""

from __future__ import annotations

import sys


def _leave_unrewritten(package: str) -> None:
    for finder in sys.meta_path:
        marked = getattr(finder, "_must_rewrite", None)  # pytest's own; nothing public unmarks
        if isinstance(marked, set):
            marked.discard(package)


_leave_unrewritten("pytest_trace")
