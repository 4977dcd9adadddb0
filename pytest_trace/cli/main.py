"""The command `rag-trace`."""

from __future__ import annotations

import typer

from pytest_trace.cli.cache import app as cache
from pytest_trace.cli.calibrate import calibrate
from pytest_trace.cli.score import score
from pytest_trace.cli.triad import triad

app = typer.Typer(
    help="What pytest_trace does beside a test run.", no_args_is_help=True, add_completion=False
)
app.add_typer(cache, name="cache")
app.command()(calibrate)
app.command()(score)
app.command()(triad)


@app.callback()
def main() -> None:
    """Keep `rag-trace` a group of commands, however few there are."""
