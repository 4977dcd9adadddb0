"""`rag-trace score` that is stopped in any way goes on: nothing is lost, asked or written twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import children
import pytest
import scoring
from scoring import asked, predictions, rows, run, start, wait_for_rows

LOGGING = "scoring:LoggingJudge"
FREE = "scoring:FreeJudge"
TO_S = ("--out", "s.jsonl")
LIMITED = (
    f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)); {scoring.CODE}"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(*arguments, judge=LOGGING):
    """Exit code, output and errors of scoring p.jsonl to s.jsonl."""
    return run("p.jsonl", "--judge", judge, *TO_S, *arguments)


def expected(count, judge=LOGGING):
    """The bytes that one undisturbed run writes, without leaving a trace."""
    log = asked()
    arguments = ("p.jsonl", "--judge", judge, "--out", "expected.jsonl", "--no-cache")
    assert run(*arguments)[0] in {0, 1}
    Path("log").write_text("".join(f"{line}\n" for line in log))
    return Path("expected.jsonl").read_bytes()


def kill(process):
    """Kill a run and all processes of its group."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stderr.close()


@pytest.mark.parametrize(
    ("workers", "counts"), [(["--concurrency", "4"], (3, 20)), (["--processes", "2"], (3,))]
)
def test_killed_at_random_moments(workers, counts, monkeypatch):
    """However often a run is killed, nothing stored is asked again, and the bytes are right."""
    predictions(60)
    whole = expected(60)
    monkeypatch.setenv("JUDGE_SECONDS", "0.01")
    moments, kills = random.Random(5), 0
    for count in counts:
        process = start("p.jsonl", "--judge", LOGGING, *TO_S, *workers)
        try:
            wait_for_rows(count)
            time.sleep(moments.uniform(0.0, 0.05))
        finally:
            kills += process.poll() is None
            kill(process)
        written = Path("s.jsonl").read_bytes()
        assert whole.startswith(written[: written.rfind(b"\n") + 1])
    assert kills
    monkeypatch.setenv("JUDGE_SECONDS", "0")
    code, out, _ = score()
    assert code == 0
    assert " of 60 were there already\n" in out
    assert Path("s.jsonl").read_bytes() == whole
    times = Counter(asked())
    assert set(times) == set(scoring.responses(60))
    assert sum(times.values()) - 60 <= 4 * kills  # what was being asked about at a kill


def test_torn_line_is_cut():
    """Whatever a killed process left of a line is replaced by the whole line."""
    predictions(9)
    score()
    whole = Path("s.jsonl").read_bytes()
    ends = [place for place, byte in enumerate(whole) if byte == ord("\n")]
    for size in (1, ends[3] - 5, ends[3], ends[3] + 1, len(whole) - 1):
        Path("s.jsonl").write_bytes(whole[:size])
        assert score()[0] == 0
        assert Path("s.jsonl").read_bytes() == whole
    assert len(asked()) == 9


def test_whole_file_is_left_as_it_is():
    """The same command once more asks nobody, and shows the same figures."""
    predictions(6)
    first = score()[1]
    before = Path("s.jsonl").stat()
    code, out, _ = score()
    assert (code, len(asked())) == (0, 6)
    assert out.startswith("logging, version 1: 0 rows in ")
    assert "\n6 rows of 6 were there already\n" in out
    assert out[out.index("Means") :] == first[first.index("Means") :]
    assert Path("s.jsonl").stat().st_mtime_ns == before.st_mtime_ns


