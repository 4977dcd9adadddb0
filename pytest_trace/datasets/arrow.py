"""Tables of Arrow: Parquet files and streams, a few rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_trace.errors import InvalidCase, MissingExtra

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_BATCH_ROWS: Final = 256


class ParquetTable:
    """An open Parquet file; raises `InvalidCase` for a file that cannot be read as one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        self._file = _open_parquet(self._name)
        self.columns: tuple[str, ...] = tuple(self._file.schema_arrow.names)

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows in order, with these columns or all.

        Group by group: a reader of several keeps what it has read of each until the end.
        """
        from pyarrow import ArrowInvalid

        chosen = None if columns is None else list(columns)
        try:
            with self._file as file:
                for group in range(file.num_row_groups):
                    batches = file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=chosen)
                    for batch in batches:
                        yield from batch.to_pylist()
        except (OSError, ArrowInvalid) as error:
            raise _unreadable(self._name, error, "Parquet file") from error


def read_parquet(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file."""
    return ParquetTable(path).rows()


def read_stream(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file with an Arrow stream, as `datasets` writes them."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise _missing("Arrow") from error
    try:
        with pa.memory_map(os.fspath(path)) as file, pa.ipc.open_stream(file) as stream:
            for batch in stream:
                for start in range(0, batch.num_rows, _BATCH_ROWS):
                    yield from batch.slice(start, _BATCH_ROWS).to_pylist()
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(os.fspath(path), error, "Arrow stream") from error


def _open_parquet(name: str) -> ParquetFile:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise _missing("Parquet") from error
    try:
        return ParquetFile(name)
    except (OSError, ArrowInvalid) as error:
        raise _unreadable(name, error, "Parquet file") from error


def _missing(what: str) -> MissingExtra:
    return MissingExtra(f"{what} files are read with pyarrow: pip install 'pytest-rag-trace[data]'")


def _unreadable(name: str, error: Exception, what: str) -> InvalidCase:
    if not isinstance(error, OSError):
        return InvalidCase(f"{name} is no {what}: {error}")
    reason = os.strerror(error.errno) if error.errno else error  # Arrow's own names the path
    return InvalidCase(f"cannot read {name}: {reason}")
