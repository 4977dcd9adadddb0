"""`rag-trace triad`: what is shown and written, how runs are compared, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_trace.cli.main import app
from pytest_trace.sentences import make_sentencizer

FAKE = "fakes:FakeJudge"
CODE = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"
FILES = ["metrics.json", "per_query_triad.jsonl", "low_score_cases.jsonl", "report.md"]
RETURNS = {"id": "p2", "text": "Laptops can be returned within 30 days.", "score": 1.5}
HOURS = {"id": "p1", "text": "The shop opens at 9.", "score": 2.0}
DELIVERY = {"id": "p3", "text": "Delivery costs 5 euros."}


def row(query_id, query, passages, generation, *references, **more):
    """A row of a predictions file."""
    return {
        "query_id": query_id,
        "query": query,
        "passages": passages,
        "generation": generation,
        "references": list(references),
    } | more


LAPTOP = ("q1", "How long can I return a laptop?")
COST = ("q2", "What does delivery cost?")
BASE = [
    row(
        *LAPTOP, [HOURS, RETURNS], "Returned within 45 days.", "Within 30 days.", metadata={"n": 1}
    ),
    row(*COST, [DELIVERY], "", "5 euros"),
    row("q3", "What is it?", [], "It is.", " "),
]
NEW = [
    row(*LAPTOP, [RETURNS, HOURS], "Within 30 days.", "Within 30 days."),
    row("q4", "Who delivers?", [DELIVERY], "It costs 5 euros.", "5 euros"),
    row(*COST, [HOURS, DELIVERY], "Five.", "5 euros"),
]
QRELS = "q1 0 p2 1\nq2\t0\tp3\t2\nq3 0 p9 0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shop():
    """Two runs over partly different queries, and judgements."""
    Path("qrels.tsv").write_text(QRELS)
    return [written("base", *BASE), written("new", *NEW)]


def written(name, *rows):
    """A predictions file, and how it is named."""
    path = Path(f"{name}.jsonl")
    lines = [each if isinstance(each, str) else json.dumps(each) for each in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"{name}={path}"


def run(*arguments):
    """Exit code, output and errors of `rag-trace triad`."""
    result = CliRunner().invoke(app, ["triad", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def triad(*arguments, out="out"):
    """What a run without a fault writes."""
    code, _, errors = run(*arguments, "--output-dir", out)
    assert code == 0, errors
    return json.loads(Path(out, "metrics.json").read_text()), read_rows(Path(out, FILES[1]))


def read_rows(path):
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names(folder):
    """What is in a folder."""
    return sorted(each.name for each in Path(folder).iterdir())


def compared(shop, *more):
    """The arguments of a comparison on the first passage."""
    given = ["--qrels", "qrels.tsv", "--baseline-config", "base", "--context-top-k", 1]
    return ["--predictions", *shop, *given, *more]


def test_whole_output(shop):
    """Means of each, then the differences on common queries; what was written goes to stderr."""
    code, out, errors = run(*compared(shop), "--output-dir", "out")
    assert (code, out) == (0, SCREEN)
    assert errors == (
        "wrote metrics.json, per_query_triad.jsonl, low_score_cases.jsonl and report.md to out\n"
    )
    assert names("out") == sorted(FILES)


SCREEN = """\
Mean scores
configuration  rows  context relevance  groundedness  answer relevance  triad
base              3              0.500         0.000             0.286  0.262
new               3              0.500         0.667             0.556  0.611

Beside base, on the queries that both have
configuration  common  context relevance  groundedness  answer relevance   triad
new                 2             +0.000        +0.500            +0.214  +0.238
"""


def test_whole_report(shop):
    """Settings, means with their rows, low and undefined scores, movements, and the limits."""
    triad(*compared(shop))
    report = Path("out/report.md").read_text(encoding="utf-8")
    shown, limits = report.split("\n## What these numbers cannot tell\n\n")
    assert shown == REPORT
    assert len(limits.splitlines()) == 6
    assert "negation" in limits


REPORT = """\
# RAG triad

