"""Conditions on the date or time field, which are temporal constraints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.dates import DateError, parse_hour, parse_spans
from groundframe.frames.model import AttributeConstraint
from groundframe.frames.phrases import Season, parse_named, parse_when
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
        if condition.operator == "between" and len(_listed(condition)) != 2:
            continue  # reported with the operators
        if path.count("/") > 2 or condition.negate:
            message = f"'{field.name}' inside an 'any_of' or negated is not supported."
            action = "Say when in 'temporal_constraints'."
            yield Issue("unsupported_date_test", path, message, action=action)
            continue
        try:
            when = _days(condition, context.season) if field.type == "date" else _hours(condition)
        except DateError as error:
            action = 'Write "2025-01-06" or "07:00".'
            yield Issue("not_a_date", f"{path}/value", f"{error}.", nearest=error.nearest, action=action)
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


def _listed(condition: AttributeConstraint) -> list[Any]:
    return condition.value if isinstance(condition.value, list) else [condition.value]


def _days(condition: AttributeConstraint, season: Season) -> dict[str, Any] | None:
    """The period that a test of the date field means."""
    value, operator = condition.value, condition.operator
    if operator == "between" and isinstance(value, list):
        low, high = (parse_named(str(one), season) for one in value)
        return {"from": low[0].isoformat(), "to": high[1].isoformat()}
    if operator == "in" and isinstance(value, list):
        years = [parse_named(str(one), season) for one in value]
        whole = all((a.day, a.month, b.day, b.month) == (1, 1, 31, 12) and a.year == b.year for a, b in years)
        return {"years": sorted({first.year for first, _ in years})} if years and whole else None
    if isinstance(value, list):
        return None
    text = str(value)
    if operator in ("eq", "contains"):
        when = parse_when(text, season)
        ends = {"from": when.first, "to": when.last}
        said: dict[str, Any] = {name: day.isoformat() for name, day in ends.items() if day is not None}
        return said | ({"last": {"count": when.back[0], "unit": when.back[1]}} if when.back else {})
    first, last = parse_named(text, season)
    day = timedelta(days=1)
    match operator:
        case "gte":
            return {"from": first.isoformat()}
        case "gt":
            return {"from": (last + day).isoformat()}
        case "lte":
            return {"to": last.isoformat()}
        case "lt":
            return {"to": (first - day).isoformat()}
    return None


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
            spans = [{"from": first, "to": last} for first, last in parse_spans(str(value))]
            return {"hours": spans if len(spans) > 1 else spans[0]}
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
