"""How `lexical` does where the evidence is one long document: 120 sentences, most of other rows.

    python benchmarks/long_documents.py [--data FOLDER] [--sentences 120]

Each labelled row is judged twice, with its own sentences as one document, and with sentences of
other rows before and after them. Printed are AUROC, the share of hallucinated responses found and
that of false alarms; exit code 2 without data.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from lexical_rows import labelled_traces

from pytest_trace.judges.lexical import LexicalJudge
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace

SETS = ("ragtruth", "begin", "hagrid", "hotpotqa", "covidqa")


def padded(sentences: KeyedTrace, pool: Sequence[str], count: int) -> KeyedTrace:
    """The row with one document: its sentences, in the middle of those of others."""
    own = [item.text for item in sentences.documents]
    source = random.Random(sentences.trace.response)
    others = [text for text in source.sample(pool, min(len(pool), 2 * count)) if text not in own]
    others = others[: max(0, count - len(own))]
    middle = len(others) // 2
    texts = [*others[:middle], *own, *others[middle:]]
    trace = Trace(sentences.trace.question, [" ".join(texts)], sentences.trace.response)
    response = [item.text for item in sentences.response]
    return KeyedTrace.from_sentences(trace, [texts], response)


def figures(rows: Sequence[KeyedTrace], labels: Sequence[bool]) -> str:
    from sklearn.metrics import roc_auc_score

    verdicts = [LexicalJudge().judge(row) for row in rows]
    is_bad = np.array(labels)
    doubts = [1 - (verdict.probability or 0.0) for verdict in verdicts]
    flags = np.array([any(not item.supported for item in each.support) for each in verdicts])
    area = roc_auc_score(is_bad, doubts)
    return f"{area:>9.3f}{flags[is_bad].mean():>9.3f}{flags[~is_bad].mean():>9.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared, metavar="FOLDER")
    parser.add_argument("--sentences", type=int, default=120)
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no labelled data in {options.data}; name its folder with --data", file=sys.stderr)
        return 2
    heads = ("AUROC", "found", "alarms")
    print(f"{'set':<12}" + "".join(f"{head:>9}" for head in (*heads, *heads)) + "  (long)")
    for name, group in groupby(labelled_traces(options.data), itemgetter(0)):
        rows = [(row, labels.is_unsupported) for _, row, labels in group]
        rows = [(row, label) for row, label in rows if label is not None]
        if name not in SETS:
            continue
        pool = [item.text for row, _ in rows for item in row.documents]
        labels = [label for _, label in rows]
        short, long = (
            figures([padded(row, pool, count) for row, _ in rows], labels)
            for count in (0, options.sentences)
        )
        print(f"{name:<12}{short}{long}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
