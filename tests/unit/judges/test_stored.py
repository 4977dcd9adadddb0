"""What stands in front of a judge: who is asked first, and that nobody is asked twice."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from building import supported, unsupported, verdict
from storing import (
    CostlyJudge,
    ask,
    database,
    decided,
    entry,
    execute,
    filled,
    keys,
    plant,
    record,
    trace,
)

from pytest_trace.concurrency.calls import Call, GivenUp
from pytest_trace.errors import BudgetExceeded, JudgeError, JudgeTimeout, NotRecorded
from pytest_trace.judges import stored
from pytest_trace.judges.base import judge_identity
from pytest_trace.judges.stored import Answer, Source, VerdictStore
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.folder import acquired_lock
from pytest_trace.store.recording import FILE_NAME, RunUse

IDENTITY = {"kind": "costly", "version": "1"}


@pytest.fixture
def judge(tmp_path):
    """A judge that counts its calls."""
    return CostlyJudge(tmp_path / "calls")


@pytest.fixture
def said():
    """What was said of the cache."""
    return []


@pytest.fixture
def make_store(tmp_path, said):
    """Make a store, as a process of a run does; `name` is that of the run."""
    made = []

    def make(name="run-1", *, has_cache=True, **options):
        cache = VerdictCache(tmp_path / "cache", run=name, say=said.append)
        store = VerdictStore(
            recording=tmp_path / FILE_NAME, cache=cache if has_cache else None, **options
        )
        made.append(store)
        return store

    yield make
    for store in made:
        store.close()


def of_costly(number=0, given=None, vote=0):
    """A stored verdict of the costly judge."""
    return entry(number, identity=IDENTITY, given=given or decided(trace(number)), vote=vote)


def noted(text):
    """A verdict that tells where it was put."""
    return verdict(supported(0, reason=text))


def test_order_of_asking(tmp_path, judge, make_store):
    """Memo, recording, cache, judge: the first that knows the trace is the last that is asked."""
    store = make_store()
    sentences = trace(1)
    assert store.ask(judge, sentences, ask) == Answer(of_costly(1), Source.JUDGE)
    filled(tmp_path / "cache", of_costly(1, noted("cached")))
    assert store.ask(judge, sentences, ask) == Answer(of_costly(1), Source.MEMO)
    assert make_store().ask(judge, sentences, ask).source is Source.CACHE
    record(tmp_path / FILE_NAME, RunUse(used={"t": [of_costly(1, noted("recorded"))]}))
    answers = [store.ask(judge, sentences, ask) for store in (make_store(), store)]
    assert [(each.source, each.verdict.support[0].reason) for each in answers] == [
        (Source.RECORDING, "recorded"),
        (Source.MEMO, "You have 1 days."),
    ]
    assert judge.calls == ["You have 1 days."]


def test_what_was_read_from_the_cache_is_remembered(tmp_path, judge, make_store):
    """A cache that breaks in the middle of a run takes no verdict away that the run has seen."""
    filled(tmp_path / "cache", of_costly(1))
    store = make_store()
    sources = [store.ask(judge, trace(1), ask).source]
    execute(tmp_path / "cache", "DROP TABLE Cache")
    sources += [store.ask(judge, trace(1), ask).source for _ in range(2)]
    assert sources == [Source.CACHE, Source.MEMO, Source.MEMO]
    assert judge.calls == []


def test_each_trace_judge_and_vote_is_asked(judge, make_store):
    """Another trace, another version or another vote is another question."""
    store = make_store()
    changed = CostlyJudge(judge._log)
    changed.version = "2"
    asked = [(judge, 1, 0), (judge, 2, 0), (changed, 1, 0), (judge, 1, 1)]
    for _ in range(2):
        for who, number, vote in asked:
            store.ask(who, trace(number), ask, vote=vote)
    assert len(judge.calls) == 4
    assert store.ask(judge, trace(1), ask, vote=1).entry == of_costly(1, vote=1)


def test_answer_is_whole(judge, make_store):
    """An answer has everything that a recording needs, wherever it came from."""
    answer = make_store().ask(judge, trace(1), ask)
    assert answer.verdict == decided(trace(1))
    assert make_store().ask(judge, trace(1), ask).entry == answer.entry == of_costly(1)


@pytest.mark.parametrize("has_cache", [True, False])
def test_offline(tmp_path, judge, make_store, has_cache):
    """Offline a judge is never called; what is stored is used."""
    record(tmp_path / FILE_NAME, RunUse(used={"t": [of_costly(1)]}))
    filled(tmp_path / "cache", of_costly(2))
    store = make_store(is_offline=True, has_cache=has_cache)
    assert store.ask(judge, trace(1), ask).source is Source.RECORDING
    if has_cache:
        assert store.ask(judge, trace(2), ask).source is Source.CACHE
    with pytest.raises(NotRecorded):
        store.ask(judge, trace(3), ask)
    assert judge.calls == []


def test_difference_to_what_is_recorded(tmp_path, judge, make_store):
    """A miss says how to record, and how the trace differs from the nearest recorded one."""
    record(tmp_path / FILE_NAME, RunUse(used={"t": [of_costly(1), of_costly(2)]}))
    judge.version = "2"
    with pytest.raises(NotRecorded) as raised:
        make_store(is_offline=True).ask(judge, trace(1), ask, vote=1)
    assert str(raised.value).splitlines() == [
        (
            "offline, and no verdict is recorded for this trace; "
            "record it where the judge can be asked: pytest --rag-record"
        ),
        "  the judge's version was '1' and is '2'",
        "  vote 2 is needed, and vote 1 is recorded",
    ]


def test_nothing_recorded(judge, make_store):
    """Without any recording a miss says so."""
    with pytest.raises(NotRecorded) as raised:
        make_store(is_offline=True).ask(judge, trace(1), ask)
    assert raised.value.details == ("nothing is recorded yet",)


def test_identity_is_compared_as_it_is_read(tmp_path, judge, make_store):
    """A judge may name its settings in tuples: they are no difference to what JSON made of them."""
    judge.identity = {"stop": ("a", "b"), "limits": {"n": 1}}
    answer = make_store().ask(judge, trace(1), ask)
    assert answer.entry.judge == {**IDENTITY, "stop": ["a", "b"], "limits": {"n": 1}}
    record(tmp_path / FILE_NAME, RunUse(used={"t": [answer.entry]}))
    with pytest.raises(NotRecorded) as raised:
        make_store(is_offline=True, has_cache=False).ask(judge, trace(2), ask)
    assert not any("judge's" in line for line in raised.value.details)


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes"])
def test_identity_that_is_no_json(judge, make_store, value):
    """Settings that cannot be stored are the judge's fault, and say so."""
    judge.identity = {"stop": value}
    with pytest.raises(JudgeError, match="the identity of judge costly must hold JSON values only"):
        make_store().ask(judge, trace(1), ask)


