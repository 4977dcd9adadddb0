"""Notes on what was odd in a reply: `what: how often`, so that those of many replies add up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_COUNTED: Final = re.compile(r"(.*): (\d{1,9})", re.DOTALL)


def counted(counts: Counter[str]) -> tuple[str, ...]:
    """A note for each thing that occurred."""
    return tuple(f"{what}: {count}" for what, count in counts.items() if count)


def summed(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes of several verdicts, each thing once; other notes stay as they are."""
    counts: Counter[str] = Counter()
    others: dict[str, None] = {}
    for note in notes:
        if match := _COUNTED.fullmatch(note):
            counts[match[1]] += int(match[2])
        else:
            others[note] = None
    return (*counted(counts), *others)
