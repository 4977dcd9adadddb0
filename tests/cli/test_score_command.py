"""`rag-trace score`: what is shown and written, and what cannot be done."""

from __future__ import annotations

import json
import os
import pty
import re
from contextlib import closing
from pathlib import Path

import pytest
import scoring
from labelling import PLAIN, shop, write_jsonl
from scoring import asked, predictions, rows, run
from typer.testing import CliRunner
from wire.server import ChatServer, answer_keyed

from pytest_trace.cli.main import app
from pytest_trace.metrics import TraceScores

LOGGING = "scoring:LoggingJudge"
FREE = "scoring:FreeJudge"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory, and a clock in which every run takes two seconds."""
    monkeypatch.chdir(tmp_path)
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr("pytest_trace.cli.scoring.command.perf_counter", lambda: next(clock))
    return tmp_path


def score(*arguments, judge=LOGGING):
    """Exit code, output and errors of scoring p.jsonl to s.jsonl."""
    return run("p.jsonl", "--judge", judge, "--out", "s.jsonl", *arguments)


def test_whole_screen():
    """Rate, means with the rows they cover, the hallucinated share, and faults with their rows."""
    predictions(5, changed={4: "It is unclear.", 5: "Unclear? unclear."})
    code, out, err = score()
    assert (code, err) == (1, "")
    assert out == WHOLE


WHOLE = """\
logging, version 1: 5 rows in 2.0 s, 2 a second
verdicts: 3 from the judge

Means
                         R     T     C     A  support
mean                  0.50  0.50  1.00  0.67     0.67
rows with that score     3     3     3     3        3

hallucinated: 1 of 3 judged rows, 33.3 %; refusals: 0

