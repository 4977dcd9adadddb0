"""How long a server asks to be left alone, as its headers say."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

_UNITS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|d|h|m|s)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds, by the first header that names them; None where none does.

    `retry-after-ms`, `retry-after` (seconds or an HTTP date), and then `x-ratelimit-reset-*` of
    whatever has nothing remaining. Names are in lower case.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    for seconds in (_number(value), _until(value, headers.get("date", "")), _reset(headers)):
        if seconds is not None:
            return seconds
    return None


def duration(text: str) -> float | None:
    """The seconds of a duration such as `1m2.5s` or `120ms`; None where it is none."""
    text = text.strip()
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def _until(date: str, now: str) -> float | None:
    """Seconds until `date`, by the server's own clock where it tells the time."""
    end = _unix_time(date)
    if end is None:
        return None
    seconds = end - (_unix_time(now) or time.time())
    return seconds if seconds > 0 else None


def _unix_time(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _reset(headers: Mapping[str, str]) -> float | None:
    """The latest reset among the quotas that are used up."""
    resets = [
        duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    ]
    return max((seconds for seconds in resets if seconds), default=None)
