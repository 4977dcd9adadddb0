"""The value of a number or date, and when one of them says another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from pytest_trace.language.units import UNIT_SCALES


class CalendarDate(NamedTuple):
    """A date as far as it is told: "May 2024" has no day, "3 May" no year."""

    year: int | None
    month: int | None
    day: int | None


Value = Decimal | CalendarDate


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a date with its unit; two are equal if they mean the same.

    `text` is what it was read from. `other_values` are what an ambiguous spelling may mean as
    well: "1.234" is 1.234 or 1234, "03/05/2024" a day in March or May, "5:00" may be 17:00.
    Signs before a number are not read: in running text they are mostly dashes.
    """

    value: Value
    unit: str | None = None
    text: str = field(default="", compare=False)
    other_values: tuple[Value, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.text or f"{self.value}"

    @property
    def is_vague(self) -> bool:
        """Whether this is the "two" of "two ways", which mostly counts what a text lists."""
        is_date = isinstance(self.value, CalendarDate)
        return self.unit is None and self.text.isalpha() and not is_date

    def agrees_with(self, evidence: Quantity) -> bool:
        """Whether `evidence` says this quantity; a missing unit in one of them is no contradiction.

        A date is said by one that is at least as precise, a year by any date in it.
        """
        return any(
            _says(evidence_value, evidence.unit, value, self.unit)
            for value in (self.value, *self.other_values)
            for evidence_value in (evidence.value, *evidence.other_values)
        )

    def is_among(self, evidence: Iterable[Quantity]) -> bool:
        """Whether one of `evidence` says it, or for a full date two of them together."""
        seen = []
        for other in evidence:
            if self.agrees_with(other):
                return True
            seen.append(other)
        if not isinstance(self.value, CalendarDate) or None in (self.value.year, self.value.month):
            return False
        year, month, day = self.value
        parts = (Quantity(CalendarDate(year, None, None)), Quantity(CalendarDate(None, month, day)))
        return all(any(part.agrees_with(other) for other in seen) for part in parts)


def _says(evidence: Value, evidence_unit: str | None, claim: Value, claim_unit: str | None) -> bool:
    if isinstance(claim, CalendarDate):
        if isinstance(evidence, CalendarDate):
            return _date_says(evidence, claim)
        return claim.month is None and evidence_unit is None and evidence == claim.year
    if isinstance(evidence, CalendarDate):
        return claim_unit is None and claim in (evidence.year, evidence.day)
    if evidence_unit is None or claim_unit is None or evidence_unit == claim_unit:
        return evidence == claim
    measured, size = UNIT_SCALES.get(claim_unit, (claim_unit, 1))
    evidence_measured, evidence_size = UNIT_SCALES.get(evidence_unit, (evidence_unit, 1))
    return measured == evidence_measured and claim * size == evidence * evidence_size


def _date_says(evidence: CalendarDate, claim: CalendarDate) -> bool:
    return all(told is None or told == known for told, known in zip(claim, evidence, strict=True))
