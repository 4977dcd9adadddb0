"""`rag-trace cache`: look after the cache of verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_trace.store.disk import StoreFault
from pytest_trace.store.inspection import CacheInspector

app = typer.Typer(help="Look after the cache of verdicts.", no_args_is_help=True)

Folder = Annotated[Path, typer.Option("--dir", help="The folder of the cache.")]
_DEFAULT = Path(".rag_cache")
_BYTES_PER_KIB = 1024
_HOW_TO_START_ANEW = (
    "if it is damaged, remove the folder to start anew; committed recordings are not in it"
)


@app.command()
def stats(folder: Folder = _DEFAULT) -> None:
    """Show how many verdicts of which judge there are, and how much room they take."""
    with _opened(folder) as cache:
        table = Table("judge", "verdicts", title=Text(str(folder)))
        table.columns[1].justify = "right"
        judges = cache.judges()
        for name, count in sorted(judges.items()):
            table.add_row(Text(name), f"{count:,}")
        table.add_section()
        table.add_row("all", f"{judges.total():,}")
        console = Console()
        console.print(table)
        console.print(f"{cache.volume() / _BYTES_PER_KIB:,.0f} KiB")


@app.command()
def verify(folder: Folder = _DEFAULT) -> None:
    """Read every entry and name those that are no verdicts; exit code 1 if there are any."""
    with _opened(folder) as cache:
        of_file, of_rows = cache.file_faults(), cache.row_faults()
        total = cache.judges().total()
    faults = [*of_file, *of_rows]
    for fault in faults:
        typer.echo(fault)
    typer.echo(f"{total:,} verdicts can be read, {len(faults):,} faults")
    if of_rows:
        typer.echo("rag-trace cache prune removes the entries that cannot be read")
    if of_file:
        typer.echo(_HOW_TO_START_ANEW)
    if faults:
        raise typer.Exit(1)


@app.command()
def prune(
    folder: Folder = _DEFAULT,
    older_than: Annotated[
        int | None,
        typer.Option(min=0, max=36_500, help="Verdicts stored more than so many days ago, too."),
    ] = None,
) -> None:
    """Remove entries that cannot be read and, if wanted, old verdicts."""
    today = datetime.now(tz=UTC).date()
    oldest = today - timedelta(days=older_than) if older_than is not None else None
    with _opened(folder) as cache:
        damaged = cache.delete(lambda row: row.fault is not None)
        old = 0
        if oldest is not None:
            old = cache.delete(lambda row: row.day is not None and row.day < oldest)
    typer.echo(f"removed {damaged:,} unreadable and {old:,} old entries")


@app.command()
def clear(
    folder: Folder = _DEFAULT,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,  # noqa: FBT002
) -> None:
    """Remove every verdict. They were paid for: it asks first."""
    with _opened(folder) as cache:
        total = cache.judges().total()
        if not yes:
            typer.confirm(f"Remove {total:,} verdicts from {folder}?", abort=True)
        typer.echo(f"removed {cache.delete(lambda _: True):,} entries")


@contextmanager
def _opened(folder: Path) -> Iterator[CacheInspector]:
    """The cache in a folder; a missing or broken one is one line and exit code 2."""
    if not (folder / "verdicts" / "cache.db").is_file():
        typer.echo(f"there is no cache in {folder}; name another: --dir", err=True)
        raise typer.Exit(2)
    try:
        with closing(CacheInspector(folder)) as cache:
            yield cache
    except StoreFault as error:
        typer.echo(f"the cache in {folder} cannot be read: {error}", err=True)
        typer.echo(_HOW_TO_START_ANEW, err=True)
        raise typer.Exit(2) from error
