"""Periods in the words of the question, wherever in a temporal constraint they stand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import DateError
from groundframe.frames.model import TemporalConstraint
from groundframe.frames.phrases import When, parse_back, parse_named, parse_when
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule

OPEN_END = frozenset({"now", "today", "present", "the present", "date", "current", "the newest", "latest"})
MOST_YEARS = 100


def check(context: Context) -> Iterator[Finding]:
    """Take phrases such as "since 2020", "2020 to 2023" or "last 5 years" apart into the parts they mean."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _ends(context, path, constraint)
        yield from _last(context, path, constraint)
        yield from _years(context, path, constraint)
        yield from _months(context, path, constraint)


def _ends(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    """What ``from`` and ``to`` say beyond one day or period; what says nothing is reported with the days."""
    for name, text in (("from", constraint.from_), ("to", constraint.to)):
        if text is None or _is_plain(context, text):
            continue
        if name == "to" and text.strip().casefold() in OPEN_END:
            message = f"Up to '{text}' is up to the newest date of the data; the end was left open."
            yield Edit(f"{path}/to", text, None, message, (Put(f"{path}/to", None),), "declared")
            continue
        try:
            when = parse_when(text, context.season)
        except DateError:
            continue
        parts = _parts(when)
        taken = {
            "from": constraint.from_ if name != "from" else None,
            "to": constraint.to if name != "to" else None,
            "last": constraint.last,
        }
        if any(taken[part] not in (None, text) for part in parts):
            continue
        if name == "to" and "to" in parts and any(taken[part] == text for part in parts):
            # Said twice: the start takes both ends.
            message = f"'{text}' is said at the start already."
            yield Edit(
                f"{path}/to", text, parts["to"], message, (Put(f"{path}/to", parts["to"]),), "declared"
            )
            continue
        yield _moved(path, name, text, {name: None, **parts})


def _last(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    text = constraint.last
    if not isinstance(text, str):
        return
    action = 'Write {"count": 5, "unit": "year"}.'
    try:
        back = parse_back(text)
        parts = _parts(When(back=back) if back else parse_when(text, context.season))
    except DateError as error:
        yield Issue("not_a_period", f"{path}/last", f"{error}.", nearest=error.nearest, action=action)
        return
    if (constraint.from_ is not None or constraint.to is not None) and set(parts) != {"last"}:
        message = f"'{text}' is a period of its own, and 'from' or 'to' is given as well."
        yield Issue("not_a_period", f"{path}/last", message, action="Say when once.")
        return
    yield _moved(path, "last", text, {"last": None, **parts})


def _years(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    """Years as text, and spans of years; what is no whole number of years becomes a period."""
    if not any(isinstance(year, str) for year in constraint.years):
        return
    years: list[int] = []
    for number, year in enumerate(constraint.years):
        if isinstance(year, int):
            years.append(year)
            continue
        try:
            when = parse_when(year, context.season)
        except DateError as error:
            where = f"{path}/years/{number}"
            yield Issue(
                "not_a_year", where, f"{error}.", nearest=error.nearest, action="Write years as 2025."
            )
            return
        if _whole_years(when) and when.first and when.last:
            years += range(when.first.year, when.last.year + 1)
        elif len(constraint.years) == 1 and _is_free(constraint):
            yield _moved(path, "years", [year], {"years": [], **_parts(when)})
            return
        else:
            message = f"'{year}' is no year."
            yield Issue("not_a_year", f"{path}/years/{number}", message, action="Say it in 'from' and 'to'.")
            return
    if len(years) <= MOST_YEARS:
        yield _moved(path, "years", list(constraint.years), {"years": sorted(set(years))})


def _months(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    """Months that come with their year."""
    dated: list[tuple[date, date]] = []
    for month in constraint.months:
        try:
            when = parse_when(str(month), context.season) if isinstance(month, str) else When()
        except DateError:
            return
        if when.first is None or when.last is None:
            return
        dated.append((when.first, when.last))
    if not dated or not _is_free(constraint):
        return
    before = list(constraint.months)
    if len(dated) == 1:
        yield _moved(path, "months", before, {"months": [], **_parts(When(*dated[0]))})
        return
    years = {day.year for ends in dated for day in ends}
    months = sorted({month for first, last in dated for month in range(first.month, last.month + 1)})
    if len(years) == 1 and not constraint.years:
        yield _moved(path, "months", before, {"months": months, "years": sorted(years)})


def _is_plain(context: Context, text: str) -> bool:
    """Whether the text is one period, of which each end is taken where it stands."""
    try:
        parse_named(text, context.season)
    except DateError:
        return False
    return True


def _is_free(constraint: TemporalConstraint) -> bool:
    """Whether nothing else says between which days."""
    return constraint.from_ is None and constraint.to is None and constraint.last is None


def _whole_years(when: When) -> bool:
    first, last = when.first, when.last
    if first is None or last is None or last.year - first.year >= MOST_YEARS:
        return False
    return (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)


def _parts(when: When) -> dict[str, Any]:
    """The parts of a temporal constraint that say the same."""
    parts: dict[str, Any] = {}
    if when.first is not None:
        parts["from"] = when.first.isoformat()
    if when.last is not None:
        parts["to"] = when.last.isoformat()
    if when.back is not None:
        parts["last"] = {"count": when.back[0], "unit": when.back[1]}
    return parts


def _moved(path: str, name: str, before: Any, parts: dict[str, Any]) -> Edit:
    after = {part: value for part, value in parts.items() if value not in (None, [])}
    said = before if isinstance(before, str) else ", ".join(map(str, before))
    message = f"'{said}' is {' '.join(_words(part, value) for part, value in after.items())}."
    puts = tuple(Put(f"{path}/{part}", value) for part, value in parts.items())
    return Edit(f"{path}/{name}", before, after, message, puts, "declared")


def _words(part: str, value: Any) -> str:
    match part:
        case "last":
            return (
                f"the last {value['count']} {value['unit']}{'s' if value['count'] != 1 else ''} of the data"
            )
        case "years" | "months":
            return f"{part} {', '.join(map(str, value))}"
    return f"{part} {value}"


RULE = Rule(
    id="temporal_phrases",
    name="a period in the words of the question",
    rationale=(
        "'Since', 'before', a span and 'the last years' each say one thing; what depends on the day of "
        "asking is not guessed."
    ),
    phase=Phase.VALUES,
    safety="declared",
    check=check,
)
