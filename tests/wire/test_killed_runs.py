"""A run that is killed at any moment loses nothing that was stored, and spoils nothing."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import fakes
import pytest
from wire.server import ChatServer, answer_keyed

from pytest_trace.store.inspection import CacheInspector

FACTS = 12
KILLS = 20
SUITE = f"""
    import pytest
    from pytest_trace import Trace, evaluate

    @pytest.mark.parametrize("n", range({FACTS}))
    def test_fact(n):
        said = "Things fall." if n % 3 else "A meteorite fell."
        evaluation = evaluate(Trace(f"What is fact {{n}}?", [f"Fact {{n}}: things fall."], said))
        assert evaluation.scores.adherence == float(n % 3 != 0)
"""


def _answer(body: dict):
    time.sleep(0.03)
    return answer_keyed(body, is_supported=lambda text: "meteorite" not in text)


def _asked(server: ChatServer) -> set[int]:
    """The facts that the server was asked about since the last time this was asked."""
    prompts = [body["messages"][-1]["content"] for body in server.requests]
    server.requests.clear()
    return {int(match[1]) for text in prompts if (match := re.search(r"What is fact (\d+)", text))}


def _stored(folder: Path) -> set[int]:
    """The facts whose verdicts are in the cache."""
    if not (folder / "verdicts" / "cache.db").exists():
        return set()
    with closing(CacheInspector(folder)) as cache:
        texts = [item.row.text or "" for item in cache.rows()]
    return {int(match[1]) for text in texts if (match := re.search(r"What is fact (\d+)", text))}


def _start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True)


def test_what_was_stored_is_never_asked_again(
    pytester: pytest.Pytester, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty runs are killed -9 at random moments; every verdict is asked for once, and right."""
    monkeypatch.setenv("PYTHONPATH", str(Path(fakes.__file__).parent))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p pytest_rag")
    chat_server.answer(_answer)
    pytester.makeini(
        f"[pytest]\nrag_judge = groq:openai/gpt-oss-20b\nrag_base_url = {chat_server.base_url}\n"
    )
    pytester.makepyfile(SUITE)
    cache = pytester.path / ".rag_cache"
    moments = random.Random(7)
    for _ in range(KILLS):
        before = _stored(cache)
        run = _start(pytester.path)
        try:
            run.wait(timeout=moments.uniform(0.3, 1.3))
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        time.sleep(0.05)  # the server may still be writing to the dead
        assert not _asked(chat_server) & before
    before = _stored(cache)
    assert _start(pytester.path).wait(timeout=60) == pytest.ExitCode.OK
    assert _asked(chat_server) == set(range(FACTS)) - before
    assert _stored(cache) == set(range(FACTS))
