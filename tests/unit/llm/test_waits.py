"""How long a server asks to be left alone."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from pytest_trace.llm.waits import asked_wait, duration

NOW = "Mon, 30 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:09 GMT", "date": NOW}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:59:00 GMT", "date": NOW}, None),
    ],
)
def test_retry_after(headers, seconds):
    """Milliseconds come before seconds and dates; what is no time in the future is none."""
    assert asked_wait(headers) == seconds


def test_date_without_the_servers_time():
    """A date is taken by our clock where the server does not tell its own."""
    wait = asked_wait({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert 28 < wait <= 30


@pytest.mark.parametrize(
    ("requests", "tokens", "seconds"),
    [
        (("0", "2m59.56s"), ("500", "7.66s"), 179.56),
        (("99", "2m59.56s"), ("0", "7.66s"), 7.66),
        (("0", "1s"), ("0", "7.66s"), 7.66),
        (("99", "1s"), ("500", "2s"), None),
        (("0", "soon"), ("500", "2s"), None),
    ],
)
def test_reset_of_what_is_used_up(requests, tokens, seconds):
    """Groq's reset headers count for the quota that has nothing remaining."""
    headers = {
        "x-ratelimit-remaining-requests": requests[0],
        "x-ratelimit-reset-requests": requests[1],
        "x-ratelimit-remaining-tokens": tokens[0],
        "x-ratelimit-reset-tokens": tokens[1],
    }
    assert asked_wait(headers) == (None if seconds is None else pytest.approx(seconds))
    assert asked_wait(headers | {"retry-after": "3"}) == 3.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1m2.5s", 62.5),
        ("120ms", 0.12),
        ("2h3m", 7380.0),
        ("1d", 86400.0),
        (" 6s ", 6.0),
        ("", None),
        ("6", None),
        ("6s later", None),
        ("m", None),
    ],
)
def test_duration(text, seconds):
    """Durations are numbers with units, one after the other."""
    assert duration(text) == (None if seconds is None else pytest.approx(seconds))
