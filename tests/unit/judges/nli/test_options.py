"""Settings of the judge `nli`, by keyword and in a spec string."""

from __future__ import annotations

import pytest

from pytest_trace.errors import JudgeUnavailable, UnknownName
from pytest_trace.judges.nli.options import NliOptions, choose_device, read_spec

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "model", "options"),
    [
        ("models/nli", "models/nli", NliOptions()),
        ("org/name?", "org/name", NliOptions()),
        ("a?policy=lenient&threshold=0.7", "a", NliOptions(policy="lenient", threshold=0.7)),
        (
            r"C:\models\nli?window=3&batch_size=8&device=cuda:1",
            r"C:\models\nli",
            NliOptions(window=3, batch_size=8, device="cuda:1"),
        ),
        ("org/name?revision=v1.2", "org/name", NliOptions(revision="v1.2")),
    ],
)
def test_a_spec_names_a_model_and_its_options(text, model, options):
    """Behind a question mark stand options as name=value, joined by &."""
    assert read_spec(text) == (model, options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it names no model; write nli:PATH_OR_HUB_ID"),
        ("?policy=strict", "it names no model; write nli:PATH_OR_HUB_ID"),
        ("a?policy=soft", "policy is 'soft'; expected strict or lenient"),
        ("a?threshold=high", "threshold is 'high'; expected a number above 0 and at most 1"),
        ("a?threshold=0", "threshold is 0.0; expected a number above 0 and at most 1"),
        ("a?threshold=1.01", "threshold is 1.01; expected a number above 0 and at most 1"),
        ("a?threshold=nan", "threshold is nan; expected a number above 0 and at most 1"),
        ("a?window=0", "window is 0; expected a whole number from 1 on"),
        ("a?batch_size=2.5", "batch_size is '2.5'; expected a whole number from 1 on"),
        ("a?device=gpu", "device is 'gpu'; expected auto, cpu, cuda, cuda:NUMBER or mps"),
        ("a?revision=", "revision is ''; expected a commit, branch or tag"),
        ("a?window=2&window=3", "window is given twice"),
        (
            "a?polcy=strict",
            "unknown option 'polcy'; known: policy, threshold, window, revision, device,",
        ),
    ],
)
def test_what_cannot_be_used_is_named(text, message):
    """A wrong option is one line that says what came and what was expected."""
    with pytest.raises(UnknownName) as caught:
        read_spec(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("settings", [{"threshold": True}, {"window": True}, {"batch_size": "8"}])
def test_a_keyword_of_another_type_is_refused(settings):
    """True is no number, and text is none where a caller gives it."""
    with pytest.raises(UnknownName, match="expected a"):
        NliOptions(**settings)


def test_only_what_can_change_a_verdict_is_shown_and_stored():
    """Device and batch size change how fast a verdict comes, the others which."""
    options = NliOptions(policy="lenient", device="cuda", batch_size=8, revision=COMMIT)
    assert options.shown() == "revision=0123456&policy=lenient"
    assert options.identity == {"policy": "lenient", "threshold": 0.5, "window": 4}
    assert NliOptions(device="cpu").shown() == ""


@pytest.mark.parametrize(
    ("revision", "is_commit"), [(None, False), ("main", False), (COMMIT, True), ("0123456", False)]
)
def test_only_a_whole_commit_says_what_the_weights_are(revision, is_commit):
    """A branch may move, and a short hash may be a tag."""
    assert NliOptions(revision=revision).has_commit is is_commit


@pytest.mark.parametrize(
    ("asked", "has_cuda", "device"),
    [
        ("auto", True, "cuda"),
        ("auto", False, "cpu"),
        ("cpu", True, "cpu"),
        ("cuda:1", True, "cuda:1"),
        ("mps", False, "mps"),
    ],
)
def test_the_gpu_is_used_where_there_is_one(asked, has_cuda, device):
    """What is asked for comes before what is there."""
    assert choose_device(asked, has_cuda=has_cuda) == device


def test_a_gpu_that_is_not_there_is_no_quiet_cpu():
    """Who asked for CUDA hears that torch does not see it."""
    with pytest.raises(JudgeUnavailable, match="device=cuda, but torch sees no CUDA device"):
        choose_device("cuda", has_cuda=False)
