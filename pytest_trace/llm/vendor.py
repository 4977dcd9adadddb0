"""Where a kind of server is, and where its key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_trace.errors import JudgeUnavailable, MissingKey, hide_own_frames
from pytest_trace.llm.settings import LlmSettings

__tracebackhide__ = hide_own_frames


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """The facts of one kind of server."""

    kind: str
    key_variable: str
    base_url_variable: str
    base_url: str
    models: tuple[str, ...] = ()


def find_base_url(vendor: Vendor, settings: LlmSettings) -> str:
    """The configured one, or the environment's, or the vendor's; an empty one is none."""
    candidates = (settings.base_url, os.environ.get(vendor.base_url_variable), vendor.base_url)
    return next(url.strip() for url in candidates if url and url.strip()).rstrip("/")


def find_key(vendor: Vendor, name: str, settings: LlmSettings, placeholder: str) -> str:
    """The API key, from the environment; `placeholder` where none is needed.

    Raises `MissingKey` that names the ways out.
    """
    variable = settings.key_variable or vendor.key_variable
    value = os.environ.get(variable, "").strip()
    if not value and settings.key_variable is None:
        value = placeholder
    if not value:
        what = "is blank" if variable in os.environ else "is not set"
        raise MissingKey(
            f"{variable} {what}, and {name} needs a key: set it, or record the verdicts where "
            "there is one (--rag-record) and commit them, or use the lexical judge "
            "(--rag-judge=lexical)"
        )
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise JudgeUnavailable(f"{variable} holds characters that no key has; set it anew")
    return value


def without_password(url: str) -> str:
    """The URL as it may be shown, and as it names the server."""
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def is_url(text: str) -> bool:
    """Whether a server can be reached under `text`."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
