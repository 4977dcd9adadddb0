"""`rag-trace calibrate`: what is shown and written, what is asked, and how it ends."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import xml.dom.minidom
from contextlib import closing
from pathlib import Path

import children
import pytest
from labelling import PLAIN, RESEARCH, shop, write_jsonl, write_parquet
from typer.testing import CliRunner
from wire.server import ChatServer, answer_keyed

from pytest_trace.cli.calibration import judging
from pytest_trace.cli.main import app

FAKE = "fakes:FakeJudge"
SAYING = "labelling:SayingJudge"
CODE = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"
HAT = {
    "id": "b2",
    "documents": ["We sell hats."],
    "documents_sentences": [[["0a", "We sell hats."]]],
    "response": "A meteorite.",
    "response_sentences": [["a", "A meteorite."]],
    "adherence_score": False,
    "all_relevant_sentence_keys": [],
    "all_utilized_sentence_keys": [],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory, and a clock in which every set takes half a second."""
    monkeypatch.chdir(tmp_path)
    clock = itertools.count()
    monkeypatch.setattr(judging, "perf_counter", lambda: next(clock) / 2)
    return tmp_path


@pytest.fixture
def plain():
    """Two supported and two hallucinated responses, one that cannot be judged, one unlabelled."""
    first = shop(1, "1 euro.", supported=True, relevant=["doc_0_s0"], utilized=["doc_0_s0"])
    second = shop(2, "A meteorite fell.", supported=False, relevant=["doc_0_s0"], utilized=[])
    both = ["doc_0_s0", "doc_0_s1"]
    third = shop(3, "A meteorite!", supported=True, relevant=both, utilized=["doc_0_s1"])
    return write_jsonl(
        Path("plain.jsonl"),
        first,
        second,
        third,
        shop(4, "5 euros.", id="four", supported=False),
        shop(5, "It is unclear.", supported=False),
        shop(6, "6 euros.", supported=None),
    )


@pytest.fixture
def sure():
    """Five responses of which the judge is more or less sure; the second and last are wrong."""
    labels = {".95": True, ".9": False, ".8": True, ".3": False, ".2": True}
    return write_jsonl(
        Path("sure.jsonl"),
        *(
            shop(number, f"It is red {said}", id=f"said {said}", supported=label)
            for number, (said, label) in enumerate(labels.items())
        ),
    )