- evaluator: `lexical` (deterministic), normalisation `squad`
- shown to the generator: the first 1 passages
- judgements: `qrels.tsv`
- a score below 0.5 is low

## Mean scores

| configuration | rows | context relevance | groundedness | answer relevance | triad | triad of complete rows |
| --- | --- | --- | --- | --- | --- | --- |
| base | 3 | 0.500 (2) | 0.000 (2) | 0.286 (2) | 0.262 (2) | 0.262 (2) |
| new | 3 | 0.500 (2) | 0.667 (3) | 0.556 (3) | 0.611 (3) | 0.500 (2) |

In brackets: the rows over which the mean is taken. A complete row has all three.

## Low scores

| configuration | context relevance | groundedness | answer relevance | triad |
| --- | --- | --- | --- | --- |
| base | 1 | 2 | 1 | 2 |
| new | 1 | 1 | 1 | 1 |

## Undefined scores and flags

| configuration | score | reason | rows |
| --- | --- | --- | --- |
| base | context_relevance | no_relevant_passage | 1 |
| base | groundedness | no_content_word_in_generation | 1 |
| base | answer_relevance | no_reference | 1 |
| base | triad | no_part_is_defined | 1 |
| base | (flag) | empty_generation | 1 |
| base | (flag) | no_passages | 1 |
| new | context_relevance | no_qrels | 1 |

## Beside the baseline `base`

| configuration | common rows | only here | only in baseline | context relevance | groundedness | answer relevance | triad |
| --- | --- | --- | --- | --- | --- | --- | --- |
| new | 2 | 1 | 1 | +0.000 | +0.500 | +0.214 | +0.238 |

Differences are means over the common rows on which both have the score.

Relevant passages that moved:

