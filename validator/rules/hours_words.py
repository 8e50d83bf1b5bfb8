"""Hours as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import LONGEST, DateError, parse_hour, parse_spans
from groundframe.frames.model import Hours, TemporalConstraint
from groundframe.schema.model import Period
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.vocabulary import DAY_GROUPS, WEEKDAYS

_ON_DAYS = re.compile(r"(.+?)\s+on\s+(?:the\s+)?(.+)", re.IGNORECASE)
_COMMA = re.compile(r"\s*(?:,|\band\b|\bor\b)\s*", re.IGNORECASE)


def check(context: Context) -> Iterator[Finding]:
    """Write hours as ``HH:MM``, one span or a sorted list; those that the pack names bring their weekdays."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        if isinstance(constraint.hours, str):
            yield from _spoken(context, path, constraint, constraint.hours)
        elif isinstance(constraint.hours, Hours):
            yield from _span(f"{path}/hours", constraint.hours)
        elif constraint.hours is not None:
            yield from _spans(f"{path}/hours", constraint.hours)


def _span(path: str, hours: Hours) -> Iterator[Finding]:
    for name, value, end in (("from", hours.from_, False), ("to", hours.to, True)):
        try:
            hour = parse_hour(value, end=end)
        except DateError as error:
            yield Issue("not_a_time", f"{path}/{name}", f"{error}.", action='Write times of day as "07:00".')
            continue
        if hour != value:
            yield edit(f"{path}/{name}", value, hour, f"'{value}' is {hour}.", safety="declared")


def _spans(path: str, hours: Sequence[Hours]) -> Iterator[Finding]:
    """A list of spans, in order and each once; one of them alone is no list."""
    problems = False
    for number, one in enumerate(hours):
        for finding in _span(f"{path}/{number}", one):
            if isinstance(finding, Issue):
                problems = True
                yield finding
    if problems:
        return
    spelt = sorted({(parse_hour(one.from_), parse_hour(one.to, end=True)) for one in hours})
    before = [one.model_dump(by_alias=True) for one in hours]
    after = _written(spelt)
    if after != before:
        yield edit(path, before, after, f"Written out as {_said(spelt)}.", safety="declared")


def _spoken(context: Context, path: str, constraint: TemporalConstraint, text: str) -> Iterator[Finding]:
    words, days = _days_apart(text)
    match = context.words.periods.match(words)
    if match is not None and match.basis != "fuzzy":
        period = next(one for one in context.pack.periods if one.name == match.word)
        spans = [(f"{first:%H:%M}", f"{last:%H:%M}") for first, last in period.hours]
        if not spans:
            yield _no_part_of_the_day(path, period)
            return
        days = days or list(period.weekdays)
    else:
        try:
            spans = list(parse_spans(words))
        except DateError as error:
            known = tuple(one.name for one in context.pack.periods if one.hours)
            action = 'Or write {"from": "07:00", "to": "10:00"}.'
            yield Issue("not_a_time", f"{path}/hours", f"{error}.", known, action=action)
            return
    after = _written(sorted(set(spans)))
    puts = [Put(f"{path}/hours", after)]
    if days and not constraint.weekdays:
        puts.append(Put(f"{path}/weekdays", days))
    on = f" on {', '.join(days)}" if days and not constraint.weekdays else ""
    yield Edit(f"{path}/hours", text, after, f"'{text}' is {_said(spans)}{on}.", tuple(puts), "declared")


def _days_apart(text: str) -> tuple[str, list[str]]:
    """The hours and the weekdays of "10 pm to 2 am on weekends"."""
    found = _ON_DAYS.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return text, []
    days: set[str] = set()
    for word in _COMMA.split(found[2]):
        match = WEEKDAYS.match(word)
        meant = DAY_GROUPS.get(word.casefold()) or ((match.word,) if match and not match.score else ())
        if not meant:
            return text, []
        days |= set(meant)
    return found[1], [day for day in WEEKDAYS.canonical if day in days]


def _written(spans: Sequence[tuple[str, str]]) -> Any:
    """The spans as a frame holds them."""
    written = [{"from": first, "to": last} for first, last in spans]
    return written[0] if len(written) == 1 else written


def _said(spans: Sequence[tuple[str, str]]) -> str:
    return " and ".join(f"{first} to {last}" for first, last in spans)


def _no_part_of_the_day(path: str, period: Period) -> Issue:
    message = f"{period.label.capitalize()} is no part of the day."
    return Issue("not_a_time", f"{path}/hours", message, action="Use 'months' for it.")


RULE = Rule(
    id="hours_words",
    name="hours in words",
    rationale=(
        "A time of day has one meaning; the parts of the day that have names are declared by the pack, with "
        "their weekdays."
    ),
    phase=Phase.VALUES,
    safety="declared",
    check=check,
)
