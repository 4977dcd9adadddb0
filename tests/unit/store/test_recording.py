"""The recording: its bytes, what a run changes in it, and what happens to a damaged one."""

from __future__ import annotations

import json
import os
import random
import time

import children
import pytest
from building import supported, verdict
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from storing import IDENTITY, entry, other
from storing import record as write
from strategies import judged_traces

from pytest_trace.errors import InvalidRecording
from pytest_trace.store import folder, recording
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.key import verdict_key
from pytest_trace.store.recording import (
    FILE_NAME,
    RecordedLine,
    RunUse,
    merged,
    read_recording,
    write_recording,
)

A, B = entry(1), entry(2)
HEADER = '{"rag_verdicts": 1}'


@pytest.fixture
def path(tmp_path):
    """Where the recording is, or will be."""
    return tmp_path / FILE_NAME


def line(item, *tests):
    """A line of the recording."""
    return RecordedLine(item, frozenset(tests))


def recorded(*lines):
    """Lines by key."""
    return {each.entry.key: each for each in lines}


def left_over(path):
    """What else stands beside the recording."""
    return sorted(each.name for each in path.parent.iterdir() if each.name != path.name)


def test_whole_file(path):
    """A header, and one verdict a line: key and tests first, and what it was judged on."""
    given = verdict(supported(0, "doc_0_s1", "doc_0_s0", reason="“30 days”"), relevant=["b", "a"])
    item = entry(1, identity={"version": "1", "kind": "fake"}, given=given)
    assert write(path, RunUse(used={"test_b": [item], "test_a": [item]})) == 1
    assert path.read_text() == (
        f"{HEADER}\n"
        f'{{"key": "{item.key}", "tests": ["test_a", "test_b"], '
        '"question": "How long is period 1?", "response": "You have 1 days.", '
        f'"documents": "{item.documents}", "judge": {{"kind": "fake", "version": "1"}}, '
        '"verdict": {"relevant": ["a", "b"], '
        '"support": [{"document_keys": ["doc_0_s1", "doc_0_s0"], "key": "resp_s0", '
        '"reason": "\\u201c30 days\\u201d", "supported": true}], "utilized": []}}\n'
    )


