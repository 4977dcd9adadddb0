"""No test can spend money or reach a network, and none sees the settings of its machine."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import socket

import pytest

import pytest_trace

_LOOPBACK = ("127.", "::1", "localhost")
for _name in pytest_trace.__all__:  # loaded once, and not again by every inner pytest run
    getattr(pytest_trace, _name)
if importlib.util.find_spec("pytrec_eval") is not None:  # not where the judge nli is tested
    importlib.import_module("pytrec_eval")  # its numpy cannot be loaded anew by an inner run

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, and so would every process that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections to anything but loopback are refused."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test tried to connect to {address!r}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no setting of ours comes from outside."""
    for name in os.environ:
        if name.startswith(("PYTEST_RAG_", "GROQ_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("CI", "BUILD_NUMBER", "FORCE_COLOR", "NO_COLOR", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)  # pytest shows more, or other, where they are set
