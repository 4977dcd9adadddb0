"""The pages of the help centre, cut into chunks at their headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One section of a page. `id` reads `page#section`, and `title` names both in words."""

    id: str
    title: str
    text: str


def read_chunks(folder: Path) -> list[Chunk]:
    """All chunks of all Markdown pages, in the order of file names and headings."""
    return [chunk for page in sorted(folder.glob("*.md")) for chunk in _split(page)]


def _split(page: Path) -> Iterator[Chunk]:
    heading, _, body = page.read_text(encoding="utf-8").partition("\n")
    title = heading.removeprefix("# ")
    introduction, *sections = _HEADING.split(body)
    if introduction.strip():
        yield Chunk(id=page.stem, title=title, text=introduction.strip())
    for name, text in zip(sections[::2], sections[1::2], strict=True):
        yield Chunk(id=f"{page.stem}#{_slug(name)}", title=f"{title}: {name}", text=text.strip())


def _slug(heading: str) -> str:
    return re.sub(r"\W+", "-", heading.casefold()).strip("-")
