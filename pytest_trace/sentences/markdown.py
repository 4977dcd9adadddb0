"""Markdown blocks: what is a unit of its own, and what is prose that is split further.

It reads what people and models write rather than all of CommonMark. Nothing is rewritten:
a block is a stretch of the text, and only the delimiter row of a table lies in none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*\r?\n(?=[\w-]+:)(?:[^\r\n]+\r?\n)+?(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
_LINE = re.compile(r"([ \t\f\ufeff]*(?:>[ \t]*)*)([^\r\n]*)(?:\r\n?|\n|\Z)")
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_HEADING = re.compile(r"#{1,6}(?:\s|\Z)")
_RULES = frozenset("-*_=")
_FIELD = re.compile(r"(?:\*\*|__)?[^\W\d_][\w ()/&'-]{0,39}(?:\*\*|__)?[:\uff1a](?:\*\*|__)?\s+\S")
# A firm marker opens an item anywhere. A loose one may as well be a wrapped line of prose
# ("on\n12. March"), so it opens none in the midst of a paragraph.
_FIRM_ITEM = re.compile(r"(?:[-*+]\s|[•◦▪▫‣⁃●○■□]|\(?1\)\s|1\.\s)\s*(?=\S)")
_LOOSE_ITEM = re.compile(
    r"(?:\d{1,9}[.)]|\((?:\d{1,3}|[a-z]|[ivx]+)\)|(?:[A-Za-z]|[ivx]+)\)|[–—])\s+(?=\S)"
)
_SENTENCE_END = (".", "!", "?", "…", "。", "！", "？", "।", ":", ";")
_SHORTEST_RULE = 3
_NESTING = 2  # columns; fewer are sloppy typing, not a level


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """`text[start:end]`.

    `prose` is that with line ends and the marks of quotes blanked, None where the block is one
    unit: a heading, a table row, a fence, a rule. `lead` is the block that must be known to read
    this one: a list's lead-in, an item's parent, a table's header.
    """

    start: int
    end: int
    prose: str | None = None
    lead: Block | None = field(default=None, repr=False)
    is_item: bool = False


class _Line(NamedTuple):
    start: int
    content: int
    end: int
    depth: int  # of block quotes
    indent: int
    text: str  # from content to end


def read_blocks(text: str) -> list[Block]:
    """The blocks of `text` in order; white space lies between them, or at their ends."""
    reader = _Reader()
    front = _FRONT_MATTER.match(text)
    if front:
        reader.blocks.append(Block(0, front.end()))
    for line in _lines(text, front.end() if front else 0):
        reader.read(line)
    reader.finish()
    return reader.blocks


def _lines(text: str, start: int) -> Iterator[_Line]:
    for match in _LINE.finditer(text, start):
        prefix, rest = match.groups()
        content, rest = match.start(2), rest.rstrip()
        depth = prefix.count(">")
        indent = len(prefix.rpartition(">")[2].expandtabs(4)) - (1 if depth else 0)
        yield _Line(match.start(), content, content + len(rest), depth, indent, rest)


class _Reader:
    """Takes line after line; `_open` are the lines of the paragraph or item being read."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._open: list[_Line] = []
        self._is_item = False
        self._fence: tuple[_Line, str] | None = None
        self._fence_end = 0
        self._header: Block | None = None
        self._items: list[tuple[int, Block]] = []  # the items that may have children, by indent
        self._lead: Block | None = None

    def read(self, line: _Line) -> None:
        if self._fence and self._continues_fence(line, *self._fence):
            return
        if not line.text:
            self._close()
        else:
            if self._open and line.depth != self._open[-1].depth:
                self._close()
            if not (
                self._reads_fence(line)
                or self._reads_heading(line)
                or self._reads_rule(line)
                or self._reads_item(line)
                or self._reads_row(line)
            ):
                self._open.append(line)

    def finish(self) -> None:
        self._close()
        if self._fence:
            self._end_fence()

    def _continues_fence(self, line: _Line, opener: _Line, mark: str) -> bool:
        if line.depth < opener.depth:
            self._end_fence()
            return False
        self._fence_end = line.end
        is_mark = line.text.startswith(mark) and not line.text.strip(mark[0])
        if is_mark and line.depth == opener.depth:
            self._end_fence()
        return True

    def _end_fence(self) -> None:
        assert self._fence
        self.blocks.append(Block(self._fence[0].start, self._fence_end))
        self._fence = None

    def _reads_fence(self, line: _Line, marker: int = 0) -> bool:
        match = _FENCE.match(line.text, marker)
        if match:
            self._close()
            self._fence, self._fence_end = (line, match[1] or match[2]), line.end
        return match is not None

    def _reads_heading(self, line: _Line) -> bool:
        if not _HEADING.match(line.text):
            return False
        self._unit(line)
        return True

    def _reads_rule(self, line: _Line) -> bool:
        """A rule, or with the line above it a heading."""
        mark = line.text[0]
        if mark not in _RULES or line.text.strip(f"{mark} \t"):
            return False
        count = line.text.count(mark)
        if self._is_title() and mark in "-=" and count == len(line.text) > 1:
            self._unit(line, self._open.pop().start)
            return True
        if count >= _SHORTEST_RULE:
            self._unit(line)
        return count >= _SHORTEST_RULE

    def _is_title(self) -> bool:
        return len(self._open) == 1 and not (
            self._is_item or self._open[0].text.endswith(_SENTENCE_END)
        )

    def _reads_item(self, line: _Line) -> bool:
        match = _FIRM_ITEM.match(line.text)
        if not match and self._may_start_item():
            match = _LOOSE_ITEM.match(line.text)
        if not match:
            return False
        self._close()
        if not self._reads_fence(line, match.end()):
            self._open, self._is_item = [line], True
        return True

    def _may_start_item(self) -> bool:
        """Whether a list is open, or a paragraph that may be followed by one."""
        if not self._open or self._is_item or _leads(self._open[-1].text):
            return True
        return bool(self._items) and self._open[0].indent >= _NESTING

    def _reads_row(self, line: _Line) -> bool:
        if "|" not in line.text:
            self._header = None
        elif self._header:
            self.blocks.append(Block(line.start, line.end, lead=self._header))
        elif self._open and not self._is_item and _is_table(self._open[-1].text, line.text):
            header = self._open.pop()
            self._close()
            self._header = Block(header.start, header.end)
            self.blocks.append(self._header)
        return self._header is not None

    def _unit(self, line: _Line, start: int | None = None) -> None:
        self._close()
        self._leave_list()
        self.blocks.append(Block(line.start if start is None else start, line.end))

    def _leave_list(self) -> None:
        self._items.clear()
        self._lead = None

    def _close(self) -> None:
        """End the paragraph, item or table that is open."""
        self._header = None
        if not self._open:
            return
        lines, is_item, self._open, self._is_item = self._open, self._is_item, [], False
        lead = self._owner(lines[0].indent, is_item=is_item)
        if not is_item and all(line.text[0] == "|" for line in lines):
            self.blocks += [Block(line.start, line.end) for line in lines]
        elif not is_item and len(lines) > 1 and all(_FIELD.match(line.text) for line in lines):
            self.blocks += [_prose([line], lead) for line in lines]
        else:
            self.blocks.append(_prose(lines, lead, is_item=is_item))
        self._remember(self.blocks[-1], lines, is_owned=is_item or lead is not None)

    def _owner(self, indent: int, *, is_item: bool) -> Block | None:
        while self._items and self._items[-1][0] > indent - _NESTING:
            self._items.pop()
        if self._items:
            return self._items[-1][1]
        return self._lead if is_item else None

    def _remember(self, block: Block, lines: Sequence[_Line], *, is_owned: bool) -> None:
        """Keep what the items to come may need."""
        if not is_owned:
            self._leave_list()
        if block.is_item:
            self._items.append((lines[0].indent, block))
        elif _leads(lines[-1].text):
            if is_owned:
                self._items.append((lines[0].indent - _NESTING, block))
            else:
                self._lead = block


def _leads(text: str) -> bool:
    return text.rstrip("*_ ").endswith((":", "："))


def _is_table(header: str, delimiter: str) -> bool:
    return "|" in header and "-" in delimiter and not delimiter.strip("|-: \t")


def _prose(lines: Sequence[_Line], lead: Block | None, *, is_item: bool = False) -> Block:
    parts: list[str] = []
    position = lines[0].start
    for line in lines:
        parts += " " * (line.content - position), line.text
        position = line.end
    return Block(lines[0].start, position, "".join(parts), lead, is_item)
