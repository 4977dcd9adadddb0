"""What commands share of the terminal: its width, progress, and how they end when they cannot."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from pytest_trace.errors import InvalidCase, InvalidConfig, MissingExtra, UnknownName
from pytest_trace.report.screen import Screen

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C."""

_LEAST_COLUMNS: Final = 80


def screen() -> Screen:
    """Where a command prints to."""
    columns = max(_LEAST_COLUMNS, shutil.get_terminal_size().columns)
    return Screen(columns, sys.stdout.encoding or "utf-8")


def is_watched() -> bool:
    """Whether somebody sees progress: it goes to stderr."""
    return sys.stderr.isatty()


def progress_bar(*more: ProgressColumn) -> Progress:
    """On stderr, and only where somebody watches; `more` stands before the time that is left."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *more,
        TimeRemainingColumn(),
        # rich 13 would print a line even where it is disabled
        console=Console(stderr=True, quiet=not is_watched()),
        transient=True,
        disable=not is_watched(),
    )


@contextmanager
def faults_of_use() -> Iterator[None]:
    """What cannot be read, made or written is one line and exit code 2."""
    try:
        yield
    except (InvalidCase, InvalidConfig, MissingExtra, UnknownName) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        if error.filename is None:  # a closed pipe: typer knows what to do
            raise
        typer.echo(f"{error.filename}: {error.strerror}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("stopped, with nothing to show", err=True)
        raise typer.Exit(INTERRUPTED) from None
