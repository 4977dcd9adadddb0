"""What is scored: the cases of a file, all of them checked before anybody is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_trace.datasets.cases import Case
from pytest_trace.datasets.reading import OnBadRow, iter_cases
from pytest_trace.errors import InvalidCase, InvalidConfig
from pytest_trace.evaluation_config import EvaluationConfig


@dataclass(frozen=True, slots=True)
class Survey:
    """What a file holds: cases that can be judged, rows that cannot, and which file it is."""

    count: int
    skipped: int
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """A file of cases with their documents and responses, read as `iter_cases` does.

    `config` declares how all of them were retrieved, beside what a row says itself.
    """

    path: Path
    shape: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    on_bad_row: OnBadRow = "fail"
    config: EvaluationConfig | None = None

    def cases(self) -> Iterator[Case]:
        """The cases one at a time; one of them may still be no trace."""
        return self._cases(lambda _: None)

    def survey(self, *, skip: Callable[[InvalidCase], None], advance: Callable[[], None]) -> Survey:
        """Read everything once; `skip` is told of each row that is wrong, if rows are skipped.

        Raises `InvalidCase` naming line and field of the first wrong row, or the file.
        """
        count = skipped = last = 0

        def skip_counted(fault: InvalidCase) -> None:
            nonlocal skipped
            skipped += 1
            skip(fault)

        fingerprint = _fingerprint(self.path)
        for case in self._cases(skip_counted):
            if case.line <= last:
                raise InvalidCase(f"{case.where} stands behind line {last}: rows are out of order")
            last = case.line
            try:
                self._require_trace(case)
            except InvalidCase as fault:
                if self.on_bad_row == "fail":
                    raise
                skip_counted(fault)
            else:
                count += 1
            advance()
        if not count:
            raise InvalidCase(f"{self.path} holds no case that can be judged")
        return Survey(count, skipped, fingerprint)

    def _require_trace(self, case: Case) -> None:
        trace = case.trace()
        try:
            EvaluationConfig.of_trace(trace, self.config)
        except InvalidConfig as error:
            raise InvalidCase(f"{case.where}: {error}") from error

    def _cases(self, skip: Callable[[InvalidCase], None]) -> Iterator[Case]:
        return iter_cases(
            self.path,
            shape=self.shape,
            fields=self.fields,
            on_bad_row=self.on_bad_row,
            on_skipped=skip,
        )


def _fingerprint(path: Path) -> str:
    """A digest of the bytes of a file, or of all files in a folder."""
    if not path.is_dir():
        return _digest(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    named = "".join(f"{file.relative_to(path).as_posix()} {_digest(file)}\n" for file in files)
    return hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
