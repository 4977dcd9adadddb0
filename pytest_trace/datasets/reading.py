"""Reading cases: every row of a file, one at a time, with what to do about a row that is wrong."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from pytest_trace.datasets.cases import Case, rows
from pytest_trace.errors import InvalidCase

OnBadRow = Literal["fail", "skip"]
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def iter_cases(
    path: str | os.PathLike[str],
    *,
    shape: str | None = None,
    fields: Mapping[str, str] = _NONE,
    on_bad_row: OnBadRow = "fail",
    on_skipped: Callable[[InvalidCase], Any] | None = None,
) -> Iterator[Case]:
    """The cases of a file, one at a time: memory does not grow with the file.

    `fields` says which field of a row holds what: `{"question": "prompt"}`.
    With `on_bad_row="skip"` a row that is wrong is handed to `on_skipped` as the `InvalidCase`
    that names it; without `on_skipped` a warning counts and names them at the end.
    """
    del shape, fields  # to come
    skipped: list[InvalidCase] = []
    for row in rows(Path(path)):
        if isinstance(row, Case):
            yield row
        elif on_bad_row == "fail":
            raise row
        elif on_skipped is not None:
            on_skipped(row)
        else:
            skipped.append(row)
    if skipped:
        warnings.warn(f"{len(skipped)} rows skipped: {skipped[0]}", stacklevel=2)
