"""From conditions, as frames and packs write them, to predicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time
from typing import Any

from groundframe.compiler.predicates import (
    TRUE,
    Compare,
    Equals,
    IsNull,
    IsUnknownValue,
    Not,
    Overlaps,
    PartIn,
    Plain,
    Predicate,
    TextContains,
    Undecided,
    both,
    either,
)
from groundframe.errors import PlanError
from groundframe.frames.model import AttributeConstraint, Hours, TemporalConstraint
from groundframe.schema.model import Entity, EntityField, Pack
from groundframe.schema.predicate import Condition

__all__ = ["WEEKDAYS", "attribute", "concept", "condition", "field_test", "temporal"]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def attribute(constraint: AttributeConstraint, entity: Entity, pack: Pack) -> Predicate:
    """The predicate of a checked attribute constraint."""
    if constraint.any_of:
        found = either(*(attribute(part, entity, pack) for part in constraint.any_of))
    elif constraint.concept is not None:
        found = concept(constraint.concept, constraint.variant, entity, pack)
    elif constraint.field is not None:
        found = field_test(entity.field(constraint.field), constraint.operator or "eq", constraint.value)
    else:
        raise PlanError(f"A condition on {entity.name} names neither field nor concept.")
    return Not(found) if constraint.negate else found


def concept(name: str, variant: str | None, entity: Entity, pack: Pack) -> Predicate:
    """The predicate of a concept; what a row's source does not tell is skipped.

    A field counts as told where the entity has no sources in the pack, and where the field is carried from a
    linked feature.
    """
    definition = pack.concept(name).variant(variant).condition
    sources = {source.name for source in pack.sources if source.entity == entity.name}
    if not definition.any_of or not sources:
        return condition(definition, entity)

    parts: list[Predicate] = []
    tellers: list[set[str]] = []
    for part in definition.any_of:
        fields = [entity.field(field) for field in part.fields()]
        told = sources.intersection(
            *(pack.providers(entity.name, field.name) for field in fields if field.carries is None)
        )
        tellers.append(told)
        test = condition(part, entity)
        parts.append(test if told == sources else both(_from(told), test))
    silent = sources.difference(*tellers)
    if all(told == sources for told in tellers):
        found = either(*parts)
    else:
        anyone = sources - silent
        found = either(*parts, both(Not(_from(anyone)), Undecided()))
    return Not(found) if definition.negate else found


def _from(sources: Iterable[str]) -> Predicate:
    return Equals("source", tuple(sorted(sources)))


def condition(given: Condition, entity: Entity) -> Predicate:
    """The predicate of a pack's condition."""
    if given.field is not None:
        found = field_test(entity.field(given.field), given.operator, given.value)
    elif given.any_of:
        found = either(*(condition(part, entity) for part in given.any_of))
    else:
        found = both(*(condition(part, entity) for part in given.all_of))
    return Not(found) if given.negate else found


def field_test(field: EntityField, operator: str, value: Any) -> Predicate:
    """One test of one field; `value` is canonical and in the field's unit.

    Examples
    --------
    >>> from groundframe.schema.model import EntityField
    >>> field_test(EntityField(name="aadt", type="integer", label="AADT"), "between", [100, 200]).parts[1]
    Compare(field='aadt', comparison='lte', value=200, unknown=())
    """
    unknown = tuple(field.unknown_values)
    match operator:
        case "is_null":
            return IsNull(field.name)
        case "not_null":
            return Not(IsNull(field.name))
        case "eq" | "in":
            return _one_of(field, _list(value))
        case "ne" | "not_in":
            return Not(_one_of(field, _list(value)))
        case "contains" if field.type == "category_list":
            return _one_of(field, _list(value))
        case "contains":
            return TextContains(field.name, str(value), unknown)
        case "lt" | "lte" | "gt" | "gte":
            return Compare(field.name, operator, _plain(field, value), unknown)
        case "between":
            low, high = _list(value)
            ends: list[Predicate] = []
            if low is not None:
                ends.append(Compare(field.name, "gte", _plain(field, low), unknown))
            if high is not None:
                ends.append(Compare(field.name, "lte", _plain(field, high), unknown))
            return both(*ends)
    raise PlanError(f"There is no operator '{operator}' for {field.name}.")