Not judged, and in no mean: 2 rows; --retry-errors asks again
- r4, r5: the fake judge cannot decide; model fake-1
"""


def test_rows():
    """A row has its scores, the evidence for each sentence, and who judged, in order."""
    config = {"chunk_size": 512}
    predictions(3, changed={2: "It is unclear."}, evaluation_config=config)
    assert score()[0] == 1
    first, fault, last = rows()
    assert first == {
        "id": "r1",
        "line": 1,
        "judge": "logging",
        "judge_version": "1",
        "scores": {
            "relevance": 0.5,
            "utilization": 0.5,
            "completeness": 1.0,
            "adherence": 1.0,
            "support": 1.0,
            "by_document": [[0.5, 0.5, 1.0]],
        },
        "refused": False,
        "probability": None,
        "support": [
            {
                "key": "resp_s0",
                "supported": True,
                "role": "claim",
                "document_keys": ["doc_0_s0"],
                "probability": None,
                "reason": None,
            }
        ],
        "relevant": ["doc_0_s0"],
        "utilized": ["doc_0_s0"],
        "notes": [],
        "evaluation_config": config,
    }
    assert TraceScores.from_json(first["scores"]).mean == 0.75
    assert fault == {
        "id": "r2",
        "line": 2,
        "judge": "logging",
        "judge_version": "1",
        "error": {
            "type": "JudgeError",
            "message": "the fake judge cannot decide",
            "details": ["model fake-1"],
        },
        "evaluation_config": config,
    }
    assert (last["id"], last["line"], last["scores"]["adherence"]) == ("r3", 3, 0.0)


def test_summary_file():
    """The same figures as JSON, with what this run took."""
    predictions(3, changed={2: "It is unclear."})
    code, _, err = score("--summary", "all.json")
    assert (code, err) == (1, "wrote the summary to all.json\n")
    assert json.loads(Path("all.json").read_text()) == {
        "judge": "logging",
        "judge_version": "1",
        "input_rows": 3,
        "skipped_rows": 0,
        "rows": 3,
        "judged": 2,
        "errors": 1,
        "hallucinated": 1,
        "hallucinated_share": 0.5,
        "refused": 0,
        "means": {
            "relevance": 0.5,
            "utilization": 0.5,
            "completeness": 1.0,
            "adherence": 0.5,
            "support": 0.5,
        },
        "rows_with_that_score": dict.fromkeys(
            ("relevance", "utilization", "completeness", "adherence", "support"), 2
        ),
        "mixed_configurations": None,
        "error_messages": [
            {
                "message": "the fake judge cannot decide; model fake-1",
                "rows": 1,
                "ids": ["r2"],
            }
        ],
        "is_whole": True,
        "this_run": {
            "rows": 3,
            "seconds": 2,
            "rows_per_second": 1.5,
            "sources": {"judge": 2},
            "usage": {
                "calls": 3,
                "prompt_tokens": 0,
                "cached_tokens": 0,
                "completion_tokens": 0,
                "reasoning_tokens": 0,
                "seconds": 0.0,
                "cost": 0.0,
                "notes": [],
            },
        },
    }


@pytest.mark.parametrize(
    ("judge", "workers"), [(FREE, ["--processes", 2]), (LOGGING, ["--concurrency", 3])]
)
def test_bytes_are_equal_whoever_works(judge, workers):
    """Processes and threads write what one process writes."""
    predictions(40, changed={7: "It is unclear."})
    assert score("--processes", 1, "--no-cache", judge=judge)[0] == 1
    arguments = ("p.jsonl", "--judge", judge, "--out", "t.jsonl", "--no-cache", *workers)
    assert run(*arguments)[0] == 1
    assert Path("t.jsonl").read_bytes() == Path("s.jsonl").read_bytes()
    assert len(asked()) == 80


def test_slow_row_keeps_its_place(monkeypatch):
    """A row that takes longer than those behind it stands where it stood."""
    predictions(8)
    monkeypatch.setenv("JUDGE_SECONDS", "0.05")
    assert score("--concurrency", 8)[0] == 0
    assert [row["id"] for row in rows()] == [f"r{number}" for number in range(1, 9)]


def test_verdicts_come_from_the_cache():
    """What was answered for another file, or before, is not asked again."""
    predictions(3)
    score()
    code, out, _ = run("p.jsonl", "--judge", LOGGING, "--out", "t.jsonl")
    assert (code, len(asked())) == (0, 3)
    assert "verdicts: 3 from the cache\n" in out
    assert Path("t.jsonl").read_bytes() == Path("s.jsonl").read_bytes()


def test_same_trace_twice_is_asked_once():
    """Also without a cache, and by threads that meet."""
    row = shop(1, "1 euros.")
    write_jsonl(Path("p.jsonl"), row, row, row)
    assert score("--no-cache", "--concurrency", 3)[0] == 0
    assert len(asked()) == 1
    assert [row["line"] for row in rows()] == [1, 2, 3]


def test_free_judge_leaves_nothing_beside(folder):
    """It is asked each time; the file, and of what it is, are all that is left."""
    predictions(3)
    assert score(judge=FREE)[:2][0] == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "log",
        "p.jsonl",
        "s.jsonl",
        "s.jsonl.run.json",
    ]


def test_lexical_is_the_default():
    """Without --judge the embedded judge scores; a script it cannot read is a fault of the row."""
    row = PLAIN | {"response": "\u4f60\u6709\u4e09\u5341\u5929\u3002"}
    write_jsonl(Path("p.jsonl"), PLAIN, row)
    code, out, _ = run("p.jsonl", "--out", "s.jsonl")
    assert code == 1
    assert out.startswith("lexical, version ")
    first, fault = rows()
    assert first["scores"]["adherence"] == 1.0
    assert fault["error"]["type"] == "JudgeError"


def test_settings_change_the_rows():
    """Formula, length, marks and metadata are those of the options."""
    documents = [{"text": "The weather is fine. Two.", "metadata": {"price": "9 euros"}}]
    write_jsonl(Path("p.jsonl"), PLAIN | {"documents": documents})
    score()
    given = ("--formula", "ragbench", "--length", "token", "--metadata-keys", "price, year")
    run("p.jsonl", "--judge", LOGGING, "--out", "t.jsonl", *given)
    plain, other = rows()[0], rows("t.jsonl")[0]
    assert (plain["scores"]["relevance"], other["scores"]["relevance"]) == (1 / 2, 1 / 5)
    assert other["relevant"] == ["doc_0_meta_price", "doc_0_s1"]


def test_rows_of_other_tools():
    """A shape is known by its fields, or named, as is a field; a table is read as well as JSONL."""
    given = {"user_input": "Price?", "retrieved_contexts": ["1 euros."], "response": "1 euros."}
    write_jsonl(Path("p.jsonl"), given)
    assert score()[0] == 0
    write_jsonl(
        Path("p.jsonl"), {"prompt": "Price?", "documents": ["1 euros."], "said": "1 euros."}
    )
    Path("s.jsonl").unlink()
    assert score("--shape", "own", "--field", "question=prompt", "--field", "response=said")[0] == 0
    Path("p.csv").write_text(
        'question,documents,response\n"Price?\nNow?","[""1 euros.""]",1 euros.\n'
    )
    run("p.csv", "--judge", LOGGING, "--out", "t.jsonl")
    assert (rows("t.jsonl")[0]["line"], rows("t.jsonl")[0]["scores"]) == (2, rows()[0]["scores"])


def test_configuration_is_kept_and_mixes_are_told():
    """What rows and the command declare about retrieval stands in each row, faults too."""
    sizes = [{"chunk_size": 256}, {"chunk_size": 512}, {"chunk_size": 256}]
    said = ["1 euros.", "2 euros.", "It is unclear."]
    given = (
        shop(number, text, evaluation_config=size)
        for number, (text, size) in enumerate(zip(said, sizes, strict=True))
    )
    write_jsonl(Path("p.jsonl"), *given)
    code, out, _ = score("--config", "embedding_model=small")
    assert code == 1
    assert [row["evaluation_config"] for row in rows()] == [
        size | {"embedding_model": "small"} for size in sizes
    ]
    assert "\nBeware: over 2 configurations of retrieval: chunk_size 256 (1 trace);" in out


def test_contradicting_configuration_is_refused():
    """One of the two is wrong: nobody is asked, and the row is named."""
    write_jsonl(Path("p.jsonl"), shop(1, "Yes.", evaluation_config={"chunk_size": 256}))
    code, _, err = score("--config", "chunk_size=512")
    assert (code, asked()) == (2, [])
    assert err.startswith("p.jsonl:1: config= says chunk_size 512, but the trace's own ")


def test_wrong_row_fails_before_anything_is_asked():
    """It is named by line and field."""
    write_jsonl(Path("p.jsonl"), shop(1, "1 euros."), shop(2, "Yes.", documents=[""]))
    code, out, err = score()
    assert (code, out) == (2, "")
    assert err.startswith("p.jsonl:2, field documents: documents hold no text")
    assert asked() == []
    assert not Path("s.jsonl").exists()


def test_wrong_rows_are_skipped():
    """With --on-bad-row=skip they are counted, and ten are named; lines stay those of the input."""
    bad = [shop(number, " ") for number in range(10)]
    lines = [shop(1, "1 euros."), "{", {"question": "Why?"}, *bad, shop(2, "2 euros.")]
    write_jsonl(Path("p.jsonl"), *lines)
    code, out, err = score("--on-bad-row", "skip")
    assert code == 0
    assert [row["line"] for row in rows()] == [1, 14]
    assert "\n12 rows of the input skipped\n" in out
    told = err.splitlines()
    assert told[0].startswith("skipped: p.jsonl:2 is no JSON")
    assert told[1].startswith("skipped: p.jsonl:3 has no documents and no response")
    assert told[2].startswith("skipped: p.jsonl:4: response is blank")
    assert len(told) == 11
    assert told[-1] == "skipped: 2 further rows"


def test_judge_that_cannot_be_asked_ends_it():
    """After twenty rows in a row it has no use; they are not written, and asked about next time."""
    predictions(40)
    Path("absent").touch()
    write_jsonl(Path("q.jsonl"), *map(json.loads, Path("p.jsonl").read_text().splitlines()[:19]))
    assert run("q.jsonl", "--judge", LOGGING, "--out", "t.jsonl")[0] == 1
    assert [row["error"]["type"] for row in rows("t.jsonl")] == ["JudgeUnavailable"] * 19
    Path("log").unlink()
    code, _, err = score()
    assert code == 1
    assert err == (
        "stopped: 20 rows one after another: nobody is there: 0 of 40 rows stand in s.jsonl; the "
        "same command goes on from there\n"
    )
    assert (len(asked()), Path("s.jsonl").read_bytes()) == (20, b"")
    Path("absent").unlink()
    assert score()[0] == 0
    assert len(rows()) == 40


def test_passing_absence_is_a_fault_of_its_rows():
    """Fewer than twenty are written as soon as another row follows."""
    predictions(3)
    Path("absent").touch()
    score("--concurrency", 1)
    Path("absent").unlink()
    write_jsonl(Path("q.jsonl"), shop(9, "9 euros."))
    assert [row["error"]["message"] for row in rows()] == ["nobody is there"] * 3


def test_budget_ends_it():
    """--max-calls holds for all processes together; the same command with more goes on."""
    predictions(12)
    code, _, err = score("--max-calls", 5, "--processes", 2)
    assert code == 1
    assert err.startswith("stopped: --max-calls: this run may make 5 calls and has made them; ")
    assert len(asked()) == 5
    assert score("--max-calls", 7)[0] == 0
    assert sorted(asked()) == sorted(scoring.responses(12))


def test_missing_key_ends_it_at_once():
    """No row is written."""
    predictions(3)
    code, _, err = score(judge="groq:openai/gpt-oss-20b")
    assert code == 1
    assert err.startswith("stopped: GROQ_API_KEY is not set, and groq:openai/gpt-oss-20b needs a ")
    assert err.endswith(": 0 of 3 rows stand in s.jsonl; the same command goes on from there\n")


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A model that finds support for whatever has a price."""
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))  # reading certificates takes long
    with closing(ChatServer()) as server:
        server.answer(lambda body: answer_keyed(body, is_supported=lambda text: "euro" in text))
        monkeypatch.setenv("GROQ_API_KEY", "gsk_scripted")
        yield server


