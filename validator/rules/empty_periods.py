"""Periods that are empty, or of what has no date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from groundframe.errors import Issue
from groundframe.frames.model import TemporalConstraint
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule


@dataclass(slots=True)
class _Days:
    """The days that are still possible; no years or months are all of them."""

    first: str = ""
    last: str = "9999"
    years: set[object] = field(default_factory=set)
    months: set[object] = field(default_factory=set)
    none: bool = False

    def is_empty(self) -> bool:
        """Whether no day is left."""
        if self.none or self.first > self.last:
            return True
        bounds = f"{self.first or '0001'}"[:4], self.last[:4]
        if self.years and not any(bounds[0] <= f"{year:04}" <= bounds[1] for year in self.years):
            return True
        if not self.months or not self.first or self.last == "9999":
            return False
        start, end = (int(day[:4]) * 12 + int(day[5:7]) - 1 for day in (self.first, self.last))
        in_reach = (
            at
            for at in range(start, min(end, start + 12 * 300) + 1)
            if not self.years or at // 12 in self.years
        )
        return not any(at % 12 + 1 in self.months for at in in_reach)


def check(context: Context) -> Iterator[Finding]:
    """Report periods that hold no day or hour, alone or together, say nothing, or are of what has no date."""
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
        for hours in constraint.spans():
            if hours.from_ == hours.to:
                message = (
                    f"The hours from {hours.from_} to {hours.to} are empty; the end is not part of them."
                )
                action = "Leave them out for the whole day."
                yield Issue("empty_period", f"{path}/hours", message, action=action)
    yield from _together(context)


def _together(context: Context) -> Iterator[Finding]:
    """Days, years and months of one target that leave no day between them."""
    left: dict[str, _Days] = {}
    for number, constraint in enumerate(context.frame.temporal_constraints):
        first, last = constraint.from_ or "", constraint.to or "9999"
        years: set[object] = set(constraint.years)
        months: set[object] = set(constraint.months)
        spelt = all(isinstance(one, int) for one in (*years, *months))
        if (
            first > last
            or not spelt
            or not all(_day(one) for one in (constraint.from_, constraint.to) if one)
        ):
            continue
        days = left.setdefault(constraint.target_role or "", _Days())
        before = days.is_empty()
        days.first, days.last = max(days.first, first), min(days.last, last)
        days.years = days.years & years if days.years and years else days.years or years
        days.months = days.months & months if days.months and months else days.months or months
        days.none |= (bool(constraint.years) and not days.years) or (
            bool(constraint.months) and not days.months
        )
        if not before and days.is_empty():
            message = f"No day meets everything that is said about when of '{constraint.target_role}'."
            action = "Leave one of the periods out, or correct the year."
            yield Issue("contradiction", f"/temporal_constraints/{number}", message, action=action)


def _has_date(context: Context, path: str, constraint: TemporalConstraint) -> Iterator[Finding]:
    entity = context.entity_of(constraint.target_role)
    if entity is None:
        return
    dated = tuple(
        str(t.id) for t in context.frame.targets if (e := context.entity(t.entity)) and e.date_field
    )
    if entity.date_field is None:
        action = "" if dated else "Add a target that has one, or leave the period out."
        yield Issue("no_date", f"{path}/target_role", f"{entity.one} has no date.", dated, action=action)
    elif constraint.hours is not None and entity.time_field is None:
        yield Issue(
            "no_date", f"{path}/hours", f"{entity.one} has no time of day.", action="Leave 'hours' out."
        )


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
