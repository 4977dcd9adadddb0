"""Real processes for tests, forked from a server that has loaded the package once."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import random
import resource
import sqlite3
import time
from pathlib import Path

from storing import CostlyJudge, ask, decided, entry, record, trace

from pytest_trace.errors import JudgeError
from pytest_trace.judges.stored import VerdictStore
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.folder import acquired_lock
from pytest_trace.store.recording import RunUse

COSTLY = {"kind": "costly", "version": "1"}
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    ["pytest", "pytest_trace.judges.stored", "pytest_trace.store.recording", "diskcache"]
)


def start(target, *args):
    """Start a process that calls `target`, which must be a function of an importable module."""
    process = _context.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def run_all(target, *calls):
    """Call `target` in one process for each of `calls`, all at once; each must end well."""
    processes = [start(target, *args) for args in calls]
    for process in processes:
        process.join(30)
    codes = [process.exitcode for process in processes]
    assert codes == [0] * len(calls), codes


@contextlib.contextmanager
def running(target, *args):
    """A process that is killed at the end."""
    process = start(target, *args)
    try:
        yield process
    finally:
        kill(process)


def kill(process):
    """End a process at once: it can tidy nothing."""
    process.kill()
    process.join(30)


def wait_for(path, seconds=20.0):
    """Wait until another process has made a file."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} did not appear"
        time.sleep(0.005)


def hold_write_lock(path, ready):
    """Keep everybody else from writing to a database."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    Path(ready).touch()
    time.sleep(60)


def hold_lock(path, ready, seconds):
    """Hold a lock file for so long."""
    held = acquired_lock(path, 1.0)
    ready.touch()
    time.sleep(seconds)
    held.release()


def record_often(path, name, times):
    """Record verdicts, one after the other."""
    for number in range(times):
        record(path, RunUse(used={f"{name}[{number}]": [entry(number)]}))


def record_for_ever(path, items, ready):
    """Write two recordings in turn."""
    for tests in itertools.cycle((["t"], ["t", "u"])):
        used = dict.fromkeys(tests, items)
        record(path, RunUse(used=used, passed=frozenset("tu")))
        ready.touch()


def hang_while_recording(path, ready):
    """Stop where everything is written and nothing replaced."""

    def hang(_):
        ready.touch()
        time.sleep(60)

    os.fsync = hang
    record(path, RunUse(used={"u": [entry(2)]}))


def fill_the_disk(folder, told):
    """Store verdicts until no file may grow, and write down what was said."""
    said = []
    cache = VerdictCache(folder, say=said.append)
    cache.set(entry(0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    for number in range(1, 1000):
        cache.set(entry(number))
    cache.close()
    told.write_text("\n".join(said))


def store_many(folder, part, count):
    """Store verdicts that no other part stores."""
    cache = VerdictCache(folder, say=_fail)
    for number in range(part * count, (part + 1) * count):
        cache.set(entry(number, identity=COSTLY, given=decided(trace(number))))
    cache.close()


def ask_for(folder, calls, numbers, seconds, told):
    """Ask for traces in an order of its own, and write down where the verdicts came from."""
    told.with_suffix(".started").touch()
    store = VerdictStore(cache=VerdictCache(folder, say=_fail))
    judge = CostlyJudge(calls, seconds)
    shuffled = random.sample(numbers, len(numbers))
    answers = {number: store.ask(judge, trace(number), ask) for number in shuffled}
    assert all(answers[number].verdict == decided(trace(number)) for number in numbers)
    store.close()
    told.write_text(" ".join(answer.source for answer in answers.values()))


def ask_together(folder, calls, number, count):
    """Ask for a trace, and do not answer before so many calls are being made."""

    def meet(judge, sentences):
        given = judge.judge(sentences)
        end = time.monotonic() + 20
        while len(judge.calls) < count:
            assert time.monotonic() < end
            time.sleep(0.005)
        return given

    store = VerdictStore(cache=VerdictCache(folder, say=_fail))
    store.ask(CostlyJudge(calls), trace(number), meet)
    store.close()


def fail_to_ask(folder, calls, seconds, told):
    """Ask a judge that cannot decide, and write down when it was asked."""
    span = []

    def fail(judge, sentences):
        span.append(time.monotonic())
        judge.judge(sentences)
        span.append(time.monotonic())
        raise JudgeError("cannot decide")

    store = VerdictStore(cache=VerdictCache(folder, say=_fail))
    with contextlib.suppress(JudgeError):
        store.ask(CostlyJudge(calls, seconds), trace(1), fail)
    store.close()
    told.write_text(" ".join(map(str, span)))


def _fail(message):
    raise AssertionError(message)
