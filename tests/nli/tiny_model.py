"""A BERT small enough to be understood, with weights set by hand: it reads things and colours.

It entails a sentence all of whose things and colours stand in the premise, contradicts one that has
a thing of the premise with a colour that the premise lacks, and is neutral to any other thing. Any
word that it does not know is a thing. It counts words and binds none: "the bike is red, the car is
blue" entails that the car is red.

Every vector is one number for each of the names in `_NAMES`. In the first layer a word of the
hypothesis looks for itself in the premise, and finds the start of the input if it is not there;
what is not found is a missing thing or colour. In the second the start of the input gathers what is
missing, and the classifier reads that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

LABELS = ("entailment", "neutral", "contradiction")
THINGS = ("[UNK]", "bike", "car", "house", "lamp")
COLOURS = ("red", "blue", "green", "black")
_WORDS = (*THINGS, *COLOURS)
_VOCABULARY = (
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "is",
    "a",
    "it",
    "and",
    ".",
    ",",
    "?",
    *_WORDS,
)
_NAMES = (
    *_WORDS,
    *("thing", "colour", "premise", "hypothesis", "start"),
    *("found", "missing thing", "missing colour", "no thing", "no colour"),
    "balance",
)
_AT = {name: number for number, name in enumerate(_NAMES)}
_SIZE = len(_NAMES)
_EPSILON = 1e6
"""So large that a layer norm only takes the mean away, and `balance` keeps that at nothing."""
_SURE = 20.0 * _SIZE**0.5
_PER_MISSING = 12.0
"""So that two missing words tell more than one, in a hypothesis of about ten."""
_LOGITS = {
    # of a hypothesis without fault, and what missing things and missing colours add
    "entailment": (3.0, -3.0, -3.0),
    "neutral": (0.0, 4.0, 0.0),
    "contradiction": (0.0, 0.0, 3.0),
    "not_entailment": (0.7, 4.0, 3.0),
}


def save_model(
    folder: Path, labels: Sequence[str] = LABELS, *, names: Sequence[str] = (), longest: int = 32
) -> Path:
    """The model in a folder, with its outputs in the order of `labels`.

    The configuration calls them by `names`, where they are not called by what they are. It reads
    at most `longest` tokens.
    """
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(_VOCABULARY), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(vocabulary), model_max_length=longest)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(_VOCABULARY),
        hidden_size=_SIZE,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=2,
        max_position_embeddings=longest + 2,
        layer_norm_eps=_EPSILON,
        id2label=dict(enumerate(names or labels)),
        hidden_act="relu",
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        _set_weights(model, labels)
    model.save_pretrained(folder)
    return folder


def _set_weights(model: BertForSequenceClassification, labels: Sequence[str]) -> None:
    for name, parameter in model.named_parameters():
        parameter.fill_(_EPSILON**0.5 if name.endswith("LayerNorm.weight") else 0.0)
    _set_embeddings(model.bert.embeddings)
    first, second = model.bert.encoder.layer
    _look_for_itself(first)
    _gather_what_is_missing(second)
    model.bert.pooler.dense.weight.copy_(
        _matrix({"no thing": "no thing", "no colour": "no colour"})
    )
    for row, label in enumerate(labels):
        bias, thing, colour = _LOGITS[label]
        model.classifier.bias[row] = bias
        model.classifier.weight[row, _AT["no thing"]] = thing
        model.classifier.weight[row, _AT["no colour"]] = colour


def _set_embeddings(embeddings: torch.nn.Module) -> None:
    for number, word in enumerate(_VOCABULARY):
        if word in _WORDS:
            kind = "thing" if word in THINGS else "colour"
            embeddings.word_embeddings.weight[number] = _vector({word: 1.0, kind: 1.0})
    start = _VOCABULARY.index("[CLS]")
    embeddings.word_embeddings.weight[start] = _vector({"start": 1.0})
    embeddings.token_type_embeddings.weight[0] = _vector({"premise": 1.0})
    embeddings.token_type_embeddings.weight[1] = _vector({"hypothesis": 1.0})


def _look_for_itself(layer: torch.nn.Module) -> None:
    """Of the premise: `found` is 1 for a word that stands there, else -1."""
    attention = layer.attention.self
    attention.query.weight.copy_(
        _matrix(
            {word: word for word in _WORDS},
            {"hypothesis": "start", "start": "balance"},
            scale=_SURE,
        )
    )
    attention.key.weight.copy_(
        _matrix({word: word for word in _WORDS})
        + 0.5 * _matrix({"start": "start"})
        - 4.0 * _matrix({"hypothesis": "start"})
    )
    attention.value.weight.copy_(
        _matrix({"thing": "found"}) + _matrix({"colour": "found"}) - _matrix({"start": "found"})
    )
    layer.attention.output.dense.weight.copy_(_balanced(_matrix({"found": "found"})))
    for row, kind in enumerate(("thing", "colour")):
        layer.intermediate.dense.weight[row] = _vector({kind: 1.0, "found": -1.0}, is_whole=False)
        layer.intermediate.dense.bias[row] = -1.0
        layer.output.dense.weight[:, row] = _vector({f"missing {kind}": 1.0})


def _gather_what_is_missing(layer: torch.nn.Module) -> None:
    attention = layer.attention.self
    attention.query.weight.copy_(_matrix({"start": "start"}, scale=_SURE))
    attention.key.weight.copy_(_matrix({"hypothesis": "start"}))
    attention.value.weight.copy_(
        _matrix({"missing thing": "no thing", "missing colour": "no colour"}, scale=_PER_MISSING)
    )
    layer.attention.output.dense.weight.copy_(
        _balanced(_matrix({"no thing": "no thing", "no colour": "no colour"}))
    )


def _vector(values: dict[str, float], *, is_whole: bool = True) -> torch.Tensor:
    """One number for each name; with what makes the sum nothing, where it is a whole vector."""
    vector = torch.zeros(_SIZE)
    for name, value in values.items():
        vector[_AT[name]] = value
    if is_whole:
        vector[_AT["balance"]] = -vector.sum()
    return vector


def _matrix(*parts: dict[str, str], scale: float = 1.0) -> torch.Tensor:
    """What reads one number and writes another."""
    matrix = torch.zeros(_SIZE, _SIZE)
    for part in parts:
        for read, written in part.items():
            matrix[_AT[written], _AT[read]] = scale
    return matrix


def _balanced(matrix: torch.Tensor) -> torch.Tensor:
    matrix[_AT["balance"]] -= matrix.sum(dim=0)
    return matrix
