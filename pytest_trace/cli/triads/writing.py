"""The folder of results: each file is written beside its name, and all take their names at the end.

A run that fails or is stopped leaves what an earlier one wrote as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from pytest_trace.errors import InvalidCase

ROWS: Final = "per_query_triad.jsonl"
LOW: Final = "low_score_cases.jsonl"
METRICS: Final = "metrics.json"
REPORT: Final = "report.md"
_NAMES: Final = (ROWS, LOW, METRICS, REPORT)
_PART: Final = ".part"


@contextmanager
def result_files(folder: Path) -> Iterator[dict[str, TextIO]]:
    """The four files by name, open for writing; the folder is made.

    Raises `InvalidCase` where it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidCase(f"{folder} is a file; expected a folder to write to") from error
    parts = {name: folder / f"{name}{_PART}" for name in _NAMES}
    try:
        with ExitStack() as stack:
            yield {name: stack.enter_context(_opened(part)) for name, part in parts.items()}
        for name, part in parts.items():
            part.replace(folder / name)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _opened(path: Path) -> TextIO:
    """Lone surrogates stay as the escapes that JSON has for them."""
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def pretty(value: Any) -> str:
    """`value` as JSON to be read."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
