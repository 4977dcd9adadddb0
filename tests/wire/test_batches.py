"""Groq's batches, by the real SDK: prepared, sent, awaited, fetched, matched; and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from labelling import shop, write_jsonl
from typer.testing import CliRunner
from wire.batch_server import BatchServer
from wire.server import answer_keyed, completion, error

from pytest_trace.cli.main import app

MODEL = "groq:openai/gpt-oss-20b"


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server that finds support for whatever has a price."""
    monkeypatch.chdir(tmp_path)
    server = BatchServer()
    server.in_batch = server_answer
    monkeypatch.setenv("GROQ_BASE_URL", server.base_url)
    yield server
    server.close()


def server_answer(body):
    return answer_keyed(body, is_supported=lambda text: "euro" in text)


def predictions(count, *, name="p.jsonl", **fields):
    """So many rows, every third hallucinated."""
    rows = [
        shop(number, f"{number} euros." if number % 3 else "A meteorite fell.", id=f"r{number}")
        for number in range(1, count + 1)
    ]
    return write_jsonl(Path(name), *(row | fields for row in rows))


def run(*arguments):
    """Exit code, output and errors of `rag-trace score p.jsonl --batch`."""
    arguments = ("score", "p.jsonl", "--judge", MODEL, "--out", "s.jsonl", *map(str, arguments))
    result = CliRunner().invoke(app, [*arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


BATCH = ("--batch", "--poll-seconds", "0.01")


def rows(path="s.jsonl"):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_batch(server):
    predictions(7)
    code, out, err = run(*BATCH)
    print(out, err)
    assert code == 0
    assert [row["scores"]["adherence"] for row in rows()] == [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
