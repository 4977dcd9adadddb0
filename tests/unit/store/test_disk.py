"""The store of text: nothing that others put into it runs, is followed, or breaks a run."""

from __future__ import annotations

import contextlib
import io
import threading
from functools import partial
from pathlib import Path

import children
import pytest
from storing import PLANTS, Precious, database, execute, plant

from pytest_trace.store.disk import RefusedEntry, StoreFault, TextDisk, TextRow, TextStore

KEY = "a" * 64


@pytest.fixture
def folder(tmp_path):
    """Where the cache is."""
    return tmp_path / "cache"


@pytest.fixture
def store(folder):
    """An open store with a row of ours."""
    opened = TextStore(folder / "verdicts")
    opened.set("ours", "text")
    yield opened
    opened.close()


@pytest.fixture
def precious(tmp_path):
    """Files outside of the cache."""
    return Precious(tmp_path)


def test_text_comes_back(folder, store):
    """Text is found under its key, by another process too; the last one stored counts."""
    store.set(KEY, '{"a": "\\ud800"}')
    store.set(KEY, '{"a": "\\u0000"}')
    assert store.get(KEY) == '{"a": "\\u0000"}'
    assert store.get("missing") is None
    again = TextStore(folder / "verdicts")
    assert [row.text for row in again.rows()] == ["text", '{"a": "\\u0000"}']
    again.close()


def test_large_text_stays_in_the_table(folder, store):
    """However large a value is, there is no file beside the database."""
    text = "x" * 5_000_000
    store.set(KEY, text)
    assert store.get(KEY) == text
    assert {path.name for path in (folder / "verdicts").iterdir()} <= {
        "cache.db",
        "cache.db-wal",
        "cache.db-shm",
    }
    assert store.volume() > len(text)


def get_it(store, folder):
    assert store.get(KEY) is None


def set_over_it(store, folder):
    store.set(KEY, "new")
    assert store.get(KEY) == "new"


def read_rows(store, folder):
    assert [row.text for row in store.rows() if row.key != "ours"] == [None]


def delete_rows(store, folder):
    store.delete([row.rowid for row in store.rows() if row.text is None])
    assert list(store.rows()) == [TextRow(1, "ours", "text")]


def check(store, folder):
    assert store.check() == []


def measure(store, folder):
    assert 0 < store.volume() < 1_000_000


def open_again(store, folder):
    again = TextStore(folder / "verdicts")
    assert again.get("ours") == "text"
    again.close()


def iterate(store, folder):
    """As diskcache itself does."""
    for found in (iter(store._cache), reversed(store._cache), store._cache.iterkeys()):
        assert set(found) <= {"ours", KEY, None}


def pop(store, folder):
    with contextlib.suppress(RefusedEntry):
        store._cache.pop(KEY)


def peek(store, folder):
    with contextlib.suppress(RefusedEntry):
        store._cache.peekitem()


def remove(store, folder):
    store._cache.delete(KEY)
    store._cache.expire()
    store._cache.cull()


def clear(store, folder):
    store._cache.clear()
    assert list(store.rows()) == []


ACTIONS = (
    get_it,
    set_over_it,
    read_rows,
    delete_rows,
    check,
    measure,
    open_again,
    iterate,
    pop,
    peek,
    remove,
    clear,
)


@pytest.mark.parametrize("columns", PLANTS.values(), ids=PLANTS)
def test_planted_row(folder, store, precious, columns):
    """A row of somebody else is no entry: nothing runs, no file is read, opened or removed."""
    for act in ACTIONS:
        store._cache.clear()
        store.set("ours", "text")
        plant(folder, KEY, columns(precious))
        with precious.watched():
            act(store, folder)
        assert not precious.ran.exists()


