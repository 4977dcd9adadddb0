"""Groq's batches, by the real SDK: sent, awaited, fetched, matched; and all that goes wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest
from labelling import shop, write_jsonl
from scoring import predictions, responses, rows, run, start
from wire.batch_server import BatchServer
from wire.server import Reply, answer_keyed, completion, error

from pytest_trace.llm.batches import Batches
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunState

MODEL = "groq:openai/gpt-oss-20b"
FILES, BATCHES = "/openai/v1/files", "/openai/v1/batches"
STATE = Path("s.jsonl.batch/state.json")


@pytest.fixture(autouse=True)
def server(monkeypatch, tmp_path, hurried):
    """A server that finds support for whatever has a price, live and in batches."""
    monkeypatch.chdir(tmp_path)
    server = BatchServer()
    server.answer(by_price)
    server.in_batch = by_price
    monkeypatch.setenv("GROQ_BASE_URL", server.base_url)
    yield server
    server.close()


def by_price(body):
    """Support for whatever has a price."""
    return answer_keyed(body, is_supported=lambda text: "euro" in text)


ARGUMENTS = ("p.jsonl", "--judge", MODEL, "--out", "s.jsonl", "--batch", "--poll-seconds", "0.01")


def batch(*arguments):
    """Exit code, output and errors of scoring p.jsonl to s.jsonl by batches."""
    return run(*ARGUMENTS, *arguments)


def live(out, *arguments):
    """The same without batches."""
    return run("p.jsonl", "--judge", MODEL, "--out", out, *arguments)


def posted(server):
    """What was sent: files and batches."""
    return [path.rpartition("/")[2] for method, path in server.calls if method == "POST"]


def asked(server):
    """The response sentences that batches asked about, in order."""
    prompts = [body["messages"][-1]["content"] for body in server.asked]
    return [re.search(r"^\[a\] (.*)$", text, re.MULTILINE)[1] for text in prompts]


def test_batch_answers_as_live(server):
    """The requests are those of a live run, half as dear, and give the same bytes and verdicts."""
    predictions(7)
    code, out, err = batch()
    assert (code, err) == (0, "batch batch_1: 7 requests submitted\n")
    assert posted(server) == ["files", "batches"]
    assert (server.batches["batch_1"]["completion_window"], server.requests) == ("24h", [])
    assert "\nverdicts: 7 from the batch\n" in out
    assert live("t.jsonl", "--no-cache")[0] == 0
    assert Path("t.jsonl").read_bytes() == Path("s.jsonl").read_bytes()
    assert _without_prompts(server.asked) == _without_prompts(server.requests)
    boundaries = {body["messages"][1]["content"].split()[1] for body in server.asked}
    assert len(boundaries) == 7
    live_cost = float(re.search(r"\$(\d\.\d+)", live("u.jsonl", "--cache-dir", "other")[1])[1])
    assert float(re.search(r"\$(\d\.\d+)", out)[1]) == pytest.approx(live_cost / 2, abs=6e-5)
    assert not STATE.parent.exists()


def _without_prompts(bodies):
    return sorted(
        (len(body.pop("messages")[1]["content"]), json.dumps(body, sort_keys=True))
        for body in map(dict, bodies)
    )


def test_verdicts_are_stored_as_live_ones(server):
    """Whoever asks the same model later, live, finds them; a batch asks for none that is there."""
    predictions(4)
    batch()
    assert live("t.jsonl")[0] == 0
    predictions(6)
    Path("s.jsonl").unlink()
    code, out, _ = batch()
    assert (code, server.requests) == (0, [])
    assert asked(server)[4:] == responses(6)[4:]
    assert "\nverdicts: 2 from the batch, 4 from the cache\n" in out


def test_same_trace_twice_is_sent_once(server):
    """The server refuses a custom id that stands in a file twice."""
    row = shop(1, "1 euros.")
    write_jsonl(Path("p.jsonl"), row, row, shop(2, "2 euros."), row)
    assert batch()[0] == 0
    assert asked(server) == ["1 euros.", "2 euros."]
    assert [row["line"] for row in rows()] == [1, 2, 3, 4]


def test_large_input_is_several_batches(server, monkeypatch):
    """A batch takes so many requests and bytes; each is matched with its rows."""
    monkeypatch.setattr("pytest_trace.cli.scoring.batch_files.MOST_REQUESTS", 3)
    predictions(10)
    code, _, err = batch()
    assert (code, len(server.batches)) == (0, 4)
    assert [row["scores"]["adherence"] for row in rows()] == [1, 1, 0] * 3 + [1]
    assert err.splitlines()[-1] == "batch batch_4: 1 request submitted"
    monkeypatch.setattr("pytest_trace.cli.scoring.batch_files.MOST_BYTES", 10_000)
    Path("s.jsonl").unlink()
    batch("--cache-dir", "other")
    files = [server.files[each["input_file_id"]] for each in server.batches.values()]
    assert max(map(len, files[:4])) > 10_000 >= max(map(len, files[4:]))


def test_what_failed_is_asked_about_in_the_next(server):
    """Errors that may pass, lost lines and unreadable replies; nothing that was answered."""
    answers = {
        "1 euros.": [error(429, "too many")],
        "2 euros.": [{"code": "batch_expired", "message": "not in time"}],
        "4 euros.": [None],
        "5 euros.": [completion("no JSON")],
        "7 euros.": [Reply("<html>", 502)],
    }
    server.in_batch = lambda body: _next(answers, body)
    predictions(8)
    code, out, err = batch()
    assert (code, len(server.batches)) == (0, 2)
    assert sorted(asked(server)[8:]) == sorted(answers)
    assert [row["scores"]["adherence"] for row in rows()] == [1, 1, 0, 1, 1, 0, 1, 1]
    assert rows()[4]["notes"] == ["asked again: 1"]
    again = [text for text in map(_prompt, server.asked) if "could not be used" in text]
    assert len(again) == 1
    assert "\n9 requests: " in out  # those that were answered
    assert err.splitlines()[1] == "batch batch_2: 5 requests submitted"


def _next(answers, body):
    said = re.search(r"^\[a\] (.*)$", _prompt(body), re.MULTILINE)[1]
    left = answers.get(said)
    return left.pop(0) if left else by_price(body)


def _prompt(body):
    return body["messages"][-1]["content"]


def test_what_fails_for_good_is_a_fault_of_its_row(server):
    """An error that asking again would bring again is not asked about; live, it can be."""
    answers = {"2 euros.": [error(400, "context too long", code="context_length_exceeded")]}
    server.in_batch = lambda body: _next(answers, body)
    predictions(3)
    code, _, _ = batch()
    assert (code, len(server.batches)) == (1, 1)
    assert rows()[1]["error"]["type"] == "JudgeReplyError"
    assert "context too long" in rows()[1]["error"]["message"]
    assert live("s.jsonl", "--retry-errors")[0] == 0
    assert len(server.requests) == 1


def test_what_is_never_answered_is_a_fault_of_its_row(server):
    """Three batches are enough."""
    server.in_batch = lambda body: None if "2 euros." in _prompt(body) else by_price(body)
    predictions(3)
    code, _, _ = batch()
    assert (code, len(server.batches)) == (1, 3)
    assert rows()[1]["error"] == {
        "type": "Unanswered",
        "message": "no batch brought an answer: none has come",
        "details": [],
    }
    server.in_batch = by_price
    assert batch("--retry-errors")[0] == 0
    assert asked(server)[5:] == ["2 euros."]


def test_refused_schema_is_left_out_of_the_next(server):
    """A model that takes none is asked for any JSON object, as live."""
    no_schema = error(400, "response_format json_schema is not supported")
    server.in_batch = lambda body: (
        no_schema if body["response_format"]["type"] == "json_schema" else by_price(body)
    )
    predictions(2)
    code, _, _ = batch()
    assert (code, len(server.batches)) == (0, 2)
    assert {body["response_format"]["type"] for body in server.asked[2:]} == {"json_object"}


def test_long_traces_are_asked_about_at_once(server):
    """All windows of a trace stand in the first batch; a second look needs another."""
    documents = [" ".join(f"Thing {n} costs {n} euros." for n in range(200))] * 3
    write_jsonl(Path("p.jsonl"), shop(1, "1 euros.", documents=documents), shop(2, "No price."))
    options = ("--context-tokens", "8000")
    assert batch(*options)[0] == 0
    windows = sum("Thing 1 costs" in _prompt(body) for body in server.asked)
    assert windows >= 3
    assert len(server.batches) == 1
    live("t.jsonl", "--no-cache", *options)
    assert Path("t.jsonl").read_bytes() == Path("s.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (("--max-calls", "3"), "stopped: --max-calls is 3, and the next batch has 4 requests; it"),
        (("--max-cost", "0.001"), "stopped: --max-cost is $0.00, and the next batch may cost up"),
    ],
)
def test_limits_are_kept_before_anything_is_sent(server, limit, message):
    """A batch cannot be stopped in the middle."""
    predictions(4)
    code, _, err = batch(*limit)
    assert (code, server.calls) == (1, [])
    assert err.startswith(message)
    assert batch()[0] == 0


def test_killed_while_it_waits(server):
    """A submitted batch is gone on with: nothing is uploaded or made again."""
    server.looks = 10**6
    predictions(5)
    process = start(*ARGUMENTS)
    _wait_for_looks(server, 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    server.looks = 1
    assert batch()[0] == 0
    assert posted(server) == ["files", "batches"]
    assert len(server.asked) == len(rows()) == 5


def stop_while_it_waits(server):
    """A run that has made its batch, and then reaches nobody."""
    server.refuse(f"{BATCHES}/batch_1", *(error(401, "revoked") for _ in range(10)))
    assert batch()[0] == 1


def _wait_for_looks(server, count):
    end = time.monotonic() + 20
    while sum(method == "GET" for method, _ in server.calls) < count:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_interrupt_while_it_waits(server):
    """Ctrl-C ends it at once; the batch goes on without, and is collected by the same command."""
    server.looks = 10**6
    predictions(5)
    process = start(*ARGUMENTS)
    _wait_for_looks(server, 3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err == (
        "batch batch_1: 5 requests submitted\n"
        "stopped: 0 of 5 rows stand in s.jsonl; the same command goes on from there\n"
    )
    server.looks = 1
    assert batch()[0] == 0
    assert posted(server) == ["files", "batches"]


@pytest.mark.parametrize("lost", ["answer", "note"])
def test_made_batch_is_found_again(server, lost):
    """A batch that was made, and nobody was told, is looked for before another is made."""
    predictions(3)
    if lost == "answer":
        server.lose(BATCHES)
    else:
        stop_while_it_waits(server)
        state = json.loads(STATE.read_text())
        state["rounds"][0][0]["batch"] = None  # as if it was killed just before it noted it
        STATE.write_text(json.dumps(state))
    assert batch()[0] == 0
    assert posted(server) == ["files", "batches"]
    assert len(server.batches) == 1


def test_killed_between_file_and_batch(server):
    """A file that was uploaded is not uploaded again."""
    server.refuse(BATCHES, error(403, "not on this plan"))
    predictions(3)
    code, _, err = batch()
    assert code == 1
    assert err.startswith("stopped: ")
    assert batch()[0] == 0
    assert posted(server) == ["files", "batches", "batches"]
    assert len(server.batches) == 1


def test_killed_after_answers_were_fetched(server):
    """What was fetched is not fetched again, whatever became of the rows."""
    predictions(6)
    process = start(*ARGUMENTS, code=KILLED)
    assert process.wait(20) == -signal.SIGKILL
    process.communicate()
    fetched = len(server.calls)
    assert batch()[0] == 0
    assert len(server.calls) == fetched
    assert len(rows()) == 6


KILLED = """
import os, signal, sys
from pytest_trace.cli.scoring import out_file
from pytest_trace.cli.main import app
append = out_file.OutFile.append
def appended(self, text):
    append(self, text)
    if self._size > 2000:
        os.kill(os.getpid(), signal.SIGKILL)
