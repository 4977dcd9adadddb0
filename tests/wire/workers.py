"""Processes of one run, each with a client of its own."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from pathlib import Path

from pytest_trace.errors import JudgeError
from pytest_trace.llm.client import ChatRequest
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunLimits, RunState

_context = multiprocessing.get_context("forkserver")
_REQUEST = ChatRequest(system="JSON", user="Judge.", max_completion_tokens=500)
_SECONDS = 30.0


class Workers:
    """So many processes that wait for `go`, then make `calls` calls each."""

    def __init__(self, folder: Path, base_url: str, *, count: int, calls: int, **limits: float):
        self._go = folder / "go"
        self._told = [folder / f"told-{number}" for number in range(count)]
        self._processes = [
            _context.Process(
                target=_work, args=(folder, base_url, calls, limits, told), daemon=True
            )
            for told in self._told
        ]
        for process in self._processes:
            process.start()
        _wait_for(*(told.with_suffix(".ready") for told in self._told))

    def go(self) -> list[str]:
        """Let them call at once: what came of each call."""
        self._go.touch()
        for process in self._processes:
            process.join(_SECONDS)
        return [line for told in self._told for line in json.loads(told.read_text())]


def outcome(client: GroqClient) -> str:
    """What came of one call: "reply", or the name of the error and its message."""
    try:
        client.complete(_REQUEST)
    except JudgeError as error:
        return f"{type(error).__name__}: {error.args[0]}"
    return "reply"


def _work(folder: Path, base_url: str, calls: int, limits: dict[str, float], told: Path) -> None:
    import groq  # noqa: F401 - before the start, so that all begin at once

    # The server of forks was started by another test, with another environment.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    os.environ["GROQ_API_KEY"] = "gsk_scripted_0123456789"
    settings = LlmSettings(base_url=base_url, timeout_seconds=10.0)
    client = GroqClient("openai/gpt-oss-20b", settings, RunState(folder, RunLimits(**limits)))
    told.with_suffix(".ready").touch()
    _wait_for(folder / "go")
    told.write_text(json.dumps([outcome(client) for _ in range(calls)]))


def _wait_for(*paths: Path) -> None:
    end = time.monotonic() + _SECONDS
    while not all(path.exists() for path in paths):
        if time.monotonic() > end:
            raise TimeoutError(f"no {paths}")
        time.sleep(0.005)
