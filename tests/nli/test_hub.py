"""Models of the hub: over real HTTP from a hub on loopback, from the cache, and not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hub_server import COMMIT, Hub, served

LOOKING = """
import json, sys, warnings
warnings.simplefilter("error")
from pytest_trace import RagTraceError
from pytest_trace.judges.nli.options import NliOptions
from pytest_trace.judges.nli.source import find_source

source = find_source("org/tiny", NliOptions(revision={revision!r}))
for _ in range(2):
    try:
        print(source.weights(), *sorted(file.name for file in source.files().iterdir()))
    except RagTraceError as error:
        print(f"{{type(error).__name__}}: {{error}}")
assert "torch" not in sys.modules
"""
JUDGING = """
import warnings
warnings.simplefilter("error")
from pytest_trace import NliJudge, Trace, evaluate

judge = NliJudge("org/tiny")
for response in ("The bike is red.", "The bike is blue."):
    evaluation = evaluate(Trace("What colour?", ["The bike is red."], response), judge=judge)
    print(evaluation.scores.adherence, judge.identity["weights"])
"""


@dataclass
class Programs:
    """Programs, each in a process of its own; all of them share a cache of the hub."""

    hub: Hub
    made: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def look(self, revision: str | None = None) -> str:
        """Where a model is: its commit and the files that are here, or why there are none.

        It is looked for twice, with the same result.
        """
        first, second = self.run(LOOKING.format(revision=revision)).splitlines()
        assert first == second
        return first

    @property
    def found(self) -> str:
        """What `look` says where everything is there."""
        return " ".join([COMMIT, *sorted(file.name for file in self.made.iterdir())])

    def run(self, program: str) -> str:
        """What a program prints; it prints no warning and no progress."""
        result = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ
            | {"HF_ENDPOINT": self.hub.url, "HF_HOME": str(self.home)}
            | self.environment,
        )
        assert result.stderr == ""
        return result.stdout


@pytest.fixture
def programs(made: Path, tmp_path: Path) -> Iterator[Programs]:
    home = tmp_path / "home"
    (home / "hub").mkdir(parents=True)
    (home / "hub" / "version.txt").write_text("1")  # transformers 4 says that it looks for older
    with served(Hub("org/tiny", made)) as hub:
        yield Programs(hub, made, home)


ABSENT = "JudgeUnavailable: the model org/tiny is no folder here, and "


def test_a_model_of_the_hub_judges(programs):
    """From its id alone; its verdicts are those of the commit."""
    assert programs.run(JUDGING) == f"1.0 {COMMIT}\n0.0 {COMMIT}\n"


@pytest.mark.parametrize("revision", [None, "main", COMMIT])
def test_a_model_is_downloaded_once_and_then_nobody_is_asked(programs, revision):
    """By whatever name it was asked for, also where the network is down or forbidden."""
    assert programs.look(revision) == programs.found
    programs.hub.asked.clear()
    assert programs.look(revision) == programs.found
    assert programs.hub.asked == []
    programs.environment |= {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
    assert programs.look(revision) == programs.found


def test_a_branch_that_moves_in_the_midst_changes_nothing(programs):
    """The files are those of the commit that the verdicts are stored under."""
    programs.hub.is_moving = True
    program = LOOKING.format(revision=None) + "print(source.files().name)"
    assert programs.run(program).split()[-1] == COMMIT


def test_only_one_kind_of_weights_is_downloaded(programs, tiny):
    """Repositories hold the same weights in several forms, each as large as the others."""
    for name in ("pytorch_model.bin", "tf_model.h5", "model.onnx", "rust_model.ot"):
        (tiny / name).write_bytes(b"the same weights once more")
    programs.hub.folder = tiny
    assert programs.look() == programs.found
    (tiny / "model.safetensors").unlink()
    programs.home = tiny.parent / "another home"
    assert programs.look() == programs.found.replace("model.safetensors", "pytorch_model.bin")


def test_a_revision_that_is_not_there_is_one_line(programs):
    """It is named."""
    assert programs.look("v9") == f"{ABSENT}the hub has no revision v9 of it"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ((404, "RepoNotFound"), "the hub has none of that name, or it is private: set HF_TOKEN"),
        ((403, "GatedRepo"), "the hub has it behind terms: accept them there, and set HF_TOKEN"),
        ((400, "Bad"), "it cannot be had from the hub: BadRequestError: "),
    ],
)
def test_a_hub_that_gives_nothing_says_why_in_a_line(programs, fault, reason):
    """And is not asked again for each trace."""
    programs.hub.fault = fault
    assert programs.look().startswith(f"{ABSENT}{reason}")
    assert len(programs.hub.asked) == 1


def test_an_unreachable_hub_is_one_line(programs):
    """Without a network, and with a network that is forbidden."""
    programs.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"
    assert programs.look().startswith(f"{ABSENT}it cannot be had from the hub: ")
    programs.environment["HF_HUB_OFFLINE"] = "1"
    assert programs.look() == (
        f"{ABSENT}it is not in the hub's cache, and HF_HUB_OFFLINE forbids to download it"
    )


def test_a_download_that_was_cut_off_is_taken_up_again(programs):
    """A cache without the weights is no model: the rest is fetched."""
    assert programs.look() == programs.found
    (weights,) = programs.home.rglob("snapshots/*/model.safetensors")
    weights.unlink()
    programs.hub.asked.clear()
    assert programs.look() == programs.found
    assert programs.hub.asked
