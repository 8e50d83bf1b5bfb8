"""Periods that are empty, or of what has no date."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Hours, TemporalConstraint
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Report periods that hold no day or no hour, say nothing, or are about an entity without a date."""
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _has_date(context, path, constraint)
        days = constraint.from_ or constraint.to or constraint.last or constraint.years or constraint.months
        if not (days or constraint.weekdays or constraint.hours):
            yield Issue(
                "empty_period", path, "This temporal constraint says nothing.", action="Leave it out."
            )
        if (
            constraint.from_
            and constraint.to
            and _day(constraint.from_)
            and _day(constraint.to)
            and constraint.from_ > constraint.to
        ):
            message = f"The period from {constraint.from_} to {constraint.to} is empty."
            yield Issue(
                "empty_period", f"{path}/from", message, action="Swap the two days, or correct the year."
            )
        hours = constraint.hours
        if isinstance(hours, Hours) and hours.from_ == hours.to:
            message = f"The hours from {hours.from_} to {hours.to} are empty; the end is not part of them."
            yield Issue("empty_period", f"{path}/hours", message, action="Leave them out for the whole day.")


def _has_date(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    entity = context.entity_of(constraint.target_role)
    if entity is None:
        return
    dated = tuple(
        str(t.id) for t in context.frame.targets if (e := context.entity(t.entity)) and e.date_field
    )
    if entity.date_field is None:
        yield Issue("no_date", f"{path}/target_role", f"A {entity.label} has no date.", dated)
    elif constraint.hours is not None and entity.time_field is None:
        yield Issue("no_date", f"{path}/hours", f"A {entity.label} has no time of day.")


def _day(text: str) -> bool:
    return len(text) == len("2025-01-06") and text[4] == text[7] == "-"


RULE = Rule(
    id="empty_periods",
    name="a period without a day",
    rationale="An empty period finds nothing; which of its ends is wrong is for the planner.",
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