def test_language_model(server):
    """Its settings are options, its calls are made at once, counted and stored."""
    predictions(9)
    asked_as = ("--base-url", server.base_url, "--votes", 3, "--temperature", 0.7)
    code, out, _ = score(*asked_as, judge="groq:openai/gpt-oss-20b")
    assert code == 0
    assert len(server.requests) == 18  # two votes that agree decide
    assert {body["temperature"] for body in server.requests} == {0.7}
    assert re.search(r"\n18 requests: [\d,]+ prompt tokens .* 720 completion tokens", out)
    assert "verdicts: 18 from the judge\n" in out
    assert [row["scores"]["adherence"] for row in rows()] == [1, 1, 0] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl", "--out", "s.jsonl"], "none.jsonl: No such file or directory"),
        (["p.jsonl", "--out", "p.jsonl"], "p.jsonl holds the predictions; name another file with"),
        (["p.jsonl", "--out", "no/s.jsonl"], "no/s.jsonl cannot be written: there is no folder no"),
        (["p.jsonl", "--out", "."], ". cannot be written: it is a folder"),
        (
            ["p.jsonl", "--out", "s.jsonl", "--summary", "no/s.json"],
            "no/s.json cannot be written: there is no folder no",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--summary", "s.jsonl"],
            "--summary and --out are both s.jsonl; name two files",
        ),
        (
            ["empty.jsonl", "--out", "s.jsonl"],
            "empty.jsonl holds no case; expected one JSON object a line",
        ),
        (["p.jsonl", "--out", "s.jsonl", "--judge", "nobody"], "unknown judge 'nobody'; known: "),
        (
            ["p.jsonl", "--out", "s.jsonl", "--processes", "2", "--concurrency", "2"],
            "--processes and --concurrency exclude each other; give one of them",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--executor", "dask://h:1", "--max-calls", "2"],
            "--max-calls and --max-cost are kept by one machine; leave out --executor",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--executor", "ray://h:1"],
            "unknown executor 'ray://h:1'; known: dask://HOST:PORT",
        ),
        (["p.jsonl", "--out", "s.jsonl", "--votes", "2"], "--votes is 2; expected an odd number"),
        (["p.jsonl", "--out", "s.jsonl", "--votes", "3"], "--votes is 3, but --temperature is 0"),
        (
            ["p.jsonl", "--out", "s.jsonl", "--batch"],
            "--batch is for groq:MODEL; the judge is 'lexical'",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--batch", "--judge", "groq:m", "--no-cache"],
            "--batch keeps what it paid for in the cache; leave out --no-cache",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--field", "question"],
            "--field is 'question'; expected OURS=THEIRS, such as question=prompt",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--shape", "odd"],
            "unknown shape 'odd' of cases; known: own, ",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--config", "chunk_size"],
            "'chunk_size' is no NAME=VALUE: write chunk_size=512",
        ),
        (
            ["p.jsonl", "--out", "s.jsonl", "--formula", "labeling", "--length", "token"],
            "formula 'labeling' counts keys; it cannot weigh them by token",
        ),
        (["p.jsonl"], None),
        (["p.jsonl", "--out", "s.jsonl", "--processes", "0"], None),
    ],
)
def test_what_cannot_be_done_is_said(arguments, message):
    """What was given wrong is a line and exit code 2, before anything is asked or written."""
    predictions(2)
    Path("empty.jsonl").touch()
    code, _, err = run(*arguments)
    assert code == 2
    assert not Path("s.jsonl").exists()
    if message is not None:
        assert err.startswith(message)
        assert err.count("\n") == 1


