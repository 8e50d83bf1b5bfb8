"""Times of question and frame in one spelling, so that they can be compared."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

__all__ = ["Moment", "moments"]

Moment = tuple[str, Any]
"""A kind of time (``days``, ``years``, ``months``, ``weekdays``, ``hours``, ``last``) and what it says."""


def moments(parts: Mapping[str, Any]) -> Iterator[Moment]:
    """What the parts of a temporal constraint say, each by itself.

    Examples
    --------
    >>> list(moments({"years": [2020, 2021]})) == list(moments({"from": "2020-01-01", "to": "2021-12-31"}))
    True
    >>> list(moments({"hours": {"from": "07:00", "to": "10:00"}}))
    [('hours', (('07:00', '10:00'),))]
    """
    if years := _years(parts.get("years")):
        if years == tuple(range(years[0], years[-1] + 1)):
            yield "days", (f"{years[0]}-01-01", f"{years[-1]}-12-31")
        else:
            yield "years", years
    if parts.get("from") or parts.get("to"):
        yield "days", (_day(parts.get("from"), first=True), _day(parts.get("to"), first=False))
    if isinstance(last := parts.get("last"), Mapping):
        yield "last", (last["count"], last["unit"])
    if months := parts.get("months"):
        yield "months", tuple(sorted(int(month) for month in months if str(month).isdigit()))
    if weekdays := parts.get("weekdays"):
        yield "weekdays", tuple(sorted(weekdays))
    hours = parts.get("hours")
    spans = (
        [hours]
        if isinstance(hours, Mapping)
        else hours
        if isinstance(hours, Iterable) and not isinstance(hours, str)
        else []
    )
    if found := tuple(sorted((str(span["from"]), str(span["to"])) for span in spans)):
        yield "hours", found


def _years(years: Any) -> tuple[int, ...]:
    return tuple(sorted({int(year) for year in years or () if str(year).isdigit()}))


def _day(text: str | None, *, first: bool) -> str | None:
    """The day of a year, a month or a day as a frame may write it."""
    if text is None:
        return None
    steps = text.split("-")
    if not all(step.isdigit() for step in steps):
        return text
    numbers = [int(step) for step in steps]
    if len(numbers) == 1:
        return f"{numbers[0]}-01-01" if first else f"{numbers[0]}-12-31"
    if len(numbers) == 2 and 1 <= numbers[1] <= 12:
        end = calendar.monthrange(numbers[0], numbers[1])[1]
        return date(numbers[0], numbers[1], 1 if first else end).isoformat()
    return text
