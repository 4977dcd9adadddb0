"""Configurations of retrieval: what is declared, and how results of several differ."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.errors import InvalidConfig
from pytest_trace.evaluation_config import KNOWN, EvaluationConfig, describe_mix
from pytest_trace.trace import Trace

CONFIG = EvaluationConfig(
    chunking_strategy="recursive", chunk_size=512, chunk_overlap=64, embedding_model="e5-small"
)
NAMES = st.text(min_size=1).filter(lambda name: name not in {*KNOWN, "extra"})
CONFIGS = st.builds(
    EvaluationConfig,
    chunk_size=st.none() | st.integers(min_value=1),
    chunk_overlap=st.none() | st.integers(min_value=0),
    embedding_model=st.none() | st.text(min_size=1).filter(str.strip),
    extra=st.dictionaries(NAMES, st.text() | st.integers() | st.booleans() | st.none()),
)


@given(CONFIGS)
def test_configurations_come_back_through_json(config):
    """Unknown names stand beside the known ones and are kept."""
    again = EvaluationConfig.from_json(json.loads(json.dumps(config.to_json())))
    assert again == config
    assert hash(again) == hash(config)


def test_it_is_a_mapping_of_what_is_declared():
    """What nobody said is no key; it can stand in a trace's metadata as it is."""
    config = EvaluationConfig(chunk_size=512, extra={"team": "search", "note": None})
    assert dict(config) == {"chunk_size": 512, "team": "search"}
    assert (config["team"], config.get("top_k"), len(config)) == ("search", None, 2)
    with pytest.raises(KeyError):
        config["top_k"]
    assert repr(config) == "EvaluationConfig(chunk_size=512, team='search')"
    metadata = Trace("q", ["a"], "r", metadata={"evaluation_config": config}).metadata
    assert metadata == {"evaluation_config": {"chunk_size": 512, "team": "search"}}


def test_whole_floats_are_counts():
    """Tables with gaps hold their whole numbers as floats."""
    assert EvaluationConfig(chunk_size=512.0).chunk_size == 512
    assert EvaluationConfig.from_json({"chunk_size": None, "top_k": 3.0}) == EvaluationConfig(
        top_k=3
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"chunk_size": "512"}, "chunk_size is '512' (str); expected a whole number from 1"),
        ({"chunk_size": 0}, "chunk_size is 0 (int); expected a whole number from 1"),
        ({"chunk_size": True}, "chunk_size is True (bool); expected a whole number from 1"),
        ({"chunk_size": 1.5}, "chunk_size is 1.5 (float); expected a whole number from 1"),
        ({"top_k": float("inf")}, "top_k is inf (float); expected a whole number from 1"),
        ({"chunk_overlap": -1}, "chunk_overlap is -1 (int); expected a whole number from 0"),
        (
            {"embedding_model": 3},
            "embedding_model is 3 (int); expected a string that is not blank",
        ),
        ({"retriever": " "}, "retriever is ' ' (str); expected a string that is not blank"),
        ({"extra": ["x"]}, "extra is ['x'] (list); expected a dict"),
        ({"extra": {"top_k": 3}}, "extra holds top_k; give it as a field of its own"),
    ],
)
def test_wrong_values_are_named(fields, message):
    """The message has the field, what came and what was expected."""
    with pytest.raises(InvalidConfig) as raised:
        EvaluationConfig(**fields)
    assert str(raised.value) == message


def test_what_is_no_object_is_no_configuration():
    """The message says what one looks like."""
    with pytest.raises(InvalidConfig) as raised:
        EvaluationConfig.from_json("chunk_size=512")
    assert str(raised.value) == (
        "the configuration is 'chunk_size=512' (str); "
        "expected names and values, such as chunk_size and 512"
    )


def test_pairs_of_a_command_line():
    """Counts become numbers; a value may hold an equals sign."""
    config = EvaluationConfig.parse(["chunk_size=512", " embedding_model = a=b ", "team=7"])
    assert dict(config) == {"chunk_size": 512, "embedding_model": "a=b", "team": "7"}


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["chunk_size"], "'chunk_size' is no NAME=VALUE: write chunk_size=512"),
        (["=512"], "'=512' is no NAME=VALUE: write chunk_size=512"),
        (["chunk_size= "], "'chunk_size= ' is no NAME=VALUE: write chunk_size=512"),
        (["chunk_size=big"], "chunk_size is 'big' (str); expected a whole number from 1"),
        (["top_k=3", "top_k=4"], "top_k is given twice: 3 and 4"),
    ],
)
def test_wrong_pairs_are_refused(pairs, message):
    """The message says how to write one."""
    with pytest.raises(InvalidConfig) as raised:
        EvaluationConfig.parse(pairs)
    assert str(raised.value) == message


def collection(metadata=None, configuration=None):
    """A double of a Chroma collection: what Chroma 1.5 gave, printed and shortened."""
    return SimpleNamespace(name="docs", metadata=metadata, configuration_json=configuration)


