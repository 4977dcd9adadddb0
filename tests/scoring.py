"""Rows to score, judges for other processes, and `rag-trace score` as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from fakes import FakeJudge
from labelling import shop, write_jsonl
from typer.testing import CliRunner

from pytest_trace.cli.main import app
from pytest_trace.errors import JudgeUnavailable
from pytest_trace.verdict import SentenceSupport, Verdict

CODE = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"
TESTS = str(Path(__file__).parent)


class LoggingJudge(FakeJudge):
    """A judge that writes each response it is asked about to the file `log`, a line each.

    The environment says how long it takes (JUDGE_SECONDS, or the file `seconds`), what it hangs on
    (JUDGE_HANGS) and what ends its process (JUDGE_DIES). "unclear" is judged where a file `clear`
    is, and nothing where a file `absent` is.
    """

    def __init__(self) -> None:
        super().__init__("logging")

    def judge(self, sentences):
        response = sentences.trace.response
        with Path("log").open("a") as file:
            file.write(f"{response}\n")
        if Path("absent").exists():
            raise JudgeUnavailable("nobody is there")
        time.sleep(_seconds())
        if response == os.environ.get("JUDGE_DIES"):
            os._exit(9)
        if response == os.environ.get("JUDGE_HANGS"):
            Path("hangs").touch()
            time.sleep(60)
        if "unclear" in response and Path("clear").exists():
            support = (
                SentenceSupport(each.key, supported=True, document_keys=("doc_0_s0",))
                for each in sentences.response
            )
            return Verdict(relevant=frozenset(), utilized=frozenset(), support=tuple(support))
        return super().judge(sentences)


def _seconds() -> float:
    file = Path("seconds")
    return float(file.read_text() if file.exists() else os.environ.get("JUDGE_SECONDS", "0"))


class FreeJudge(LoggingJudge):
    """The same, and free."""

    is_free = True


def make_other() -> LoggingJudge:
    """The same judge in another version."""
    judge = LoggingJudge()
    judge.version = "2"
    return judge


def responses(count):
    """What so many rows say: every third is hallucinated."""
    return [f"{n} euros." if n % 3 else f"A meteorite fell {n} times." for n in range(1, count + 1)]


def predictions(count, *, path="p.jsonl", changed=None, **fields):
    """A file with so many rows; `changed` gives other responses by number."""
    said = dict(enumerate(responses(count), 1)) | (changed or {})
    rows = (shop(number, text, id=f"r{number}", **fields) for number, text in said.items())
    return write_jsonl(Path(path), *rows)


def run(*arguments):
    """Exit code, output and errors of `rag-trace score`."""
    result = CliRunner().invoke(app, ["score", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def start(*arguments, code=CODE, **options):
    """`rag-trace score` as a process, and the leader of a group, as a terminal has it."""
    environment = os.environ | {"PYTHONPATH": TESTS} | options.pop("environment", {})
    return subprocess.Popen(
        [sys.executable, "-c", code, "score", *map(str, arguments)],
        env=environment,
        start_new_session=True,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
    )


def rows(path="s.jsonl"):
    """The rows that were written."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def asked(path="log"):
    """What a judge was asked, in order."""
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def wait_for_rows(count, path="s.jsonl", seconds=20.0):
    """Wait until so many rows are written."""
    end = time.monotonic() + seconds
    while not Path(path).exists() or Path(path).read_bytes().count(b"\n") < count:
        assert time.monotonic() < end, f"{path} has not come to {count} rows"
        time.sleep(0.005)