@pytest.mark.parametrize("has_cache", [True, False])
def test_refresh(tmp_path, judge, make_store, has_cache):
    """A refreshing run asks once for what was stored before, and not again, in no process of it."""
    record(tmp_path / FILE_NAME, RunUse(used={"t": [of_costly(1, noted("recorded"))]}))
    filled(tmp_path / "cache", of_costly(1, noted("cached")))
    store = make_store("run-2", is_refreshing=True, has_cache=has_cache)
    sources = [store.ask(judge, trace(1), ask).source for _ in range(2)]
    assert sources == [Source.JUDGE, Source.MEMO]
    if has_cache:
        worker = make_store("run-2", is_refreshing=True)
        assert worker.ask(judge, trace(1), ask) == Answer(of_costly(1), Source.CACHE)
        assert make_store("run-3", is_refreshing=True).ask(judge, trace(1), ask).source == "judge"
    assert len(judge.calls) == 1 + has_cache


class FailingJudge(CostlyJudge):
    """Cannot decide until it has failed so many times."""

    def __init__(self, log, failures, error):
        super().__init__(log)
        self._failures = failures
        self._error = error

    def judge(self, sentences):
        decision = super().judge(sentences)
        if len(self.calls) <= self._failures:
            raise self._error
        return decision


@pytest.mark.parametrize("has_cache", [True, False])
@pytest.mark.parametrize("error", [JudgeError("cannot decide"), BudgetExceeded("no more")])
def test_failures_are_not_stored(tmp_path, make_store, has_cache, error):
    """A judge that failed is asked again, by this process or another, until it decides."""
    judge = FailingJudge(tmp_path / "calls", 2, error)
    store = make_store(has_cache=has_cache)
    for asked in (store, make_store(has_cache=has_cache)):
        with pytest.raises(JudgeError) as raised:
            asked.ask(judge, trace(1), ask)
        assert raised.value is error
    assert store.ask(judge, trace(1), ask).source is Source.JUDGE
    assert store.ask(judge, trace(1), ask).source is Source.MEMO
    assert len(judge.calls) == 3


