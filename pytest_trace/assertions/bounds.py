"""Minimums of assertions: what may be one, and when it is met."""

from __future__ import annotations

import math
import numbers
from typing import Final

TOLERANCE: Final = 1e-9


def is_met(value: float, minimum: float) -> bool:
    """Whether `value` is at least `minimum`, with a tolerance of 1e-9: 0.1 + 0.2 meets 0.3."""
    return value >= minimum - TOLERANCE


def require_minimum(value: object, name: str) -> float:
    """`value` as a float in [0, 1]; raises `ValueError` for everything else, NaN and bool too."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or not 0.0 <= value <= 1.0:  # type: ignore[arg-type, operator]
        raise ValueError(f"the minimum of {name} is {value!r}; expected a number from 0 to 1")
    return float(value)  # type: ignore[arg-type]
