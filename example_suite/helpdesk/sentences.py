"""Markdown as sentences that can be quoted in an answer."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\|\n?)+", re.MULTILINE)
_LIST_MARKER = re.compile(r"^(?:[-*]|\d+\.) ", re.MULTILINE)
_INLINE_MARKUP = re.compile(r"\*\*|`")


def quotable(text: str) -> list[str]:
    """The sentences of a chunk without markup; a table row becomes a sentence of its own.

    The pages keep one sentence per line. Code and the lead-ins of lists are not quoted.
    """
    prose = _TABLE.sub(lambda table: "\n".join(_rows(table[0])), _FENCE.sub("", text))
    plain = _INLINE_MARKUP.sub("", _LIST_MARKER.sub("", prose))
    return [line for line in plain.splitlines() if line and not line.endswith(":")]


def _rows(table: str) -> Iterator[str]:
    """`| Express | next day | €9.90 |` reads `Express (Delivery time: next day, Price: €9.90).`"""
    header, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    for name, *cells in rows:
        facts = [f"{column}: {cell}" for column, cell in zip(header[1:], cells, strict=True)]
        yield f"{name} ({', '.join(facts)})."
