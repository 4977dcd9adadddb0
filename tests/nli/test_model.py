"""Models of transformers, loaded and asked: labels, lengths, batches, threads, faults."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_model import save_model
from transformers.utils import logging

from pytest_trace import NliJudge
from pytest_trace.errors import JudgeError, JudgeUnavailable
from pytest_trace.judges.nli import loading
from pytest_trace.judges.nli.model import load_classifier

WEIGHTS = "model.safetensors"


def test_a_supported_a_contradicted_and_an_unmentioned_claim(made, keyed):
    """The three labels of the model become support, contradiction, and no support."""
    verdict = NliJudge(made).judge(keyed("The bike is red. The lamp is blue. The car is red."))
    assert [(item.supported, item.reason) for item in verdict.support] == [
        (True, "entailed .90 by doc_0_s0"),
        (False, "contradicted .89 by doc_0_s1"),
        (False, "no sentence entails it: best .02 by doc_0_s0"),
    ]
    assert verdict.probability == pytest.approx(0.02, abs=0.01)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("contradiction", "neutral", "entailment"), ()),
        (("neutral", "contradiction", "entailment"), ("NEUTRAL", "CONTRADICTION", "ENTAILMENT")),
        (("not_entailment", "entailment"), ("not-entailment", "Entailment")),
        (("entailment", "not_entailment"), ()),
    ],
)
def test_outputs_are_read_by_the_names_in_the_configuration(labels, names, tmp_path, keyed):
    """Whatever their order, case and number."""
    judge = NliJudge(save_model(tmp_path / "other", labels, names=names))
    support = judge.judge(keyed("The bike is red. The bike is blue.")).support
    assert [item.supported for item in support] == [True, False]


def test_names_that_say_nothing_are_not_guessed(tmp_path, keyed):
    """LABEL_0 may be entailment or contradiction: the error says where to name it."""
    names = ("LABEL_0", "LABEL_1", "LABEL_2")
    judge = NliJudge(save_model(tmp_path / "nameless", names=names))
    with pytest.raises(JudgeUnavailable) as caught:
        judge.judge(keyed("The bike is red."))
    assert str(caught.value) == (
        f"the model {tmp_path / 'nameless'} calls its labels LABEL_0, LABEL_1, LABEL_2; expected "
        "entailment, neutral and contradiction, or entailment and not_entailment: name them in "
        "id2label of its config.json, if it is an NLI model"
    )


def test_the_lenient_policy_fails_only_what_is_contradicted(made, tmp_path, keyed):
    """A model of two labels cannot judge so, and says it."""
    response = "The bike is red. The lamp is blue. The car is red."
    verdict = NliJudge(made, policy="lenient").judge(keyed(response))
    assert [item.supported for item in verdict.support] == [True, False, True]
    two = save_model(tmp_path / "two", ("entailment", "not_entailment"))
    with pytest.raises(JudgeUnavailable, match="policy=lenient needs a model that tells contrad"):
        NliJudge(two, policy="lenient").judge(keyed(response))


def test_sentences_that_entail_a_claim_together_are_its_evidence(made, keyed):
    """Two neighbours by a run, two documents by a second look; no more is named than it takes."""
    documents = ("The car is red. The bike is red. The lamp is green.", "The house is black.")
    response = "The bike is red and the lamp is green. The bike is red and the house is black."
    near, far = NliJudge(made).judge(keyed(response, *documents)).support
    assert near.document_keys == ("doc_0_s1", "doc_0_s2")
    assert far.supported
    assert {"doc_0_s1", "doc_1_s0"} <= set(far.document_keys)


def test_a_sentence_longer_than_the_model_reads_is_read_to_its_end(made, keyed):
    """The model reads 32 tokens; what supports the claim stands behind the 200th."""
    long = f"{'It is a lamp, ' * 50}and the bike is red."
    (support,) = NliJudge(made).judge(keyed("The bike is red.", long)).support
    assert (support.supported, support.document_keys) == (True, ("doc_0_s0",))
    with pytest.raises(JudgeError, match=r"resp_s0 has \d+ tokens, and the NLI model reads 29, "):
        NliJudge(made).judge(keyed(long))


def test_the_limit_is_that_of_the_positions_where_the_tokenizer_has_none(tiny, keyed):
    """Many published tokenizers do not say how much their model reads."""
    file = tiny / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    del settings["model_max_length"]
    file.write_text(json.dumps(settings))
    classifier = load_classifier("tiny", tiny, "cpu")
    assert classifier.room == 29
    assert NliJudge(tiny).judge(keyed("The bike is red.", "It is a lamp, " * 50)).support


@pytest.mark.parametrize("batch_size", [1, 3, 1000])
def test_a_batch_changes_no_verdict(made, keyed, batch_size):
    """Padding is not read, and answers come back in the order of the questions."""
    trace = keyed("The bike is red. The lamp is blue.", *["The bike is red. It is a lamp."] * 5)
    expected = NliJudge(made).judge(trace)
    assert NliJudge(made, batch_size=batch_size).judge(trace) == expected


def test_threads_share_one_model(made, keyed, monkeypatch):
    """Eight threads get the verdicts that one would, and the model is loaded once for all."""
    loaded = []
    monkeypatch.setattr(loading, "_LOADED", {})
    monkeypatch.setattr(
        "pytest_trace.judges.nli.model.load_classifier",
        lambda *given: loaded.append(given) or load_classifier(*given),
    )
    colours = ("red", "blue", "green", "black") * 6
    traces = [keyed(f"The bike is {colour}.", "The bike is red.") for colour in colours]
    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(lambda trace: NliJudge(made).judge(trace), traces))
    assert [verdict.support[0].supported for verdict in verdicts] == [True, False, False, False] * 6
    assert len(loaded) == 1


def test_a_model_that_was_fitted_again_is_loaded_again(tiny, keyed):
    """The weights count, not the path: in a notebook a judge must not answer for the old ones."""
    judge, trace = NliJudge(tiny), keyed("The bike is red.")
    assert judge.judge(trace).support[0].supported
    weights = load_file(tiny / WEIGHTS)
    weights["classifier.bias"] = weights["classifier.bias"].flip(0)
    weights["classifier.weight"] = weights["classifier.weight"].flip(0)
    save_file(weights, tiny / WEIGHTS, metadata={"format": "pt"})
    (support,) = judge.judge(trace).support
    assert (support.supported, support.reason) == (False, "contradicted .90 by doc_0_s0")


def test_nothing_is_said_on_the_screen(made, keyed, monkeypatch, capfd):
    """No progress bar and no warning; what the library would say to others is left as it was."""
    monkeypatch.setattr(loading, "_LOADED", {})
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    NliJudge(made).judge(keyed("The bike is red.", "It is a lamp, " * 50))
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before == (30, True)


def test_a_gpu_that_is_not_there_is_an_error(made, keyed):
    """And no quiet run on the CPU."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(JudgeUnavailable, match="device=cuda, but torch sees no CUDA device"):
        NliJudge(made, device="cuda").judge(keyed("The bike is red."))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            torch.OutOfMemoryError("CUDA out of memory.\nMuch more."),
            "OutOfMemoryError: CUDA out of memory.; give it less at once: batch_size=8",
        ),
        (IndexError("index out of range in self"), "IndexError: index out of range in self"),
    ],
)
def test_a_model_that_fails_is_an_error_of_the_judge(made, error, reason):
    """Out of memory has a remedy, which is named; anything else is the model's own line."""
    classifier = load_classifier("tiny", made, "cpu")

    def fail(**_: object) -> None:
        raise error

    classifier._model = fail
    with pytest.raises(JudgeError) as caught:
        classifier.classify([("It is red.", "It is red.")], 8)
    assert str(caught.value) == f"the NLI model failed on a batch of 1 pairs: {reason}"