def run(*arguments):
    """Exit code, output and errors of `rag-trace calibrate`."""
    result = CliRunner().invoke(app, ["calibrate", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def run_json(*arguments):
    """What `rag-trace calibrate --json` prints."""
    code, out, _ = run(*arguments, "--json")
    assert code == 0
    return json.loads(out)


def value(report, of, name):
    """One figure of a set, without its interval."""
    return report["sets"][of]["figures"][name]["value"]


def read_lines(path):
    """The rows of a JSONL file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_whole_output(plain):
    """Tables for sets and their mean, what to beware of, and what was not judged; 80 columns."""
    peers = {"gpt3_adherence": 1.0, "ragas_faithfulness": 0.5, "gpt35_utilization": 0.5}
    worse = HAT | {"gpt3_adherence": 0.0, "ragas_faithfulness": 0.7}
    bench = write_parquet(Path("bench.parquet"), peers, worse)
    code, out, err = run(plain, bench, "--judge", FAKE, "--resamples", 50)
    assert (code, err) == (0, "")
    assert out == WHOLE
    assert max(map(len, out.splitlines())) <= 80


WHOLE = """\
fake, version 1: 7 traces of 2 sets in 1.0 s, 7 a second
verdicts: 6 from the judge
1 row without a response or a label left out

Rows; beside each figure stands its 95 % interval
set        rows   hallucinated  clusters  not judged  traces/s
plain         4  .500 .00–1.00         4           1        10
shop_test     2  .500 .00–1.00         2           0         4
mean              .500 .15–.97

Hallucinated responses, by rank (recall at 5 % false alarms) and as decided
set                  AUROC    recall at 5 %    balanced acc.            kappa
plain        .500 .00–1.00    .000 .00–1.00    .500 .00–1.00   .000 -.98–1.00
shop_test  1.000 1.00–1.00  1.000 1.00–1.00  1.000 1.00–1.00  1.000 1.00–1.00
mean                  .750             .500             .750             .500

Hallucinated responses, as the judge decides
set              precision           recall               F1   false alarms
plain        .500 .00–1.00    .500 .00–1.00    .500 .00–1.00  .500 .00–1.00
shop_test  1.000 1.00–1.00  1.000 1.00–1.00  1.000 1.00–1.00   .000 .00–.00
mean                  .750    .750 .50–1.00             .750   .250 .00–.50

Document sentences that are relevant (R) or utilized (T)
set              R AUROC           R F1        T AUROC           T F1
plain      .875 .80–1.00  .857 .67–1.00  .500 .00–1.00  .400 .00–1.00
shop_test   .500 .50–.50   .667 .00–.80  .833 .83–1.00  .667 .00–1.00
mean        .688 .65–.75   .762 .38–.89   .667 .42–.93   .533 .00–.87

RMSE of the scores; (mean): predicting the mean of the labels for all
set            relevance (mean)    utilization (mean)   completeness (mean)
plain       .289 .00–.50 (.236)   .289 .00–.50 (.236)  .645 .00–1.00 (.408)
shop_test  .745 .33–1.00 (.333)  .707 .00–1.00 (.167)   .167 .17–.17 (.000)
mean        .517 .19–.70 (.285)   .498 .03–.74 (.201)   .406 .08–.53 (.204)

Hallucinated below 0.0000, for at most 5 % false alarms; *: by the other sets
set              recall   false alarms        recall*  false alarms*
plain      .000 .00–.00  .500 .00–1.00  .500 .00–1.00  .500 .00–1.00
shop_test  .000 .00–.00   .000 .00–.00   .000 .00–.00   .000 .00–.00
mean       .000 .00–.00   .250 .00–.50   .250 .00–.50   .250 .00–.50

AUROC beside the published columns, on the rows that have them
set           tool      score  rows  tool's  judge's       difference
shop_test    RAGAS  adherence     2    .000    1.000  1.000 1.00–1.00
shop_test  GPT-3.5  adherence     2   1.000    1.000     .000 .00–.00

RMSE beside the published columns, on the rows that have them
set           tool        score  rows  tool's  judge's       difference
shop_test  GPT-3.5  utilization     1    .167     .000  -.167 -.17–-.17

Beware
- plain has 2 hallucinated responses: below 30 its figures say little
- shop_test has 1 hallucinated response: below 30 its figures say little

Not judged, and in no figure
- plain 5: the fake judge cannot decide; model fake-1
"""


def test_figures_are_those_of_the_rows(sure):
    """Of two hallucinated responses one is found, and of three supported ones one is an alarm."""
    report = run_json(sure, "--judge", SAYING)
    assert (report["judge"], report["version"], report["rows"]) == ("saying", "3", 5)
    found = report["sets"]["sure"]
    assert (found["rows"], found["labelled"], found["hallucinated"]) == (5, 5, 2)
    assert (found["seconds"], found["rows_per_second"]) == (0.5, 10.0)
    expected = {
        "hallucinated": 2 / 5,
        "auroc": 3 / 6,  # .9 is below .95; .3 below .95 and .8
        "recall": 1 / 2,
        "false_alarms": 1 / 3,
        "precision": 1 / 2,
        "f1": 1 / 2,
        "balanced_accuracy": (1 / 2 + 2 / 3) / 2,
        "kappa": (3 / 5 - 13 / 25) / (1 - 13 / 25),
        "brier": (0.05**2 + 0.9**2 + 0.2**2 + 0.3**2 + 0.8**2) / 5,
        "brier_of_share": 6 / 25,
        "calibration_error": (0.05 + 0.9 + 0.2 + 0.3 + 0.8) / 5,
        "relevance_auroc": None,
        "completeness_rmse": None,
    }
    assert {name: value(report, "sure", name) for name in expected} == pytest.approx(expected)
    assert report["mean"] == {}
    interval = found["figures"]["auroc"]["interval"]
    assert 0 <= interval["low"] < 0.5 < interval["high"] <= 1


def test_sentences_are_ranked_by_probability():
    """Where a judge is sure of document sentences to a degree, that ranks them."""
    text = "One .9. Two .7. Three .6. Four .1."
    keys = [f"doc_0_s{number}" for number in range(4)]
    row = PLAIN | {"documents": [text], "relevant": [keys[0], keys[2]], "utilized": keys[3:]}
    report = run_json(write_jsonl(Path("a.jsonl"), row), "--judge", SAYING)
    assert value(report, "a", "relevance_auroc") == 3 / 4
    assert value(report, "a", "relevance_f1") == 4 / 5
    assert value(report, "a", "relevance_rmse") == pytest.approx(1 / 4)
    assert value(report, "a", "utilization_auroc") == 0
    assert value(report, "a", "completeness_rmse") == 1


def test_set_of_one_label():
    """Without a hallucinated response nothing can be found: false alarms are all there is."""
    rows = [shop(number, "Yes .9" if number else "No .1", supported=True) for number in range(4)]
    report = run_json(write_jsonl(Path("a.jsonl"), *rows), "--judge", SAYING)
    names = ("auroc", "precision", "recall", "f1", "kappa", "balanced_accuracy")
    assert {value(report, "a", name) for name in names} == {None}
    assert value(report, "a", "false_alarms") == 1 / 4
    assert report["warnings"] == ["a has 0 hallucinated responses: below 30 its figures say little"]


def test_enough_positives_need_no_warning():
    """From 30 hallucinated responses on a set is not warned of, nor one without such labels."""
    rows = [shop(number, "No .1", supported=False) for number in range(30)]
    paths = [
        write_jsonl(Path("a.jsonl"), *rows),
        write_jsonl(Path("b.jsonl"), shop(1, "Yes", relevant=[]), shop(2, "Yes", relevant=[])),
    ]
    assert run_json(*paths, "--judge", SAYING, "--resamples", 0)["warnings"] == []


def test_rows_of_one_cluster_have_no_interval():
    """Rows that share their documents are one case."""
    rows = [PLAIN | {"supported": bool(number % 2)} for number in range(4)]
    report = run_json(write_jsonl(Path("a.jsonl"), *rows), "--judge", SAYING)
    assert report["sets"]["a"]["figures"]["false_alarms"] == {"value": 0.0, "interval": None}
    assert report["warnings"][-1] == (
        "a is one cluster of rows that share documents: there is no interval"
    )


def test_no_intervals():
    """With no draws there are figures alone."""
    path = write_jsonl(
        Path("a.jsonl"), shop(1, "Yes .9", supported=True), shop(2, "No .1", supported=False)
    )
    out = run(path, "--judge", SAYING, "--resamples", 0)[1]
    assert ["a", "1.000", "1.000", "1.000", "1.000"] in map(str.split, out.splitlines())


def test_languages_are_sets_of_their_own():
    """A file in two languages is two sets, and one without a language is another."""
    rows = [RESEARCH | {"language": name} for name in ("de", "es", "de")] + [PLAIN]
    report = run_json(write_jsonl(Path("a.jsonl"), *rows), "--judge", SAYING)
    assert {name: each["rows"] for name, each in report["sets"].items()} == {
        "a/de": 2,
        "a/es": 1,
        "a/None": 1,
    }


def test_limit_takes_a_sample_of_each_set():
    """It is the same each time, of all the file and not its beginning, and grows by its limit."""
    rows = [shop(number, f"It is {number}.", supported=True) for number in range(40)]
    paths = write_jsonl(Path("a.jsonl"), *rows), write_jsonl(Path("b.jsonl"), *rows[:3])

    def asked(limit):
        code, out, _ = run(*paths, "--judge", "labelling:NeverJudge", "--limit", limit, "--json")
        sets = json.loads(out)["sets"]
        assert code == 1
        return {name: [row["id"] for row in sets[name]["not_judged"]] for name in sets}

    few, many = asked(5), asked(10)
    assert few == asked(5)
    assert (len(few["a"]), len(many["a"]), len(few["b"])) == (5, 10, 3)
    assert set(few["a"]) < set(many["a"])
    assert many["a"] == sorted(many["a"], key=int)
    assert max(map(int, many["a"])) > 20


def test_file_that_is_named_twice_is_read_once(sure):
    """A folder and a file in it, or one file by two names, give no row twice."""
    assert run_json(".", sure, sure.resolve(), "--judge", SAYING)["rows"] == 5


def test_verdicts_come_from_the_cache(plain, folder):
    """What was answered is not asked again, and a judge that could not decide is."""
    assert run_json(plain, "--judge", FAKE)["sources"] == {"judge": 4}
    assert (folder / ".rag_cache" / "verdicts").is_dir()
    again = run_json(plain, "--judge", FAKE, "--concurrency", 3)
    assert again["sources"] == {"cache": 4}
    assert again["sets"]["plain"]["not_judged"] == [
        {"id": "5", "reason": "the fake judge cannot decide\n  model fake-1"}
    ]
    assert run_json(plain, "--judge", FAKE, "--cache-dir", "other")["sources"] == {"judge": 4}
    assert run_json(plain, "--judge", FAKE, "--no-cache")["sources"] == {"judge": 4}


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A model that finds support for whatever has a price."""
    # Nothing here is encrypted, and reading certificates takes long.
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    with closing(ChatServer()) as server:
        server.answer(lambda body: answer_keyed(body, is_supported=lambda text: "euro" in text))
        monkeypatch.setenv("GROQ_API_KEY", "gsk_scripted")
        monkeypatch.setenv("GROQ_BASE_URL", server.base_url)
        yield server


def test_language_model_and_what_it_took(plain, server):
    """Its calls are made at once, paid, counted, shown, and stored: the second run is free."""
    asked = (plain, "--judge", "groq:openai/gpt-oss-20b", "--concurrency", 4)
    first, second = run(*asked)[1], run(*asked)[1]
    assert len(server.requests) == 5
    assert "\nverdicts: 5 from the judge\n" in first
    assert re.search(r"\n5 requests: [\d,]+ prompt tokens .* 200 completion", first)
    assert "\nverdicts: 5 from the cache\n" in second
    assert "request" not in second


def test_free_judge_needs_no_cache(sure, folder):
    """It is asked each time, and leaves no folder."""
    assert run_json(sure, "--judge", SAYING)["sources"] == {}
    assert run(sure, "--judge", SAYING)[1].splitlines()[1] == ""
    assert [path.name for path in folder.iterdir()] == ["sure.jsonl"]


def test_broken_cache_is_done_without(plain, folder):
    """The run goes on, and says so once."""
    (folder / ".rag_cache").write_text("a file")
    code, out, err = run(plain, "--judge", FAKE)
    assert (code, err.count("goes on without the cache")) == (0, 1)
    assert "verdicts: 4 from the judge" in out


def test_concurrency_changes_no_figure(plain):
    """Rows are put in order again."""
    one, many = (
        run_json(plain, "--judge", FAKE, "--no-cache", "--concurrency", count)["sets"]
        for count in (1, 8)
    )
    assert one == many


def test_mark_policy_decides(plain):
    """Under another policy the same verdicts are other decisions."""
    path = write_jsonl(
        Path("a.jsonl"), *(shop(number, "Well known.", supported=True) for number in range(2))
    )
    alarms = [
        value(
            run_json(path, "--judge", "labelling:MarkingJudge", "--marks", marks),
            "a",
            "false_alarms",
        )
        for marks in ("default", "ragbench")
    ]
    assert alarms == [1.0, 0.0]


def test_disagreements(sure):
    """What a person should read, with reasons and evidence; the surest comes first."""
    code, _, err = run(sure, "--judge", SAYING, "--disagreements", "read.jsonl")
    assert (code, err) == (0, "wrote 2 disagreements to read.jsonl\n")
    first, second = read_lines("read.jsonl")
    assert first == {
        "set": "sure",
        "id": "said .9",
        "question": "What does thing 1 cost?",
        "response": "It is red .9",
        "label": "hallucinated",
        "decision": "supported",
        "probability": 0.9,
        "sentences": [
            {
                "text": "It is red .9",
                "decision": "supported",
                "probability": None,
                "reason": "I say so",
                "evidence": ["Thing 1 costs 1 euros."],
            }
        ],
        "documents": ["Thing 1 costs 1 euros. The weather is fine."],
    }
    assert (second["id"], second["label"], second["decision"]) == (
        "said .2",
        "supported",
        "hallucinated",
    )


def test_disagreements_of_odd_texts():
    """Texts of any language are written as they are, and what no file can hold as escapes."""
    row = shop(1, "Größe \ud800 .9", supported=False)
    run(write_jsonl(Path("a.jsonl"), row), "--judge", SAYING, "--disagreements", "read.jsonl")
    assert "Größe \\ud800 .9" in Path("read.jsonl").read_text()
    assert read_lines("read.jsonl")[0]["response"] == "Größe \ud800 .9"


def test_threshold(sure):
    """Below .8 one of three supported responses would be flagged, and one hallucination found."""
    code, out, err = run(
        sure, "--judge", SAYING, "--write-threshold", "t.json", "--max-false-alarms", 0.4
    )
    assert (code, err) == (0, "wrote the threshold 0.8000 to t.json\n")
    assert "Hallucinated below 0.8000, for at most 40 % false alarms\n" in out
    written = json.loads(Path("t.json").read_text())
    tested = written.pop("tested")
    assert written == {
        "judge": "saying",
        "version": "3",
        "threshold": 0.8,
        "max_false_alarms": 0.4,
        "rows": 5,
        "sets": ["sure"],
    }
    # Each in turn: without .95 or .8 the threshold is .2, without any other it is .8.
    assert {name: tested["folds"][name]["value"] for name in tested["folds"]} == {
        "recall": 0.5,
        "false_alarms": 1 / 3,
    }


def test_threshold_of_several_sets(sure):
    """With several sets it is also tested on each by what the others allow."""
    other = write_jsonl(
        Path("other.jsonl"),
        shop(10, "Yes .6", supported=True),
        shop(11, "No .5", supported=False),
        shop(12, "Yes .55", supported=True),
    )
    out = run(sure, other, "--judge", SAYING, "--write-threshold", "t.json", "--resamples", 0)[1]
    assert (
        "Hallucinated below 0.2000, for at most 5 % false alarms; *: by the other sets\n"
        "set    recall  false alarms  recall*  false alarms*\n"
    ) in out
    tested = json.loads(Path("t.json").read_text())["tested"]
    # By the other set: below .55 of `sure` .3 and .2; below .2 of `other` nothing.
    assert tested["left_out_set"] == {
        "recall": {"value": 1 / 4, "interval": None},
        "false_alarms": {"value": pytest.approx(1 / 6), "interval": None},
    }


def test_no_threshold_without_supported_rows():
    """It is said, and nothing is written."""
    path = write_jsonl(Path("a.jsonl"), shop(1, "No .1", supported=False))
    code, _, err = run(path, "--judge", SAYING, "--write-threshold", "t.json")
    assert (code, err) == (0, "no threshold was written to t.json: no row is supported\n")
    assert not Path("t.json").exists()


def test_plot(sure):
    """It is an SVG with a point for each bin, at what was said and what is."""
    code, _, err = run(sure, "--judge", SAYING, "--plot", "p.svg")
    assert (code, err) == (0, "wrote a reliability plot to p.svg\n")
    svg = xml.dom.minidom.parse("p.svg").documentElement
    points = [
        (float(each.getAttribute("cx")), float(each.getAttribute("cy")))
        for each in svg.getElementsByTagName("circle")
    ]
    # The square reaches from (70, 84) to (410, 424); .2 and .9 are wrong.
    assert points == [(138.0, 84.0), (172.0, 424.0), (342.0, 84.0), (376.0, 424.0), (393.0, 84.0)]
    texts = [each.firstChild.data for each in svg.getElementsByTagName("text")]
    assert texts[:3] == [
        "Reliability of saying, version 3",
        "5 responses in 5 bins of about equal size",
        "calibration error 0.450, Brier score 0.317",
    ]


def test_plot_without_probabilities(plain):
    """A judge that gives none has an empty plot."""
    assert run(plain, "--judge", FAKE, "--plot", "p.svg")[0] == 0
    svg = xml.dom.minidom.parse("p.svg").documentElement
    assert not svg.getElementsByTagName("circle")


def test_json_and_tables_have_the_same_figures(plain):
    """With --json there is JSON alone, undefined figures as null."""
    report = run_json(plain, "--judge", FAKE)
    assert (report["left_out"], report["judged"], report["usage"]) == (1, 4, None)
    assert report["sets"]["plain"]["figures"]["brier"] == {"value": None, "interval": None}
    assert value(report, "plain", "recall") == 0.5
    assert not report["is_interrupted"]


def test_nothing_could_be_judged():
    """That is no measurement: the exit code is 1, and the reason is said once."""
    rows = [shop(number, "It is unclear.", supported=True) for number in range(7)]
    code, out, err = run(write_jsonl(Path("a.jsonl"), *rows), "--judge", FAKE, "--plot", "p.svg")
    assert (code, err) == (1, "wrote a reliability plot to p.svg\n")
    assert out.endswith(
        "\nNot judged, and in no figure\n"
        "- a 1, a 2, a 3, a 4, a 5 and 2 more: the fake judge cannot decide; model fake-1\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl"], "cannot read the labels in none.jsonl: No such file or directory"),
        (["bad.jsonl"], "bad.jsonl:2, field supported: 'no' is a str; expected true, false or"),
        (["."], None),
        (["sure.jsonl", "--judge", "nobody"], "unknown judge 'nobody'; known: "),
        (["sure.jsonl", "--judge", "nowhere:make"], "unknown judge 'nowhere:make': there is no "),
        (
            ["sure.jsonl", "--plot", "no/p.svg"],
            "no/p.svg cannot be written: there is no folder no",
        ),
        (["sure.jsonl", "--write-threshold", "."], ". cannot be written: it is a folder"),
        (["sure.jsonl", "--plot", f"{'p' * 300}.svg"], f"{'p' * 300}.svg: File name too long"),
        (["sure.jsonl", "--concurrency", "0"], None),
        (["sure.jsonl", "--limit", "0"], None),
        (["sure.jsonl", "--max-false-alarms", "2"], None),
        (["sure.jsonl", "--marks", "none"], None),
        ([], None),
    ],
)
def test_what_cannot_be_done_is_said(sure, arguments, message):
    """What was given wrong is a line and exit code 2, before anything is judged."""
    write_jsonl(Path("bad.jsonl"), PLAIN, PLAIN | {"supported": "no"})
    code, _, err = run(*arguments)
    assert code == 2
    if message is not None:
        assert err.startswith(message)