def at_once(count, call):
    """What `call` returns or raises in so many threads that start together."""
    barrier = threading.Barrier(count)

    def run(_):
        barrier.wait()
        try:
            return call()
        except BaseException as error:  # noqa: BLE001 - it is compared
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.parametrize("has_cache", [True, False])
def test_threads_make_one_call(tmp_path, make_store, has_cache):
    """Twenty threads that ask for one trace share one call."""
    judge = CostlyJudge(tmp_path / "calls", seconds=0.1)
    store = make_store(has_cache=has_cache)
    answers = at_once(20, lambda: store.ask(judge, trace(1), ask))
    assert {answer.verdict for answer in answers} == {decided(trace(1))}
    assert sorted(answer.source for answer in answers) == ["judge"] + ["memo"] * 19
    assert len(judge.calls) == 1


def test_threads_ask_for_different_traces_at_once(tmp_path, make_store):
    """Calls for different traces do not wait for each other."""
    barrier = threading.Barrier(8, timeout=10)

    def ask_together(judge, sentences):
        barrier.wait()
        return judge.judge(sentences)

    store = make_store()
    judge = CostlyJudge(tmp_path / "calls")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: store.ask(judge, trace(n), ask_together), range(8)))
    assert [answer.verdict for answer in answers] == [decided(trace(n)) for n in range(8)]


def test_waiting_threads_get_the_same_error(tmp_path, make_store):
    """A call that fails fails for all that waited for it, and is not made again for them."""
    started, go_on = threading.Event(), threading.Event()
    error = JudgeError("cannot decide")
    judge = CostlyJudge(tmp_path / "calls")

    def fail(judge, sentences):
        judge.judge(sentences)
        started.set()
        go_on.wait(10)
        raise error

    store = make_store()
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(store.ask, judge, trace(1), fail)
        started.wait(10)
        others = [pool.submit(store.ask, judge, trace(1), fail) for _ in range(5)]
        while len(store._in_flight[of_costly(1).key]._condition._waiters) < 5:
            pass
        go_on.set()
    errors = [future.exception() for future in (first, *others)]
    assert [(type(each), str(each)) for each in errors] == [(JudgeError, "cannot decide")] * 6
    assert len({id(each) for each in errors}) == 6  # each has a traceback of its own
    assert len(judge.calls) == 1


def test_thread_that_is_given_up_waits_no_longer(tmp_path, make_store):
    """Who waits for another thread's call and is given up is free; the call goes on."""
    started, go_on = threading.Event(), threading.Event()
    judge, call = CostlyJudge(tmp_path / "calls"), Call()

    def answer(judge, sentences):
        started.set()
        go_on.wait(10)
        return judge.judge(sentences)

    store = make_store()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(store.ask, judge, trace(1), answer)
        started.wait(10)
        other = pool.submit(lambda: call.run(lambda: store.ask(judge, trace(1), answer)))
        call.give_up()
        assert isinstance(other.exception(10), GivenUp)
        assert not first.done()
        go_on.set()
        assert first.result().source is Source.JUDGE
    assert len(judge.calls) == 1


def test_interrupted_call_is_made_by_another_thread(tmp_path, make_store):
    """An interrupt hits the thread that it hits: those that wait ask for themselves, once."""
    started, go_on = threading.Event(), threading.Event()
    judge = CostlyJudge(tmp_path / "calls")

    def interrupted(judge, sentences):
        started.set()
        go_on.wait(10)
        raise KeyboardInterrupt

    store = make_store()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(store.ask, judge, trace(1), interrupted)
        started.wait(10)
        others = [pool.submit(store.ask, judge, trace(1), ask) for _ in range(3)]
        while len(store._in_flight[of_costly(1).key]._condition._waiters) < 3:
            pass
        go_on.set()
    assert isinstance(first.exception(), KeyboardInterrupt)
    assert [future.result().verdict for future in others] == [decided(trace(1))] * 3
    assert len(judge.calls) == 1


def test_without_cache(tmp_path, judge, make_store):
    """Without a cache a process asks once for each trace, and leaves nothing behind."""
    store = make_store(has_cache=False)
    assert [store.ask(judge, trace(1), ask).source for _ in range(3)] == ["judge", "memo", "memo"]
    assert make_store(has_cache=False).ask(judge, trace(1), ask).source is Source.JUDGE
    assert [path.name for path in tmp_path.iterdir()] == ["calls"]


def break_cache(tmp_path):
    (tmp_path / "cache").write_text("a file")


def break_locks(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "locks").write_text("a file")


def break_one_lock(tmp_path):
    (tmp_path / "cache" / "locks" / f"{of_costly(1).key}.lock").mkdir(parents=True)


