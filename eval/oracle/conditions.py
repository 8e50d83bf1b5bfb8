"""Whether one feature meets conditions on its own values (DESIGN §7.7 and §7.8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from typing import Any

from groundframe.eval.oracle.checked import given
from groundframe.eval.oracle.feature import Feature
from groundframe.eval.oracle.kleene import Truth, all_of, any_of, opposite
from groundframe.frames.model import AttributeConstraint, Hours, TemporalConstraint
from groundframe.schema.model import EntityField, Pack
from groundframe.schema.predicate import Condition

__all__ = ["meets_attribute", "meets_condition", "meets_temporal"]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def meets_attribute(pack: Pack, feature: Feature, constraint: AttributeConstraint) -> Truth:
    """Whether the feature meets a field test, a concept or any of several."""
    if constraint.any_of:
        found = any_of([meets_attribute(pack, feature, part) for part in constraint.any_of])
    elif constraint.concept is not None:
        found = _concept(pack, feature, constraint.concept, constraint.variant)
    else:
        field = pack.entity(feature.entity).field(given(constraint.field))
        found = _test(field, given(constraint.operator), constraint.value, feature.values.get(field.name))
    return opposite(found) if constraint.negate else found


def meets_condition(pack: Pack, feature: Feature, condition: Condition) -> Truth:
    """Whether the feature meets a condition of the pack."""
    if condition.field is not None:
        field = pack.entity(feature.entity).field(condition.field)
        found = _test(field, condition.operator, condition.value, feature.values.get(field.name))
    elif condition.any_of:
        found = any_of([meets_condition(pack, feature, part) for part in condition.any_of])
    else:
        found = all_of([meets_condition(pack, feature, part) for part in condition.all_of])
    return opposite(found) if condition.negate else found


def _concept(pack: Pack, feature: Feature, name: str, variant: str | None) -> Truth:
    """A concept; what the feature's source does not report says neither yes nor no."""
    condition = pack.concept(name).variant(variant).condition
    reported = set(pack.source(feature.source).provides)
    if not reported.intersection(condition.fields()):
        return None
    if condition.any_of:
        parts = tuple(part for part in condition.any_of if reported.intersection(part.fields()))
        condition = condition.model_copy(update={"any_of": parts})
    return meets_condition(pack, feature, condition)


def _test(field: EntityField, operator: str, wanted: Any, value: Any) -> Truth:
    match operator:
        case "is_null":
            return value is None
        case "not_null":
            return value is not None
        case "ne":
            return opposite(_test(field, "eq", wanted, value))
        case "in":
            return any_of([_test(field, "eq", one, value) for one in wanted])
        case "not_in":
            return opposite(_test(field, "in", wanted, value))
        case "between":
            low, high = wanted
            return all_of([_test(field, "gte", low, value), _test(field, "lte", high, value)])
    if field.type == "category_list":
        return _list_has(field, wanted, value)
    if operator == "eq" and wanted in field.unknown_values:
        return not _is_known(field, value)
    if not _is_known(field, value):
        return None
    wanted = _as_type_of(value, wanted)
    match operator:
        case "eq":
            return bool(value == wanted)
        case "lt":
            return bool(value < wanted)
        case "lte":
            return bool(value <= wanted)
        case "gt":
            return bool(value > wanted)
        case "gte":
            return bool(value >= wanted)
        case "contains":
            return str(wanted).casefold() in str(value).casefold()
    raise ValueError(f"operator {operator}")


def _list_has(field: EntityField, wanted: Any, value: Sequence[str] | None) -> Truth:
    """Whether one of the listed values is the wanted one; a listed unknown may be any value."""
    if value is None:
        return True if wanted in field.unknown_values else None
    return any_of([_member(field, wanted, one) for one in value])


def _member(field: EntityField, wanted: Any, one: str) -> Truth:
    if wanted in field.unknown_values:
        return one in field.unknown_values
    return None if one in field.unknown_values else one == wanted


def _is_known(field: EntityField, value: Any) -> bool:
    return value is not None and value not in field.unknown_values


def _as_type_of(value: Any, wanted: Any) -> Any:
    """Days and times of day are text in a frame."""
    if isinstance(value, date):
        return date.fromisoformat(wanted)
    return time.fromisoformat(wanted) if isinstance(value, time) else wanted


def meets_temporal(pack: Pack, feature: Feature, constraint: TemporalConstraint) -> Truth:
    """Whether the feature's own day and time of day meet the constraint."""
    entity = pack.entity(feature.entity)
    day = feature.values.get(entity.date_field or "")
    clock = feature.values.get(entity.time_field or "")
    parts: list[Truth] = []
    if constraint.from_ is not None:
        parts.append(None if day is None else day >= date.fromisoformat(constraint.from_))
    if constraint.to is not None:
        parts.append(None if day is None else day <= date.fromisoformat(constraint.to))
    if constraint.years:
        parts.append(None if day is None else day.year in constraint.years)
    if constraint.months:
        parts.append(None if day is None else day.month in constraint.months)
    if constraint.hours is not None:
        spans = constraint.hours if isinstance(constraint.hours, tuple) else (constraint.hours,)
        spelt = [span for span in spans if isinstance(span, Hours)]
        parts.append(any_of([_hours(span, constraint.weekdays, day, clock) for span in spelt]))
    elif constraint.weekdays:
        parts.append(_weekday(day, constraint.weekdays))
    return all_of(parts)


def _hours(hours: Hours, weekdays: Sequence[str], day: date | None, clock: time | None) -> Truth:
    """Hours from … up to, and the weekday that they belong to."""
    first, end = _minutes(str(hours.from_)), _minutes(str(hours.to))
    now = None if clock is None else clock.hour * 60 + clock.minute + clock.second / 60
    after = None if now is None else now >= first
    before = None if now is None else now < end
    if first < end:
        return all_of([after, before, _weekday(day, weekdays)])
    # The hours pass midnight: what lies after it belongs to the weekday on which they began.
    day_before = None if day is None else day - timedelta(days=1)
    evening = all_of([after, _weekday(day, weekdays)])
    morning = all_of([before, _weekday(day_before, weekdays)])
    return any_of([evening, morning])


def _weekday(day: date | None, weekdays: Sequence[str]) -> Truth:
    if not weekdays:
        return True
    return None if day is None else WEEKDAYS[day.weekday()] in weekdays


def _minutes(text: str) -> int:
    hour, minute = text.split(":")[:2]
    return int(hour) * 60 + int(minute)