def test_judge_of_the_working_directory(sure, folder):
    """A module beside the labels is found, and the path is left as it was."""
    (folder / "mine.py").write_text("from labelling import SayingJudge as make\n")
    before = list(sys.path)
    assert run_json(sure, "--judge", "mine:make")["judge"] == "saying"
    assert sys.path == before


def start(*arguments, **options):
    """`rag-trace calibrate` as a process of its own."""
    tests = str(Path(__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", CODE, "calibrate", *arguments],
        env=os.environ | {"PYTHONPATH": tests},
        stdout=subprocess.PIPE,
        text=True,
        **{"stderr": subprocess.PIPE} | options,
    )


@pytest.mark.parametrize("concurrency", [1, 2])
def test_interrupt(folder, concurrency):
    """Ctrl-C stops at once with what is done: tables, files but the threshold, exit code 130."""
    rows = [shop(number, f"It is {number}.", supported=False) for number in range(20)]
    write_jsonl(Path("a.jsonl"), *rows)
    arguments = ["--judge", "labelling:SlowJudge", "--concurrency", str(concurrency)]
    files = ["--disagreements", "d.jsonl", "--write-threshold", "t.json"]
    process = start("a.jsonl", *arguments, *files)
    for number in range(3, 3 + concurrency):  # each thread hangs: what came before is done
        children.wait_for(folder / f"asked-{number}")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out.splitlines()[1] == "stopped: 3 of 20 traces judged"
    assert "recall" in out
    assert err.splitlines() == [
        "wrote 3 disagreements to d.jsonl",
        "no threshold was written to t.json: it was stopped before the end",
        "stopped: 3 of 20 traces judged",
    ]
    assert len(read_lines("d.jsonl")) == 3


def test_interrupt_of_intervals(sure, monkeypatch):
    """Ctrl-C while intervals are drawn leaves them out, and keeps the figures."""

    def stop(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_trace.measures.bootstrap.Bootstrap.weights", stop)
    code, out, err = run(sure, "--judge", SAYING)
    assert (code, err) == (130, "stopped: 5 of 5 traces judged\n")
    assert ["sure", ".500", ".000", ".583", ".167"] in map(str.split, out.splitlines())


def test_interrupt_of_reading(sure, monkeypatch):
    """Ctrl-C before anything is judged is exit code 130, with nothing to show."""

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_trace.cli.calibration.choosing.read_labels", stop)
    assert run(sure) == (130, "", "stopped, with nothing to show\n")


def test_progress_is_for_terminals_only(sure):
    """A terminal sees a bar on stderr, and nothing of it is in the output."""
    ours, theirs = pty.openpty()
    process = start("sure.jsonl", "--judge", SAYING, stderr=theirs)
    out, _ = process.communicate(timeout=20)
    os.close(theirs)
    seen = b""
    while b"intervals" not in seen:
        seen += os.read(ours, 1000)
    os.close(ours)
    assert process.returncode == 0
    assert b"judging sure" in seen
    assert "judging" not in out


def test_help():
    """Every option is told."""
    out = CliRunner().invoke(app, ["calibrate", "--help"]).output
    for option in ("--judge", "--limit", "--json", "--disagreements", "--plot", "--concurrency"):
        assert option in out
