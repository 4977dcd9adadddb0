"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Marks(StrEnum):
    """The mark policies, as choices of an option."""

    DEFAULT = "default"
    STRICT = "strict"
    RAGBENCH = "ragbench"


Spec = Annotated[str, typer.Option("--judge", metavar="SPEC", help="Who judges.")]
Policy = Annotated[Marks, typer.Option("--marks", help="Which marks support a sentence.")]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, max=256, help="Traces that are judged at once.")
]
CacheDir = Annotated[Path, typer.Option("--cache-dir", help="The folder of the cache.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache.")]