def test_planted_row_would_run(tmp_path):
    """The rows are no dummies: diskcache's own Disk runs and deletes what they name."""
    from diskcache import Cache

    precious = Precious(tmp_path)
    with contextlib.closing(Cache(str(tmp_path / "cache" / "verdicts"))) as cache:
        plant(tmp_path / "cache", KEY, PLANTS["pickle"](precious))
        with pytest.raises(AssertionError, match="find_class"), precious.watched():
            cache.get(KEY)
        assert precious.ran.exists()
        plant(tmp_path / "cache", KEY, PLANTS["text-file"](precious))
        with pytest.raises(AssertionError, match=r"precious\.txt"), precious.watched():
            cache.delete(KEY)
        assert not precious.text.exists()


@pytest.mark.parametrize("key", [b"bytes", 1, 1.5, None, ("a",)])
def test_keys_are_text(store, key):
    """Any other key, which diskcache would pickle, is refused."""
    with pytest.raises(StoreFault, match="cache keys are text"):
        store.set(key, "text")
    with pytest.raises(StoreFault, match="cache keys are text"):
        store.get(key)


@pytest.mark.parametrize("value", [b"bytes", 1, None, {"a": 1}, "Ünïcode", "\ud800"])
def test_values_are_ascii_text(store, value):
    """Any other value is refused, before anything is written."""
    with pytest.raises(StoreFault, match="cache values are ASCII text"):
        store.set(KEY, value)
    assert store.get(KEY) is None


def test_no_stream_is_stored(tmp_path):
    """diskcache would copy a stream into a file: it is refused too."""
    with pytest.raises(TypeError):
        TextDisk(str(tmp_path)).store(io.BytesIO(b"text"), read=True)


def test_row_that_is_no_utf8(folder, store):
    """One damaged row spoils no other, and can be removed."""
    execute(folder, f"INSERT INTO Cache (key, raw, mode, value) VALUES ('{KEY}', 1, 1, 'x')")
    execute(folder, f"UPDATE Cache SET value = CAST(x'ff22' AS TEXT) WHERE key = '{KEY}'")
    assert store.get(KEY) is None
    assert [row.text for row in store.rows()] == ["text", None]
    store.delete([2])
    assert store.check() == []


def test_nothing_is_evicted(folder):
    """A full or old cache loses nothing, whatever limits somebody wrote into its settings."""
    store = TextStore(folder / "verdicts")
    store.close()
    execute(
        folder,
        "UPDATE Settings SET value = 'least-recently-stored' WHERE key = 'eviction_policy'",
        "UPDATE Settings SET value = 1 WHERE key IN ('size_limit', 'statistics')",
        "UPDATE Settings SET value = 'x' WHERE key IN ('cull_limit', 'tag_index')",
    )
    store = TextStore(folder / "verdicts")
    for number in range(50):
        store.set(str(number), "x" * 10_000)
    assert [row.key for row in store.rows()] == [str(number) for number in range(50)]
    assert store.get("0") == "x" * 10_000
    store.close()


def write_nonsense(folder):
    database(folder).write_bytes(b"no database at all, " * 500)


def write_nonsense_in_the_middle(folder):
    content = bytearray(database(folder).read_bytes())
    content[4096:] = b"\xab" * (len(content) - 4096)
    database(folder).write_bytes(content)


def make_folder_of_it(folder):
    database(folder).unlink()
    database(folder).mkdir()


def drop_table(folder):
    execute(folder, "DROP TABLE Cache", "CREATE TABLE Cache (key TEXT)")


def plant_setting(folder):
    execute(folder, "INSERT INTO Settings VALUES ('disk_unheard_of', 'x')")


def plant_method(folder):
    execute(folder, "INSERT INTO Settings VALUES ('reset', 'x')")


def plant_key_that_is_no_text(folder):
    execute(folder, "INSERT INTO Settings VALUES (x'ff', 'x')")


def plant_the_key_twice(folder):
    execute(
        folder,
        "DROP INDEX Cache_key_raw",
        "INSERT INTO Cache (key, raw, mode, value) SELECT key, raw, mode, value FROM Cache",
    )


