"""What a benchmark tells: a Markdown table for people, the same as JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

Value = str | int | float | None
Row = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure that must not exceed `most`; it has been measured in the same run."""

    what: str
    value: float
    most: float

    @property
    def holds(self) -> bool:
        return self.value <= self.most


def parser(document: str) -> argparse.ArgumentParser:
    """The command line that all benchmarks have in common; `document` is that of the module."""
    made = argparse.ArgumentParser(description=document.splitlines()[0])
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON too")
    made.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    return made


def report(options: argparse.Namespace, rows: Sequence[Row], limits: Sequence[Limit] = ()) -> int:
    """Print the table and the limits, write the JSON; the exit code: 1 where a limit is missed.

    A quick run measures too little to hold anybody to a limit.
    """
    limits = () if options.quick else limits
    print("\n".join(table(rows)))
    for limit in limits:
        verdict = "holds" if limit.holds else "MISSED"
        print(f"\n{limit.what}: {limit.value:.3f}, at most {limit.most:g}: {verdict}")
    if options.json is not None:
        results = {
            **surroundings(),
            "options": {name: str(value) for name, value in vars(options).items()},
            "rows": [dict(row) for row in rows],
            "limits": [asdict(limit) | {"holds": limit.holds} for limit in limits],
        }
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0 if all(limit.holds for limit in limits) else 1


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as a Markdown table; the columns are those of the first row."""
    columns = list(rows[0])
    cells = [columns, *([_shown(row[column]) for column in columns] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    is_text = [isinstance(rows[0][column], str) for column in columns]
    rule = [
        "-" * width if left else "-" * (width - 1) + ":"
        for width, left in zip(widths, is_text, strict=True)
    ]
    return [
        f"| {' | '.join(_aligned(row, widths, is_text))} |" for row in [cells[0], rule, *cells[1:]]
    ]


def surroundings() -> dict[str, Value]:
    """What else the figures depend on."""
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "load": os.getloadavg()[0],
        "pytest": version("pytest"),
        "pytest_trace": version("pytest-rag-trace"),
    }


def _aligned(cells: Sequence[str], widths: Sequence[int], is_text: Sequence[bool]) -> list[str]:
    return [
        cell.ljust(width) if left else cell.rjust(width)
        for cell, width, left in zip(cells, widths, is_text, strict=True)
    ]


def _shown(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return value if isinstance(value, str) else f"{value:,}"
