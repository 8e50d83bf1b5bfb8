"""Conditions on the date or time field, which are temporal constraints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import DateError, parse_hour, parse_hours, parse_period
from groundframe.frames.model import AttributeConstraint
from groundframe.validator.context import Context
from groundframe.validator.findings import Add, Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Turn tests of the date and time fields into temporal constraints."""
    for path, condition, part_id in context.conditions():
        field, entity = context.field(condition, part_id), context.entity_of(part_id)
        if field is None or entity is None or field.type not in ("date", "time_of_day"):
            continue
        if condition.operator in ("is_null", "not_null"):
            continue
        if path.count("/") > 2 or condition.negate:
            message = f"'{field.name}' inside an 'any_of' or negated is not supported."
            action = "Say when in 'temporal_constraints'."
            yield Issue("unsupported_date_test", path, message, action=action)
            continue
        try:
            when = _days(condition) if field.type == "date" else _hours(condition)
        except DateError as error:
            yield Issue("not_a_date", f"{path}/value", f"{error}.", action='Write "2025-01-06" or "07:00".')
            continue
        if when is None:
            message = f"'{field.name}' cannot be tested with '{condition.operator}'."
            allowed = ("eq", "lt", "lte", "gt", "gte", "between")
            yield Issue("operator_type", f"{path}/operator", message, allowed)
            continue
        before = condition.model_dump(mode="json", exclude_defaults=True)
        message = f"A test of '{field.name}' is a temporal constraint; it was moved there."
        added = {"target_role": part_id, **when}
        yield Edit(
            path, before, added, message, (Drop(path), Add("/temporal_constraints", added)), "declared"
        )


def _days(condition: AttributeConstraint) -> dict[str, Any] | None:
    """The period that a test of the date field means."""
    value = condition.value
    if condition.operator == "between" and isinstance(value, list):
        return {"from": _first(value[0]).isoformat(), "to": _last(value[1]).isoformat()}
    if isinstance(value, list):
        return None
    day = timedelta(days=1)
    match condition.operator:
        case "eq":
            return {"from": _first(value).isoformat(), "to": _last(value).isoformat()}
        case "gte":
            return {"from": _first(value).isoformat()}
        case "gt":
            return {"from": (_last(value) + day).isoformat()}
        case "lte":
            return {"to": _last(value).isoformat()}
        case "lt":
            return {"to": (_first(value) - day).isoformat()}
    return None


def _first(value: object) -> date:
    return parse_period(str(value))[0]


def _last(value: object) -> date:
    return parse_period(str(value))[1]


def _hours(condition: AttributeConstraint) -> dict[str, Any] | None:
    """The span of hours that a test of the time field means; the end of a span is not part of it."""
    value = condition.value
    if condition.operator == "between" and isinstance(value, list):
        return {"hours": {"from": parse_hour(_clock(value[0])), "to": parse_hour(_clock(value[1]), end=True)}}
    if isinstance(value, list):
        return None
    match condition.operator:
        case "gte":
            return {"hours": {"from": parse_hour(_clock(value)), "to": "24:00"}}
        case "lt":
            return {"hours": {"from": "00:00", "to": parse_hour(_clock(value), end=True)}}
        case "eq":
            first, last = parse_hours(str(value))
            return {"hours": {"from": first, "to": last}}
    return None


def _clock(value: object) -> str | int:
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


RULE = Rule(
    id="date_fields",
    name="a date or time tested as a field",
    rationale=(
        "When is said in temporal constraints; the published frames test the field, and mean the same days."
    ),
    phase=Phase.VALUES,
    safety="declared",
    check=check,
)
