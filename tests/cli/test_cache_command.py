"""`rag-trace cache`: what is shown, what is removed, and the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import children
import pytest
from storing import DAY, PLANTS, Precious, database, entry, execute, filled, keys, plant
from typer.testing import CliRunner

from pytest_trace.cli.main import app

GROQ = {"kind": "groq", "version": "1", "model": "openai/gpt-oss-20b"}
NEW = datetime.now(tz=UTC).date()
NOT_OURS = "not written by this package; it is never read"
PRUNE = "rag-trace cache prune removes the entries that cannot be read"
START_ANEW = (
    "if it is damaged, remove the folder to start anew; committed recordings are not in it\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The cache of the project in the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".rag_cache"


@pytest.fixture
def precious(tmp_path):
    """Files outside of the cache."""
    return Precious(tmp_path)


def run(*arguments, given=""):
    """Exit code, output and errors of `rag-trace cache`."""
    result = CliRunner().invoke(app, ["cache", *arguments], input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def text_of(item, day=DAY):
    """What a cache keeps of a verdict."""
    return json.dumps(item.to_json() | {"run": "", "day": str(day)})


def test_stats(folder):
    """Verdicts are counted by judge and model; rows that are none are not."""
    filled(folder, entry(1), *(entry(number, identity=GROQ) for number in range(1234)))
    plant(folder, "a", {"value": "nonsense"})
    code, out, err = run("stats")
    *table, size, end = out.split("\n")
    assert (code, err, end) == (0, "", "")
    assert [line.rstrip() for line in table] == [
        "              .rag_cache",
        "┏━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┓",
        "┃ judge                   ┃ verdicts ┃",
        "┡━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━┩",
        "│ fake                    │        1 │",
        "│ groq:openai/gpt-oss-20b │    1,234 │",
        "├─────────────────────────┼──────────┤",
        "│ all                     │    1,235 │",
        "└─────────────────────────┴──────────┘",
    ]
    assert 500 < int(size.removesuffix(" KiB").replace(",", "")) < 2000


def test_stats_of_hostile_names(folder, tmp_path):
    """Names of judges and folders are shown as they are: no markup, no control characters."""
    folder = filled(
        tmp_path / "[bold]cache", entry(1, identity={"kind": "[/x]", "model": "a\x1b[31m\n:smile:"})
    )
    code, out, _ = run("stats", "--dir", folder.name)
    assert code == 0
    assert "[bold]cache" in out
    assert "│ [/x]:a\\x1b[31m\\n:smile: │        1 │" in out


def test_empty_cache(folder):
    """A cache without a verdict is one."""
    filled(folder)
    execute(folder, "DELETE FROM Cache")
    assert run("verify") == (0, "0 verdicts can be read, 0 faults\n", "")
    assert "│ all   │        0 │" in run("stats")[1]
    assert run("prune") == (0, "removed 0 unreadable and 0 old entries\n", "")
    assert run("clear", "--yes") == (0, "removed 0 entries\n", "")


def test_verify(folder):
    """A sound cache is counted, and the exit code is 0."""
    filled(folder, entry(1), entry(2, vote=1))
    assert run("verify") == (0, "2 verdicts can be read, 0 faults\n", "")


BAD_TEXTS = {
    "nonsense": "no verdict (JSONDecodeError: Expecting value: line 1 column 1 (char 0))",
    "[]": "no verdict (TypeError: list indices must be integers or slices, not str)",
    json.dumps(entry(3).to_json()): "no verdict (KeyError: 'day')",
    text_of(entry(3), day="yesterday"): (
        "no verdict (ValueError: Invalid isoformat string: 'yesterday')"
    ),
    text_of(entry(4)): "a verdict under another verdict's key",
    json.dumps(entry(3).to_json() | {"verdict": {"\x1b[31m": 1}}): (
        "no verdict (InvalidVerdict: a verdict nee...pport; got only ['\\x1b[31m'])"
    ),
}


@pytest.mark.parametrize(("text", "fault"), BAD_TEXTS.items())
def test_verify_names_what_is_no_verdict(folder, text, fault):
    """Each entry that cannot be read is a line; the exit code is 1; prune removes just these."""
    filled(folder, entry(1), entry(3), entry(2))
    plant(folder, entry(3).key, {"value": text, "rowid": 7})
    assert run("verify") == (
        1,
        f"entry 7: {fault}\n2 verdicts can be read, 1 faults\n{PRUNE}\n",
        "",
    )
    assert run("prune") == (0, "removed 1 unreadable and 0 old entries\n", "")
    assert run("verify") == (0, "2 verdicts can be read, 0 faults\n", "")
    assert keys(folder) == [entry(1).key, entry(2).key]


@pytest.mark.parametrize("command", [["stats"], ["verify"], ["prune"], ["clear", "--yes"]])
@pytest.mark.parametrize("columns", PLANTS.values(), ids=PLANTS)
def test_planted_rows(folder, precious, columns, command):
    """Whatever somebody put into a cache, no command runs it, or touches the file it names."""
    filled(folder, entry(1))
    plant(folder, entry(2).key, columns(precious))
    with precious.watched():
        code, out, err = run(*command)
    assert err == ""
    last = out.splitlines()[-1]
    assert (code, last) == {
        "stats": (0, last),
        "verify": (1, PRUNE),
        "prune": (0, "removed 1 unreadable and 0 old entries"),
        "clear": (0, "removed 2 entries"),
    }[command[0]]
    assert (f"entry 2: {NOT_OURS}" in out) == (code == 1)


def test_prune_old(folder):
    """With an age, verdicts that were stored before are removed too; younger ones stay."""
    filled(folder, *(entry(number) for number in range(5)))
    for number, age in enumerate((0, 29, 30, 31, 4000)):
        day = NEW - timedelta(days=age)
        plant(folder, entry(number).key, {"value": text_of(entry(number), day)})
    plant(folder, "a", {"value": "nonsense"})
    code, out, _ = run("prune", "--older-than", "30")
    assert (code, out) == (0, "removed 1 unreadable and 2 old entries\n")
    assert keys(folder) == [entry(number).key for number in range(3)]
    assert run("prune") == (0, "removed 0 unreadable and 0 old entries\n", "")


@pytest.mark.parametrize("days", ["-1", "99999999999", "many"])
def test_prune_with_an_age_that_is_none(folder, days):
    """An age that is no number of days is a usage error, and nothing is removed."""
    filled(folder, entry(1))
    code, _, err = run("prune", "--older-than", days)
    assert code == 2
    assert "--older-than" in err
    assert keys(folder) == [entry(1).key]


@pytest.mark.parametrize(
    ("answer", "code", "last", "left"),
    [("y\n", 0, "removed 2 entries\n", 0), ("n\n", 1, "", 2), ("", 1, "", 2)],
)
def test_clear_asks(folder, answer, code, last, left):
    """Verdicts were paid for: without a clear yes nothing is removed."""
    filled(folder, entry(1), entry(2))
    found, out, _ = run("clear", given=answer)
    assert out.startswith("Remove 2 verdicts from .rag_cache? [y/N]:")
    assert out.endswith(last)
    assert (found, len(keys(folder))) == (code, left)


def test_clear_without_asking(folder):
    """With --yes everything goes, and the room it took."""
    filled(folder, *(entry(number) for number in range(200)))
    assert run("clear", "--yes") == (0, "removed 200 entries\n", "")
    assert keys(folder) == []
    assert database(folder).stat().st_size < 100_000


COMMANDS = ("stats", "verify", "prune", "clear")


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_cache(folder, command):
    """No cache is one line and exit code 2, and none is made."""
    message = "there is no cache in {}; name another: --dir\n"
    assert run(command) == (2, "", message.format(".rag_cache"))
    assert run(command, "--dir", "elsewhere") == (2, "", message.format("elsewhere"))
    assert list(folder.parent.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_damaged_cache(folder, command):
    """A file that is no cache is left as it is: what to do is said, and the exit code is 2."""
    filled(folder)
    database(folder).write_bytes(b"no database at all, " * 500)
    assert run(command) == (
        2,
        "",
        f"the cache in .rag_cache cannot be read: file is not a database\n{START_ANEW}",
    )
    assert database(folder).read_bytes() == b"no database at all, " * 500


def test_damage_that_pruning_does_not_mend(folder):
    """Where the file itself is damaged, verify says so, and does not send to prune."""
    filled(folder, entry(1))
    execute(folder, 'CREATE INDEX "a\x1b[31m" ON Cache (tag)')
    index = "FROM sqlite_schema WHERE name = 'a\x1b[31m'"
    allow = "PRAGMA writable_schema = ON"
    execute(folder, allow, f"CREATE TABLE Saved AS SELECT * {index}", f"DELETE {index}")
    plant(folder, entry(2).key, {"value": text_of(entry(2))})
    execute(folder, allow, "INSERT INTO sqlite_schema SELECT * FROM Saved", "DROP TABLE Saved")
    code, out, _ = run("verify")
    assert code == 1
    assert out.startswith("row 2 missing from index a\\x1b[31m\n")
    assert out.endswith(f"\n2 verdicts can be read, 2 faults\n{START_ANEW}")


def test_locked_cache(folder, tmp_path, monkeypatch):
    """A cache that another process keeps locked is not waited for without end."""
    filled(folder)
    monkeypatch.setattr(
        "pytest_trace.store.disk.TextStore.__init__.__kwdefaults__", {"timeout_seconds": 0.1}
    )
    with children.running(children.hold_write_lock, database(folder), tmp_path / "locked"):
        children.wait_for(tmp_path / "locked")
        code, out, err = run("verify")
    assert (code, out) == (2, "")
    assert err.startswith("the cache in .rag_cache cannot be read: database is locked\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["cache"]),
        (["--help"], ["cache"]),
        (["cache"], COMMANDS),
        (["cache", "--help"], COMMANDS),
        (["cache", "prune", "--help"], ["--dir", "--older-than"]),
        (["cache", "clear", "--help"], ["--dir", "--yes"]),
    ],
)
def test_help(arguments, words):
    """Every command tells what it knows, without being asked and when it is."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == (0 if "--help" in arguments else 2)
    assert all(word in result.output for word in words)


def test_unknown_command():
    """A command that nobody knows is a usage error."""
    assert CliRunner().invoke(app, ["cache", "burn"]).exit_code == 2


def test_script_is_declared():
    """`rag-trace` is the app of these tests."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    script = tomllib.loads(project.read_text())["project"]["scripts"]["rag-trace"]
    module, name = script.split(":")
    assert getattr(import_module(module), name) is app


def test_as_a_process(folder):
    """The command works as a process of its own, with its output in a pipe."""
    filled(folder, entry(1))
    plant(folder, "a", {"mode": 4, "value": b"cos\nsystem\n(S'touch ran'\ntR."})
    code = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"
    found = subprocess.run(
        [sys.executable, "-c", code, "cache", "verify"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout, found.stderr) == (
        1,
        f"entry 2: {NOT_OURS}\n1 verdicts can be read, 1 faults\n{PRUNE}\n",
        "",
    )
    assert not (folder.parent / "ran").exists()