def _one_of(field: EntityField, values: Sequence[Any]) -> Predicate:
    unknown = tuple(field.unknown_values)
    is_list = field.type == "category_list"
    known = tuple(_plain(field, value) for value in values if value not in unknown)
    parts: list[Predicate] = []
    if known:
        parts.append((Overlaps if is_list else Equals)(field.name, known, unknown))
    if len(known) < len(values):
        parts.append(IsUnknownValue(field.name, unknown, is_list))
    return either(*parts)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _plain(field: EntityField, value: Any) -> Plain:
    match field.type:
        case "date":
            return value if isinstance(value, date) else date.fromisoformat(str(value))
        case "time_of_day":
            return value if isinstance(value, time) else _time(str(value))
        case "number":
            return float(value)
        case "integer" | "boolean":
            plain: Plain = value
            return plain
    return str(value)


def _time(text: str) -> time:
    return time.max if text == "24:00" else time.fromisoformat(text)


def temporal(constraint: TemporalConstraint, entity: Entity) -> Predicate:
    """The predicate of a checked temporal constraint (DESIGN §7.7).

    One of the spans of hours must hold. Hours that pass midnight belong to the weekday on which they begin;
    from, to, years and months go by the feature's own date.
    """
    when = entity.date_field
    days = tuple(sorted({WEEKDAYS.index(day) + 1 for day in constraint.weekdays}))
    parts: list[Predicate] = []
    if when is not None:
        if constraint.from_ is not None:
            parts.append(Compare(when, "gte", date.fromisoformat(constraint.from_)))
        if constraint.to is not None:
            parts.append(Compare(when, "lte", date.fromisoformat(constraint.to)))
        if constraint.years:
            parts.append(_years(when, sorted({int(year) for year in constraint.years})))
        if constraint.months:
            parts.append(PartIn(when, "month", tuple(sorted({int(month) for month in constraint.months}))))
        if days and constraint.hours is None:
            parts.append(PartIn(when, "weekday", days))
    if spans := constraint.spans():
        parts.append(either(*(_hours(span, days, entity) for span in spans)))
    if not parts:
        raise PlanError(f"A temporal constraint on {entity.name} says nothing that its fields can answer.")
    return both(*parts)


def _years(when: str, years: Sequence[int]) -> Predicate:
    """Ranges of days, which an index answers; years that follow each other are one range."""
    ranges: list[list[int]] = []
    for year in years:
        if ranges and ranges[-1][1] == year - 1:
            ranges[-1][1] = year
        else:
            ranges.append([year, year])
    return either(
        *(
            both(Compare(when, "gte", date(first, 1, 1)), Compare(when, "lte", date(last, 12, 31)))
            for first, last in ranges
        )
    )


def _hours(hours: Hours, days: tuple[int, ...], entity: Entity) -> Predicate:
    if entity.time_field is None or (days and entity.date_field is None):
        raise PlanError(f"{entity.name} has no time of day to compare.")
    field, start, end = entity.time_field, _time(str(hours.from_)), str(hours.to)
    evening: Predicate = Compare(field, "gte", start)
    # 24:00 is no time of day but the end of all of them.
    morning: Predicate = Compare(field, "lte" if end == "24:00" else "lt", _time(end))
    on = PartIn(entity.date_field, "weekday", days) if days and entity.date_field else TRUE
    if start <= _time(end):
        return both(evening, morning, on)
    if not days or entity.date_field is None:
        return either(evening, morning)
    after = PartIn(entity.date_field, "weekday", tuple(sorted(day % 7 + 1 for day in days)))
    return either(both(evening, on), both(morning, after))