def test_progress_is_for_terminals(folder):
    """A terminal sees a bar with rate and time left on stderr; nothing of it is in the output."""
    predictions(30)
    ours, theirs = pty.openpty()
    process = scoring.start(
        "p.jsonl",
        "--judge",
        FREE,
        "--out",
        "s.jsonl",
        stderr=theirs,
        cwd=folder,
        environment={"JUDGE_SECONDS": "0.02", "COLUMNS": "100"},
    )
    seen = b""
    while not re.search(rb"scoring.*\d+/30.*\d/s.*0:00:0\d", seen):
        seen += os.read(ours, 1000)
    out, _ = process.communicate(timeout=20)
    os.close(theirs)
    os.close(ours)
    assert process.returncode == 0
    assert out.startswith("logging, version 1: 30 rows in ")


def test_progress_elsewhere_is_a_line_a_minute(monkeypatch):
    """Where nobody watches, a line now and then says how far it is."""
    clock = iter(range(0, 10_000, 25))
    monkeypatch.setattr("pytest_trace.cli.scoring.progress.time.monotonic", lambda: next(clock))
    predictions(6)
    code, _, err = score("--concurrency", 1, judge=FREE)
    assert code == 0
    lines = [line for line in err.splitlines() if line.startswith("scoring")]
    assert lines == [
        "scoring: 3 of 6, 0.0/s, 0:01:15 left",
        "scoring: 6 of 6, 0.0/s, 0:00:00 left",
    ]


def test_help():
    """Every option is told."""
    out = CliRunner().invoke(app, ["score", "--help"]).output
    for option in ("--out", "--judge", "--processes", "--executor", "--batch", "--retry-errors"):
        assert option in out