def test_equal_runs_write_equal_bytes(tmp_path):
    """The order of tests, of verdicts, of processes and of a judge's settings leaves no trace."""
    items = [
        entry(number, identity=dict(judge))
        for number in range(3)
        for judge in ((("kind", "fake"), ("version", "1")), (("version", "2"), ("kind", "fake")))
    ]
    tests = {f"test_{number}": items[number:] for number in range(4)}
    contents = set()
    for number in range(5):
        path = tmp_path / str(number) / FILE_NAME
        path.parent.mkdir()
        shuffled = random.Random(number).sample(list(tests.items()), len(tests))
        if number % 2:  # two processes, one after the other
            write(path, RunUse(used=dict(shuffled[:2])))
            shuffled = shuffled[2:]
        write(path, RunUse(used={test: reversed(used) for test, used in shuffled}))
        contents.add(path.read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize(
    ("before", "use", "after"),
    [
        pytest.param([], RunUse(used={"t": [A]}), [line(A, "t")], id="new"),
        pytest.param(
            [line(A, "t")], RunUse(used={"u": [A]}), [line(A, "t", "u")], id="another-test-joins"
        ),
        pytest.param(
            [line(A, "t"), line(B, "u")],
            RunUse(used={"t": [A]}, passed=frozenset("t")),
            [line(A, "t"), line(B, "u")],
            id="test-that-did-not-run-stays",
        ),
        pytest.param(
            [line(A, "t")],
            RunUse(used={"t": [B]}, passed=frozenset("t")),
            [line(B, "t")],
            id="passed-without-using-it",
        ),
        pytest.param(
            [line(A, "t")],
            RunUse(used={}, passed=frozenset("t")),
            [],
            id="passed-without-using-anything",
        ),
        pytest.param(
            [line(A, "t")],
            RunUse(used={"t": [B]}),
            [line(A, "t"), line(B, "t")],
            id="failed-without-using-it",
        ),
        pytest.param(
            [line(A, "t", "u")],
            RunUse(used={"t": []}, passed=frozenset("t")),
            [line(A, "u")],
            id="another-test-keeps-the-line",
        ),
        pytest.param(
            [line(A, "t", "gone"), line(B, "gone")],
            RunUse(used={"t": [A]}, passed=frozenset("t"), collected=frozenset("t")),
            [line(A, "t")],
            id="no-longer-collected",
        ),
        pytest.param(
            [line(A, "failed")],
            RunUse(used={}, collected=frozenset({"failed"})),
            [line(A, "failed")],
            id="collected-and-failed",
        ),
        pytest.param(
            [line(A, "deselected")],
            RunUse(used={"t": [B]}, passed=frozenset("t"), collected=None),
            [line(A, "deselected"), line(B, "t")],
            id="run-with-a-selection",
        ),
        pytest.param(
            [line(A)], RunUse(used={"t": [B]}), [line(B, "t")], id="line-without-tests-goes"
        ),
        pytest.param(
            [line(A, "t")], RunUse(used={"u": [other(1)]}), [line(other(1), "t", "u")], id="anew"
        ),
    ],
)
def test_merging(before, use, after):
    """A test leaves a line only if it passed without it, or is no longer part of a whole run."""
    assert merged(recorded(*before), use) == recorded(*after)


@given(
    st.dictionaries(st.sampled_from("tuvw"), st.sets(st.integers(0, 4)), max_size=4),
    st.dictionaries(st.sampled_from("tuvw"), st.sets(st.integers(0, 4)), max_size=4),
    st.sets(st.sampled_from("tuvw")),
)
def test_merging_twice_changes_nothing(before, used, passed):
    """A run that uses what the last one used leaves the recording as it is."""
    items = {number: entry(number) for number in range(5)}
    lines = merged({}, RunUse(used={t: [items[n] for n in ns] for t, ns in before.items()}))
    use = RunUse(
        used={t: [items[n] for n in ns] for t, ns in used.items()}, passed=frozenset(passed)
    )
    once = merged(lines, use)
    assert merged(once, use) == once
    for test, numbers in used.items():
        assert all(test in once[items[number].key].tests for number in numbers)


@settings(max_examples=25)
@given(judged_traces())
def test_round_trip(judged):
    """Any verdict comes back as it was, and its line is one line of ASCII."""
    sentences, given = judged
    item = StoredVerdict.of(verdict_key(IDENTITY, sentences), IDENTITY, sentences, given, vote=1)
    text = line(item, "test[\ud800\n]").dumps()
    assert text.isascii()
    assert "\n" not in text
    assert recording._read_line(text, "here") == line(item, "test[\ud800\n]")


def test_missing_file(path):
    """No file is an empty recording, and a run that used nothing makes none."""
    assert read_recording(path) == {}
    assert write(path, RunUse(used={"t": []}, passed=frozenset("t"))) == 0
    assert not path.exists()


def test_emptied_file(path):
    """A recording whose last line goes keeps its header: it is committed, and stays."""
    write(path, RunUse(used={"t": [A]}))
    assert write(path, RunUse(used={}, passed=frozenset("t"))) == 0
    assert path.read_text() == f"{HEADER}\n"


def test_unchanged_file_is_not_written(path):
    """A run that changes nothing leaves the file alone: whoever watches it sees no change."""
    use = RunUse(used={"t": [A]})
    write(path, use)
    os.utime(path, (1, 1))
    write(path, use)
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_mode_is_kept(path, mode):
    """A new file is for everybody to read, and one that is there keeps its permissions."""
    write(path, RunUse(used={"t": [A]}))
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(mode)
    write(path, RunUse(used={"t": [B]}))
    assert path.stat().st_mode & 0o777 == mode


def test_link_is_kept(path, tmp_path):
    """A recording that is a link to another file stays one."""
    behind = tmp_path / "elsewhere" / "verdicts.jsonl"
    behind.parent.mkdir()
    path.symlink_to(behind)
    write(path, RunUse(used={"t": [A]}))
    assert path.is_symlink()
    assert read_recording(behind) == recorded(line(A, "t"))


def test_lock_folder_is_ignored_by_git(path):
    """The lock makes the folder of the cache, which must not be committed."""
    write(path, RunUse(used={"t": [A]}))
    assert (path.parent / ".rag_cache" / ".gitignore").read_text() == "*\n"


VARIANTS = {
    "windows-line-ends": lambda text: text.replace("\n", "\r\n"),
    "byte-order-mark": lambda text: f"\ufeff{text}",
    "no-header": lambda text: text.split("\n", 1)[1],
    "blank-lines": lambda text: text.replace("\n", "\n\n  \n"),
    "no-last-line-end": lambda text: text.rstrip("\n"),
    "both-headers-of-a-merge": lambda text: text + text,
    "another-order": lambda text: "\n".join(reversed(text.splitlines())),
    "unescaped": lambda text: "\n".join(
        json.dumps(json.loads(each), ensure_ascii=False) for each in text.splitlines()
    ),
}


@pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)
def test_read_as_others_leave_it(path, change):
    """Editors, formatters and merges may change a recording's form, and nothing is lost."""
    item = entry(3, given=verdict(supported(0, reason="line\u2028break \x85 “quoted”")))
    use = RunUse(used={"t": [A], "u": [B], "v": [item]})
    write(path, use)
    written = path.read_text()
    path.write_text(change(written), encoding="utf-8")
    assert read_recording(path) == recorded(line(A, "t"), line(B, "u"), line(item, "v"))
    write(path, use)
    assert path.read_text() == written


