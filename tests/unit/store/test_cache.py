"""The cache of verdicts: what is kept, and that a run goes on without it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from dataclasses import replace

import children
import pytest
from building import supported, verdict
from hypothesis import given, settings
from storing import DAY, IDENTITY, PLANTS, Precious, database, entry, execute, filled, other, plant
from strategies import judged_traces

from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.disk import StoreFault
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.key import verdict_key

ITEM = entry(1)


@pytest.fixture
def folder(tmp_path):
    """Where the cache is."""
    return tmp_path / "cache"


@pytest.fixture
def said():
    """What was said while the cache was used."""
    return []


@pytest.fixture
def cache(folder, said):
    """An open cache of the run `run-1`."""
    opened = VerdictCache(folder, run="run-1", say=said.append, timeout_seconds=0.1)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory):
    """A cache for the examples of one test."""
    cache = VerdictCache(tmp_path_factory.mktemp("cache"))
    yield cache
    cache.close()


def test_verdict_comes_back(folder, cache):
    """A verdict is found by any process, under its own key and no other."""
    cache.set(ITEM)
    with contextlib.closing(VerdictCache(folder)) as again:
        assert again.get(ITEM.key) == cache.get(ITEM.key) == ITEM
        assert again.get(entry(2).key) is None


@settings(max_examples=25)
@given(judged_traces())
def test_round_trip(shared_cache, judged):
    """Any verdict comes back as it was, with lone surrogates, NUL bytes and all."""
    sentences, given = judged
    key = verdict_key(IDENTITY, sentences)
    item = StoredVerdict.of(key, {**IDENTITY, "note": "\ud800"}, sentences, given, vote=2)
    shared_cache.set(item)
    assert shared_cache.get(key) == item
    assert not shared_cache.is_broken


def test_lone_surrogates_and_controls(cache):
    """Text that no encoding takes is kept as it is."""
    item = entry(1, given=verdict(supported(0, reason="\ud800 \udc00 \0 \r\n \u2028 文 \x1b")))
    cache.set(replace(item, question="\udfff", response="\ud83d"))
    assert cache.get(ITEM.key) == replace(item, question="\udfff", response="\ud83d")


def test_last_one_counts(cache):
    """A verdict that is stored again replaces the one before."""
    cache.set(ITEM)
    cache.set(other(1))
    assert cache.get(ITEM.key) == other(1)


def test_verdicts_of_this_run(folder, cache):
    """What an earlier run stored can be left unread."""
    filled(folder, ITEM, entry(2))
    cache.set(ITEM)
    found = [cache.get(entry(number).key, of_this_run=True) for number in (1, 2)]
    assert found == [ITEM, None]
    assert cache.get(entry(2).key) == entry(2)


def test_folder_is_made_at_first_use(folder, cache):
    """A cache that is not asked leaves nothing; one that is, is ignored by git and backups."""
    assert not folder.exists()
    cache.get(ITEM.key)
    assert (folder / ".gitignore").read_text() == "*\n"
    tag = (folder / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_folder_of_somebody_else(folder, cache):
    """A folder that is there already, which may be a project, is not ignored by git for that."""
    folder.mkdir()
    cache.set(ITEM)
    assert cache.get(ITEM.key) == ITEM
    assert [path.name for path in folder.iterdir()] == ["verdicts"]


def text_of(item, **fields):
    """What a cache keeps of a verdict, with other values, and without those that are None."""
    data = item.to_json() | {"run": "", "day": DAY} | fields
    return json.dumps({name: value for name, value in data.items() if value is not None})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "null",
        "[" * 100_000,
        text_of(ITEM)[:-9],
        text_of(entry(2)),
        text_of(ITEM, question=None),
        text_of(ITEM, judge=["groq"]),
        text_of(ITEM, vote="1"),
        text_of(ITEM, verdict={}),
        text_of(ITEM, verdict={"relevant": 1, "utilized": [], "support": []}),
        text_of(
            ITEM,
            verdict={"relevant": [], "utilized": [], "support": [], "relevant_probability": [1]},
        ),
    ],
)
def test_text_that_is_no_verdict(folder, cache, said, text):
    """A damaged entry is as good as none, says nothing, and is replaced by the next verdict."""
    filled(folder, ITEM)
    plant(folder, ITEM.key, {"value": text})
    assert cache.get(ITEM.key) is None
    cache.set(ITEM)
    assert cache.get(ITEM.key) == ITEM
    assert said == []


@pytest.mark.parametrize("columns", PLANTS.values(), ids=PLANTS)
def test_planted_row(tmp_path, folder, cache, said, columns):
    """A row of somebody else is no verdict: nothing runs, nothing outside is touched."""
    precious = Precious(tmp_path)
    filled(folder, ITEM, entry(2))
    plant(folder, ITEM.key, columns(precious))
    with precious.watched():
        found = cache.get(ITEM.key)
        cache.set(ITEM)
        replaced = cache.get(ITEM.key)
    assert (found, replaced, cache.get(entry(2).key)) == (None, ITEM, entry(2))
    assert said == []


def write_nonsense(folder):
    filled(folder)
    database(folder).write_bytes(b"no database at all, " * 500)


def write_nonsense_in_the_middle(folder):
    filled(folder)
    content = database(folder).read_bytes()
    database(folder).write_bytes(content[:4096] + b"\xab" * (len(content) - 4096))


def drop_table(folder):
    filled(folder)
    execute(folder, "DROP TABLE Cache", "CREATE TABLE Cache (key TEXT)")


def plant_setting(folder):
    filled(folder)
    execute(folder, "INSERT INTO Settings VALUES ('disk_unheard_of', 'x')")


def make_file_of_folder(folder):
    folder.write_text("a file")


def make_file_of_inner_folder(folder):
    folder.mkdir()
    (folder / "verdicts").write_text("a file")


def make_folder_of_database(folder):
    database(folder).mkdir(parents=True)


def forbid_writing(folder):
    filled(folder)
    for path in (database(folder), database(folder).parent, folder):
        path.chmod(path.stat().st_mode & ~0o222)
    if os.access(database(folder), os.W_OK):
        pytest.skip("permissions do not bind this user")


FAULTS = (
    (write_nonsense, "file is not a database"),
    (write_nonsense_in_the_middle, "database disk image is malformed"),
    (drop_table, "table Cache has no column named key|no such column: raw"),
    (plant_setting, ".*unexpected keyword argument 'unheard_of'"),
    (make_file_of_folder, r"\[Errno 17\] File exists: '.*cache'"),
    (make_file_of_inner_folder, "unable to open database file"),
    (make_folder_of_database, "unable to open database file"),
    (forbid_writing, ".*readonly.*"),
)


@pytest.mark.parametrize(("break_it", "reason"), FAULTS)
def test_run_goes_on_without_it(folder, cache, said, break_it, reason):
    """Whatever is wrong is said once, to whichever of many threads; then there is no cache."""
    break_it(folder)
    found = []

    def use():
        cache.set(ITEM)
        found.append(cache.get(ITEM.key))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    use()
    cache.close()
    assert found == [None] * 9
    assert cache.is_broken
    (message,) = said
    before, after = "the run goes on without the cache in ", "; rag-trace cache verify --dir "
    assert message.startswith(f"{before}{folder}: ")
    assert message.endswith(f"{after}{folder} tells more")
    assert re.fullmatch(reason, message.removeprefix(f"{before}{folder}: ").split(after)[0])


def test_opened_once(folder, monkeypatch):
    """Of many threads one waits for a folder that cannot be opened, and all know it then."""
    opened, said = [], []

    def open_slowly(*_, **__):
        opened.append(True)
        time.sleep(0.05)
        raise StoreFault("no")

    monkeypatch.setattr("pytest_trace.store.cache.TextStore", open_slowly)
    cache = VerdictCache(folder, say=said.append)
    threads = [threading.Thread(target=cache.get, args=(ITEM.key,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(opened), len(said)) == (1, 1)


def test_fault_that_comes_later(folder, cache, said):
    """A cache that was good and breaks in the middle of a run is done without from then on."""
    cache.set(ITEM)
    cache.close()
    write_nonsense_in_the_middle(folder)
    assert [cache.get(ITEM.key), cache.get(ITEM.key)] == [None, None]
    cache.set(ITEM)
    assert len(said) == 1


def test_empty_file(folder, cache, said):
    """A database without a byte is started anew, and nobody need know."""
    database(folder).parent.mkdir(parents=True)
    database(folder).touch()
    cache.set(ITEM)
    assert cache.get(ITEM.key) == ITEM
    assert said == []


@pytest.mark.parametrize("is_open", [False, True])
def test_locked_by_another_process(folder, tmp_path, cache, said, is_open):
    """A write lock that another process keeps holds the run up once, for a while, and no more."""
    if is_open:
        cache.set(entry(2))
    else:
        filled(folder)
    with children.running(children.hold_write_lock, database(folder), tmp_path / "locked"):
        children.wait_for(tmp_path / "locked")
        cache.set(ITEM)
        cache.set(ITEM)
        assert cache.get(ITEM.key) is None
    (message,) = said
    assert "locked" in message


def test_full_disk(folder, tmp_path):
    """Where no more can be written, what was stored stays, and the run is told once."""
    children.run_all(children.fill_the_disk, (folder, tmp_path / "said"))
    said = (tmp_path / "said").read_text().splitlines()
    assert len(said) == 1
    assert "the run goes on without the cache" in said[0]
    with contextlib.closing(VerdictCache(folder)) as cache:
        assert cache.get(entry(0).key) == entry(0)
        assert cache.get(entry(999).key) is None
        cache.set(entry(999))
        assert cache.get(entry(999).key) == entry(999)


def test_default_is_a_warning(folder):
    """Outside a run the fault is a warning."""
    make_file_of_folder(folder)
    cache = VerdictCache(folder)
    with pytest.warns(UserWarning, match="the run goes on without the cache"):
        cache.get(ITEM.key)


def test_many_threads(cache, said):
    """Threads that read and write at once lose nothing."""
    items = [entry(number) for number in range(40)]

    def use(part):
        for item in items[part::8]:
            cache.set(item)
            assert cache.get(item.key) == item

    threads = [threading.Thread(target=use, args=(part,)) for part in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache.get(item.key) for item in items] == items
    assert said == []