out_file.OutFile.append = appended
app()
"""


def test_failed_batch(server):
    """The server's reason is told; the same command makes another."""
    server.ends = "failed"
    predictions(3)
    code, _, err = batch()
    assert code == 1
    assert err.splitlines()[1].startswith("stopped: batch batch_1 failed: no reason: 0 of 3 rows ")
    server.ends = "completed"
    assert batch()[0] == 0
    assert len(rows()) == 3


def test_expired_batch(server):
    """What it brought is kept, and the rest asked about in another."""
    answers = {"2 euros.": [{"code": "batch_expired", "message": "not in time"}]}
    server.in_batch = lambda body: _next(answers, body)
    server.ends = "expired"
    predictions(3)
    assert batch()[0] == 0
    assert asked(server)[3:] == ["2 euros."]


def test_cancelled_batch(server):
    """What it brought is kept; nobody wanted the rest."""
    answers = {"2 euros.": [{"code": "batch_cancelled", "message": "cancelled"}]}
    server.in_batch = lambda body: _next(answers, body)
    server.ends = "cancelled"
    predictions(3)
    assert batch()[0] == 1
    assert len(server.batches) == 1
    assert [row["id"] for row in rows() if "error" in row] == ["r2"]


def test_blip_while_it_waits(server):
    """A server that is away for a while is looked at again."""
    server.refuse(f"{BATCHES}/batch_1", *(Reply(drop=True) for _ in range(8)))
    predictions(2)
    code, _, err = batch()
    assert code == 0
    assert "batch batch_1 cannot be looked at: " in err


