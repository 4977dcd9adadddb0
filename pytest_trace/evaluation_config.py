"""What a user declares about retrieval: which chunks, which embedding, which retriever.

It is kept with every result, so that results of different configurations are told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Final

from pytest_trace.errors import InvalidConfig
from pytest_trace.trace import Trace, plain

METADATA_KEY: Final = "evaluation_config"
"""Under this key a trace's metadata declares how its documents were retrieved."""

_LEAST: Final = {"chunk_size": 1, "chunk_overlap": 0, "top_k": 1}
_SHOWN: Final = 60
_MOST_SHOWN: Final = 4


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationConfig(Mapping[str, Any]):
    """A configuration of retrieval; as a mapping it holds what is declared, by name.

    `chunk_size` and `chunk_overlap` are in the unit of the chunking strategy (characters or
    tokens), `top_k` in documents. `extra` keeps everything else as JSON values.
    Raises `InvalidConfig` naming the field for a value of another type or below its least.
    """

    _: KW_ONLY
    chunking_strategy: str | None = None
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    embedding_model: str | None = None
    retriever: str | None = None
    top_k: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in KNOWN:
            value = getattr(self, name)
            if value is not None:
                read = _count if name in _LEAST else _text
                object.__setattr__(self, name, read(name, value))
        if not isinstance(self.extra, Mapping):
            raise InvalidConfig(f"extra is {_described(self.extra)}; expected a dict")
        if known := [name for name in self.extra if name in KNOWN]:
            raise InvalidConfig(f"extra holds {', '.join(known)}; give it as a field of its own")
        kept = {name: value for name, value in self.extra.items() if value is not None}
        object.__setattr__(self, "extra", plain(kept))

    def __getitem__(self, name: str) -> Any:
        value = getattr(self, name) if name in KNOWN else self.extra.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in KNOWN if getattr(self, name) is not None)
        yield from self.extra

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        """Only what is declared: most of it is not."""
        return f"EvaluationConfig({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def to_json(self) -> dict[str, Any]:
        """What is declared, by name; what is unknown to us stands beside what is known."""
        return dict(self)

    @classmethod
    def from_json(cls, data: object) -> EvaluationConfig:
        """The inverse of `to_json`; null declares nothing, and unknown names are kept."""
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise InvalidConfig(
                f"the configuration is {_described(data)}; expected names and values, "
                "such as chunk_size and 512"
            )
        known = {name: data[name] for name in KNOWN if name in data}
        return cls(**known, extra={str(n): value for n, value in data.items() if n not in KNOWN})

    @classmethod
    def parse(cls, pairs: Iterable[str]) -> EvaluationConfig:
        """From `NAME=VALUE` as on a command line; counts become numbers, all else stays text."""
        given: dict[str, Any] = {}
        for pair in pairs:
            name, separator, value = pair.partition("=")
            if not separator or not name.strip() or not value.strip():
                raise InvalidConfig(f"{pair!r} is no NAME=VALUE: write chunk_size=512")
            name, value = name.strip(), value.strip()
            if name in given:
                raise InvalidConfig(f"{name} is given twice: {given[name]} and {value}")
            given[name] = int(value) if name in _LEAST and value.isdecimal() else value
        return cls.from_json(given)

    @classmethod
    def from_chroma(cls, collection: Any) -> EvaluationConfig:
        """What the metadata of a Chroma collection declares; nothing of chromadb is imported.

        The names of our fields are read as such; other metadata, the collection's name (as
        `collection`) and its distance (as `hnsw:space`) are kept in `extra`. Without an
        `embedding_model` in the metadata it is that of the collection's embedding function.
        """
        try:
            name, metadata = collection.name, collection.metadata or {}
        except AttributeError as error:
            raise TypeError(
                f"got {_described(collection)}; expected a Chroma collection, which has "
                "name and metadata"
            ) from error
        try:
            return cls.from_json(_chroma_index(collection) | {"collection": name} | dict(metadata))
        except InvalidConfig as error:
            raise InvalidConfig(f"metadata of the Chroma collection {name!r}: {error}") from error

    @classmethod
    def of_trace(
        cls, trace: Trace, declared: EvaluationConfig | Mapping[str, Any] | None = None
    ) -> EvaluationConfig | None:
        """What a trace's metadata declares together with what is `declared` beside it.

        Raises `InvalidConfig` where they contradict each other, or where either is none.
        """
        given = None if declared is None else cls.from_json(declared)
        own = trace.metadata.get(METADATA_KEY)
        if own is None:
            return given
        try:
            found = cls.from_json(own)
        except InvalidConfig as error:
            raise InvalidConfig(f"{METADATA_KEY} in the trace's metadata: {error}") from error
        return found if given is None else given.joined_with(found)

    def joined_with(self, other: EvaluationConfig) -> EvaluationConfig:
        """What either declares; raises `InvalidConfig` where they contradict each other."""
        for name in self:
            if name in other and self[name] != other[name]:
                raise InvalidConfig(
                    f"config= says {name} {self[name]!r}, but the trace's own {METADATA_KEY} "
                    f"says {other[name]!r}"
                )
        return EvaluationConfig.from_json({**self, **other})


