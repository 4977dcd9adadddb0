"""The one global: which pytest sessions run in this process, and their test."""

from __future__ import annotations

import threading

import pytest

from pytest_trace import running


class AnyTest:
    """Stands for a running test; nothing is asked of it."""


@pytest.fixture
def session():
    """The innermost session."""
    made = running.RunningSession()
    running.push(made)
    return made


def test_without_a_session_there_is_no_test():
    """Outside pytest nothing runs."""
    assert running.current_test() is None


def test_between_tests_there_is_no_test(session):
    """A session that collects runs no test yet."""
    assert running.current_test() is None


def test_test_is_made_when_first_asked_for_and_once(session):
    """A test that evaluates nothing costs nothing."""
    made = []

    def make():
        made.append(AnyTest())
        return made[-1]

    session.start(make)
    assert (made, session.made_test) == ([], None)
    assert running.current_test() is running.current_test() is session.made_test
    assert len(made) == 1


def test_test_is_made_once_for_many_threads(session):
    """Threads that ask at the same time get the same test."""
    barrier = threading.Barrier(8)
    found = []

    def ask():
        barrier.wait()
        found.append(running.current_test())

    session.start(AnyTest)
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_test_is_forgotten_when_it_ends(session):
    """What runs after a test does not join its rows."""
    session.start(AnyTest)
    first = running.current_test()
    session.stop()
    assert running.current_test() is None
    session.start(AnyTest)
    assert running.current_test() is not first


def test_inner_session_does_not_see_the_outer_test(session):
    """Of two sessions in a process the inner one counts until it is over."""
    session.start(AnyTest)
    inner = running.RunningSession()
    running.push(inner)
    assert running.current_test() is None
    running.pop(inner)
    assert isinstance(running.current_test(), AnyTest)


def test_session_can_be_popped_wherever_it_stands(session):
    """An aborted inner session does not keep the outer one alive, nor does popping twice fail."""
    inner = running.RunningSession()
    running.push(inner)
    for _ in range(2):
        running.pop(session)
    assert running.current_test() is None
    inner.start(AnyTest)
    assert running.current_test() is not None


@pytest.mark.parametrize(
    ("has_session", "variable", "is_running"),
    [(True, None, True), (False, "test_x.py::test_y (call)", True), (False, None, False)],
)
def test_pytest_runs_here_or_started_this_process(monkeypatch, has_session, variable, is_running):
    """A session tells, and so does the variable that a test's subprocess inherits."""
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    if variable:
        monkeypatch.setenv("PYTEST_CURRENT_TEST", variable)
    if has_session:
        running.push(running.RunningSession())
    assert running.is_pytest_running() is is_running