KNOWN_FUNCTION = {
    "hnsw": {"space": "cosine", "ef_construction": 100},
    "spann": None,
    "embedding_function": {
        "type": "known",
        "name": "sentence_transformer",
        "config": {"model_name": "all-mpnet-base-v2", "device": "cpu"},
    },
}


@pytest.mark.parametrize(
    ("double", "declared"),
    [
        (
            collection(
                {"chunk_size": 512, "chunk_overlap": 50, "chunking_strategy": "recursive"},
                KNOWN_FUNCTION,
            ),
            {
                "chunking_strategy": "recursive",
                "chunk_size": 512,
                "chunk_overlap": 50,
                "embedding_model": "all-mpnet-base-v2",
                "hnsw:space": "cosine",
                "collection": "docs",
            },
        ),
        (
            collection(
                {"embedding_model": "mine", "hnsw:space": "l2", "team": "search"},
                {"hnsw": {"space": "l2"}, "embedding_function": {"type": "legacy"}},
            ),
            {
                "embedding_model": "mine",
                "hnsw:space": "l2",
                "collection": "docs",
                "team": "search",
            },
        ),
        (
            collection(
                None,
                {
                    "hnsw": None,
                    "spann": {"space": "cosine"},
                    "embedding_function": {"type": "known", "name": "default", "config": {}},
                },
            ),
            {"embedding_model": "default", "hnsw:space": "cosine", "collection": "docs"},
        ),
        (SimpleNamespace(name="docs", metadata={"top_k": 3}), {"top_k": 3, "collection": "docs"}),
    ],
    ids=["declared", "legacy function", "no metadata", "older client"],
)
def test_metadata_of_a_chroma_collection_is_a_configuration(double, declared):
    """Our names become fields; the index, the model and all else are kept."""
    assert dict(EvaluationConfig.from_chroma(double)) == declared


def test_wrong_metadata_of_a_collection_is_named():
    """The message names the collection and the field."""
    with pytest.raises(InvalidConfig) as raised:
        EvaluationConfig.from_chroma(collection({"chunk_size": "512"}))
    assert str(raised.value) == (
        "metadata of the Chroma collection 'docs': "
        "chunk_size is '512' (str); expected a whole number from 1"
    )


def test_what_is_no_collection_is_refused():
    """A mapping is given to from_json."""
    with pytest.raises(TypeError, match=r"got \{'chunk_size': 512\} \(dict\); expected a Chroma"):
        EvaluationConfig.from_chroma({"chunk_size": 512})


def test_configurations_that_agree_join():
    """Each adds what the other does not say."""
    joined = CONFIG.joined_with(EvaluationConfig(chunk_size=512, extra={"team": "search"}))
    assert dict(joined) == {**CONFIG, "team": "search"}
    with pytest.raises(InvalidConfig) as raised:
        CONFIG.joined_with(EvaluationConfig(chunk_size=256))
    assert str(raised.value) == (
        "config= says chunk_size 512, but the trace's own evaluation_config says 256"
    )


SMALL = EvaluationConfig(chunk_size=256, embedding_model="e5-small")
LARGE = EvaluationConfig(chunk_size=512, embedding_model="e5-small")


@pytest.mark.parametrize(
    ("configs", "told"),
    [
        ([], None),
        ([None, None], None),
        ([SMALL, EvaluationConfig(**SMALL)], None),
        (
            [SMALL, LARGE, LARGE],
            "2 configurations of retrieval: chunk_size 512 (2 traces); chunk_size 256 (1 trace)",
        ),
        (
            {LARGE: 1200, SMALL: 3},
            (
                "2 configurations of retrieval: chunk_size 512 (1,200 traces); "
                "chunk_size 256 (3 traces)"
            ),
        ),
        (
            [SMALL, None],
            (
                "2 configurations of retrieval: chunk_size 256, embedding_model e5-small "
                "(1 trace); none declared (1 trace)"
            ),
        ),
        (
            [SMALL, EvaluationConfig(embedding_model="e5-small")],
            "2 configurations of retrieval: chunk_size 256 (1 trace); no chunk_size (1 trace)",
        ),
        (
            [EvaluationConfig(top_k=count) for count in range(1, 7)],
            (
                "6 configurations of retrieval: top_k 1 (1 trace); top_k 2 (1 trace); "
                "top_k 3 (1 trace); top_k 4 (1 trace); and 2 more"
            ),
        ),
        (
            [EvaluationConfig(extra={"team": "a"}), EvaluationConfig(extra={"team": "b"})],
            "2 configurations of retrieval: team a (1 trace); team b (1 trace)",
        ),
    ],
)
def test_a_mix_is_told_by_what_differs(configs, told):
    """The most frequent configuration comes first, and what all share is left out."""
    assert describe_mix(configs) == told