KNOWN: Final = tuple(item.name for item in fields(EvaluationConfig) if item.name != "extra")
"""The names that have a field of their own."""


def describe_mix(
    configs: Iterable[EvaluationConfig | None] | Mapping[EvaluationConfig | None, int],
) -> str | None:
    """How results that stand together differ in their configurations; None where they do not.

    `configs` has one for each result, or how many results each has:
    "2 configurations of retrieval: chunk_size 256 (3 traces); chunk_size 512 (1 trace)"
    """
    counts = Counter(configs)
    if len(counts) < 2:  # noqa: PLR2004 - one is no mix
        return None
    differing = _differing([config for config in counts if config is not None])
    named = [(-count, _named(config, differing)) for config, count in counts.items()]
    shown = [  # the most frequent first; results may come in any order
        f"{name} ({-count:,} {'trace' if count == -1 else 'traces'})"
        for count, name in sorted(named)[:_MOST_SHOWN]
    ]
    more = f"; and {len(counts) - _MOST_SHOWN:,} more" if len(counts) > _MOST_SHOWN else ""
    return f"{len(counts):,} configurations of retrieval: {'; '.join(shown)}{more}"


def _differing(configs: Sequence[EvaluationConfig]) -> list[str]:
    """The names that tell the configurations apart; of a single one all."""
    names = sorted({name for config in configs for name in config})
    values = {name: {repr(config.get(name)) for config in configs} for name in names}
    return [name for name in names if len(configs) == 1 or len(values[name]) > 1]


def _named(config: EvaluationConfig | None, names: Iterable[str]) -> str:
    if config is None:
        return "none declared"
    told = [f"{name} {config[name]}" if name in config else f"no {name}" for name in names]
    return ", ".join(told) or "an empty one"


def _chroma_index(collection: Any) -> dict[str, Any]:
    """The embedding model and the distance, where the collection's configuration has them.

    `configuration_json` is read, not `configuration`, which builds the embedding function and so
    may ask for a key.
    """
    data = getattr(collection, "configuration_json", None) or {}
    function = data.get("embedding_function") or {}
    settings = function.get("config") or {}
    model = settings.get("model_name") or settings.get("model") or function.get("name")
    space = ((data.get("hnsw") or data.get("spann")) or {}).get("space")
    return {"embedding_model": model, "hnsw:space": space}


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidConfig(f"{name} is {_described(value)}; expected a string that is not blank")
    return value


def _count(name: str, value: Any) -> int:
    least = _LEAST[name]
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or value < least:
        raise InvalidConfig(f"{name} is {_described(value)}; expected a whole number from {least}")
    return int(value)


def _described(value: object) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    return f"{shown} ({type(value).__name__})"
