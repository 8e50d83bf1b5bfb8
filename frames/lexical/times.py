"""When, in a question: days, periods, hours, weekdays and the pack's parts of the day and the year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from groundframe.frames.dates import DateError, parse_spans
from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.days import EVERY_YEAR, days_in
from groundframe.frames.lexical.tokens import Token, stem, stems
from groundframe.frames.lexical.typed_times import (
    DAY,
    MONTH,
    NAMED_DAY,
    YEAR,
    hours_written_out,
    joined,
    spoken,
    written_out,
)
from groundframe.frames.phrases import When, parse_when
from groundframe.frames.terms import WEEKDAYS
from groundframe.schema.model import Pack, Period

__all__ = ["HALF_UNSAID", "TimeFound", "Times", "period_parts"]

_WORKING, _FREE = WEEKDAYS[:5], WEEKDAYS[5:]
_MOST = 16
_JOIN = frozenset(words_of("times", "joints"))
_SPAN = frozenset(words_of("times", "spans"))
_BEFORE = frozenset(words_of("times", "leading"))
_PARTS = frozenset(words_of("times", "parts"))
_CLOCK = re.compile(
    r"\d\s*(?::\s*\d\d)?\s*(?:am|pm|a\s?\.?\s?m\b|p\s?\.?\s?m\b)|\b\d{1,2}\s*:\s*\d\d\b"
    r"|\bnoon\b|\bmidnight\b|\bmidday\b|o'clock|\d in the (?:morning|afternoon|evening)|\d at night"
)
_BACK = re.compile(
    r"\b(?:last|past|previous|latest|most recent)\b.*\b(?:day|week|month|quarter|year|yr|decade)s?\b"
)
_WEEK_OF = re.compile(
    r"(?:in |during |for )?(?:the )?(?:(first|1st|second|2nd|third|3rd|last) )?"
    r"week (?:of|in|from|beginning|starting) "
)
_WEEKS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}
_NUMERIC_DAY = re.compile(r"\d{1,4}\s*[-/]\s*\d{1,2}\s*[-/]\s*\d{1,4}")
_CLOCKS = re.compile(
    r"(?:from |between )?([01]\d|2[0-4])([0-5]0)(?: *- *| to | and | till? | until )"
    r"([01]\d|2[0-4])([0-5]0)( ?(?:hours|hrs|h))?"
)
_HALF_SAID = re.compile(r"[ap]\s?\.?\s?m\b|noon|midnight|midday|morning|afternoon|evening|night")
_EARLY = re.compile(
    r"(?:between|from|after|before)?\s*[1-9](?::\d\d)?\s*(?:-|\u2013|to|and|until|till)\s*[1-9](?::\d\d)?"
)
HALF_UNSAID = "Whether that is in the morning or the afternoon is not said."
_COUNTED = frozenset(words_of("times", "counted"))
_ASKED = frozenset(words_of("times", "asked"))
_TRAILING = _BEFORE | _JOIN
_LIVE = frozenset({"today", "now", "present"})


@dataclass(frozen=True, slots=True)
class TimeFound:
    """What some tokens say about when.

    Parameters
    ----------
    size : int
        How many tokens say it.
    parts : dict
        Of a temporal constraint, without its target.
    problem : str
        Why the words, though about time, have no one meaning.
    sure : bool
        Whether no fewer words can mean anything else, as of a day that does not exist.
    """

    size: int
    parts: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    sure: bool = False


class Times:
    """Finds times, with the names that a pack has for parts of the day and the year.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> from groundframe.schema.packs import load_pack
    >>> times = Times(load_pack("massachusetts"))
    >>> times.find(tokenize("between 7am and 10am in Quincy"), 0).parts
    {'hours': {'from': '07:00', 'to': '10:00'}}
    >>> times.find(tokenize("since 2020"), 0).parts
    {'from': '2020-01-01'}
    """

    def __init__(self, pack: Pack) -> None:
        self._periods = {
            stems(word): one for one in pack.periods if one.months for word in (one.label, *one.synonyms)
        }
        self._words = {word for key in self._periods for word in key}
        self._parts_of_day = {
            stems(word)[-1] for one in pack.periods if one.hours for word in (one.label, *one.synonyms)
        }

    def find(self, tokens: Sequence[Token], start: int) -> TimeFound | None:
        """The longest time that begins with this token."""
        before = tokens[start - 1].text if start else ""
        after = tokens[start + 1].text if start + 1 < len(tokens) else ""
        adjective = bool(after) and after not in _ASKED and before not in _COUNTED | {"on"}
        if adjective and tokens[start].text in words_of("times", "working_day"):
            # "weekday crashes"; "which weekday has" asks for the day.
            return TimeFound(1, {"weekdays": list(_WORKING)})
        if tokens[start].text in NAMED_DAY and stem(after) in self._parts_of_day:
            return TimeFound(1, {"weekdays": [NAMED_DAY[tokens[start].text]]})  # "sat night"
        end = start
        while end < len(tokens) and end - start < _MOST and self._is_part(tokens[end]):
            end += 1
        problem = None
        for stop in range(end, start, -1):
            words = spoken(tokens[start:stop])
            found = (
                self._without_year(tokens, start, stop)
                or self._months(words)
                or self._weekdays(words)
                or self._years(words)
                or self._parsed(tokens[start:stop])
            )
            found = None if found is None else replace(found, size=stop - start)
            if found is not None and (found.sure or not found.problem):
                return found
            problem = problem or found
        return problem

    def _without_year(self, tokens: Sequence[Token], start: int, stop: int) -> TimeFound | None:
        """A day, or days, of a month, with no year behind them: "July 4th", "Dec 24-26"."""
        days = days_in(joined(tokens[start:stop]))
        return None if days is None else TimeFound(stop - start, {EVERY_YEAR: days})

    def _is_part(self, token: Token) -> bool:
        known = token.text in _PARTS or token.text in MONTH or token.text in NAMED_DAY
        return token.is_number() or known or token.stem in DAY or token.stem in self._words

    def _season(self, word: str) -> Sequence[int]:
        period = self._periods.get(stems(word))
        return period.months if period else ()

    def _has_season(self, tokens: Sequence[Token]) -> bool:
        found = tuple(token.stem for token in tokens)
        return any(
            found[place : place + len(key)] == key
            for key in self._periods
            for place in range(len(found) - len(key) + 1)
        )

    def _months(self, words: list[str]) -> TimeFound | None:
        """Months without a year: "in June", "from June to August", "in January and February"."""
        body = _body(words)
        if len(words) == 1 and words[0] in ("may", "mar", "sun", "sat"):
            return None
        listed = _listed(body, lambda word: MONTH.get(word))
        if listed is None:
            return None
        months, spanned = listed
        if spanned or _between(words, months):
            first, last = months[0], months[-1]
            months = [(first - 1 + step) % 12 + 1 for step in range((last - first) % 12 + 1)]
        return TimeFound(len(words), {"months": sorted(dict.fromkeys(months))})

    def _weekdays(self, words: list[str]) -> TimeFound | None:
        """Days of the week: "on weekends", "Monday to Friday", "on Saturdays and Sundays"."""
        body = _body(words)
        if len(body) == 1 and body[0] in words_of("times", "free_days"):
            return TimeFound(len(words), {"weekdays": list(_FREE)})
        if (len(body) == 1 and body[0] in words_of("times", "working_days")) or (
            body == ["weekday"] and words[0] in ("on", "during")
        ):
            return TimeFound(len(words), {"weekdays": list(_WORKING)})
        # "Sat" and "sun" alone may be anything.
        known = NAMED_DAY if len(body) > 2 else DAY
        listed = _listed(body, lambda word: known.get(word) or known.get(word.removesuffix("s")))
        if listed is None:
            return None
        days, spanned = listed
        spanned |= _between(words, days)
        places = [WEEKDAYS.index(day) for day in days]
        if spanned:
            places = [(places[0] + step) % 7 for step in range((places[-1] - places[0]) % 7 + 1)]
        return TimeFound(len(words), {"weekdays": [WEEKDAYS[place] for place in sorted(set(places))]})

    def _years(self, words: list[str]) -> TimeFound | None:
        """Single years: "2019", "in 2019 and 2021"."""
        if words[0] in ("between", "from"):
            return None
        listed = _listed(_body(words), lambda word: int(word) if YEAR.fullmatch(word) else None)
        if listed is None or listed[1]:
            return None
        if _between(words, listed[0]):  # "years between 2014 and 2024"
            return TimeFound(len(words), {"from": f"{min(listed[0])}-01-01", "to": f"{max(listed[0])}-12-31"})
        return TimeFound(len(words), {"years": sorted(dict.fromkeys(listed[0]))})

    def _parsed(self, tokens: Sequence[Token]) -> TimeFound | None:
        """Everything else that the parsers of days and hours can read."""
        text = written_out(tokens)
        if (clocks := _CLOCKS.fullmatch(text)) and _is_clock(clocks):
            return TimeFound(
                len(tokens), {"hours": {"from": f"{clocks[1]}:{clocks[2]}", "to": f"{clocks[3]}:{clocks[4]}"}}
            )
        if _CLOCK.search(text):
            return _hours(tokens, text)
        years = any(YEAR.fullmatch(token.text) for token in tokens) or bool(_NUMERIC_DAY.search(text))
        season = self._has_season(tokens)
        back = bool(_BACK.search(text))
        if not (back or years) or (season and not years):
            return None
        week = _WEEK_OF.match(text)
        text = text if week is None else text[week.end() :]
        try:
            when = parse_when(text, self._season)
        except DateError as error:
            if error.nearest and years:
                nearest = " or ".join(error.nearest)
                return TimeFound(len(tokens), problem=f"{error}; nearest is {nearest}.", sure=True)
            if not back and (not years or len(tokens) == 1 or tokens[-1].text in _TRAILING):
                return None
            return TimeFound(len(tokens), problem=_told(error, text))
        if week is not None:
            when = _week(when, week[1])
        return TimeFound(len(tokens), _when(when))


def _week(when: When, nth: str | None) -> When:
    """The week from a day on, "the week of July 4 2022", or one of a month, "the first week of July 2022"."""
    if when.first is None or when.last is None:
        return when
    if nth == "last":
        return replace(when, first=when.last - timedelta(days=6))
    if nth is None:
        return replace(when, last=when.first + timedelta(days=6)) if when.first == when.last else when
    first = when.first + timedelta(days=7 * _WEEKS[nth])
    return replace(when, first=first, last=first + timedelta(days=6))


def _told(error: DateError, text: str) -> str:
    """Why words about time have no one meaning; of the text as it was typed, not of a piece of it."""
    piece = f"{error}".rpartition("' is not a date")[0].removeprefix("'")
    return f"'{text}' is no one time that can be asked for." if piece and piece != text else f"{error}."


def _is_clock(found: re.Match[str]) -> bool:
    """Whether four digits are hours and minutes, not a year: "2200-0400", "0700 to 0900"."""
    return bool(found[5]) or "0" in (found[1][0], found[3][0])


def period_parts(period: Period) -> dict[str, Any]:
    """A named period of the pack as parts of a temporal constraint."""
    parts: dict[str, Any] = {}
    spans = [{"from": f"{start:%H:%M}", "to": f"{end:%H:%M}"} for start, end in period.hours]
    if spans:
        parts["hours"] = spans[0] if len(spans) == 1 else spans
    if period.months:
        parts["months"] = sorted(period.months)
    if period.weekdays:
        parts["weekdays"] = list(period.weekdays)
    return parts


def _when(when: When) -> dict[str, Any]:
    if when.back is not None:
        return {"last": {"count": when.back[0], "unit": when.back[1]}}
    ends = {"from": when.first, "to": when.last}
    return {name: day.isoformat() for name, day in ends.items() if day is not None}


def _body(words: list[str]) -> list[str]:
    """The words without those that lead up to a time."""
    start = 0
    while start < len(words) - 1 and words[start] in _BEFORE:
        start += 1
    return words[start:]


def _between(words: Sequence[str], listed: Sequence[Any]) -> bool:
    """Whether two are the ends of a span: "between October and December"."""
    return "between" in words and "and" in words and len(listed) == 2


def _listed(words: list[str], known: Any) -> tuple[list[Any], bool] | None:
    """What a list such as "A, B and C" or a span such as "A to B" names, and whether it is a span."""
    found: list[Any] = []
    joins: list[str] = []
    expecting = True
    for word in words:
        value = known(word)
        if value is not None and (expecting or not _SPAN & set(joins)):
            found.append(value)  # "June July August" is a list, too
            expecting = False
        elif value is None and word in _JOIN and found:
            joins.append(word)
            expecting = True
        else:
            return None
    if not found or expecting:
        return None
    spanned = bool(_SPAN & set(joins))
    return None if spanned and len(found) != 2 else (found, spanned)


def _hours(tokens: Sequence[Token], text: str) -> TimeFound | None:
    if any(YEAR.fullmatch(token.text) or token.text in MONTH for token in tokens):
        return None
    plain = hours_written_out(text)
    if not _HALF_SAID.search(text) and _EARLY.fullmatch(plain):
        return TimeFound(len(tokens), problem=HALF_UNSAID, sure=":" in plain)
    try:
        spans = parse_spans(plain)
    except DateError:
        return None
    if len(spans) == 1 and spans[0] == ("00:00", "24:00"):
        return None
    listed = [{"from": start, "to": end} for start, end in spans]
    return TimeFound(len(tokens), {"hours": listed[0] if len(listed) == 1 else listed})
