"""The judge as others see it: where its model is, its name, its identity, its spec."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from building import keyed

from pytest_trace import NliJudge, evaluate
from pytest_trace.errors import JudgeUnavailable, UnknownName
from pytest_trace.judges import Judge, make_judge
from pytest_trace.judges.base import is_free, judge_identity, judge_name
from pytest_trace.judges.registry import require_known

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `models/tiny` below the working directory, with files as a model has them."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "models" / "tiny"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.fixture
def no_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra `nli` were not installed."""
    for name in ("torch", "transformers", "huggingface_hub"):
        monkeypatch.setitem(sys.modules, name, None)


def test_it_is_a_judge_whose_verdicts_are_stored(folder):
    """A model takes seconds, and looking a verdict up does not."""
    judge = NliJudge("models/tiny")
    assert isinstance(judge, Judge)
    assert judge_name(judge) == "nli:models/tiny"
    assert not is_free(judge)


def test_judges_that_decide_differently_have_different_names(folder):
    """A table or a test that has both tells them apart; what changes no verdict is not named."""
    assert judge_name(NliJudge(folder, policy="lenient")) == f"nli:{folder}?policy=lenient"
    assert judge_name(make_judge("nli:models/tiny?threshold=0.7&device=cpu")) == (
        "nli:models/tiny?threshold=0.7"
    )


def test_the_identity_is_that_of_the_weights_wherever_they_are(folder, tmp_path):
    """The same files in another place are the same judge; the place is not in the key."""
    moved = tmp_path / "elsewhere" / "tiny"
    here = judge_identity(NliJudge(folder))
    moved.parent.mkdir()
    folder.rename(moved)
    assert judge_identity(NliJudge(moved)) == here
    assert here["model"] == "tiny"
    assert here["weights"].startswith("sha256:")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.txt"])
def test_a_model_that_was_fitted_again_is_another_judge(folder, name):
    """Weights, configuration and vocabulary: a change of one byte of equal length is seen."""
    (folder / name).write_bytes(b"before")
    judge = NliJudge(folder)
    before = judge.identity["weights"]
    (folder / name).write_bytes(b"behind")
    os.utime(folder / name, ns=(1, 1))
    assert judge.identity["weights"] != before


def test_what_is_no_part_of_a_model_changes_nothing(folder):
    """A readme and hidden files may be edited."""
    judge = NliJudge(folder)
    before = judge.identity
    (folder / "README.md").write_text("Read me.", encoding="utf-8")
    (folder / ".gitattributes").write_text("*.safetensors", encoding="utf-8")
    (folder / "runs").mkdir()
    assert judge.identity == before


def test_everything_that_changes_a_verdict_is_in_its_identity(folder):
    """Policy, threshold and window; the version covers the lexical judge beside it."""
    identities = [
        judge_identity(NliJudge(folder, **settings))
        for settings in ({}, {"policy": "lenient"}, {"threshold": 0.6}, {"window": 2})
    ]
    assert len({str(identity) for identity in identities}) == 4
    lexical = make_judge("lexical").version
    assert NliJudge(folder).version.endswith(f".{lexical}")
    assert judge_identity(NliJudge(folder, device="cpu", batch_size=1)) == identities[0]


def test_a_pinned_commit_needs_neither_network_nor_libraries(no_libraries):
    """So a recording of it can be used where there is no model."""
    judge = NliJudge("org/name", revision=COMMIT)
    assert judge_identity(judge)["weights"] == COMMIT
    assert judge_name(judge) == "nli:org/name?revision=0123456"


@pytest.mark.parametrize("spec", ["nli:org/name", "nli:org/name?revision=main"])
def test_a_hub_idno_libraries_says_what_to_install(no_libraries, spec):
    """One line with the command."""
    with pytest.raises(JudgeUnavailable) as caught:
        judge_identity(make_judge(spec))
    assert str(caught.value) == (
        "the judge nli needs huggingface_hub, which is not installed: "
        'pip install "pytest-rag-trace[nli]"'
    )


def test_a_folderno_libraries_says_what_to_install(folder, no_libraries):
    """Not before a model is needed: a response that claims nothing is judged without."""
    judge = make_judge("nli:models/tiny")
    assert evaluate(keyed(("I don't know.",)), judge=judge).refused
    with pytest.raises(JudgeUnavailable, match="needs torch, which is not installed: pip install"):
        evaluate(keyed(), judge=judge)


def test_a_broken_library_is_one_line(folder, tmp_path, monkeypatch):
    """Whatever it raises, and however long: its first line, and what to do."""
    package = tmp_path / "broken"
    package.mkdir()
    (package / "torch.py").write_text(
        "raise OSError('libcudart.so.13: cannot open\\nmuch more')", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(JudgeUnavailable) as caught:
        evaluate(keyed(), judge=make_judge("nli:models/tiny"))
    assert str(caught.value) == (
        "the judge nli cannot use its libraries: OSError: libcudart.so.13: cannot open; "
        'install them anew: pip install "pytest-rag-trace[nli]"'
    )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./nowhere", "there is no folder {here}/nowhere"),
        ("a/b/c", "there is no folder {here}/a/b/c"),
        ("models/tiny/config.json", "models/tiny/config.json is a file; expected the folder that"),
        ("two words", "'two words' is neither a folder nor a model's id on the hub: OWNER/NAME"),
        ("a" * 300 + "/b/c", "there is no folder {here}/aaa"),
        ("models/tiny?revision=v1", "revision is for models of the hub, and models/tiny is a fold"),
        ("", "it names no model; write nli:PATH_OR_HUB_ID"),
        ("org/name?policy=nice", "policy is 'nice'; expected strict or lenient"),
    ],
)
def test_a_spec_that_can_be_no_model_is_refused_at_once(folder, model, message):
    """Before anything is loaded, in a line that repeats the spec."""
    for check in (make_judge, require_known):
        with pytest.raises(UnknownName) as caught:
            check(f"nli:{model}")
        assert str(caught.value).startswith(f"judge 'nli:{model}': ")
        assert message.format(here=Path.cwd()) in str(caught.value)


def test_a_relative_folder_may_start_at_the_root_of_a_project(folder, tmp_path, monkeypatch):
    """Tests that run in a folder below it find the model that the project's settings name."""
    below = tmp_path / "tests"
    below.mkdir()
    monkeypatch.chdir(below)
    judge = make_judge("nli:models/tiny", root=tmp_path)
    assert judge_identity(judge)["model"] == "tiny"
    with pytest.raises(UnknownName, match=r"no folder .*/tests/\.\./gone or .*/gone"):
        make_judge("nli:../gone", root=tmp_path)


def test_a_judge_stays_with_its_folder(folder, tmp_path, monkeypatch):
    """A test that changes the working directory changes no judge."""
    judge = NliJudge("models/tiny")
    before = judge.identity
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert judge.identity == before


def test_a_folder_that_has_gone_is_an_error_of_the_judge(folder):
    """Nothing can be known of it any more, not even what is stored."""
    judge = NliJudge("models/tiny")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    with pytest.raises(JudgeUnavailable, match="cannot be read: No such file or directory"):
        _ = judge.identity
