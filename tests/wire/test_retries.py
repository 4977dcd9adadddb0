"""What is asked again, when, and how long: on the server's side and by the clock."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from wire.conftest import ask
from wire.server import Reply, completion, error

from pytest_trace.errors import JudgeTimeout, JudgeUnavailable

SOON = {"retry-after-ms": "10"}


def gaps(server):
    """Seconds between one request and the next."""
    return [later - earlier for earlier, later in pairwise(server.arrivals)]


def timed(client):
    """The error of one call and the seconds it took."""
    begun = time.monotonic()
    with pytest.raises((JudgeTimeout, JudgeUnavailable)) as raised:
        client.complete(ask())
    return raised.value, time.monotonic() - begun


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_passing_status_is_asked_again(make_client, chat_server, state, status):
    """Timeouts, conflicts, rate limits and server errors are asked again; it is one call."""
    chat_server.script(error(status, headers=SOON), error(status, headers=SOON), completion("{}"))
    assert make_client().complete(ask()).text == "{}"
    assert len(chat_server.requests) == 3
    assert state.totals().calls == 1


def test_error_inside_a_200_is_asked_again(make_client, chat_server, hurried):
    """Gateways pass a provider's error on in a 200; its code is the status that counts."""
    chat_server.script(Reply({"error": {"code": 502, "message": "provider is down"}}))
    assert make_client().complete(ask()).text == "{}"
    assert len(chat_server.requests) == 2


@pytest.mark.parametrize(
    "broken",
    [
        Reply(drop=True),
        Reply(completion().body, cut=20),
        Reply(error(400).body, status=400, cut=9),
        Reply(b"no gzip", headers={"content-encoding": "gzip"}),
    ],
)
def test_broken_connection_is_asked_again(make_client, chat_server, hurried, broken):
    """A connection that closes before the answer is complete is tried again."""
    chat_server.script(broken, completion("{}"))
    assert make_client().complete(ask()).text == "{}"
    assert len(chat_server.requests) == 2


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"retry-after-ms": "300"}, 0.3),
        ({"retry-after": "0.3"}, 0.3),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "0.3s"}, 0.3),
    ],
)
def test_asked_wait_is_honoured(groq, chat_server, headers, least):
    """The server is asked again when it said, not earlier and hardly later."""
    chat_server.script(error(429, headers=headers))
    groq().complete(ask())
    (gap,) = gaps(chat_server)
    assert least <= gap < least + 0.3


def test_backoff_grows(groq, chat_server):
    """Without a word of the server the pauses double, with jitter."""
    chat_server.script(error(503), error(503))
    groq().complete(ask())
    first, second = gaps(chat_server)
    assert 0.5 <= first < 1.2
    assert 1.0 <= second < 1.7


def test_longer_wait_than_the_limit_is_not_waited_for(groq, chat_server, state, hurried):
    """A pause beyond rag_max_wait_seconds is tried against a few times, then it is an error."""
    chat_server.answer(lambda _: error(429, "daily limit", headers={"retry-after": "3600"}))
    refused, seconds = timed(groq(max_wait_seconds=90.0))
    assert type(refused) is JudgeUnavailable
    assert "failed 3 times" in str(refused.args[0])
    assert "it asks for 3600 s of pause, and rag_max_wait_seconds is 90" in str(refused.args[0])
    assert len(chat_server.requests) == 3
    assert seconds < 5
    assert state.seconds_to_wait(chat_server.base_url) == 0


def test_wait_beyond_the_deadline_fails_at_once(groq, chat_server):
    """Who cannot be answered in time does not wait to find out, nor does the next one ask."""
    chat_server.script(error(429, headers={"retry-after": "30"}))
    for _ in range(2):
        late, seconds = timed(groq(timeout_seconds=5.0))
        assert type(late) is JudgeTimeout
        assert "asks for a pause of 30 s, and of the 5 s for a trace 5 are left" in str(late)
        assert seconds < 1
    assert len(chat_server.requests) == 1


def test_server_errors_end(groq, chat_server, hurried):
    """A server that keeps failing is given up after six attempts, with what it said."""
    chat_server.answer(lambda _: error(503, "over capacity"))
    refused, _ = timed(groq())
    assert type(refused) is JudgeUnavailable
    assert 'failed 6 times: 503 "over capacity"' in str(refused.args[0])
    assert "status: 503" in refused.details
    assert len(chat_server.requests) == 6


def test_rate_limit_is_waited_out(groq, chat_server):
    """A server that names short pauses is asked as long as there is time."""
    replies = [error(429, headers=SOON) for _ in range(9)]
    chat_server.script(*replies)
    groq().complete(ask())
    assert len(chat_server.requests) == 10


def test_attempts_end_with_the_deadline(groq, chat_server):
    """The deadline holds for all attempts together, and the error says what came last."""
    chat_server.answer(lambda _: error(500, "oops"))
    late, seconds = timed(groq(timeout_seconds=0.9))
    assert type(late) is JudgeTimeout
    assert "gave no reply within 0.9 s (rag_timeout_seconds), attempts: " in str(late)
    assert 'the last: 500 "oops"' in str(late)
    assert seconds < 1.2


@pytest.mark.parametrize(
    "slow",
    [
        Reply(delay=60),
        Reply(trickle="headers"),
        Reply(trickle="body"),
        Reply(status=500, trickle="body"),
    ],
    ids=["hangs", "trickles headers", "trickles the body", "trickles an error"],
)
def test_no_server_stretches_the_deadline(make_client, chat_server, slow):
    """A server that hangs, or sends a byte now and then for ever, is left at the deadline."""
    chat_server.answer(lambda _: slow)
    late, seconds = timed(make_client(timeout_seconds=0.3))
    assert type(late) is JudgeTimeout
    assert "gave no reply within 0.3 s (rag_timeout_seconds)" in str(late)
    assert 0.29 <= seconds < 0.9


def test_trickling_connection_is_closed(make_client, chat_server):
    """What is left at the deadline is also hung up: nothing goes on in the background."""
    chat_server.script(Reply(trickle="body"))
    timed(make_client(timeout_seconds=0.3))
    assert chat_server.lost.wait(3)


def test_deadline_of_a_trace_is_shared(groq, chat_server):
    """A second request with a deadline that is over is not sent and is no failed connection."""
    client, request = groq(timeout_seconds=0.0), ask()
    for _ in range(4):
        with pytest.raises(JudgeTimeout, match=r"0 s for a trace \(rag_timeout_seconds\) are over"):
            client.complete(request)
    assert chat_server.requests == []
