"""Days and times of day as people write them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from dateutil import parser
from dateutil.relativedelta import relativedelta

__all__ = [
    "FIRST_YEAR",
    "LAST_YEAR",
    "LONGEST",
    "DateError",
    "iso_day",
    "one_line",
    "parse_hour",
    "parse_hours",
    "parse_period",
    "parse_spans",
]

FIRST_YEAR, LAST_YEAR = 1900, 2200
LONGEST = 80
"""Characters of a text that may say when; a longer one is not looked at."""

_YEAR = re.compile(r"\d{4}")
_ISO_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_ISO_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
}
_QUARTER = re.compile(
    rf"q([1-4])\s*(?:of\s+)?(\d{{4}})|(\d{{4}})\s*-?\s*q([1-4])"
    rf"|(?:the\s+)?({'|'.join(_ORDINALS)})\s+quarter\s+(?:of\s+)?(\d{{4}})",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?:the\s+)?(first|1st|second|2nd)\s+half\s+(?:of\s+)?(\d{4})|h([12])\s*(\d{4})", re.IGNORECASE
)
_DECADE = re.compile(r"(?:the\s+)?(\d{3})0'?s", re.IGNORECASE)
_AMERICAN = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})")
_WORDED = re.compile(
    r"(?:([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?|(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([a-z]{3,9})\.?),?\s+(\d{4})",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h]?(\d{2}))?(?::(\d{2}))?\s*(a\.?m\.?|p\.?m\.?)?", re.IGNORECASE)
_HOURS = re.compile(
    r"(?:between|from)?\s*(.+?)\s*(?:-|\N{EN DASH}|\bto\b|\band\b|\buntil\b|\btill\b)\s*(.+)", re.IGNORECASE
)
_AFTER_AND_BEFORE = re.compile(r"after (.+?) (?:and|but) before (.+)|before (.+?) (?:and|but) after (.+)")
# "and" parts two spans where a span, with its own dash or "to", stands on either side of it.
_SEVERAL = re.compile(r"\s*(?:,\s*(?:and|or)\b|[,;&]|\band\b|\bor\b)\s*", re.IGNORECASE)
_NAMED = {"midnight": "00:00", "noon": "12:00", "midday": "12:00", "12 noon": "12:00", "12 midnight": "00:00"}


class DateError(ValueError):
    """The text is no day, month, year or time of day; the message says why, `nearest` what may be meant."""

    def __init__(self, message: str, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.nearest = nearest


def one_line(text: str) -> str:
    """The text with single blanks.

    Raises
    ------
    DateError
        When it is too long to say when.
    """
    words = " ".join(text.split())
    if len(words) > LONGEST:
        raise DateError(f"'{words[:40]}…' is not a date or time of day")
    return words


def parse_period(text: str) -> tuple[date, date]:
    """First and last day of what the text names: a day, a month or quarter with its year, a year, a decade.

    Days are ISO, American (month first) or with the month in words.

    Raises
    ------
    DateError
        When the text is none of these, or no such day exists.

    Examples
    --------
    >>> parse_period("January 6 2025")[0].isoformat(), parse_period("1/6/2025")[0].isoformat()
    ('2025-01-06', '2025-01-06')
    >>> [day.isoformat() for day in parse_period("February 2024")]
    ['2024-02-01', '2024-02-29']
    """
    words = one_line(text)
    if _YEAR.fullmatch(words):
        return _day(int(words), 1, 1, text), _day(int(words), 12, 31, text)
    if month := _ISO_MONTH.fullmatch(words):
        return _span(_day(int(month[1]), int(month[2]), 1, text), 1)
    if quarter := _QUARTER.fullmatch(words):
        year = int(quarter[2] or quarter[3] or quarter[6])
        number = _ORDINALS[quarter[5].casefold()] if quarter[5] else int(quarter[1] or quarter[4])
        return _span(_day(year, 3 * number - 2, 1, text), 3)
    if half := _HALF.fullmatch(words):
        second = half[3] == "2" or (half[1] or "").casefold() in ("second", "2nd")
        return _span(_day(int(half[2] or half[4]), 7 if second else 1, 1, text), 6)
    if decade := _DECADE.fullmatch(words):
        return _span(_day(int(f"{decade[1]}0"), 1, 1, text), 120)
    day, _, clock = words.partition("T" if "T" in words and words[:1].isdigit() else " ")
    if iso := _ISO_DAY.fullmatch(day):
        _whole_day(clock, text)
        found = _day(int(iso[1]), int(iso[2]), int(iso[3]), text)
        return found, found
    if american := _AMERICAN.fullmatch(day):
        _whole_day(clock, text)
        year = int(american[3]) + (2000 if len(american[3]) == 2 else 0)
        found = _day(year, int(american[1]), int(american[2]), text)
        return found, found
    return _in_words(words, text)


def _in_words(words: str, text: str) -> tuple[date, date]:
    """The period of a text with the month in words; what dateutil fills in from a default is missing."""
    if not re.search(r"[a-z]{3}", words, re.IGNORECASE):
        raise DateError(f"'{text}' is not a date")
    _refuse_long_months(words, text)
    try:
        one = parser.parse(words, default=datetime(2000, 1, 1))
        other = parser.parse(words, default=datetime(2004, 2, 2))
    except (ValueError, OverflowError, TypeError, AttributeError):
        raise DateError(f"'{text}' is not a date") from None
    if one.year != other.year or one.month != other.month:
        raise DateError(f"'{text}' is not a date with its year")
    if (one.hour, one.minute) != (0, 0) or (other.hour, other.minute) != (0, 0) or one.tzinfo is not None:
        raise DateError(f"'{text}' has a time of day, and a date belongs here")
    if one.day != other.day:
        return _span(_day(one.year, one.month, 1, text), 1)
    found = _day(one.year, one.month, one.day, text)
    return found, found


def _refuse_long_months(words: str, text: str) -> None:
    """A day beyond the end of its month; dateutil says no more of it than that it is none."""
    found = _WORDED.fullmatch(words)
    if found is None:
        return
    try:
        month = parser.parse(f"{found[1] or found[4]} 1 2000").month
    except (ValueError, OverflowError):
        return
    _day(int(found[5]), month, int(found[2] or found[3]), text)


def _day(year: int, month: int, day: int, text: str) -> date:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise DateError(f"'{text}' is not a date between {FIRST_YEAR} and {LAST_YEAR}")
    try:
        return date(year, month, day)
    except ValueError:
        nearest: tuple[str, ...] = ()
        if 1 <= month <= 12 and 1 <= day <= 31:
            nearest = (_span(date(year, month, 1), 1)[1].isoformat(),)
        raise DateError(f"'{text}' is a day that does not exist", nearest) from None


def _span(first: date, months: int) -> tuple[date, date]:
    return first, first + relativedelta(months=months) - timedelta(days=1)


def _whole_day(clock: str, text: str) -> None:
    """A time of day beside a date is accepted where it says the start or the end of the day."""
    if clock and not re.fullmatch(
        r"(00:00(:00(\.0+)?)?|23:59(:59(\.\d+)?)?|24:00(:00)?)(Z|[+-]\d\d:?\d\d)?", clock
    ):
        raise DateError(f"'{text}' has a time of day, and a date belongs here")


def parse_hour(text: str | int, *, end: bool = False) -> str:
    """A time of day as ``HH:MM``; the end of a span may be ``24:00``.

    Raises
    ------
    DateError
        When the text is no time of day.

    Examples
    --------
    >>> (
    ...     parse_hour("7am"),
    ...     parse_hour("19:30"),
    ...     parse_hour("midnight"),
    ...     parse_hour("midnight", end=True),
    ...     parse_hour(7),
    ... )
    ('07:00', '19:30', '00:00', '24:00', '07:00')
    """
    words = one_line(str(text)).casefold()
    if words in _NAMED:
        return "24:00" if end and _NAMED[words] == "00:00" else _NAMED[words]
    found = _CLOCK.fullmatch(words)
    if not found:
        raise DateError(f"'{text}' is not a time of day")
    hour, minute, second = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            raise DateError(f"'{text}' is not a time of day")
        hour = hour % 12 + (12 if found[4].startswith("p") else 0)
    if end and (hour, minute) == (0, 0):
        hour = 24
    if minute > 59 or second or hour > 24 or (hour == 24 and minute):
        raise DateError(f"'{text}' is not a time of day in hours and minutes")
    if hour == 24 and not end:
        hour = 0
    return f"{hour:02}:{minute:02}"


def parse_hours(text: str) -> tuple[str, str]:
    """A span such as ``"between 7am and 10am"`` as two times of day.

    Raises
    ------
    DateError
        When the text is no span of hours.

    Examples
    --------
    >>> parse_hours("7am-10am"), parse_hours("after 10 pm"), parse_hours("10pm to 2am")
    (('07:00', '10:00'), ('22:00', '24:00'), ('22:00', '02:00'))
    """
    words = one_line(text).casefold()
    for word, side in (
        ("after ", "from"),
        ("since ", "from"),
        ("from ", "from"),
        ("before ", "to"),
        ("until ", "to"),
    ):
        if words.startswith(word) and not _HOURS.fullmatch(words):
            hour = words.removeprefix(word)
            return (parse_hour(hour), "24:00") if side == "from" else ("00:00", parse_hour(hour, end=True))
    found = _HOURS.fullmatch(words)
    if not found:
        raise DateError(f"'{text}' is not a span of hours")
    return parse_hour(_with_half(found[1], found[2])), parse_hour(found[2], end=True)


def parse_spans(text: str) -> tuple[tuple[str, str], ...]:
    """One or more spans of hours, such as ``"7-9 am and 4-6 pm"``, in order and each once.

    Raises
    ------
    DateError
        When a part of the text is no span of hours.

    Examples
    --------
    >>> parse_spans("between 7am and 10am")
    (('07:00', '10:00'),)
    >>> parse_spans("7-9 am and 4-6 pm")
    (('07:00', '09:00'), ('16:00', '18:00'))
    """
    words = one_line(text).casefold()
    if both := _AFTER_AND_BEFORE.fullmatch(words):
        first, last = (both[1], both[2]) if both[1] else (both[4], both[3])
        return ((parse_hour(first), parse_hour(last, end=True)),)
    try:
        return (parse_hours(text),)
    except DateError as error:
        parts = [part for part in _SEVERAL.split(words) if part]
        if len(parts) < 2:
            raise
        try:
            return tuple(sorted({parse_hours(part) for part in parts}))
        except DateError:
            raise error from None


def _with_half(first: str, last: str) -> str:
    """The first hour, with the am or pm of the last where it has none ("7 to 10 am", "11 to 1 pm")."""
    half = re.search(r"([ap])\.?m\.?$", last)
    hour, end = re.fullmatch(r"(\d{1,2})(:\d{2})?", first), re.match(r"\d{1,2}", last)
    if not half or not hour or not end or int(hour[1]) > 12:
        return first
    flipped = int(hour[1]) % 12 > int(end[0]) % 12
    return f"{first} {'am' if (half[1] == 'a') != flipped else 'pm'}"


def iso_day(text: str | None) -> date | None:
    """The day of a canonical date; None where there is none, or it is not written so."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