def use_all(folder):
    """Open a store, and read from it."""
    with contextlib.closing(TextStore(folder / "verdicts")) as store:
        store.get(KEY)
        list(store.rows())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (write_nonsense, "file is not a database"),
        (write_nonsense_in_the_middle, "malformed"),
        (make_folder_of_it, "unable to open database file"),
        (drop_table, "no column|no such column|has no column"),
        (plant_setting, "unexpected keyword argument"),
        (plant_method, "not callable"),
        (plant_key_that_is_no_text, "startswith"),
        (plant_the_key_twice, "UNIQUE|unpack"),
    ],
)
def test_damaged_database(folder, damage, message):
    """Whatever is wrong with the file is one kind of error, with words in it, and no crash."""
    with contextlib.closing(TextStore(folder / "verdicts")) as store:
        store.set(KEY, "text")
    damage(folder)
    with pytest.raises(StoreFault, match=message):
        use_all(folder)


def test_empty_file_is_a_new_store(folder):
    """A file without a byte, as a full disk leaves it, is started anew."""
    (folder / "verdicts").mkdir(parents=True)
    database(folder).touch()
    with contextlib.closing(TextStore(folder / "verdicts")) as store:
        store.set(KEY, "text")
        assert store.get(KEY) == "text"


def test_check_names_what_sqlite_finds(folder):
    """Damage that no reading meets is found by the check."""
    with contextlib.closing(TextStore(folder / "verdicts")) as store:
        assert store.check() == []
    index = "FROM sqlite_schema WHERE name = 'Cache_expire_time'"
    allow = "PRAGMA writable_schema = ON"
    execute(folder, allow, f"CREATE TABLE Saved AS SELECT * {index}", f"DELETE {index}")
    execute(folder, f"INSERT INTO Cache (key, raw, mode, value) VALUES ('{KEY}', 1, 1, 'text')")
    execute(folder, allow, "INSERT INTO sqlite_schema SELECT * FROM Saved", "DROP TABLE Saved")
    with contextlib.closing(TextStore(folder / "verdicts")) as store:
        assert store.get(KEY) == "text"
        assert "row 1 missing from index Cache_expire_time" in store.check()


@pytest.mark.parametrize("is_open", [False, True])
def test_locked_by_another_process(folder, tmp_path, is_open):
    """Where another process keeps the write lock, waiting ends after the time that was given."""
    store = TextStore(folder / "verdicts", timeout_seconds=0.1)
    with children.running(children.hold_write_lock, database(folder), tmp_path / "locked"):
        children.wait_for(tmp_path / "locked")
        again = partial(TextStore, folder / "verdicts", timeout_seconds=0.1)
        with pytest.raises(StoreFault, match="locked"):
            store.set(KEY, "text") if is_open else again()
        assert store.get(KEY) is None
    store.close()


@pytest.mark.parametrize("name", ["$HOME", "${HOME}", "~"])
def test_names_that_diskcache_would_expand(tmp_path, monkeypatch, name):
    """A folder is the one that was named, or none: never one that a variable points to."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    folder = Path(name) if name == "~" else tmp_path / name
    if name == "~":
        TextStore(folder / "verdicts").close()
        assert database(tmp_path / "~").exists()
    else:
        with pytest.raises(StoreFault, match="its name holds a variable"):
            TextStore(folder / "verdicts")
    assert not (tmp_path / "home").exists()


def test_threads_leave_no_connection(folder, store):
    """What a thread opens it closes after each use; only the main thread keeps a connection."""
    opened = []
    done, go_on = threading.Barrier(5), threading.Barrier(5)

    def use():
        other = TextStore(folder / "verdicts")
        store.get("ours")
        store.set("ours", "text")
        assert len(list(store.rows())) == 1
        opened.extend(getattr(each._cache._local, "con", None) for each in (store, other))
        done.wait()
        go_on.wait()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    done.wait()
    go_on.wait()
    for thread in threads:
        thread.join()
    assert opened == [None] * 8
    assert store._cache._local.con is not None


def test_closed_store_opens_again(store):
    """A store that was closed is as good as before."""
    store.close()
    store.close()
    assert store.get("ours") == "text"