| configuration | judged rows | entered | left | rose | fell | stayed |
| --- | --- | --- | --- | --- | --- | --- |
| new | 2 | 1 | 1 | 0 | 0 | 0 |
"""  # noqa: E501 - the lines of a table


def test_a_row_has_everything(shop):
    """What was given, scores, flags, and what moved; what the baseline lacks is not compared."""
    _, rows = triad(*compared(shop))
    by_query = {(each["configuration"], each["query_id"]): each for each in rows}
    assert by_query["new", "q2"] == {
        "configuration": "new",
        "query_id": "q2",
        "query": "What does delivery cost?",
        "metadata": {},
        "candidates": [
            HOURS | {"rank": 1, "is_shown": True, "is_relevant": False},
            DELIVERY | {"rank": 2, "score": None, "is_shown": False, "is_relevant": True},
        ],
        "generation": "Five.",
        "references": ["5 euros"],
        "scores": dict.fromkeys(SCORES, 0.0),
        "undefined": {},
        "flags": [],
        "low": SCORES,
        "delta": dict(zip(SCORES, [-1.0, 0.0, 0.0, -1 / 3], strict=True)),
        "movement": {
            "entered": [],
            "left": [{"id": "p3", "rank": 2, "baseline_rank": 1}],
            "rose": [],
            "fell": [],
            "stayed": [],
        },
    }
    assert by_query["base", "q1"]["metadata"] == {"n": 1}
    assert by_query["base", "q2"]["flags"] == ["empty_generation"]
    empty = by_query["base", "q2"]["scores"]
    assert (empty["groundedness"], empty["answer_relevance"]) == (0.0, 0.0)
    nothing = by_query["base", "q3"]
    assert nothing["scores"] == dict.fromkeys(SCORES)
    assert nothing["undefined"] == {
        "context_relevance": "no_relevant_passage",
        "groundedness": "no_content_word_in_generation",
        "answer_relevance": "no_reference",
    }
    assert by_query["new", "q4"]["movement"] is None


SCORES = ["context_relevance", "groundedness", "answer_relevance", "triad"]


def test_undefined_is_counted_and_never_zero(shop):
    """Means are over the rows that have the score; what is missing is counted by its reason."""
    metrics, _ = triad(*compared(shop))
    base = metrics["configurations"]["base"]
    assert base["scores"]["answer_relevance"] == {
        "mean": pytest.approx((4 / 7 + 0) / 2),
        "defined": 2,
        "undefined": {"no_reference": 1},
        "low": 1,
    }
    assert base["scores"]["triad"]["undefined"] == {"no_part_is_defined": 1}
    assert base["triad_of_complete_rows"]["rows"] == 2
    assert base["flags"] == {"empty_generation": 1, "no_passages": 1}
    assert metrics["settings"] == {
        "evaluator": "lexical",
        "normalisation": "squad",
        "baseline": "base",
        "context_top_k": 1,
        "low_score": 0.5,
        "qrels": "qrels.tsv",
        "fields": {},
        "on_bad_row": "fail",
    }


def test_low_score_cases_are_rows(shop):
    """Every row with a score below the limit, as it stands among all rows."""
    _, rows = triad(*compared(shop))
    low = read_rows(Path("out", FILES[2]))
    assert low == [each for each in rows if each["low"]]
    assert [(each["configuration"], each["query_id"]) for each in low] == [
        ("base", "q1"),
        ("base", "q2"),
        ("new", "q2"),
    ]
    metrics, rows = triad(*compared(shop, "--low-score", 0))
    assert not any(each["low"] for each in rows)
    assert metrics["settings"]["low_score"] == 0.0


def test_without_judgements_words_count(shop):
    """Context relevance is lexical, nothing is known to be relevant, and nothing moves."""
    metrics, rows = triad("--predictions", shop[0], shop[1], "--baseline-config", "base")
    assert rows[0]["scores"]["context_relevance"] == 0.0  # long, return, laptop
    assert rows[1]["scores"]["context_relevance"] == 0.5  # delivery of delivery, cost
    assert rows[0]["candidates"][0]["is_relevant"] is None
    assert all(each["movement"] is None for each in rows)
    assert metrics["configurations"]["new"]["against_baseline"]["movement"]["rows"] == 0


def test_the_baseline_comes_first_wherever_it_is_named(shop):
    """It must be known before the others are compared."""
    code, out, _ = run(*compared(reversed(shop)), "--output-dir", "out")
    assert (code, out) == (0, SCREEN)


def many(count, seed):
    """Rows that differ, in texts of several scripts."""
    words = ["laptop", "Rückgabe", "30", "days", "वापसी", "返品", "the", "U.S.", "€5", "\ud800"]
    rows = []
    for number in range(count):
        texts = [
            " ".join(words[(number * seed + at * 7 + n) % 10] for n in range(9)) for at in range(4)
        ]
        passages = [{"id": f"p{(number + at) % 50}", "text": text} for at, text in enumerate(texts)]
        rows.append(row(f"q{number}", texts[0], passages[seed % 3 :], texts[2], texts[1], texts[3]))
    return rows


def results(out):
    """The bytes of all files."""
    return {name: Path(out, name).read_bytes() for name in FILES}


def test_bytes_are_equal_on_every_run(folder):
    """Whatever the number of processes and the seed of hashes, and with rows for all of them."""
    shop = [written("base", *many(150, 3)), written("new", *reversed(many(170, 5)))]
    Path("qrels.tsv").write_text("".join(f"q{n} 0 p{n * 3 % 50} 1\n" for n in range(0, 170, 2)))
    triad(*compared(shop), "--processes", 1, out="out1")
    arguments = map(str, compared(shop, "--processes", 2, "--output-dir", "out2"))
    subprocess.run(
        [sys.executable, "-c", CODE, "triad", *arguments],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        check=True,
        capture_output=True,
    )
    assert results("out1") == results("out2")
    rows = read_rows(Path("out2", FILES[1]))
    assert [each["query_id"] for each in rows[150:]] == [f"q{n}" for n in reversed(range(170))]
    assert any(each["movement"] and each["movement"]["entered"] for each in rows)


def test_a_judge_has_columns_of_its_own(shop):
    """TRACe scores stand beside the deterministic ones, which stay what they are without it."""
    plain, without = triad(*compared(shop), out="plain")
    metrics, rows = triad(*compared(shop), "--evaluator", FAKE, "--concurrency", 2)
    full = dict.fromkeys(TRACE, 1.0)
    assert [each.pop("trace") for each in rows] == [
        full,
        dict.fromkeys(TRACE) | {"reason": "empty_generation"},
        dict.fromkeys(TRACE) | {"adherence": 0.0, "support": 0.0},  # nothing was retrieved
        *[full] * 3,
    ]
    assert rows == without
    assert metrics["settings"].pop("judge") == {
        "name": "fake",
        "version": "1",
        "sentencizer": make_sentencizer().version,
    }
    for name, found in metrics["configurations"].items():
        traced = found.pop("trace")
        assert traced["adherence"]["defined"] == {"base": 2, "new": 3}[name]
        assert found == plain["configurations"][name]
    report = Path("out/report.md").read_text(encoding="utf-8")
    assert "## TRACe scores by fake\n" in report
    assert "averaged with none of the above" in report


TRACE = ["relevance", "utilization", "completeness", "adherence", "support"]


def test_verdicts_are_stored(shop):
    """A judge is asked once for each trace; a second run reads the cache."""
    arguments = [*compared(shop), "--evaluator", FAKE]
    first = triad(*arguments)
    assert Path(".rag_cache").is_dir()
    second = triad(*arguments, "--no-cache", "--cache-dir", "other")
    assert not Path("other").exists()
    assert first == second


def test_what_a_judge_cannot_decide_is_no_score(shop):
    """It is undefined with its reason, said on stderr; exit code 1 where nothing is left."""
    named = written("hard", row(*LAPTOP, [HOURS], "It is unclear."), row(*COST, [HOURS], "At 9."))
    code, _, errors = run("--predictions", named, "--evaluator", FAKE, "--output-dir", "out")
    assert code == 0
    assert "fake could not decide on 1 row; per_query_triad.jsonl has the reasons\n" in errors
    assert errors.endswith("the first: the fake judge cannot decide\n  model fake-1\n")
    first, second = read_rows(Path("out", FILES[1]))
    assert first["trace"]["reason"] == "not_judged"
    assert first["trace"]["message"].startswith("the fake judge cannot decide")
    assert second["trace"]["adherence"] == 1.0
    metrics = json.loads(Path("out/metrics.json").read_text())
    trace = metrics["configurations"]["hard"]["trace"]["adherence"]
    assert trace == {"mean": 1.0, "defined": 1, "undefined": {"not_judged": 1}}
    named = written("hard", row(*LAPTOP, [HOURS], "It is unclear."))
    assert run("--predictions", named, "--evaluator", FAKE, "--output-dir", "out")[0] == 1


def test_passages_without_any_text_are_no_trace():
    """A judge is not asked about them; the deterministic scores stay."""
    named = written("blank", row(*LAPTOP, [{"text": " "}], "At 9.", "9"))
    _, rows = triad("--predictions", named, "--evaluator", FAKE)
    assert rows[0]["trace"]["reason"] == "no_trace"
    assert "documents hold no text" in rows[0]["trace"]["message"]
    assert rows[0]["scores"]["groundedness"] == 0.0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ragas", "unsupported evaluator 'ragas'. Supported: lexical, the deterministic one; any"),
        ("groq:", "judge 'groq:' names no model"),
        ("fakes:Nobody", "module 'fakes' has no 'Nobody'"),
    ],
)
def test_an_unsupported_evaluator_is_refused(shop, spec, said):
    """With the list of what is supported, before anything is read or written."""
    code, out, errors = run("--predictions", "x=none", "--evaluator", spec, "--output-dir", "out")
    assert (code, out) == (2, "")
    assert said in errors
    assert "lexical" in errors
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--predictions", "base.jsonl"], "the predictions 'base.jsonl' are no NAME=FILE"),
        (["--predictions", "=base.jsonl"], "the predictions '=base.jsonl' are no NAME=FILE"),
        (["--predictions", "a=x", "a=y"], "two predictions are named 'a'"),
        (["--predictions", "a=none.jsonl"], "cannot read the predictions in none.jsonl: No such"),
        (
            ["--predictions", "a=x", "b=y", "--baseline-config", "c"],
            "unknown baseline 'c'; the predictions are a, b",
        ),
        (
            ["--predictions", "a=base.jsonl", "--qrels", "none"],
            "cannot read the judgements in none",
        ),
        (
            ["--predictions", "a=base.jsonl", "--field", "prompt=q"],
            "unknown field 'prompt'; known:",
        ),
        (["--predictions", "a=base.jsonl", "--low-score", "nan"], "--low-score"),
        (["--predictions", "a=base.jsonl", "--output-dir", "new.jsonl"], "new.jsonl is a file"),
    ],
)
def test_wrong_use_is_one_line(shop, arguments, said):
    """Exit code 2, what came and what was expected."""
    code, out, errors = run("--output-dir", "out", *arguments)
    assert (code, out) == (2, "")
    assert said in errors


BAD = '{"query_id": "q9", "query": 5}'


def test_a_bad_row_is_named_and_nothing_is_lost(shop):
    """Line and field; the results of an earlier run stay as they were, and no part is left."""
    triad(*compared(shop))
    before = results("out")
    written("new", *NEW, BAD)
    code, out, errors = run(*compared(shop), "--output-dir", "out")
    assert (code, out) == (2, "")
    assert errors == "new.jsonl:4, field query: 5 is a int; expected a string\n"
    assert results("out") == before
    assert names("out") == sorted(FILES)


def test_bad_rows_may_be_skipped(shop):
    """They are counted, listed and count in no score; of two rows of one query the first stays."""
    written("new", BAD, *NEW, *["[]"] * 10, NEW[0])
    arguments = [*compared(shop), "--on-bad-row", "skip", "--output-dir", "out"]
    code, out, errors = run(*arguments)
    assert (code, out) == (0, SCREEN)
    assert errors.startswith("12 lines skipped; metrics.json lists them\n")
    metrics = json.loads(Path("out/metrics.json").read_text())
    bad = metrics["configurations"]["new"]["bad_rows"]
    assert bad[0] == "new.jsonl:1, field query: 5 is a int; expected a string"
    assert bad[-1].startswith("new.jsonl:15 has the query_id 'q1', as new.jsonl:2 has; a config")
    report = Path("out/report.md").read_text(encoding="utf-8")
    assert "`new`: 12 lines skipped\n" in report
    assert "\n- and 2 more, in metrics.json\n" in report
    written("new", BAD)
    code, _, errors = run(*arguments)
    assert (code, errors) == (2, "new.jsonl holds no row that can be scored\n")


def test_a_query_stands_once_in_a_run(shop):
    """Which of two rows would be compared?"""
    named = written("twice", *BASE, BASE[0])
    code, _, errors = run("--predictions", named, "--output-dir", "out")
    assert code == 2
    assert errors.startswith("twice.jsonl:4 has the query_id 'q1', as twice.jsonl:1 has;")


def without_ids(rows):
    """The same rows, which go by their line."""
    return [{name: value for name, value in each.items() if name != "query_id"} for each in rows]


def test_rows_without_ids_are_compared_by_line(shop):
    """As long as both lines ask the same."""
    shop = [written("base", *without_ids(BASE)), written("new", *without_ids(NEW[:1]))]
    metrics, rows = triad("--predictions", *shop, "--baseline-config", "base")
    assert metrics["configurations"]["new"]["against_baseline"]["common"] == 1
    assert rows[-1]["query_id"] == "1"
    written("new", *without_ids(NEW))
    arguments = ["--predictions", *shop, "--baseline-config", "base", "--output-dir", "out"]
    code, _, errors = run(*arguments)
    assert code == 2
    assert errors.startswith(
        "new.jsonl:2 has no query_id, so it is compared with base.jsonl:2 of the baseline, "
    )


def test_a_query_that_is_worded_otherwise_is_told(shop):
    """With ids it is the same query, as a rewriting retriever has it."""
    written("new", NEW[0] | {"query": "laptop return period"})
    metrics, _ = triad(*compared(shop))
    assert metrics["configurations"]["new"]["against_baseline"]["other_query"] == 1
    assert "`new` words the query otherwise in 1 common row." in Path("out/report.md").read_text()


def test_the_triad_is_compared_over_the_same_parts(shop):
    """A mean of three and a mean of two do not differ by anything that means something."""
    written("new", NEW[0] | {"references": []})
    _, rows = triad(*compared(shop))
    assert rows[-1]["delta"] == {
        "context_relevance": 1.0,
        "groundedness": 1.0,
        "answer_relevance": None,
        "triad": None,
    }


def test_fields_and_normalisation(shop):
    """Other names are mapped, and scripts without spaces are compared by character."""
    named = written("zh", {"q": "北京?", "hits": ["北京"], "text": "北京大学", "gold": "北京"})
    fields = ["query=q", "passages=hits", "generation=text", "references=gold"]
    options = [part for pair in fields for part in ("--field", pair)]
    _, rows = triad("--predictions", named, *options)
    assert rows[0]["scores"]["answer_relevance"] == 0.0
    metrics, rows = triad("--predictions", named, *options, "--normalisation", "multilingual")
    assert rows[0]["scores"]["answer_relevance"] == pytest.approx(2 / 3)
    assert metrics["settings"]["fields"]["references"] == "gold"


def test_names_cannot_break_the_report():
    """Bars and line ends of names are escaped."""
    triad("--predictions", f"a|b{written('x', *BASE)[1:]}")
    assert "| a\\|b | 3 |" in Path("out/report.md").read_text(encoding="utf-8")


@contextmanager
def running():
    """`rag-trace triad` as a process of its own, whose rows come from a pipe that has no end."""
    os.mkfifo("run.jsonl")
    arguments = ["--predictions", "run=run.jsonl", "--processes", "2", "--output-dir", "out"]
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, "triad", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with Path("run.jsonl").open("w") as pipe:
            pipe.writelines(f"{json.dumps(each)}\n" for each in many(64 * 12, 3))
            pipe.flush()
            yield process, pipe
    finally:
        process.kill()
        process.communicate()


def worker_of(process):
    """One of the two processes that score, once both are there; another one tracks resources."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while True:
        found = []
        for pid in children.read_text().split():
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(int(pid))
        if len(found) == 2:
            return found[0]
        time.sleep(0.02)


def test_interrupt():
    """Ctrl-C ends it with one line and exit code 130; no part of a result is left."""
    with running() as (process, _):
        worker_of(process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert errors == "stopped, with nothing to show\n"
    assert names("out") == []


def test_a_killed_worker_is_told():
    """A process that is killed, as by a system without memory, is no silent loss of rows."""
    with running() as (process, pipe):
        os.kill(worker_of(process), signal.SIGKILL)
        pipe.close()
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert errors == "a process that scored rows was killed; try --processes 1\n"
    assert names("out") == []


def test_help():
    """Every option is told."""
    out = CliRunner().invoke(app, ["triad", "--help"]).output
    for option in ("--predictions", "--qrels", "--baseline-config", "--context-top-k", "--field"):
        assert option in out
