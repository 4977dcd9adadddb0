"""An NLI model of transformers: the only module that imports it and torch, when one is loaded."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pytest_trace.errors import JudgeError, JudgeUnavailable, hide_own_frames
from pytest_trace.judges.nli.classifier import Pair
from pytest_trace.judges.nli.labels import Label, read_labels
from pytest_trace.judges.nli.libraries import first_line, imported_quietly
from pytest_trace.judges.nli.options import choose_device

__tracebackhide__ = hide_own_frames

_USUAL_LIMIT: Final = 512
_UNUSED_POSITIONS: Final = 2
"""RoBERTa and its kin count positions from 2 on; for others two tokens less do no harm."""
_SHOWN_KEYS: Final = 3
_ONE_THREAD: Final = threading.RLock()
"""Tokenizers serve one thread at a time, and what keeps the library quiet is the process's."""


class TransformersClassifier:
    """A loaded model."""

    def __init__(
        self, torch: Any, model: Any, tokenizer: Any, labels: Sequence[Label], device: str
    ) -> None:
        self.labels = labels
        self._torch = torch
        self._model = model
        self._tokenizer = tokenizer
        self._device = device
        self._limit = _longest_input(model.config, tokenizer)
        self.room = self._limit - int(tokenizer.num_special_tokens_to_add(pair=True))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        if not texts:
            return []
        with _quiet():
            encoded = self._tokenizer(list(texts), add_special_tokens=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def classify(self, pairs: Sequence[Pair], batch_size: int) -> list[Mapping[Label, float]]:
        """For each pair the probability of each label, in batches of about equal length."""
        by_length = sorted(range(len(pairs)), key=lambda n: len(pairs[n][0]) + len(pairs[n][1]))
        found: dict[int, Mapping[Label, float]] = {}
        with _quiet(), self._torch.inference_mode():
            for start in range(0, len(pairs), batch_size):
                numbers = by_length[start : start + batch_size]
                rows = self._probabilities([pairs[number] for number in numbers])
                for number, row in zip(numbers, rows, strict=True):
                    found[number] = dict(zip(self.labels, row, strict=True))
        return [found[number] for number in range(len(pairs))]

    def _probabilities(self, pairs: Sequence[Pair]) -> list[list[float]]:
        try:
            encoded = self._tokenizer(
                [premise for premise, _ in pairs],
                [hypothesis for _, hypothesis in pairs],
                padding=True,
                truncation=True,
                max_length=self._limit,
                return_tensors="pt",
            ).to(self._device)
            logits = self._model(**encoded).logits
            rows: list[list[float]] = logits.float().softmax(-1).cpu().tolist()
        except Exception as error:  # noqa: BLE001 - a model may raise anything, out of memory first
            reason = first_line(error)
            hint = "; give it less at once: batch_size=8" if "memory" in reason.lower() else ""
            raise JudgeError(
                f"the NLI model failed on a batch of {len(pairs)} pairs: {reason}{hint}"
            ) from None
        if not all(math.isfinite(value) for row in rows for value in row):
            raise JudgeError("the NLI model gave no probabilities but NaN: its weights are broken")
        return rows


def load_classifier(name: str, folder: Path, device: str) -> TransformersClassifier:
    """The model in `folder`; raises `JudgeUnavailable` that says what is wrong with it."""
    with imported_quietly():
        import torch
        from transformers import AutoModelForSequenceClassification as Model
        from transformers import AutoTokenizer as Tokenizer
    chosen = choose_device(device, has_cuda=torch.cuda.is_available())
    _require_files(name, folder)
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _quiet():
            tokenizer = Tokenizer.from_pretrained(folder, **local)
            model, info = Model.from_pretrained(
                folder, output_loading_info=True, ignore_mismatched_sizes=True, **local
            )
            model = model.float().to(chosen).eval()
    except Exception as error:  # noqa: BLE001 - each kind of file has its own errors
        raise JudgeUnavailable(
            f"the model {name} cannot be loaded: {first_line(error)}", details=(f"from {folder}",)
        ) from None
    _require_trained(name, info)
    if not tokenizer.get_vocab().keys() - set(tokenizer.all_special_tokens):
        raise JudgeUnavailable(f"the model {name} has no vocabulary: {folder} lacks its tokenizer")
    return TransformersClassifier(torch, model, tokenizer, _labels(name, model.config), chosen)


def _require_files(name: str, folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise JudgeUnavailable(f"{name} is no model: {folder} has no config.json")
    if not any(file for kind in ("*.safetensors", "*.bin") for file in folder.glob(kind)):
        raise JudgeUnavailable(
            f"the model {name} has no weights: "
            f"{folder} has neither *.safetensors nor pytorch_model*.bin"
        )


def _require_trained(name: str, info: Mapping[str, Any]) -> None:
    """Refuse weights in place of which transformers took random numbers."""
    missing = sorted({*info["missing_keys"], *(key[0] for key in info["mismatched_keys"])})
    if missing:
        shown = ", ".join(missing[:_SHOWN_KEYS]) + (", …" if missing[_SHOWN_KEYS:] else "")
        raise JudgeUnavailable(
            f"the model {name} is not one that was fitted to classify: "
            f"its weights lack, or have in another size, {shown}"
        )


def _labels(name: str, config: Any) -> tuple[Label, ...]:
    names = {int(number): str(label) for number, label in config.id2label.items()}
    labels = read_labels(names)
    if labels is None:
        given = ", ".join(names[number] for number in sorted(names))
        raise JudgeUnavailable(
            f"the model {name} calls its labels {given}; expected entailment, neutral and "
            "contradiction, or entailment and not_entailment: name them in id2label of its "
            "config.json, if it is an NLI model"
        )
    return labels


def _longest_input(config: Any, tokenizer: Any) -> int:
    """In tokens: what the tokenizer says and the model's positions allow, where it has them."""
    positions = getattr(config, "max_position_embeddings", None) or 0
    allowed = positions - _UNUSED_POSITIONS if positions > 0 else _USUAL_LIMIT
    return int(min(tokenizer.model_max_length, allowed))


@contextmanager
def _quiet() -> Iterator[None]:
    """Around the library: neither its progress nor its warnings belong on a test run's screen."""
    from transformers.utils import logging

    with _ONE_THREAD, warnings.catch_warnings():
        with_bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
        warnings.simplefilter("ignore")
        logging.disable_progress_bar()
        logging.set_verbosity_error()
        try:
            yield
        finally:
            logging.set_verbosity(verbosity)
            if with_bars:
                logging.enable_progress_bar()
