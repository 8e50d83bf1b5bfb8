"""Periods counted back from the newest date of the data."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from dateutil.relativedelta import relativedelta

from groundframe.errors import Issue
from groundframe.frames.dates import iso_day
from groundframe.frames.model import Last
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Note, Phase, Put, Rule

MOST_YEARS = 200


def check(context: Context) -> Iterator[Finding]:
    """Write ``last`` out as ``from`` and ``to``, ending at the newest date of the entity's data."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        entity = context.entity_of(constraint.target_role)
        if not isinstance(constraint.last, Last) or entity is None or entity.date_field is None:
            continue
        path = f"/temporal_constraints/{number}"
        count, unit = constraint.last.count, constraint.last.unit
        if not isinstance(count, int) or unit not in ("day", "week", "month", "year"):
            continue
        if not 1 <= count <= MOST_YEARS * {"day": 366, "week": 53, "month": 12, "year": 1}[unit]:
            message = f"The last {_said(count, unit)} is no period."
            yield Issue(
                "last_range", f"{path}/last/count", message, action="Count 1 or more, up to 200 years."
            )
            continue
        if context.names is None:
            yield Note(
                f"The last {_said(count, unit)} end at the newest date of the data, which needs a database."
            )
            continue
        newest = context.names.newest_date(entity.name)
        if newest is None:
            yield Issue("no_dates", f"{path}/last", f"No {entity.label} in this dataset has a date.")
            continue
        first = newest - _length(count, unit) + timedelta(days=1)
        start = max(first, iso_day(constraint.from_) or first)
        end = min(newest, iso_day(constraint.to) or newest)
        message = f"The last {_said(count, unit)} of the data are {first} to {newest}."
        puts = (
            Put(f"{path}/last", None),
            Put(f"{path}/from", start.isoformat()),
            Put(f"{path}/to", end.isoformat()),
        )
        before = {"count": count, "unit": unit}
        after = {"from": start.isoformat(), "to": end.isoformat()}
        yield Edit(f"{path}/last", before, after, message, puts, "declared")
        yield Note(message)


def _said(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _length(count: int, unit: str) -> relativedelta:
    match unit:
        case "day":
            return relativedelta(days=count)
        case "week":
            return relativedelta(weeks=count)
        case "month":
            return relativedelta(months=count)
    return relativedelta(years=count)


RULE = Rule(
    id="last_period",
    name="a period counted back from now",
    rationale="The clock says nothing about the data; the last years end at its newest date (DESIGN §3).",
    phase=Phase.VALUES,
    safety="declared",
    check=check,
)
