"""Times that a frame cannot hold, as those that come nearest: a day of one year, one side of a year."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence

from groundframe.frames.lexical.days import WITHOUT_YEAR, days_in
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.times import HALF_UNSAID

__all__ = ["one_time"]

_SIDES = re.compile(
    r"\b(?P<one>before|prior to|after|since) +(?:and|or|vs\.?|versus|&|/|to|with|against) +"
    r"(?P<other>after|since|before|prior to) +(?P<when>(?:[a-z]+\.? +)?(?:\d{1,2},? +)?\d{4})\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:around|about|near|approximately|roughly|circa|close to) +"
    r"(?:(?P<hour>1[0-2]|[1-9]) ?(?P<half>[ap])\.?m\b\.?|(?P<named>noon|midday|midnight)\b)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_OLDEST = 13
_COMPARED = re.compile(r"^(?:please )?(?:compare|comparing|comparison of)\s+", re.IGNORECASE)


def one_time(question: str, left: Sequence[Item], newest: int) -> Iterator[str]:
    """The question with one time that can be asked for instead of several, or of one of every year.

    Parameters
    ----------
    left : sequence of Item
        What was not understood.
    newest : int
        The year of the newest data.

    Examples
    --------
    >>> list(one_time("crashes before and after 2020 in Quincy", [], 2025))
    ['crashes before 2020 in Quincy', 'crashes after 2020 in Quincy']
    """
    yield from _short_years(question, left, newest)
    for item in left:
        if item.problem == HALF_UNSAID:
            yield from (f"{question[: item.end]} {half}{question[item.end :]}" for half in ("am", "pm"))
        if item.problem == WITHOUT_YEAR:
            said = question[item.start : item.end]
            for year in (newest, newest - 1):
                yield f"{question[: item.end]} {year}{question[item.end :]}"
            months = {month for month, _ in days_in(item.text) or ()}
            if len(months) == 1:
                yield question.replace(said, f"in {month_name[months.pop()]}", 1)
    if about := _ABOUT.search(question):
        before, after = question[: about.start()], question[about.end() :]
        hour = _hour(about)
        yield f"{before}between {_clock(hour - 1)} and {_clock(hour + 1)}{after}"
        yield f"{before}between {_clock(hour)} and {_clock(hour + 1)}{after}"
    if sides := _SIDES.search(question):
        for side in (sides["one"], sides["other"]):
            only = f"{question[: sides.start()]}{side} {sides['when']}{question[sides.end() :]}"
            yield _COMPARED.sub("", only)


def _short_years(question: str, left: Sequence[Item], newest: int) -> Iterator[str]:
    """The question with a year of the data where two digits stand by themselves: "quincy 22 crashes"."""
    if _YEAR.search(question):
        return
    for item in left:
        bare = question[item.start - 1 : item.start] not in ("(", "-", "#")
        year = int(item.text) if bare and item.text.isdecimal() and len(item.text) == 2 else 0
        if _OLDEST <= year <= newest % 100:
            yield f"{question[: item.start]}in 20{item.text}{question[item.end :]}"


def _hour(about: re.Match[str]) -> int:
    """The hour of the day, from 0 to 23."""
    if about["named"]:
        return 0 if about["named"].casefold() == "midnight" else 12
    return int(about["hour"]) % 12 + (12 if about["half"].casefold() == "p" else 0)


def _clock(hour: int) -> str:
    """An hour as it is spoken."""
    named = {0: "midnight", 12: "noon"}
    return named.get(hour % 24) or f"{(hour - 1) % 12 + 1} {'pm' if hour % 24 >= 12 else 'am'}"
