"""What verdicts beside the tests cannot be combined with; a run or test is judged at once then."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest
from _pytest.unittest import TestCaseFunction

_OPTIONS: Final = {
    "usepdb": "--pdb",
    "trace": "--trace",
    "setupshow": "--setup-show",
    "setuponly": "--setup-only",
    "setupplan": "--setup-plan",
    "reruns": "--reruns",
    "timeout": "--timeout",
}
_INI: Final = ("reruns", "timeout")
_MARKERS: Final = ("flaky", "timeout")
_PROTOCOLS: Final = ("runner", "rerunfailures", "rag_deferral")
"""Plugins that run tests and leave it to us where nothing of theirs is asked for."""


def obstacle_in_run(config: pytest.Config) -> str | None:
    """The option, setting or plugin that makes the whole run judge at once; None: there is none."""
    for name, shown in _OPTIONS.items():
        if getattr(config.option, name, None):
            return shown
    for name in _INI:
        if _ini(config, name):
            return f"the setting {name}"
    if os.environ.get("PYTEST_TIMEOUT") and config.pluginmanager.has_plugin("timeout"):
        return "PYTEST_TIMEOUT"
    worker = find_worker(config)
    if worker is not None and not hasattr(worker, "torun"):
        return "this version of xdist"
    return _other_protocol(config)


def obstacle_in_items(items: Iterable[pytest.Item]) -> str | None:
    """The marker that makes the whole run judge at once; None where there is none."""
    for item in items:
        for name in _MARKERS:
            if item.get_closest_marker(name) is not None:
                return f"{item.nodeid} is marked {name}"
    return None


def reports_by_itself(item: pytest.Item) -> bool:
    """Whether a test logs reports while it runs, which must not overtake those held back."""
    return isinstance(item, TestCaseFunction) or "subtests" in getattr(item, "fixturenames", ())


def find_worker(config: pytest.Config) -> Any:
    """What tells the controller of xdist about the tests of this worker; None without xdist."""
    if not hasattr(config, "workerinput"):
        return None
    plugins = config.pluginmanager.get_plugins()
    return next((item for item in plugins if type(item).__name__ == "WorkerInteractor"), None)


def _ini(config: pytest.Config, name: str) -> Any:
    try:
        return config.getini(name)
    except ValueError:  # no plugin has such a setting
        return None


def _other_protocol(config: pytest.Config) -> str | None:
    """The name of another plugin that runs tests in a way of its own."""
    for implementation in config.hook.pytest_runtest_protocol.get_hookimpls():
        is_wrapper = implementation.hookwrapper or implementation.wrapper
        if not is_wrapper and implementation.plugin_name not in _PROTOCOLS:
            return f"the plugin {implementation.plugin_name} runs tests in its own way"
    return None
