"""The plugin as pytest sees it: every hook delegates, and what it delegates to loads at first use.

Only this module, `options`, `hookspecs` and `running` are imported when pytest starts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_trace import running
from pytest_trace.plugin import hookspecs, options, settings

if TYPE_CHECKING:
    from pytest_trace.judges import Judge
    from pytest_trace.plugin.current import CurrentTest
    from pytest_trace.plugin.session import RagSession
    from pytest_trace.sentences import Sentencizer

RUNNING = pytest.StashKey[running.RunningSession]()
OPTIONS = pytest.StashKey[settings.Options]()
SESSION = pytest.StashKey["RagSession"]()
RUN_ID = pytest.StashKey[str]()
"""What names this run to all of its processes."""

_RUN_ID_INPUT = "rag_run_id"

_RAG_MARKER = (
    "rag(judge=SPEC, votes=COUNT): a test of a RAG application; judge: who judges its traces; "
    "votes: how often, an odd number. "
    "Tests that use a fixture or name an assertion of pytest_trace have it by themselves, "
    'so that -m "not rag" leaves them out.'
)
_CASES_MARKER = (
    "rag_cases(PATH, shape=NAME, fields=DICT, on_bad_row='skip'): run the test once for each row "
    "of a file, given as the argument rag_case; PATH is relative to the test file and names JSONL, "
    "JSON, CSV, Parquet or a dataset on disk."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    for marker in (_RAG_MARKER, _CASES_MARKER):
        config.addinivalue_line("markers", marker)
    config.stash[OPTIONS] = options.read_options(config)
    given = getattr(config, "workerinput", {}).get(_RUN_ID_INPUT)
    config.stash[RUN_ID] = given or f"{time.time_ns():x}-{os.getpid()}"
    config.stash[RUNNING] = running.RunningSession()
    running.push(config.stash[RUNNING])
    chosen = config.stash[OPTIONS]
    if chosen.record or not chosen.sources.keys().isdisjoint({"judge", "sentencizer"}):
        rag_session(config).require_known_names()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Controller(config), "rag_controller")
    if chosen.concurrency > 1:
        from pytest_trace.plugin.deferral.enabling import enable_deferral

        enable_deferral(config, partial(rag_session, config), config.stash[RUNNING])


def pytest_unconfigure(config: pytest.Config) -> None:
    if (session := config.stash.get(RUNNING, None)) is not None:
        running.pop(session)
    if (rag := config.stash.get(SESSION, None)) is not None:
        rag.close()


def pytest_report_header(config: pytest.Config) -> str | None:
    chosen = config.stash[OPTIONS]
    if chosen.sources.keys().isdisjoint({"judge", "concurrency"}):
        return None
    source = f" (from {chosen.sources['judge']})" if "judge" in chosen.sources else ""
    shown = [f"rag: judge {chosen.judge}{source}"]
    if (config.rootpath / "rag_verdicts.jsonl").exists():
        shown.append("recording rag_verdicts.jsonl")
    modes = ("offline", "record", "refresh", "no_cache")
    shown += [name.replace("_", " ") for name in modes if getattr(chosen, name)]
    if chosen.concurrency > 1:
        from pytest_trace.plugin.deferral.enabling import header

        shown.append(header(config, chosen.concurrency))
    return ", ".join(shown)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("rag_cases") is not None:
        from pytest_trace.plugin.cases import parametrize_cases

        parametrize_cases(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    is_recording = config.stash[OPTIONS].record
    before = [item.nodeid for item in items] if is_recording else []
    yield
    if is_recording:
        from pytest_trace.plugin.recorder import tell_collected

        after = [item.nodeid for item in items]
        tell_collected(config, rag_session(config).recorder, before, after)


def pytest_itemcollected(item: pytest.Item) -> None:
    from pytest_trace.plugin.marking import mark_rag_test

    mark_rag_test(item, partial(rag_session, item.config))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    session = item.config.stash[RUNNING]
    session.start(partial(_make_running_test, item))
    try:
        return (yield)
    finally:
        session.stop()


def _make_running_test(item: pytest.Item) -> CurrentTest:
    from pytest_trace.plugin.current import CurrentTest

    return CurrentTest(item, rag_session(item.config))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if "pytest_trace.errors" in sys.modules:  # loaded by whatever could raise one of ours
        from pytest_trace.plugin.reporting import complete_report

        complete_report(report, call, item.config.stash[RUNNING].made_test)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport,
) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    if report.failed and hasattr(report, "rag_judge_error"):
        return "error", "E", ("ERROR", {"red": True})
    return None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if (session := config.stash.get(SESSION, None)) is not None and session.ledger:
        from pytest_trace.plugin.reporting import write_summary

        write_summary(terminalreporter, session)


class _Controller:
    """What only the controlling process does: it keeps the ledger."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)  # junitxml reads the properties of the teardown report
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        is_ours = any(name.startswith("rag_") for name in vars(report))
        if is_ours or SESSION in self._config.stash:
            from pytest_trace.plugin.reporting import take_report

            take_report(report, rag_session(self._config))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed and self._config.stash[OPTIONS].record:
            rag_session(self._config).recorder().add_collected((), is_whole=False)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_RUN_ID_INPUT] = self._config.stash[RUN_ID]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if self._config.stash[OPTIONS].record:
            from pytest_trace.plugin.recorder import take_collected

            recorder = rag_session(self._config).recorder()
            take_collected(recorder, getattr(node, "workeroutput", {}))

    def pytest_sessionfinish(self) -> None:
        session = self._config.stash.get(SESSION, None)
        if session is None:
            return
        if session.options.record and not self._config.option.collectonly:
            session.ledger.add_notices([session.recorder().write()])
        if session.ledger.rows:
            self._config.hook.pytest_rag_summary(ledger=session.ledger, config=self._config)


def rag_session(config: pytest.Config) -> RagSession:
    """What this run knows beyond its options; made when first needed."""
    session = config.stash.get(SESSION, None)
    if session is None:
        from pytest_trace.plugin.session import RagSession

        session = config.stash[SESSION] = RagSession(
            config, config.stash[OPTIONS], config.stash[RUN_ID]
        )
    return session


@pytest.fixture(scope="session")
def rag_judge(pytestconfig: pytest.Config) -> Judge:
    """The judge of this run; override it to bring your own: kind, version, judge()."""
    return rag_session(pytestconfig).judge()


@pytest.fixture(scope="session")
def rag_sentencizer(pytestconfig: pytest.Config) -> Sentencizer:
    """What splits texts into sentences; override it to bring your own: version, split(text)."""
    return rag_session(pytestconfig).sentencizer()