def test_both_sides_of_a_merge(path):
    """A verdict that both sides have keeps the tests of both."""
    sides = [line(A, "t").dumps(), line(B, "u").dumps(), line(other(1), "v").dumps()]
    path.write_text("\n".join([HEADER, *sides]))
    assert read_recording(path) == recorded(line(other(1), "t", "v"), line(B, "u"))


def changed(**fields):
    """A line with other values, or without those that are None."""
    data = json.loads(line(A, "t").dumps()) | fields
    return json.dumps({key: value for key, value in data.items() if value is not None})


HINT = "; restore the line, or delete it and record again with --rag-record"
CONFLICT = (
    " is a merge conflict; keep the lines of both sides, "
    "or take either side and record again with --rag-record"
)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        pytest.param("<<<<<<< HEAD", CONFLICT, id="conflict"),
        pytest.param("||||||| 1f2e3d", CONFLICT, id="conflict-base"),
        pytest.param("=======", CONFLICT, id="conflict-middle"),
        pytest.param(">>>>>>> topic", CONFLICT, id="conflict-end"),
        pytest.param(
            "nonsense",
            " is no recorded verdict (JSONDecodeError: "
            f"Expecting value: line 1 column 1 (char 0)){HINT}",
            id="no-json",
        ),
        pytest.param("[]", f" is no recorded verdict (TypeError: {{}}){HINT}", id="list"),
        pytest.param("3", f" is no recorded verdict (TypeError: {{}}){HINT}", id="number"),
        pytest.param(
            changed(key=None), f" is no recorded verdict (KeyError: 'key'){HINT}", id="no-key"
        ),
        pytest.param(
            changed(key=7),
            f" is no recorded verdict (TypeError: key is a int, expected a str){HINT}",
            id="key-of-another-type",
        ),
        pytest.param(
            changed(tests="test_a"),
            f" is no recorded verdict (TypeError: tests is a str, expected a list){HINT}",
            id="tests-of-another-type",
        ),
        pytest.param(
            changed(judge="groq"),
            f" is no recorded verdict (TypeError: judge is a str, expected a dict){HINT}",
            id="judge-of-another-type",
        ),
        pytest.param(
            changed(vote=True),
            f" is no recorded verdict (TypeError: vote is a bool, expected a int){HINT}",
            id="vote-of-another-type",
        ),
        pytest.param(
            changed(verdict={"relevant": [], "utilized": []}),
            " is no recorded verdict (InvalidVerdict: a verdict needs support; "
            f"got only ['relevant', 'utilized']){HINT}",
            id="no-support",
        ),
        pytest.param(
            changed(
                verdict={"relevant": [], "utilized": [], "support": [], "relevant_probability": []}
            ),
            f" is no recorded verdict (AttributeError: {{}}){HINT}",
            id="verdict-of-another-shape",
        ),
        pytest.param(
            "[" * 100_000, f" is no recorded verdict (RecursionError: {{}}){HINT}", id="deep"
        ),
        pytest.param(
            '{"rag_verdicts": 2}',
            " is no recorded verdict (ValueError: a recording of format 2, "
            f"and this version reads format 1){HINT}",
            id="later-format",
        ),
    ],
)
def test_damaged_line(path, bad, message):
    """The line is named with what is wrong and what to do, and the file is never overwritten."""
    content = "\n".join([HEADER, line(A, "t").dumps(), bad, line(B, "u").dumps(), ""])
    path.write_text(content)
    before, after = f"{FILE_NAME}:3{message}".split("{}") if "{}" in message else (None, None)
    for call in (lambda: read_recording(path), lambda: write(path, RunUse(used={"t": [A]}))):
        with pytest.raises(InvalidRecording) as raised:
            call()
        found = str(raised.value)
        if before is None:
            assert found == f"{FILE_NAME}:3{message}"
        else:
            assert found.startswith(before)
            assert found.endswith(after)
    assert path.read_text() == content
    assert left_over(path) == [".rag_cache"]


