"""Models of several kinds, with random weights: each is loaded, and reads as much as it says."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModelForSequenceClassification,
    BartConfig,
    DebertaV2Config,
    DistilBertConfig,
    ModernBertConfig,
    PretrainedConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
    T5Config,
    XLNetConfig,
)

from pytest_trace.judges.nli.model import load_classifier

WORDS = ("<s>", "<pad>", "</s>", "<unk>", "the", "bike", "is", "red", ".")
COMMON = {
    "vocab_size": len(WORDS),
    "id2label": {0: "contradiction", 1: "neutral", 2: "entailment"},
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
}
LAYERS = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
KINDS = {
    "roberta": RobertaConfig(**COMMON, **LAYERS, max_position_embeddings=66),
    "deberta": DebertaV2Config(
        **COMMON, **LAYERS, max_position_embeddings=64, relative_attention=True
    ),
    "distilbert": DistilBertConfig(
        **COMMON, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=64
    ),
    "modernbert": ModernBertConfig(
        **COMMON, **LAYERS, max_position_embeddings=64, cls_token_id=0, sep_token_id=2
    ),
    "bart": BartConfig(
        **COMMON,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        max_position_embeddings=64,
        decoder_start_token_id=2,
    ),
    "t5": T5Config(
        **COMMON, d_model=8, d_kv=4, num_layers=1, num_heads=2, decoder_start_token_id=1
    ),
    "xlnet": XLNetConfig(**COMMON, d_model=8, n_layer=1, n_head=2, d_inner=8),
}


def save(folder: Path, config: PretrainedConfig) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        pad_token="<pad>",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_reads_as_many_tokens_as_it_says(kind: str, tmp_path: Path) -> None:
    """Positions may start at 2, have no end, or not be there; the longest input is no fault."""
    torch.manual_seed(7)
    classifier = load_classifier(kind, save(tmp_path / kind, KINDS[kind]), "cpu")
    half = classifier.room // 2
    assert half >= 28
    pairs = [(" ".join(["bike"] * size), " ".join(["red"] * size)) for size in (1, half, 10 * half)]
    for probabilities in classifier.classify(pairs, 2):
        assert set(probabilities) == {"contradiction", "neutral", "entailment"}
        assert sum(probabilities.values()) == pytest.approx(1)
