"""RAGBench's published scores, recomputed from its labels.

    python benchmarks/ragbench_scores.py [--data FOLDER]

Every row is read, scored with `formula="ragbench"` and `marks="ragbench"` and compared with its
four published scores. A row may differ only because its lists name a key twice or one that no
sentence has: the published scores count both. Exit code 1 if a row differs for another reason, 2
without data.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_trace.datasets.ragbench import RagbenchRow, read_ragbench
from pytest_trace.metrics import score

_SCORES = ("relevance", "utilization", "completeness", "adherence")
_LISTS = ("relevant ", "utilized ", "unsupported ")  # what notes on the lists that count begin with
_TOLERANCE = 1e-9


def main() -> int:
    folder = _folder()
    files = sorted(folder.glob("*.parquet")) or sorted(folder.glob("data/*.parquet"))
    if not files:
        print(
            f"no Parquet file in {folder}: put RAGBench's files there, or name their folder "
            "with --data or PYTEST_TRACE_SHARED"
        )
        return 2
    rows = deviating = unexplained = 0
    for file in files:
        for row in read_ragbench(file):
            rows += 1
            if not (differences := list(_differences(row))):
                continue
            deviating += 1
            reasons = [note for note in row.verdict.notes if note.startswith(_LISTS)]
            unexplained += not reasons
            print(f"{file.name} {row.id}: {'; '.join(reasons) or 'NO REASON FOUND'}")
            print(f"    {', '.join(differences)}")
    print(
        f"{rows - deviating} of {rows} rows have the four published scores; {deviating} differ, "
        f"{unexplained} of them without a key that is named twice or unknown"
    )
    return 1 if unexplained else 0


def _folder() -> Path:
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(description="Recompute RAGBench's published scores.")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("PYTEST_TRACE_SHARED") or shared),
        metavar="FOLDER",
        help="the folder with RAGBench's Parquet files (default: %(default)s)",
    )
    folder: Path = parser.parse_args().data
    return folder


def _differences(row: RagbenchRow) -> Iterator[str]:
    ours = score(row.sentences, row.verdict, formula="ragbench", marks="ragbench")
    for name in _SCORES:
        value, published = getattr(ours, name), getattr(row.published, name)
        if not _is_equal(value, published):
            yield f"{name} {value} (published: {published})"


def _is_equal(ours: float | None, published: float | None) -> bool:
    if ours is None or published is None:
        return ours is published
    return math.isclose(ours, published, rel_tol=0, abs_tol=_TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
