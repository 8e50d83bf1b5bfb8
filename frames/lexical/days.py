"""Days without their year, "July 4th": of the year that the question names elsewhere, or of every year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from groundframe.frames.lexical.typed_times import MONTH, ORDINAL

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["EVERY_YEAR", "WITHOUT_YEAR", "days_in", "in_their_year"]

EVERY_YEAR = "days_of_every_year"
"""What a time says that is a day or a span of days without a year, until the year is found."""
WITHOUT_YEAR = "A day of every year cannot be asked for; one of a single year can, or the whole month."

_MONTH = "|".join(sorted(MONTH, key=len, reverse=True))
_ENDING = r"(?:\s?(?:st|nd|rd|th))?"
_NUMBER = rf"(?:the )?(\d{{1,2}}(?!\d){_ENDING}|{'|'.join(ORDINAL)})"
_DAY = rf"(?:({_MONTH})\.? {_NUMBER}|{_NUMBER}(?: day)?(?: of)? ({_MONTH}))"
_SPAN = r"\s*(?:-|\u2013|/|\bto\b|\band\b|\bthrough\b|\bthru\b|\buntil\b|\btill\b)\s*"
_LEAD = r"(?:(?:on|from|between|during|in|for|over|around|of|the|at|by) )*"
_DAYS = re.compile(rf"{_LEAD}{_DAY}(?:{_SPAN}(?:{_DAY}|{_NUMBER}))?(?: days?)?")
_LEAP = 2000


def days_in(text: str) -> list[tuple[int, int]] | None:
    """Month and day of the one day, or of the two ends of a span, that a text names without a year.

    Examples
    --------
    >>> days_in("on the 4th of july"), days_in("dec 24 - 26"), days_in("between july 1 and july 7")
    ([(7, 4)], [(12, 24), (12, 26)], [(7, 1), (7, 7)])
    >>> days_in("july 2024"), days_in("february 30")
    (None, None)
    """
    found = _DAYS.fullmatch(text)
    if found is None:
        return None
    parts = found.groups()
    first = _day(parts[0] or parts[3], parts[1] or parts[2])
    second = _day(parts[4] or parts[7] or parts[0] or parts[3], parts[5] or parts[6] or parts[8])
    if first is None or (second is None and any(parts[4:])):
        return None
    return [first] if second is None else [first, second]


def _day(month: str | None, number: str | None) -> tuple[int, int] | None:
    if month is None or number is None:
        return None
    digits = re.match(r"\d+", number)
    day = int(digits[0]) if digits else ORDINAL[number]
    try:
        date(_LEAP, MONTH[month], day)
    except ValueError:
        return None
    return MONTH[month], day


def in_their_year(items: list[Item]) -> list[Item]:
    """The items with days in the one year that the question names; those of every year are a problem."""
    days = [place for place, item in enumerate(items) if EVERY_YEAR in item.times]
    if not days:
        return items
    years = [place for place, item in enumerate(items) if set(item.times) == {"years"}]
    named: Sequence[int] = items[years[0]].times["years"] if len(years) == 1 else ()
    made = list(items)
    for place in days:
        times = _dated(items[place].times[EVERY_YEAR], named[0]) if len(named) == 1 == len(days) else None
        if times is None:
            made[place] = replace(items[place], times={}, problem=WITHOUT_YEAR)
        else:
            made[place] = replace(items[place], times=times)
            year = items[years[0]]
            made[years[0]] = replace(year, times={}, classes=frozenset({"filler"}))
    return made


def _dated(days: Sequence[tuple[int, int]], year: int) -> dict[str, Any] | None:
    """The days in a year, None where it has no such day."""
    try:
        ends = [date(year, month, day) for month, day in days]
    except ValueError:
        return None
    if ends[0] > ends[-1]:
        ends[-1] = ends[-1].replace(year=year + 1)
    return {"from": ends[0].isoformat(), "to": ends[-1].isoformat()}
