"""Days, months, weekdays and years as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import FIRST_YEAR, LAST_YEAR, LONGEST, DateError, parse_period
from groundframe.frames.model import TemporalConstraint
from groundframe.frames.phrases import parse_named, parse_when
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.lexicon import Lexicon
from groundframe.validator.vocabulary import DAY_GROUPS, MONTHS, WEEKDAYS

_FROM_TO = re.compile(
    r"(?:from\s+|between\s+)?(\S+?)\s*(?:-|\N{EN DASH}|\b(?:to|and|through|thru|until)\b)\s*(\S+)",
    re.IGNORECASE,
)


def check(context: Context) -> Iterator[Finding]:
    """Write days as ``YYYY-MM-DD``, months as numbers and weekdays as three letters."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _days(context, path, constraint)
        yield from _months(context, path, constraint)
        yield from _weekdays(path, constraint)
        yield from _years(path, constraint)


def _days(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    for name, text, end in (("from", constraint.from_, 0), ("to", constraint.to, 1)):
        if text is None:
            continue
        try:
            day = parse_named(text, context.season)[end].isoformat()
        except DateError as error:
            yield _no_date(context, f"{path}/{name}", text, error)
            continue
        if day != text:
            yield edit(f"{path}/{name}", text, day, f"'{text}' is {day}.", safety="declared")


def _no_date(context: Context, path: str, text: str, error: DateError) -> Issue:
    """Why a text is no day, or a phrase that the other parts of the constraint leave no room for."""
    try:
        parse_when(text, context.season)
    except DateError as better:
        problem, action = f"{better}.", 'Write days as "2025-01-06".'
        nearest = better.nearest or error.nearest or _this_year(context, text)
    else:
        problem = f"'{text}' says more than one end of the period, and the other one is given as well."
        action, nearest = "Say when once.", ()
    return Issue("not_a_date", path, problem, nearest=nearest, action=action)


def _this_year(context: Context, text: str) -> tuple[str, ...]:
    """The text with the newest year of the data, where only a year was missing."""
    dated = [entity.name for entity in context.pack.entities if entity.date_field is not None]
    days = [day for name in dated if context.names and (day := context.names.newest_date(name))]
    if not days:
        return ()
    try:
        parse_when(f"{text} {max(days).year}", context.season)
    except DateError:
        return ()
    return (f"{text} {max(days).year}",)


def _months(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    months: list[int] = []
    scores: list[float] = []
    for number, value in enumerate(constraint.months):
        found, score = _month(context, value)
        if not found:
            message = f"'{value}' is not a month."
            yield Issue("not_a_month", f"{path}/months/{number}", message, action="Write months as 1 to 12.")
            return
        months += found
        scores += [score] if score is not None else []
    yield from _list(f"{path}/months", list(constraint.months), sorted(set(months)), scores)


def _month(context: Context, value: int | str) -> tuple[tuple[int, ...], float | None]:
    """The months that a word means, and a score when it is by likeness."""
    if isinstance(value, int):
        return ((value,) if 1 <= value <= 12 else ()), None
    match = MONTHS.match(value.lstrip("0") or "0")
    if match and match.basis != "fuzzy":
        return (int(match.word),), match.score
    period = context.words.periods.match(value)
    months = next((one.months for one in context.pack.periods if period and one.name == period.word), ())
    if months:
        return months, period.score if period else None
    if ends := _ends(value, MONTHS):
        return tuple(int(month) for month in _between(ends, MONTHS.canonical)), None
    try:
        # A quarter or a half, in any year; a text with a year of its own is none then.
        first, last = parse_period(f"{value} 2001")
    except DateError:
        return ((int(match.word),), match.score) if match else ((), None)
    return tuple(range(first.month, last.month + 1)), None


def _ends(text: str, words: Lexicon) -> tuple[str, str] | None:
    """The two words of a span such as ``"Mon-Fri"``."""
    found = _FROM_TO.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return None
    first, last = words.match(found[1]), words.match(found[2])
    return (first.word, last.word) if first and last and not first.score and not last.score else None


def _between(ends: tuple[str, str], order: Sequence[str]) -> tuple[str, ...]:
    """The words from one up to another, past the end of the order where the other comes first."""
    first, last = order.index(ends[0]), order.index(ends[1])
    return (*order[first : last + 1],) if first <= last else (*order[first:], *order[: last + 1])


def _weekdays(path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    days: list[str] = []
    scores: list[float] = []
    for number, value in enumerate(constraint.weekdays):
        match, ends = WEEKDAYS.match(value), _ends(value, WEEKDAYS)
        found = DAY_GROUPS.get(value.strip().casefold()) or (
            _between(ends, WEEKDAYS.canonical) if ends else (match.word,) if match else ()
        )
        if not found:
            message = f"'{value}' is not a day of the week."
            allowed = (*WEEKDAYS.canonical, "weekdays", "weekend")
            yield Issue("not_a_weekday", f"{path}/weekdays/{number}", message, allowed)
            return
        days += found
        scores += [match.score] if match and match.score is not None else []
    ordered = [day for day in WEEKDAYS.canonical if day in days]
    yield from _list(f"{path}/weekdays", list(constraint.weekdays), ordered, scores)


def _years(path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    years: list[int] = []
    for number, year in enumerate(constraint.years):
        if not isinstance(year, int) or not FIRST_YEAR <= year <= LAST_YEAR:
            message = f"'{year}' is not a year between {FIRST_YEAR} and {LAST_YEAR}."
            yield Issue("not_a_year", f"{path}/years/{number}", message, action="Write years as 2025.")
            return
        years.append(year)
    yield from _list(f"{path}/years", list(constraint.years), sorted(set(years)), [])


def _list(path: str, before: list[Any], after: list[Any], scores: list[float]) -> Iterator[Finding]:
    """The list written out; a repair where one of its words was matched by likeness."""
    if before != after:
        message = f"{'Read' if scores else 'Written out'} as {', '.join(map(str, after))}."
        score = min(scores, default=None)
        yield edit(path, before, after, message, safety="safe" if scores else "declared", score=score)


RULE = Rule(
    id="temporal_words",
    name="days, months or weekdays in words",
    rationale=("Each has one meaning; the parts of the year that have names are declared by the pack."),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
