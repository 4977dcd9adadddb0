"""The table of settings: what can be set, what it means, what holds if nothing is; and a run's."""

from __future__ import annotations

from typing import Any, Literal

Kind = Literal["text", "list", "flag", "int", "float"]


class Setting:
    """One setting: `--rag-NAME`, `PYTEST_RAG_NAME` and `rag_name`.

    A number must lie in `least`..`most`; a text must be one of `choices` where there are any. A
    plain class: every pytest start-up makes these, and a dataclass would cost more than they do.
    """

    __slots__ = ("choices", "default", "help", "kind", "least", "metavar", "most", "name")

    def __init__(
        self,
        name: str,
        default: str | float | None,
        help: str,  # noqa: A002 - as in argparse
        *,
        choices: tuple[str, ...] = (),
        metavar: str | None = None,
        kind: Kind = "text",
        least: float = 0.0,
        most: float = float("inf"),
    ) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.choices = choices
        self.metavar = metavar
        self.kind = kind
        self.least = least
        self.most = most

    @property
    def flag(self) -> str:
        """The command line option."""
        return f"--rag-{self.name.replace('_', '-')}"

    @property
    def ini(self) -> str:
        """The ini setting, and the attribute of `config.option`."""
        return f"rag_{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"PYTEST_RAG_{self.name.upper()}"


def _flag(name: str, text: str) -> Setting:
    return Setting(name, None, text, kind="flag")


def _number(name: str, default: float | None, text: str, most: float = float("inf")) -> Setting:
    return Setting(name, default, text, metavar="NUMBER", kind="float", most=most)


def _count(name: str, default: int | None, text: str, least: int = 0) -> Setting:
    return Setting(name, default, text, metavar="COUNT", kind="int", least=least)


SETTINGS = (
    Setting(
        "judge",
        "lexical",
        "who judges: lexical (embedded: no key, no network), groq:MODEL, openai:MODEL, "
        "nli:PATH_OR_HUB_ID or package.module:factory",
        metavar="SPEC",
    ),
    Setting(
        "marks",
        "default",
        "how a sentence may be supported without a document sentence: default (marks are checked), "
        "strict (never) or ragbench (as marked)",
        choices=("default", "strict", "ragbench"),
    ),
    Setting(
        "formula",
        "trace",
        "how the scores are computed: trace, ragbench (completeness is 1.0 where nothing is "
        "relevant) or labeling (key counts)",
        choices=("trace", "ragbench", "labeling"),
    ),
    Setting(
        "length",
        "sentence",
        "what a sentence weighs in the scores: 1 (sentence), its words (token) or its characters",
        choices=("sentence", "token", "character"),
    ),
    Setting("sentencizer", "default", "what splits texts into sentences", metavar="NAME"),
    Setting(
        "metadata_keys",
        "",
        "metadata of documents that is evidence too, such as date,author",
        metavar="KEY,KEY",
        kind="list",
    ),
    Setting(
        "table",
        "auto",
        "the score table: all rows, the 20 worst, none, or auto (all of up to 50, else worst)",
        choices=("auto", "all", "worst", "none"),
    ),
    _flag("record", "write the verdicts this run uses to rag_verdicts.jsonl, to be committed"),
    _flag("offline", "never call a judge that costs a call: what is not stored is an error"),
    _flag("no_cache", "neither read nor write the cache of verdicts"),
    _flag("refresh", "ask anew: do not read verdicts that were stored before this run"),
    Setting("cache_dir", ".rag_cache", "the folder of the cache, below rootdir", metavar="DIR"),
    Setting(
        "missing_judge",
        "fail",
        "what becomes of a test whose judge needs a key and has none: fail or skip",
        choices=("fail", "skip"),
    ),
    _count("votes", 1, "how often a judge is asked; the majority decides (an odd number)", least=1),
    _count("concurrency", 1, "how many verdicts may be under way beside the tests", least=1),
    _count("max_calls", None, "stop asking after this many calls of the run"),
    _number("max_cost", None, "stop asking when the run has cost this many US dollars"),
    _number("temperature", 0.0, "the sampling temperature of an LLM judge", most=2.0),
    _number("timeout_seconds", 120.0, "the longest that one trace may take, retries included"),
    _number("max_wait_seconds", 90.0, "the longest retry-after of a server that is waited for"),
    Setting("base_url", None, "the server of an LLM judge", metavar="URL"),
    Setting(
        "key_variable",
        None,
        "the environment variable that holds the API key, where it is not the server's own",
        metavar="NAME",
    ),
    Setting(
        "reasoning_effort",
        None,
        "how long a reasoning model thinks: low, medium or high",
        choices=("low", "medium", "high"),
    ),
    _count("context_tokens", None, "the window of a model that is not known", least=1000),
)


class Options:
    """The settings of one run; `sources` says where those were set that were set.

    A plain class, made once from the table: a dataclass of as many fields costs a millisecond of
    every pytest start-up.
    """

    sources: dict[str, str]
    judge: str
    marks: Any
    formula: Any
    length: Any
    sentencizer: str
    metadata_keys: tuple[str, ...]
    table: Any
    record: bool
    offline: bool
    no_cache: bool
    refresh: bool
    cache_dir: str
    missing_judge: str
    votes: int
    concurrency: int
    max_calls: int | None
    max_cost: float | None
    temperature: float
    timeout_seconds: float
    max_wait_seconds: float
    base_url: str | None
    key_variable: str | None
    reasoning_effort: str | None
    context_tokens: int | None

    def __init__(self, sources: dict[str, str], values: dict[str, Any]) -> None:
        self.sources = sources
        vars(self).update(values)
