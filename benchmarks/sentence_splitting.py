"""How the default sentencizer does on the gold file, and how fast it is beside bare sentencex.

    python benchmarks/sentence_splitting.py [--gold PATH] [--misses] [--json]

A case is right when its stripped, non-empty sentences are equal. The gold file is looked for in
the folder that PYTEST_TRACE_SHARED names, else at ../shared beside the repository; exit code 2
says that it is not there. Each hostile text is 100 kB of one thing repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sentencex import segment

from pytest_trace.sentences.splitter import SentencexSentencizer

GOLD = Path("sentences", "sentences_gold.jsonl")
HOSTILE = ("word ", "e.g. ", "- ", "- x\n", "|", "|\n", "```", "```\n", "\n", "(", "“", "今天。")
HOSTILE_LENGTH = 100_000
PROSE_LENGTH = 1_000_000
_REPOSITORY = Path(__file__).resolve().parents[1]


def gold_path() -> Path:
    """Where the gold file is, unless the command line says."""
    return Path(os.environ.get("PYTEST_TRACE_SHARED", _REPOSITORY.parent / "shared")) / GOLD


def read_gold(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def judged(cases: Iterable[dict]) -> list[dict]:
    """The cases with what was found and whether it is right."""
    splitter = SentencexSentencizer()
    found = [(case, [span.text for span in splitter.split(case["text"])]) for case in cases]
    return [
        {**case, "found": texts, "is_exact": texts == case["sentences"]} for case, texts in found
    ]


def shares(cases: Iterable[dict], key: Callable[[dict], str]) -> dict[str, tuple[int, int]]:
    """Exact and all cases by `key`."""
    groups = defaultdict(list)
    for case in cases:
        groups[key(case)].append(case["is_exact"])
    return {name: (sum(exact), len(exact)) for name, exact in sorted(groups.items())}


def note(case: dict) -> str:
    """The kind of case: its note without the details."""
    return case["note"].partition(":")[0]


def prose() -> str:
    """A text of paragraphs with numbers, abbreviations and quotes."""
    paragraph = " ".join(
        f"Order no. {number} left at 5 p.m. for Dr. Lee's shop, e.g. by van. "
        f'"It weighs {number}.5 kg," she said. Was it paid for? Nobody knows.'
        for number in range(7)
    )
    return "\n\n".join([paragraph] * (PROSE_LENGTH // len(paragraph) + 1))[:PROSE_LENGTH]


def seconds(work: Callable[[], object], *, passes: int = 3) -> float:
    """The best of some passes."""
    best = float("inf")
    for _ in range(passes):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def measured_speed() -> dict[str, float]:
    text, split = prose(), SentencexSentencizer().split
    ours, bare = seconds(lambda: split(text)), seconds(lambda: segment("en", text))
    return {
        "megabytes_per_second": round(len(text) / 1e6 / ours, 1),
        "ratio_to_sentencex": round(ours / bare, 1),
    }


def measured_hostile() -> dict[str, float]:
    """Seconds for each hostile text."""
    split = SentencexSentencizer().split
    texts = {unit: (unit * HOSTILE_LENGTH)[:HOSTILE_LENGTH] for unit in HOSTILE}
    return {unit: round(seconds(lambda t=text: split(t)), 3) for unit, text in texts.items()}


def share_lines(title: str, groups: dict[str, tuple[int, int]]) -> list[str]:
    return [title, *(f"  {name:<12}{e:>4} of {n}" for name, (e, n) in groups.items())]


def miss_lines(cases: Iterable[dict]) -> list[str]:
    lines = []
    for case in cases:
        if not case["is_exact"]:
            lines += [f"{case['lang']}, {case['note']}"]
            lines += [f"  gold   {case['sentences']!a}", f"  found  {case['found']!a}"]
    return lines


def report_lines(result: dict, cases: Sequence[dict], *, with_misses: bool) -> list[str]:
    """The result for people."""
    exact = sum(case["is_exact"] for case in cases)
    return [
        f"exact {result['exact']:.3f} ({exact} of {len(cases)} cases), {result['version']}",
        *share_lines("by language", result["languages"]),
        *share_lines("by kind", result["kinds"]),
        "1 MB of prose",
        f"  {result['megabytes_per_second']} MB/s",
        f"  {result['ratio_to_sentencex']} times the time of bare sentencex",
        "100 kB of",
        *(f"  {unit!a:<21}{took:>7.3f} s" for unit, took in result["hostile"].items()),
        *(miss_lines(cases) if with_misses else ()),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gold", type=Path, default=gold_path(), help="the gold file")
    parser.add_argument("--misses", action="store_true", help="show the cases that are not exact")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.gold.is_file():
        print(
            f"no gold file at {options.gold}: name it with --gold PATH, or its folder's parent "
            "with PYTEST_TRACE_SHARED",
            file=sys.stderr,
        )
        return 2
    cases = judged(read_gold(options.gold))
    result = {
        "version": SentencexSentencizer().version,
        "exact": round(sum(case["is_exact"] for case in cases) / len(cases), 3),
        "languages": shares(cases, lambda case: case["lang"]),
        "kinds": shares(cases, note),
        **measured_speed(),
        "hostile": measured_hostile(),
    }
    lines = report_lines(result, cases, with_misses=options.misses)
    print(json.dumps(result) if options.json else "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
