"""What is written and where: lines with a style, on a terminal that has its limits."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from pytest_trace.quoting import fold, shorten, visible

Style = Literal["plain", "bad", "strong"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the report and how it is shown."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Screen:
    """What is known of the terminal: its columns and what it can encode."""

    columns: int
    encoding: str = "utf-8"

    @property
    def has_glyphs(self) -> bool:
        """Whether dash and ellipsis take one column; GBK has them, two columns wide."""
        return codecs.lookup(self.encoding).name.startswith("utf")

    @property
    def undefined(self) -> str:
        """How an undefined score is shown."""
        return "–" if self.has_glyphs else "-"

    @property
    def gap(self) -> str:
        """What stands for the middle that was left out."""
        return "…" if self.has_glyphs else "..."

    def shown(self, text: str) -> str:
        """`text` with escapes for what the terminal cannot encode, or nobody could see."""
        text = visible(text)
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def fitted(self, text: str, columns: int | None = None) -> str:
        """`text` as it is shown, shortened to `columns` or to the whole width."""
        return shorten(self.shown(text), self.columns if columns is None else columns, gap=self.gap)

    def folded(self, text: str, style: Style = "plain") -> list[Line]:
        """`text` in lines as wide as the screen, all but the first indented."""
        return [Line(line, style) for line in fold(self.shown(text), self.columns, indent="  ")]


def plural(count: int, word: str) -> str:
    """A count and its word: 1 trace, 2 traces."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