def cut_to(count):
    """Leave so many rows."""
    lines = Path("s.jsonl").read_bytes().splitlines(keepends=True)
    Path("s.jsonl").write_bytes(b"".join(lines[:count]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["p.jsonl", "--judge", "scoring:make_other"],
            's.jsonl was begun with another judge: version was "1", and is "2"; ',
        ),
        (
            ["p.jsonl", "--judge", "fakes:FakeJudge"],
            's.jsonl was begun with another judge: kind was "logging", and is "fake"; ',
        ),
        (
            ["p.jsonl", "--judge", LOGGING, "--marks", "strict"],
            's.jsonl was begun with another settings: marks was "default", and is "strict"; ',
        ),
        (
            ["q.jsonl", "--judge", LOGGING],
            "s.jsonl was begun with another input: rows was 4, and is 5; ",
        ),
    ],
)
def test_another_run_is_refused(arguments, message):
    """Rows of different judges, settings or inputs never come into one file."""
    predictions(4)
    predictions(5, path="q.jsonl")
    score()
    cut_to(2)
    before = Path("s.jsonl").read_bytes()
    code, out, err = run(*arguments, *TO_S)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.endswith("; name another file with --out, or remove s.jsonl and s.jsonl.run.json\n")
    assert Path("s.jsonl").read_bytes() == before


def test_changed_input_is_refused():
    """A byte is enough."""
    predictions(4)
    score()
    cut_to(2)
    predictions(4, changed={4: "5 euros."})
    code, _, err = score()
    assert code == 2
    assert err.startswith("s.jsonl was begun with another input: sha256 was ")


def test_renamed_input_is_the_same():
    """It is known by its bytes."""
    predictions(4)
    score()
    cut_to(2)
    Path("p.jsonl").rename("q.jsonl")
    assert run("q.jsonl", "--judge", LOGGING, *TO_S)[0] == 0
    assert len(asked()) == 4


def test_removed_file_is_begun_anew():
    """Without rows there is nothing to mix with."""
    predictions(2)
    score()
    Path("s.jsonl").unlink()
    predictions(3)
    assert score()[0] == 0
    assert len(rows()) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": 1}\n', "s.jsonl is there already, and no s.jsonl.run.json says of which run; "),
        (None, "s.jsonl:2 is no row of rag-trace score; name another file with --out, or remove "),
    ],
)
def test_file_of_something_else_is_refused(content, message):
    """It is not added to."""
    predictions(3)
    if content is None:
        score()
        lines = Path("s.jsonl").read_text().splitlines(keepends=True)
        content = f"{lines[0]}not JSON\n"
    Path("s.jsonl").write_text(content)
    code, _, err = score()
    assert code == 2
    assert err.startswith(message)
    assert Path("s.jsonl").read_text() == content


def test_errors_are_kept_until_they_are_asked_about():
    """The same command keeps them; --retry-errors asks about them alone, and puts them right."""
    predictions(7, changed={3: "It is unclear.", 6: "unclear, too"})
    assert score()[0] == 1
    faults = Path("s.jsonl").read_bytes()
    assert score()[0] == 1
    assert Path("s.jsonl").read_bytes() == faults
    assert len(asked()) == 7
    Path("clear").touch()
    code, out, _ = score("--retry-errors")
    assert code == 0
    assert out.startswith("logging, version 1: 2 rows in ")
    assert asked()[7:] == ["It is unclear.", "unclear, too"]
    assert Path("s.jsonl").read_bytes() == expected(7)
    assert [row["id"] for row in rows()] == [f"r{number}" for number in range(1, 8)]
    assert not Path("s.jsonl.retry").exists()


def test_errors_are_asked_about_where_rows_are_missing_too():
    """A run that was stopped after some faults goes on and puts them right in one go."""
    predictions(7, changed={2: "It is unclear."})
    score()
    cut_to(4)
    Path("clear").touch()
    code, out, _ = score("--retry-errors", "--concurrency", 2)
    assert code == 0
    assert Path("s.jsonl").read_bytes() == expected(7)
    assert "verdicts: 3 from the cache, 1 from the judge\n" in out


def test_errors_again():
    """What cannot be judged the second time either stays a fault."""
    predictions(3, changed={2: "It is unclear."})
    score()
    before = Path("s.jsonl").read_bytes()
    assert score("--retry-errors")[0] == 1
    assert Path("s.jsonl").read_bytes() == before
    assert len(asked()) == 4


