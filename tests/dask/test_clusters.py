"""`rag-trace score --executor dask://…` on real clusters, one worker of which gets killed."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import scoring
from clusters import Cluster, local_cluster
from scoring import asked, predictions, rows, run, start, wait_for_rows
from wire.server import ChatServer, answer_keyed

LOGGING = "scoring:LoggingJudge"
FREE = "scoring:FreeJudge"
NO_WORKER = f"from pytest_trace.cli.scoring import dask; dask._WORKER_SECONDS = 0.2; {scoring.CODE}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers."""
    with closing(Cluster(tmp_path_factory.mktemp("cluster"))) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def folder(cluster, monkeypatch):
    """The working directory of the workers, as empty as they found it."""
    monkeypatch.chdir(cluster.folder)
    for path in cluster.folder.iterdir():
        if path.name in {"log", "seconds"} or path.name.startswith(("s.jsonl", "t.jsonl")):
            path.unlink()


def on(cluster, *arguments, judge=LOGGING, code=scoring.CODE):
    """Scoring p.jsonl to s.jsonl on a cluster, as a process."""
    address = cluster if isinstance(cluster, str) else cluster.address
    options = ("--judge", judge, "--out", "s.jsonl", "--executor", address, "--no-cache")
    return start("p.jsonl", *options, *arguments, code=code)


def finished(process):
    """Exit code, output and errors."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def by_one_process(judge):
    """The bytes that one process writes."""
    log = asked()
    run("p.jsonl", "--judge", judge, "--out", "t.jsonl", "--processes", 1, "--no-cache")
    Path("log").write_text("".join(f"{line}\n" for line in log))
    return Path("t.jsonl").read_bytes()


@pytest.mark.parametrize("judge", ["lexical", LOGGING])
def test_two_workers_write_what_one_process_writes(cluster, judge):
    """The bytes are equal, for a judge that scores there and for one that is only called there."""
    predictions(100, changed={7: "It is unclear.", 50: "\u4f60\u6709\u4e09\u5341\u5929\u3002"})
    code, out, err = finished(on(cluster, judge=judge))
    assert (code, err) == (1, "")
    assert ": 100 rows in " in out
    assert Path("s.jsonl").read_bytes() == by_one_process(judge)
    if judge == LOGGING:
        assert Counter(asked()) == Counter(_said())


def _said():
    """The responses of p.jsonl."""
    return [json.loads(line)["response"] for line in Path("p.jsonl").read_text().splitlines()]


def test_local_cluster(tmp_path, monkeypatch):
    """Two workers of a LocalCluster give the same."""
    monkeypatch.chdir(tmp_path)
    predictions(60)
    with local_cluster(tmp_path) as address:
        assert finished(on(address, judge="lexical"))[0] == 0
    assert Path("s.jsonl").read_bytes() == by_one_process("lexical")


@pytest.mark.parametrize("judge", [FREE, LOGGING])
def test_worker_that_is_killed(cluster, judge):
    """The other does its work; a row is asked about once more at most, and the bytes are right."""
    predictions(120)
    Path("seconds").write_text("0.01")
    process = on(cluster, judge=judge)
    wait_for_rows(20)
    cluster.workers[0].send_signal(signal.SIGKILL)
    cluster.workers[0].wait()
    assert len(rows()) < 120
    cluster.workers[0] = cluster.start_worker()
    assert finished(process)[0] == 0
    Path("seconds").unlink()
    times = Counter(asked())
    assert set(times) == set(scoring.responses(120))
    assert max(times.values()) <= 2
    again = sum(times.values()) - 120
    assert again <= (5 if judge == LOGGING else 120)  # in hand, and given but not fetched yet
    assert Path("s.jsonl").read_bytes() == by_one_process(judge)


def test_verdicts_are_stored_on_this_side(cluster):
    """A judge that costs is looked up before a worker is asked."""
    predictions(20)
    run("p.jsonl", "--judge", LOGGING, "--out", "t.jsonl", "--cache-dir", "kept")
    Path("log").unlink()
    predictions(30)
    options = ("--judge", LOGGING, "--out", "s.jsonl", "--cache-dir", "kept")
    code, out, _ = finished(start("p.jsonl", *options, "--executor", cluster.address))
    assert code == 0
    assert sorted(asked()) == sorted(scoring.responses(30)[20:])
    assert "\nverdicts: 20 from the cache, 10 from the judge\n" in out


def test_language_model(cluster):
    """Its requests go out from the workers, which tell what they took."""
    predictions(12)
    with closing(ChatServer()) as server:
        server.answer(lambda body: answer_keyed(body, is_supported=lambda text: "euro" in text))
        options = ("--base-url", server.base_url)
        code, out, err = finished(on(cluster, *options, judge="groq:openai/gpt-oss-20b"))
        assert (code, err) == (0, "")
        assert len(server.requests) == 12
    assert re.search(r"\n12 requests: [\d,]+ prompt tokens .* 480 completion tokens", out)


def test_interrupt(cluster):
    """Ctrl-C leaves the cluster within a second, with the rows so far."""
    predictions(400)
    Path("seconds").write_text("0.01")
    process = on(cluster, judge=FREE)
    wait_for_rows(16)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = finished(process)
    assert time.monotonic() - begun < 1.5
    assert code == 130
    assert err.startswith(f"stopped: {len(rows())} of 400 rows stand in s.jsonl; the same ")
    Path("seconds").unlink()
    assert finished(on(cluster, judge=FREE))[0] == 0
    assert Path("s.jsonl").read_bytes() == by_one_process(FREE)


def test_judge_that_workers_cannot_make(cluster, tmp_path, monkeypatch):
    """A module of the working directory that they have not is said in a line."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("from scoring import FreeJudge\n")
    predictions(3)
    code, _, err = finished(on(cluster, judge="mine:FreeJudge"))
    assert code == 2
    assert err.startswith("unknown judge 'mine:FreeJudge': there is no module 'mine'")


def test_no_scheduler():
    """It is a line that says how to start one."""
    predictions(3)
    code, _, err = finished(on("dask://127.0.0.1:9"))
    assert code == 1
    assert err.startswith("stopped: no Dask scheduler answers at tcp://127.0.0.1:9 (")
    assert "; start one: dask scheduler: 0 of 3 rows stand in s.jsonl; " in err
    assert err.count("\n") == 1


def test_scheduler_without_workers_that_then_dies(tmp_path, monkeypatch):
    """Neither is waited for without end, and what was written stays."""
    monkeypatch.chdir(tmp_path)
    predictions(100)
    with closing(Cluster(tmp_path, workers=0)) as cluster:
        code, _, err = finished(on(cluster, judge=FREE, code=NO_WORKER))
        assert code == 1
        assert "has no worker; start one: dask worker tcp://127.0.0.1:" in err
        cluster.workers.append(cluster.start_worker())
        Path("seconds").write_text("0.01")
        process = on(cluster, judge=FREE)
        wait_for_rows(16)
        cluster.scheduler.send_signal(signal.SIGKILL)
        code, _, err = finished(process)
        assert code == 1
        assert err.startswith("stopped: the Dask ")
        assert err.endswith(" rows stand in s.jsonl; the same command goes on from there\n")
    Path("seconds").unlink()
    assert 16 <= len(rows()) < 100
    assert run("p.jsonl", "--judge", FREE, "--out", "s.jsonl")[0] == 0
    assert Path("s.jsonl").read_bytes() == by_one_process(FREE)