@pytest.mark.parametrize("cut", [2, 60, 300])
def test_line_cut_off(path, cut):
    """A file that was copied half is refused at its last line."""
    write(path, RunUse(used={"t": [A], "u": [B]}))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(InvalidRecording, match=rf"{FILE_NAME}:3 is no recorded verdict"):
        read_recording(path)


def make_folder(path):
    path.mkdir()


def make_binary(path):
    path.write_bytes(b"\xff\xfe\x00{")


def make_unreadable(path):
    path.write_text(HEADER)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("permissions do not bind this user")


@pytest.mark.parametrize("make", [make_folder, make_binary, make_unreadable])
def test_unreadable_file(path, make):
    """What cannot be read is no empty recording: it is refused, and not replaced."""
    make(path)
    for call in (lambda: read_recording(path), lambda: write(path, RunUse(used={"t": [A]}))):
        with pytest.raises(InvalidRecording) as raised:
            call()
        assert str(raised.value).startswith(f"cannot read the recording {path}: ")
    assert path.is_dir() == (make is make_folder)


def test_folder_that_cannot_be_written(tmp_path):
    """A recording that cannot be written is an OSError, which the caller tells."""
    with pytest.raises(OSError, match="missing"):
        write_recording(
            tmp_path / "missing" / FILE_NAME,
            RunUse(used={"t": [A]}),
            lock=tmp_path / ".rag_cache" / "locks" / "recording.lock",
        )


def test_full_disk(path, monkeypatch):
    """A write that fails half-way leaves the old file, and nothing beside it."""
    write(path, RunUse(used={"t": [A]}))
    before = path.read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recording.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write(path, RunUse(used={"t": [B]}))
    assert path.read_bytes() == before
    assert left_over(path) == [".rag_cache"]


def test_file_system_without_locks(path, monkeypatch):
    """Where files cannot be locked nothing is written: two runs could lose each other's lines."""

    class Unlockable(FileLock):
        def _acquire(self):
            raise NotImplementedError("no locks here")

    monkeypatch.setattr(folder, "FileLock", Unlockable)
    with pytest.raises(OSError, match="no locks here"):
        write(path, RunUse(used={"t": [A]}))
    assert not path.exists()


def test_lock_that_is_held_for_ever(path, tmp_path, monkeypatch):
    """Another process that hangs while it writes does not hang this one."""
    monkeypatch.setattr(recording, "_LOCK_SECONDS", 0.1)
    with children.running(children.hang_while_recording, path, tmp_path / "writing"):
        children.wait_for(tmp_path / "writing")
        with pytest.raises(TimeoutError):
            write(path, RunUse(used={"t": [A]}))
    assert not path.exists()


def test_many_writers_lose_nothing(path):
    """Runs that record at the same time, in processes of their own, keep each other's lines."""
    children.run_all(children.record_often, *((path, f"test_{number}", 5) for number in range(6)))
    assert read_recording(path) == recorded(
        *(
            line(entry(number), *(f"test_{each}[{number}]" for each in range(6)))
            for number in range(5)
        )
    )
    assert left_over(path) == [".rag_cache"]


def test_killed_while_writing(path, tmp_path):
    """A process that is killed in the middle leaves the old file, and the next write tidies up."""
    write(path, RunUse(used={"t": [A]}))
    before = path.read_bytes()
    with children.running(children.hang_while_recording, path, tmp_path / "writing"):
        children.wait_for(tmp_path / "writing")
    assert path.read_bytes() == before
    (stale,) = set(left_over(path)) - {".rag_cache", "writing"}
    assert stale.startswith(f".{FILE_NAME}.")
    own = tmp_path / f".{FILE_NAME}.swp"
    own.write_text("an editor's")
    write(path, RunUse(used={"u": [B]}))
    assert read_recording(path) == recorded(line(A, "t"), line(B, "u"))
    assert left_over(path) == sorted([own.name, ".rag_cache", "writing"])


def test_killed_at_any_moment(path, tmp_path):
    """Whenever a process is killed, the file is one of those that it meant to write."""
    items = [entry(number) for number in range(50)]
    valid = []
    for tests in (["t"], ["t", "u"]):
        write(path, RunUse(used=dict.fromkeys(tests, items)))
        valid.append(path.read_bytes())
    for number in range(5):
        ready = tmp_path / f"writing-{number}"
        with children.running(children.record_for_ever, path, items, ready):
            children.wait_for(ready)
            time.sleep(random.Random(number).random() / 20)
        assert path.read_bytes() in valid
    write(path, RunUse(used={"v": items}))
    assert left_over(path) == [".rag_cache", *(f"writing-{number}" for number in range(5))]