def test_killed_while_it_asks_again():
    """Until the end the file is as it was; then asking again goes on where it was killed."""
    predictions(6, changed={2: "It is unclear.", 5: "5 unclear euros."})
    score("--no-cache")
    before = Path("s.jsonl").read_bytes()
    Path("clear").touch()
    arguments = ("p.jsonl", "--judge", LOGGING, *TO_S, "--retry-errors", "--no-cache")
    process = start(*arguments, environment={"JUDGE_HANGS": "5 unclear euros."})
    children.wait_for(Path("hangs"))
    kill(process)
    assert Path("s.jsonl").read_bytes() == before
    assert len(rows("s.jsonl.retry")) == 4
    assert run(*arguments)[0] == 0
    assert asked()[6:] == ["It is unclear.", "5 unclear euros.", "5 unclear euros."]
    assert Path("s.jsonl").read_bytes() == expected(6)


@pytest.mark.parametrize(
    ("judge", "workers"),
    [
        (LOGGING, ["--concurrency", "2"]),
        (FREE, ["--processes", "2"]),
    ],
)
def test_interrupt(judge, workers):
    """Ctrl-C ends it within a second, with the rows so far, their figures and how to go on."""
    predictions(50)
    process = start(
        "p.jsonl", "--judge", judge, *TO_S, *workers, environment={"JUDGE_HANGS": "50 euros."}
    )
    children.wait_for(Path("hangs"))
    wait_for_rows(32)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - begun < 1.0
    count = len(rows())
    assert 32 <= count < 50
    assert process.returncode == 130
    assert f"hallucinated: {count // 3} of {count} judged rows" in out
    assert err == (
        f"stopped: {count} of 50 rows stand in s.jsonl; the same command goes on from there\n"
    )
    assert score(judge=judge)[0] == 0
    assert Path("s.jsonl").read_bytes() == expected(50, judge)


def test_full_disk(folder):
    """It is one line; the rows before are whole, and the same command goes on."""
    predictions(20)
    process = start("p.jsonl", "--judge", FREE, *TO_S, "--processes", "1", code=LIMITED)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 2
    count = len(rows())
    assert 5 < count < 20
    assert f"logging, version 1: {count} rows in " in out
    assert err == (
        f"s.jsonl: File too large: {count} of 20 rows stand in s.jsonl; the same command goes on "
        "from there\n"
    )
    assert Path("s.jsonl").read_bytes().endswith(b"\n")
    assert score(judge=FREE)[0] == 0
    assert Path("s.jsonl").read_bytes() == expected(20, FREE)


def test_two_runs_for_one_file():
    """The second is refused while the first writes, and not after it was killed."""
    predictions(5)
    arguments = ("p.jsonl", "--judge", LOGGING, *TO_S)
    process = start(*arguments, environment={"JUDGE_HANGS": "4 euros."})
    children.wait_for(Path("hangs"))
    code, _, err = score()
    assert code == 2
    assert err == "another process writes to s.jsonl: let it end, or stop it\n"
    kill(process)
    assert score()[0] == 0
    assert not Path("s.jsonl.lock").exists()


def test_worker_that_dies():
    """It is a line, and what was written before stays; the same command goes on."""
    predictions(70)
    arguments = ("p.jsonl", "--judge", FREE, *TO_S, "--processes", "2")
    process = start(*arguments, environment={"JUDGE_DIES": "65 euros."})
    _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.startswith("stopped: a worker process ended before its work did: it was killed, or ")
    assert len(rows()) % 16 == 0
    assert score(judge=FREE)[0] == 0
    assert Path("s.jsonl").read_bytes() == expected(70, FREE)


def test_cache_that_cannot_be_used(folder):
    """The run goes on without it, and says so once."""
    predictions(3)
    (folder / ".rag_cache").write_text("a file")
    code, _, err = score()
    assert (code, err.count("goes on without the cache")) == (0, 1)
    assert len(rows()) == 3