def without_configuration(folder: Path) -> None:
    (folder / "config.json").unlink()


def without_weights(folder: Path) -> None:
    (folder / WEIGHTS).unlink()


def cut_off(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:1000])


def without_head(folder: Path) -> None:
    kept = {k: v for k, v in load_file(folder / WEIGHTS).items() if "classifier" not in k}
    save_file(kept, folder / WEIGHTS, metadata={"format": "pt"})


def of_another_size(folder: Path) -> None:
    configure(folder, hidden_size=8)


def without_vocabulary(folder: Path) -> None:
    for file in [*folder.glob("*token*"), folder / "vocab.txt"]:
        file.unlink(missing_ok=True)


def of_unknown_kind(folder: Path) -> None:
    configure(folder, model_type="none")


def with_code_of_its_own(folder: Path) -> None:
    configure(folder, model_type="none", auto_map={"AutoConfig": "code.Config"})
    (folder / "code.py").write_text("raise SystemExit('this must never be run')")


def with_broken_numbers(folder: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    weights["classifier.bias"].fill_(float("nan"))
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def configure(folder: Path, **settings: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without_configuration, "{tiny} is no model: {tiny} has no config.json"),
        (without_weights, "the model {tiny} has no weights: {tiny} has neither *.safetensors nor"),
        (cut_off, "the model {tiny} cannot be loaded: SafetensorError: "),
        (without_head, "the model {tiny} is not one that was fitted to classify: its weights lack"),
        (of_another_size, "the model {tiny} is not one that was fitted to classify: its weights"),
        (without_vocabulary, "the model {tiny} "),
        (of_unknown_kind, "the model {tiny} cannot be loaded: ValueError: "),
        (with_code_of_its_own, "the model {tiny} cannot be loaded: ValueError: "),
        (
            with_broken_numbers,
            "the NLI model gave no probabilities but NaN: its weights are broken",
        ),
    ],
)
def test_a_model_that_cannot_be_used_is_one_line(
    tiny: Path, keyed: Callable, spoil: Callable[[Path], None], message: str
) -> None:
    """And never a verdict: random numbers in place of weights would judge something."""
    spoil(tiny)
    with pytest.raises(JudgeError) as caught:
        NliJudge(tiny).judge(keyed("The bike is red."))
    first, *more = str(caught.value).splitlines()
    assert first.startswith(message.format(tiny=tiny))
    assert more in ([], [f"  from {tiny}"])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_model_that_was_mended_is_used(tiny, keyed):
    """What could not be loaded is tried again, for whoever mends it in a notebook."""
    away = shutil.move(tiny / WEIGHTS, tiny.parent / "away")
    judge = NliJudge(tiny)
    with pytest.raises(JudgeUnavailable, match="has no weights"):
        judge.judge(keyed("The bike is red."))
    shutil.move(away, tiny / WEIGHTS)
    assert judge.judge(keyed("The bike is red.")).support[0].supported


def test_weights_as_they_were_saved_before_safetensors(tiny, keyed):
    """Older models of the hub have pytorch_model.bin alone."""
    torch.save(load_file(tiny / WEIGHTS), tiny / "pytorch_model.bin")
    (tiny / WEIGHTS).unlink()
    assert NliJudge(tiny).judge(keyed("The bike is red.")).support[0].supported


def test_half_precision_is_no_hindrance(tiny, keyed):
    """Weights that were saved as 16 bits are computed with as 32: a CPU cannot always do less."""
    weights = {key: value.half() for key, value in load_file(tiny / WEIGHTS).items()}
    weights = {k: v.clamp(-6e4, 6e4) for k, v in weights.items()}
    save_file(weights, tiny / WEIGHTS, metadata={"format": "pt"})
    configure(tiny, dtype="float16", torch_dtype="float16")
    assert NliJudge(tiny).judge(keyed("The bike is red.")).support[0].supported
