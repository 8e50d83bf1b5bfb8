"""Feasts as days: those of one day in every year, and those that move, in the year that a question names."""

from __future__ import annotations

from calendar import day_name, month_name
from datetime import date, timedelta

from dateutil.easter import easter

from groundframe.frames.lexical.amounts import has_unit
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.spelling import is_year
from groundframe.frames.lexical.tokens import Token, rewritten

__all__ = ["dated", "day_of"]

_LONGEST = 5
_PARTS = frozenset({"week", "weekend", "weekends", "weeks", "break", "season", "eve"})
"""What makes other days of a feast than its own."""


def dated(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with feasts as their days: "Christmas 2023", "Thanksgiving" beside one year."""
    feasts, moving = classes().feasts, classes().moving
    numbers = [
        n for n, token in enumerate(tokens) if is_year([token.text], 0) and not has_unit(tokens, n + 1)
    ]
    years = {int(tokens[n].text) for n in numbers}
    named = next(iter(years)) if len(years) == 1 else None

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        phrase = tuple(token.text for token in part)
        after = [token.text for token in tokens[place + size : place + size + 2]]
        year = next((n for n in (0, 1) if is_year(after, n)), None)
        day = feasts.get(phrase)
        if day is None and (rule := moving.get(phrase)) and not _PARTS.intersection(after[:1]):
            own = int(after[year]) if year is not None else named
            found = day_of(rule, own) if own is not None else None
            day = None if found is None else (month_name[found.month].lower(), str(found.day))
        if day is None:
            return None
        start, end = part[0].start, part[-1].end
        return [Token(one, start, end) for one in day], size + (year or 0)

    return rewritten(tokens, _LONGEST, instead)


def day_of(rule: str, year: int) -> date | None:
    """The day of a moving feast in a year: "easter", or such as "4 thursday november + 1".

    Examples
    --------
    >>> day_of("4 thursday november + 1", 2024), day_of("-1 monday may", 2024), day_of("easter", 2024)
    (datetime.date(2024, 11, 29), datetime.date(2024, 5, 27), datetime.date(2024, 3, 31))
    """
    if not 1900 <= year <= 2099:
        return None
    first, *rest = rule.split()
    if first == "easter":
        return easter(year)
    weekday, month, *later = rest
    at = [one.lower() for one in day_name].index(weekday)
    number = [one.lower() for one in month_name].index(month)
    days = [date(year, number, 1) + timedelta(n) for n in range(31)]
    own = [day for day in days if day.month == number and day.weekday() == at]
    count = int(first)
    return own[count - 1 if count > 0 else count] + timedelta(int(later[1]) if later else 0)
