"""Everything that README and the documents show is run, and every screen is compared.

A block in Python whose first line names a file (`# test_returns.py`) is that file, as are those
in `ini` or `toml`; one in `json`, `csv` or `tsv` has its file behind the fence. Tests among them
are run. A `console` block is a command, `pytest` or `rag-trace`, and what it prints: its lines must
stand together in the output. A `pycon` block is a session of the interpreter. A block after
`<!-- not run: WHY -->` is left out, and only commands that install something may be.
"""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_trace import running

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(
    r"(<!-- not run: .+ -->\n)?^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
_FILE = re.compile(r"^# ([\w/]+\.\w+)\n")
_MAKE = re.compile(r"^make (\w+)", re.MULTILINE)
_RAG_TRACE = "from pytest_trace.cli.main import app; app(prog_name='rag-trace')"
_TIME = re.compile(r"in \d+\.\d+s")


@dataclass(frozen=True)
class Block:
    language: str
    file: str | None
    text: str
    is_run: bool


def blocks(path: Path) -> Iterator[Block]:
    for match in _FENCE.finditer(path.read_text(encoding="utf-8")):
        first = _FILE.match(match[4])
        file = match[3] or (first and first[1])
        text = match[4][first.end() :] if first else match[4]
        yield Block(match[2], file, text, is_run=match[1] is None)


@pytest.mark.skipif(
    pytest.version_tuple < (9, 2), reason="the screens are those of the newest pytest"
)
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_shows_is_what_happens(
    path: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written in order, sessions give what they show, commands print what they show."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:asyncio -p no:random_order")
    tests: set[str] = set()
    shutil.copytree(ROOT / "example_suite", pytester.path / "example_suite")
    for block in blocks(path):
        if not block.is_run:
            assert "install" in block.text or "uv sync" in block.text
        elif block.language == "sh":
            assert set(_MAKE.findall(block.text)) == {"example", "test"}  # .ci/run calls them
        elif block.language == "pycon":
            with running_outside_pytest(monkeypatch):
                _run_session(block.text, path.name)
        elif block.language == "console":
            _run_command(block.text, pytester)
        elif block.language in {"python", "ini", "toml", "json", "csv", "tsv"}:
            _write(block, pytester)
            tests |= {block.file} if block.file and block.file.startswith("test_") else set()
        else:
            pytest.fail(f"{path.name} has a block of {block.language!r} that nothing runs")
        if block.language == "console":
            tests -= set(block.text.split())
    if tests:  # those whose screen is not shown pass
        assert pytester.runpytest(*sorted(tests)).ret == pytest.ExitCode.OK


@contextmanager
def running_outside_pytest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session of the interpreter, as a reader has it: no test is running."""
    with monkeypatch.context() as patch:
        patch.setattr(running, "_sessions", [])
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        yield


def _write(block: Block, pytester: pytest.Pytester) -> None:
    assert block.file, f"no file name for:\n{block.text}"
    file = pytester.path / block.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(block.text, encoding="utf-8")


def _run_session(text: str, name: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    failures, _ = doctest.DocTestRunner(verbose=False).run(test)
    assert failures == 0


def _run_command(text: str, pytester: pytest.Pytester) -> None:
    command, *expected = text.splitlines()
    words = shlex.split(command.removeprefix("$ "))
    if words[0] == "rag-trace":
        output = pytester.run(sys.executable, "-c", _RAG_TRACE, *words[1:]).stdout.str()
    else:
        assert words[0] == "pytest", f"only pytest and rag-trace are run here: {command}"
        output = pytester.runpytest(*words[1:], "-p", "no:cacheprovider").stdout.str()
    shown = _TIME.sub("in 0.12s", output).splitlines()
    assert _stands_in(expected, shown), "\n".join([command, *shown])


def _stands_in(expected: list[str], shown: list[str]) -> bool:
    """Whether the parts of `expected`, which a line `...` separates, each stand in `shown`."""
    parts, at = "\n".join(expected).split("\n...\n"), 0
    whole = "\n".join(line.rstrip() for line in shown)
    for part in parts:
        at = whole.find(_TIME.sub("in 0.12s", part), at)
        if at < 0:
            return False
    return True


def test_the_readme_names_commands_that_exist() -> None:
    """`make` targets in the documents are targets of the Makefile."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        named = set(re.findall(r"^ *make ([\w-]+)", path.read_text(), re.MULTILINE))
        assert named <= targets
