"""How far the embedded judge agrees with labels.

    python benchmarks/judge_quality.py [--data FOLDER] [--json]

Per set: rows with a label, the share of hallucinated responses, the AUROC of finding them by
`Verdict.probability`, recall and false alarms at the judge's own threshold, and the AUROC of
relevance and utilization over document sentences. A row without claims that cannot be judged is
counted apart. Exit code 2 without data.

The weights of the lexical judge are fitted to the same sets. What it is worth on others, and its
`KNOWN_RECALL`, the mean recall of `RECALL_SETS`, is printed by `fit_lexical.py` as 'left-out set'.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_trace.datasets.ragbench import read_ragbench
from pytest_trace.errors import JudgeError
from pytest_trace.judges import Judge, make_judge
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

RAGBENCH = tuple(
    f"{name}_validation"
    for name in ("covidqa", "delucionqa", "emanual", "expertqa", "hagrid", "hotpotqa", "msmarco")
)
RECALL_SETS = (*RAGBENCH, "ragtruth_qa_dev")
COLUMNS = ("rows", "hallucinated", "auroc", "recall", "false_alarms", "relevance", "utilization")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A trace with what its labels say; None is unlabelled."""

    sentences: KeyedTrace
    is_supported: bool | None
    relevant: frozenset[str] | None
    utilized: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled trace with the verdict on it."""

    row: Labelled
    verdict: Verdict

    @property
    def is_flagged(self) -> bool:
        return not all(support.supported for support in self.verdict.support)


def main() -> int:
    options = _options()
    sets = dict(_read_all(options.data))
    if not sets:
        print(
            f"no labelled data in {options.data}: put RAGBench's Parquet files and the JSONL files "
            "there, or name their folder with --data or PYTEST_TRACE_SHARED",
            file=sys.stderr,
        )
        return 2
    judge = make_judge(options.judge)
    start = time.perf_counter()
    result = {name: _measure(judge, rows) for name, rows in sets.items()}
    seconds = time.perf_counter() - start
    result["mean of RAGBench"] = _mean(result, RAGBENCH)
    result["mean of RECALL_SETS"] = _mean(result, RECALL_SETS)
    if options.json:
        print(json.dumps({"judge": options.judge, "sets": result}, indent=2))
    else:
        _print_table(result)
        print(f"false alarms over all supported responses: {_pooled_false_alarms(result):.3f}")
        count = sum(map(len, sets.values()))
        print(f"{count} rows in {seconds:.1f} s, {count / seconds:.0f} a second")
    return 0


def _options() -> argparse.Namespace:
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(description="Measure a judge against labelled responses.")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("PYTEST_TRACE_SHARED") or shared),
        metavar="FOLDER",
        help="the folder with the labelled files (default: %(default)s)",
    )
    parser.add_argument("--judge", default="lexical", metavar="SPEC")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _read_all(folder: Path) -> Iterator[tuple[str, list[Labelled]]]:
    if not any(folder.glob("*.parquet")):
        folder /= "data"
    for file in sorted(folder.glob("*.parquet")):
        yield file.name.partition("-")[0], list(_read_ragbench(file))
    for file in sorted(folder.glob("*.jsonl.gz")):
        yield file.name.removesuffix(".jsonl.gz"), list(_read_jsonl(file))


def _read_ragbench(file: Path) -> Iterator[Labelled]:
    for row in read_ragbench(file):
        yield Labelled(
            row.sentences,
            bool(row.published.adherence),
            row.verdict.relevant,
            row.verdict.utilized,
        )


def _read_jsonl(file: Path) -> Iterator[Labelled]:
    sentencizer = make_sentencizer()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            data = json.loads(line)
            if not (data["response"] or "").strip():
                continue  # ClapNQ's unanswerable questions have no response
            trace = Trace(data["question"], data["documents"], data["response"])
            sentences = KeyedTrace.from_trace(trace, sentencizer)
            if labels := data["relevant_doc_sentences"]:
                yield _with_own_sentences(sentences, data, labels)
            else:
                yield Labelled(sentences, data["label_supported"], None, None)


def _with_own_sentences(
    sentences: KeyedTrace, data: Mapping[str, Any], labels: Mapping[str, Any]
) -> Labelled:
    """The row with the document sentences that its labels speak of."""
    trace = sentences.trace
    documents: list[list[str]] = [[] for _ in trace.documents]
    keys = {}
    for key, index, start, end in labels["sentences"]:
        text = trace.documents[index].text[start:end]
        if text.strip():
            keys[key] = f"doc_{index}_s{len(documents[index])}"
            documents[index].append(text)
    keyed = KeyedTrace.from_sentences(trace, documents, [item.text for item in sentences.response])
    relevant = frozenset(keys[key] for key in labels["relevant"] or () if key in keys)
    return Labelled(keyed, data["label_supported"], relevant, None)


def _measure(judge: Judge, rows: Sequence[Labelled]) -> dict[str, float | None]:
    judged = []
    refused = 0
    for row in rows:
        try:
            judged.append(Judged(row, judge.judge(row.sentences)))
        except JudgeError:
            refused += 1
    bad = [item for item in judged if item.row.is_supported is False]
    good = [item for item in judged if item.row.is_supported]
    return {
        "rows": len(bad) + len(good),
        "hallucinated": len(bad) / (len(bad) + len(good)) if bad or good else None,
        "auroc": auroc(map(_doubt, bad), map(_doubt, good)),
        "recall": _share(item.is_flagged for item in bad),
        "false_alarms": _share(item.is_flagged for item in good),
        "relevance": _sentence_auroc(judged, "relevant"),
        "utilization": _sentence_auroc(judged, "utilized"),
        "not_judged": refused,
    }


def _doubt(judged: Judged) -> float:
    return 1.0 - (judged.verdict.probability or 0.0)


def _share(flags: Iterable[bool]) -> float | None:
    values = list(flags)
    return sum(values) / len(values) if values else None


def _sentence_auroc(judged: Iterable[Judged], name: str) -> float | None:
    values: dict[bool, list[float]] = {True: [], False: []}
    for item in judged:
        labels: frozenset[str] | None = getattr(item.row, name)
        probability = getattr(item.verdict, f"{name}_probability")
        if labels is not None and probability is not None:
            for sentence in item.row.sentences.counted:
                values[sentence.key in labels].append(probability[sentence.key])
    return auroc(values[True], values[False])


def auroc(positive: Iterable[float], negative: Iterable[float]) -> float | None:
    """How often a positive value is above a negative one, ties counted half (Mann-Whitney)."""
    counts: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for side, values in enumerate((negative, positive)):
        for value in values:
            counts[value][side] += 1
    wins = below = above = 0.0
    for value in sorted(counts):
        negatives, positives = counts[value]
        wins += positives * (below + negatives / 2)
        below, above = below + negatives, above + positives
    return wins / (below * above) if below and above else None


def _mean(
    result: Mapping[str, Mapping[str, float | None]], names: Sequence[str]
) -> dict[str, float | None]:
    mean: dict[str, float | None] = {}
    for column in (*COLUMNS, "not_judged"):
        values = [result[name][column] for name in names if name in result]
        known = [value for value in values if value is not None]
        total = math.fsum(known) if column in ("rows", "not_judged") else None
        mean[column] = total if total is not None else statistics.fmean(known) if known else None
    return mean


def _pooled_false_alarms(result: Mapping[str, Mapping[str, float | None]]) -> float:
    alarms = supported = 0.0
    for name, values in result.items():
        if not name.startswith("mean") and values["false_alarms"] is not None:
            count = (values["rows"] or 0) * (1 - (values["hallucinated"] or 0))
            alarms += count * (values["false_alarms"] or 0)
            supported += count
    return alarms / supported if supported else math.nan


def _print_table(result: Mapping[str, Mapping[str, float | None]]) -> None:
    print(f"{'set':<22}" + "".join(f"{column:>14}" for column in (*COLUMNS, "not_judged")))
    for name, values in result.items():
        cells = [values[column] for column in (*COLUMNS, "not_judged")]
        print(f"{name:<22}" + "".join(f"{_shown(cell):>14}" for cell in cells))


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main())
