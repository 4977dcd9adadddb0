"""What may stand beside the written file."""

from __future__ import annotations

from pathlib import Path


def run_path(out: Path) -> Path:
    """The file that says whose rows `out` holds."""
    return out.with_name(f"{out.name}.run.json")


def lock_path(out: Path) -> Path:
    """The file that is locked while somebody writes to `out`."""
    return out.with_name(f"{out.name}.lock")


def retry_path(out: Path) -> Path:
    """Where rows go while faults of `out` are asked about again."""
    return out.with_name(f"{out.name}.retry")


def batch_path(out: Path) -> Path:
    """The folder of what was sent and fetched by batches."""
    return out.with_name(f"{out.name}.batch")