@pytest.mark.parametrize("break_it", [break_cache, break_locks, break_one_lock])
def test_broken_cache(tmp_path, judge, make_store, said, break_it):
    """With a cache that cannot be used or locked a run goes on, asks once, and says so once."""
    break_it(tmp_path)
    store = make_store()
    answers = at_once(8, lambda: store.ask(judge, trace(1), ask))
    assert {answer.verdict for answer in answers} == {decided(trace(1))}
    assert store.ask(judge, trace(2), ask).source is Source.JUDGE
    assert store.ask(judge, trace(2), ask).source is Source.MEMO
    assert judge.calls == ["You have 1 days.", "You have 2 days."]
    assert len(said) == 1


def test_call_of_another_process_that_never_ends(tmp_path, judge, make_store, monkeypatch):
    """Waiting for another process ends with an error that names the lock."""
    monkeypatch.setattr(stored, "_LONGEST_CALL_SECONDS", 0.1)
    path = tmp_path / "cache" / "locks" / f"{of_costly(1).key}.lock"
    held = acquired_lock(path, 1.0)
    with pytest.raises(JudgeTimeout, match=f"end it, or remove {path}$"):
        make_store().ask(judge, trace(1), ask)
    held.release()
    assert make_store().ask(judge, trace(1), ask).source is Source.JUDGE


def test_damaged_recording(tmp_path, judge, make_store):
    """A recording with a damaged line stops the run from asking: it may have been paid for."""
    (tmp_path / FILE_NAME).write_text('{"rag_verdicts": 1}\n<<<<<<< HEAD\n')
    with pytest.raises(JudgeError, match=rf"{FILE_NAME}:2 is a merge conflict"):
        make_store().ask(judge, trace(1), ask)
    assert judge.calls == []


def test_recorded_verdict_that_does_not_fit(tmp_path, judge, make_store):
    """A recorded verdict on other sentences is an error that names its line, and no score."""
    bad = of_costly(1, verdict(supported(0), unsupported(1)))
    record(tmp_path / FILE_NAME, RunUse(used={"t": [bad]}))
    with pytest.raises(JudgeError) as raised:
        make_store().ask(judge, trace(1), ask)
    assert str(raised.value) == (
        f"the recorded verdict {bad.key} does not fit its trace: support has the unknown resp_s1; "
        "it must have each of the 1 response sentences once; "
        "restore its line, or delete it and record again with --rag-record"
    )


def test_cached_verdict_that_does_not_fit(tmp_path, judge, make_store):
    """A cached verdict on other sentences is asked for again, and replaced."""
    filled(tmp_path / "cache", of_costly(1, verdict(supported(0), unsupported(1))))
    assert make_store().ask(judge, trace(1), ask) == Answer(of_costly(1), Source.JUDGE)
    assert make_store().ask(judge, trace(1), ask) == Answer(of_costly(1), Source.CACHE)


def test_verdict_under_another_key(tmp_path, judge, make_store):
    """An entry that was moved to another key is no answer."""
    filled(tmp_path / "cache", of_costly(2))
    text = json.dumps(of_costly(2).to_json() | {"run": "", "day": "2026-11-01"})
    plant(tmp_path / "cache", of_costly(1).key, {"value": text})
    assert make_store().ask(judge, trace(1), ask) == Answer(of_costly(1), Source.JUDGE)


def test_no_lock_is_left(tmp_path, judge, make_store):
    """Locks of traces that were asked for are removed; verdicts stay."""
    store = make_store()
    for number in range(3):
        store.ask(judge, trace(number), ask)
    assert list((tmp_path / "cache" / "locks").iterdir()) == []
    assert keys(tmp_path / "cache") == [of_costly(number).key for number in range(3)]
    assert database(tmp_path / "cache").exists()


def test_what_no_judge_is_shown_costs_no_call(judge, make_store):
    """Metadata and reference of a trace are not asked about: they cost no call."""
    store = make_store()
    sentences = trace(1)
    store.ask(judge, sentences, ask)
    retold = replace(sentences.trace, reference="1", metadata={"run": 7})
    assert store.ask(judge, replace(sentences, trace=retold), ask).source is Source.MEMO


def test_identity_of_the_entry(judge, make_store):
    """An entry says which judge decided."""
    assert make_store().ask(judge, trace(1), ask).entry.judge == judge_identity(judge) == IDENTITY


def test_only_so_many_are_remembered(judge, make_store):
    """The memo forgets the oldest: a run over a large file does not grow with it."""
    store = make_store(has_cache=False, most_remembered=3)
    for number in (1, 2, 3, 4, 4, 3, 1):
        store.ask(judge, trace(number), ask)
    assert judge.calls == [trace(number).trace.response for number in (1, 2, 3, 4, 1)]
