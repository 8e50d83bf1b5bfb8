"""Dates, hours, months and weekdays as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import FIRST_YEAR, LAST_YEAR, DateError, parse_hour, parse_hours, parse_period
from groundframe.frames.model import Hours, TemporalConstraint
from groundframe.schema.model import Period
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.vocabulary import MONTHS, WEEKDAYS

WORKING_WEEK = ("mon", "tue", "wed", "thu", "fri")
DAY_GROUPS = {
    "weekday": WORKING_WEEK,
    "weekdays": WORKING_WEEK,
    "weekend": ("sat", "sun"),
    "weekends": ("sat", "sun"),
}


def check(context: Context) -> Iterator[Finding]:
    """Write days as ``YYYY-MM-DD``, hours as ``HH:MM``, months as numbers and weekdays as three letters."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _days(path, constraint)
        yield from _hours(context, path, constraint)
        yield from _months(context, path, constraint)
        yield from _weekdays(path, constraint)
        yield from _years(path, constraint)


def _days(path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    for name, text, end in (("from", constraint.from_, 0), ("to", constraint.to, 1)):
        if text is None:
            continue
        try:
            day = parse_period(text)[end].isoformat()
        except DateError as error:
            yield Issue("not_a_date", f"{path}/{name}", f"{error}.", action='Write days as "2025-01-06".')
            continue
        if day != text:
            yield edit(f"{path}/{name}", text, day, f"'{text}' is {day}.", safety="declared")


def _hours(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    if constraint.hours is None:
        return
    if isinstance(constraint.hours, str):
        yield from _spoken_hours(context, path, constraint, constraint.hours)
        return
    for name, value, end in (("from", constraint.hours.from_, False), ("to", constraint.hours.to, True)):
        try:
            hour = parse_hour(value, end=end)
        except DateError as error:
            yield Issue(
                "not_a_time", f"{path}/hours/{name}", f"{error}.", action='Write times of day as "07:00".'
            )
            continue
        if hour != value:
            yield edit(f"{path}/hours/{name}", value, hour, f"'{value}' is {hour}.", safety="declared")


def _spoken_hours(
    context: Context, path: str, constraint: TemporalConstraint, text: str
) -> Iterator[Finding]:
    match = context.words.periods.match(text)
    if match is None or match.basis == "fuzzy":
        try:
            first, last = parse_hours(text)
        except DateError as error:
            known = tuple(period.name for period in context.pack.periods if period.hours)
            yield Issue(
                "not_a_time",
                f"{path}/hours",
                f"{error}.",
                known,
                action='Or write {"from": "07:00", "to": "10:00"}.',
            )
            return
        after = {"from": first, "to": last}
        yield edit(f"{path}/hours", text, after, f"'{text}' is {first} to {last}.", safety="declared")
        return
    period = next(one for one in context.pack.periods if one.name == match.word)
    if len(period.hours) != 1:
        yield _not_one_span(context, f"{path}/hours", period)
        return
    after = Hours(from_=f"{period.hours[0][0]:%H:%M}", to=f"{period.hours[0][1]:%H:%M}").model_dump(
        by_alias=True
    )
    puts = [Put(f"{path}/hours", after)]
    if period.weekdays and not constraint.weekdays:
        puts.append(Put(f"{path}/weekdays", list(period.weekdays)))
    days = f" on {', '.join(period.weekdays)}" if period.weekdays else ""
    message = f"'{text}' is {after['from']} to {after['to']}{days}."
    yield Edit(f"{path}/hours", text, after, message, tuple(puts), "declared")


def _not_one_span(context: Context, path: str, period: Period) -> Issue:
    parts = tuple(
        one.name
        for one in context.pack.periods
        if len(one.hours) == 1 and set(one.hours) <= set(period.hours) and one.name != period.name
    )
    if not period.hours:
        return Issue(
            "not_a_time",
            path,
            f"{period.label.capitalize()} is no part of the day.",
            action="Use 'months' for it.",
        )
    spans = " and ".join(f"{first:%H:%M} to {last:%H:%M}" for first, last in period.hours)
    return Issue(
        "several_spans", path, f"{period.label.capitalize()} is {spans}, and one span belongs here.", parts
    )


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
    if match := MONTHS.match(value.lstrip("0") or "0"):
        return (int(match.word),), match.score
    period = context.words.periods.match(value)
    months = next((one.months for one in context.pack.periods if period and one.name == period.word), ())
    return months, period.score if period else None


def _weekdays(path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    days: list[str] = []
    scores: list[float] = []
    for number, value in enumerate(constraint.weekdays):
        match = WEEKDAYS.match(value)
        found = DAY_GROUPS.get(value.casefold()) or ((match.word,) if match else ())
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
    for number, year in enumerate(constraint.years):
        if not FIRST_YEAR <= year <= LAST_YEAR:
            message = f"{year} is not a year between {FIRST_YEAR} and {LAST_YEAR}."
            yield Issue("not_a_year", f"{path}/years/{number}", message)
            return
    yield from _list(f"{path}/years", list(constraint.years), sorted(set(constraint.years)), [])


def _list(path: str, before: list[Any], after: list[Any], scores: list[float]) -> Iterator[Finding]:
    """The list written out; a repair where one of its words was matched by likeness."""
    if before != after:
        message = f"{'Read' if scores else 'Written out'} as {', '.join(map(str, after))}."
        score = min(scores, default=None)
        yield edit(path, before, after, message, safety="safe" if scores else "declared", score=score)


RULE = Rule(
    id="temporal_words",
    name="days, hours, months or weekdays in words",
    rationale=(
        "Each has one meaning; the parts of the day and the year that have names are declared by the pack."
    ),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
