"""Distances, times and values of a frame as a question may say them."""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from typing import Any

from groundframe.frames.model import TemporalConstraint
from groundframe.frames.terms import DAY_NAMES

__all__ = ["distance", "shown", "when"]

_MONTHS = calendar.month_name
_SOME = 20
"""Years that are named; where there are more, those that are left out are."""
_UNITS = (("mile", 1609.344, (0.1, 0.25, 1)), ("ft", 0.3048, (1,)), ("yd", 0.9144, (1,)))
_CLOSE = 1e-6


def distance(metres: Any) -> str:
    """A distance in the unit in which it is a round number.

    Examples
    --------
    >>> distance(500.0), distance(91.44), distance(804.672), distance(1609.344), distance(12.345)
    ('500 m', '300 ft', '0.5 miles', '1 mile', '12.345 m')
    """
    if isinstance(metres, int | float) and not float(metres).is_integer():
        for unit, size, steps in _UNITS:
            for step in steps:
                number = round(metres / size / step) * step
                if number and abs(number * size - metres) < _CLOSE * metres:
                    plural = "s" if unit == "mile" and number != 1 else ""
                    return f"{number:g} {unit}{plural}"
    return f"{shown(metres)} m"


def when(one: TemporalConstraint) -> Iterable[str]:
    """The parts of a time in words."""
    if one.from_ or one.to:
        yield (
            f"{one.from_} to {one.to}"
            if one.from_ and one.to
            else f"from {one.from_}"
            if one.from_
            else f"to {one.to}"
        )
    if one.years and len(one.years) > _SOME:
        years = {int(year) for year in one.years}
        others = sorted(set(range(min(years), max(years))) - years)
        yield f"not {', '.join(map(str, others))}"
    elif one.years:
        yield ", ".join(map(str, one.years))
    if one.months:
        yield ", ".join(_MONTHS[int(month)] for month in one.months)
    if one.weekdays:
        yield ", ".join(DAY_NAMES[day] for day in one.weekdays)
    if spans := one.spans():
        yield " and ".join(f"{span.from_}-{span.to}" for span in spans)


def shown(value: Any) -> str:
    """A value as it is written."""
    return (
        f"{value:g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int) and value > 9999
        else str(value)
    )
