"""When, in the words of a question: "since 2020", "before March 2024", "last 5 years", "summer 2023"."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from groundframe.frames.dates import DateError, one_line, parse_period
from groundframe.frames.quantities import QuantityError, parse_number

__all__ = ["Season", "When", "parse_back", "parse_named", "parse_when"]

Season = Callable[[str], Sequence[int]]
"""The months of a named part of the year, in their order; none for any other word."""

_BACK = re.compile(
    r"(?:(?:in|for|over|during|within)\s+)?(?:the\s+)?(?:(last|past|previous|latest|most recent|recent)\s+)?"
    r"(?:(\S.*?)\s+)?(days?|weeks?|months?|quarters?|years?|yrs?|decades?)(?:\s+(?:of|on|in)\s+.*(?:data|record))?",
    re.IGNORECASE,
)
_DASH = r"(?:\s-|-\s|(?<=[a-z])-(?=[a-z])|\N{EN DASH}|\b(?:to|and|until|till|through|thru)\b)"
_TURN = r"(\d{4})(?:\s*[-/\N{EN DASH}]\s*(\d{2}|\d{4}))?"
_NOW = r"(?:now|today|the present|present|date)"
_SINCE = re.compile(
    r"(?:since|from|starting(?:\s+(?:in|from|on|with))?|beginning(?:\s+(?:in|with))?|as of|on or after"
    r"|no earlier than|not before|going back to|dating from|dating back to)\s+(.+)",
    re.IGNORECASE,
)
_ONWARDS = re.compile(
    r"(?:from\s+|since\s+)?(.+?)(?:\s*\+"
    r"|\s+(?:onwards?|forward|on out|(?:and|or|&) (?:later|newer|after|since|on|up|onwards?)|up|on)"
    rf"|\s*(?:-|\N{{EN DASH}}|\b(?:to|until|through)\b)\s*{_NOW})",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(r"(.+?)\s+(?:and|or|&) (?:earlier|before|older|prior)", re.IGNORECASE)
_AFTER = re.compile(r"(?:after|later than|following)\s+(.+)", re.IGNORECASE)
_BEFORE = re.compile(r"(?:before|prior to|earlier than|preceding)\s+(.+)", re.IGNORECASE)
_UNTIL = re.compile(
    r"(?:until|till|through|up to(?: and including)?|up through|up until|by|to|on or before"
    r"|no later than|not after|ending(?:\s+in)?)\s+(.+)",
    re.IGNORECASE,
)
_AND_AFTER = re.compile(
    r"(?:(?:on|in|during|from|since) (?:or|and) (?:after|since)|(?:since|from|after) and including)\s+(.+)",
    re.IGNORECASE,
)
_AND_BEFORE = re.compile(
    r"(?:(?:on|in|during) (?:or|and) (?:before|prior to)|before and including)\s+(.+)", re.IGNORECASE
)
_RANGE = re.compile(rf"(?:between|from)?\s*(.+?)\s*{_DASH}\s*(.+)", re.IGNORECASE)
_YEARS = re.compile(r"(\d{4})\s*[-/\N{EN DASH}]\s*(\d{4})")
_IN = re.compile(
    r"(?:in|during|on|of|for|within|throughout|all of|whole of)\s+(?:the\s+)?(?:year\s+)?(.+)", re.IGNORECASE
)
_SEASON = re.compile(rf"(?:the\s+)?(.*?)\s*(?:of\s+|in\s+)?{_TURN}|{_TURN}\s+(.*)", re.IGNORECASE)
_UNITS = {"day": 1, "week": 1, "month": 1, "quarter": 3, "year": 1, "yr": 1, "decade": 10}
_PLAIN = {"quarter": "month", "decade": "year", "yr": "year"}


@dataclass(frozen=True, slots=True)
class When:
    """First and last day, None where the period is open; or so many units back from the newest date."""

    first: date | None = None
    last: date | None = None
    back: tuple[int, str] | None = None


def parse_when(text: str, season: Season = lambda _: ()) -> When:
    """What a text says about when.

    Raises
    ------
    DateError
        When it says nothing, or nothing that has one meaning.

    Examples
    --------
    >>> parse_when("since 2020").first.isoformat(), parse_when("before March 2024").last.isoformat()
    ('2020-01-01', '2024-02-29')
    >>> parse_when("Jan to March 2024").last.isoformat(), parse_when("the past two years").back
    ('2024-03-31', (2, 'year'))
    """
    words = one_line(text)
    with contextlib.suppress(DateError):
        first, last = parse_named(words, season)
        return When(first, last)
    if back := parse_back(words, spoken=True):
        return When(back=back)
    early = ((_AND_AFTER, "since"), (_AND_BEFORE, "until"))
    for pattern, side in (*early, (_ONWARDS, "since"), (_AFTER, "after"), (_BEFORE, "before")):
        if found := pattern.fullmatch(words):
            return _open(side, parse_named(found[1], season))
    if found := _BACKWARDS.fullmatch(words):
        return _open("until", parse_named(found[1], season))
    if words.casefold().startswith("up to") and (found := _UNTIL.fullmatch(words)):
        return _open("until", parse_named(found[1], season))
    if found := _RANGE.fullmatch(words):
        spoken = words.casefold()
        listed = " and " in spoken and not spoken.startswith(("between ", "from "))
        return _range(found[1], found[2], text, season, listed=listed)
    if found := _YEARS.fullmatch(words):
        return _range(found[1], found[2], text, season)
    for pattern, side in ((_SINCE, "since"), (_UNTIL, "until"), (_IN, "in")):
        if found := pattern.fullmatch(words):
            return _open(side, parse_named(found[1], season))
    first, last = parse_named(words, season)
    return When(first, last)


def parse_back(text: str, *, spoken: bool = False) -> tuple[int, str] | None:
    """How many units a text such as ``"last 5 years"`` goes back, None when it says nothing of the kind.

    With ``spoken=False`` "last" may be missing, because the place already says it.

    Raises
    ------
    DateError
        For one that may end today or with the calendar's year.
    """
    found = _BACK.fullmatch(one_line(text))
    if found is None or (spoken and not found[1]):
        return None
    unit = found[3].casefold().removesuffix("s")
    if found[2] is None:
        if (found[1] or "").casefold() == "past":
            return _UNITS[unit], _PLAIN.get(unit, unit)
        raise DateError(f"'{text}' may be a whole {unit} of the calendar or the newest of the data")
    try:
        number = parse_number(found[2]) * _UNITS[unit]
    except QuantityError:
        return None
    unit = _PLAIN.get(unit, unit)
    if unit == "year" and not number.is_integer():
        number, unit = number * 12, "month"
    if not number.is_integer() or not 0 <= number < 10**9:
        raise DateError(f"'{text}' is no whole number of {unit}s")
    return int(number), unit


def _open(side: str, period: tuple[date, date]) -> When:
    first, last = period
    day = timedelta(days=1)
    match side:
        case "since":
            return When(first=first)
        case "after":
            return When(first=last + day)
        case "before":
            return When(last=first - day)
        case "until":
            return When(last=last)
    return When(first, last)


def _range(start: str, end: str, text: str, season: Season, *, listed: bool = False) -> When:
    """From one period up to another; the first has the year of the last where it has none.

    Of two that are `listed` nothing may lie between: "June and August 2024" is no one period.
    """
    last = parse_named(end, season)
    try:
        first = parse_named(start, season)
    except DateError:
        first = parse_named(f"{start} {last[1].year}", season)
    if first[0] > last[1]:
        raise DateError(f"'{text}' ends before it begins")
    if listed and first[1] + timedelta(days=1) != last[0]:
        raise DateError(f"'{text}' names two periods with others in between")
    return When(first[0], last[1])


def parse_named(text: str, season: Season) -> tuple[date, date]:
    """First and last day of a day, month, quarter, half or year, or of a named part of a year.

    Raises
    ------
    DateError
        When the text is none of these; the message says why.
    """
    try:
        return parse_period(text)
    except DateError:
        found = _SEASON.fullmatch(one_line(text))
        months = season((found[1] or found[6] or "").strip()) if found else ()
        if found is None or not months:
            raise
    year, other = int(found[2] or found[4]), found[3] or found[5]
    end = year if other is None else int(other) if len(other) == 4 else year // 100 * 100 + int(other)
    turns = months[0] > months[-1]
    if end != year + turns:
        named = f"{found[1] or found[6]}".strip()
        near = (f"{named} {year - 1}-{year}", f"{named} {year}-{year + 1}") if turns else (f"{named} {year}",)
        what = "passes the turn of the year" if turns else "lies in one year"
        raise DateError(f"'{text}' names no one period, because {named} {what}", near)
    first = parse_period(f"{year}-{months[0]:02}")[0]
    return first, first + relativedelta(months=len(months)) - timedelta(days=1)