def test_server_that_stays_away(server):
    """It is given up, and the same command goes on."""
    server.refuse(f"{BATCHES}/batch_1", *(error(401, "revoked") for _ in range(10)))
    predictions(2)
    _, _, err = batch()
    assert err.splitlines()[-1].startswith("stopped: http://127.0.0.1")
    assert batch()[0] == 0
    assert posted(server) == ["files", "batches"]


def test_torn_download(server):
    """An answer file that comes in part is fetched again, as a whole."""
    predictions(3)
    server.refuse(f"{FILES}/file_2/content", Reply(b"x" * 100, cut=50))
    assert batch()[0] == 0
    assert [path for _, path in server.calls].count(f"{FILES}/file_2/content") == 2


def test_odd_lines_of_answers_are_left_out(server):
    """Lines that are no answers, or to nobody's question, spoil none of the others."""
    predictions(2)
    end = server._end

    def end_oddly(batch):
        end(batch)
        name = batch["output_file_id"]
        odd = b'not JSON\n[]\n{"custom_id": "nobody", "response": {"status_code": 200}}\n\n'
        server.files[name] = odd + server.files[name]

    server._end = end_oddly
    assert batch()[0] == 0


def test_batch_of_another_judge(server):
    """A batch that waits is not thrown away for another judge, though no row is written yet."""
    predictions(3)
    stop_while_it_waits(server)
    code, _, err = run("p.jsonl", "--judge", "lexical", "--out", "s.jsonl")
    assert code == 2
    assert err.startswith("s.jsonl.batch was begun with another judge: ")
    STATE.write_text("{")
    code, _, err = batch()
    assert code == 2
    assert err.startswith(f"{STATE} is damaged: ")


def test_full_disk_while_answers_are_fetched(server, tmp_path):
    """It is an error of the disk that names the file, not of the server."""
    server.files["file_9"] = b"x" * 10_000
    Path("answers.new").symlink_to("/dev/full")
    client = GroqClient("m", LlmSettings(), RunState(None))
    with pytest.raises(OSError, match=r"answers\.new") as caught:
        Batches(client).fetch("file_9", Path("answers"))
    assert caught.value.strerror == "No space left on device"
    assert not Path("answers").exists()
