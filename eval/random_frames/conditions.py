"""Conditions drawn at random: every kind of field, every operator, values that occur or do not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from groundframe.eval.oracle.world import World
from groundframe.eval.random_frames.choices import Pick
from groundframe.eval.random_frames.sketch import Data
from groundframe.frames.terms import PERIOD_UNITS, WEEKDAYS
from groundframe.schema.model import Entity, EntityField

__all__ = ["draw_attribute", "draw_temporal"]

OPERATORS = {
    "category": ("eq", "ne", "in", "not_in", "is_null", "not_null"),
    "category_list": ("contains", "contains", "is_null", "not_null"),
    "text": ("eq", "ne", "contains", "in", "not_in", "is_null"),
    "number": ("eq", "ne", "lt", "lte", "gt", "gte", "between", "is_null", "not_null"),
    "integer": ("eq", "ne", "lt", "lte", "gt", "gte", "between", "in", "not_in"),
    "boolean": ("eq", "ne", "is_null"),
}
HOURS = ("00:00", "01:30", "06:00", "07:00", "10:00", "12:00", "16:30", "20:00", "22:00", "23:59")
LAST = {"day": (30, 90, 400), "week": (1, 10, 52), "month": (1, 6, 18), "year": (1, 3, 5)}
SHOWN = 40
"""So many of the values or days that occur are picked from."""


def draw_attribute(world: World, entity: Entity, pick: Pick) -> Iterator[Data]:
    """One condition on a feature of the entity; none where the entity has nothing to test."""
    kind = pick(["one", "one", "one", "any_of"])
    found = [_condition(world, entity, pick) for _ in range(1 if kind == "one" else pick([2, 3]))]
    parts = [part for part in found if part]
    if kind == "one" or len(parts) < 2:
        yield from parts[:1]
    else:
        yield {"any_of": parts, **_negated(pick)}


def _condition(world: World, entity: Entity, pick: Pick) -> Data:
    """A field test or a concept, as it is or negated; nothing where the entity has neither."""
    concepts = [concept for concept in world.pack.concepts if concept.entity == entity.name]
    fields = [one for one in entity.fields if one.type in OPERATORS and not one.internal]
    if concepts and pick([False, False, False, True]):
        concept = pick(concepts)
        return {"concept": concept.name, "variant": pick(list(concept.variants)), **_negated(pick)}
    return {**_field_test(world, entity, pick(fields), pick), **_negated(pick)} if fields else {}


def _negated(pick: Pick) -> Data:
    return {"negate": True} if pick([False, False, False, True]) else {}


def _field_test(world: World, entity: Entity, field: EntityField, pick: Pick) -> Data:
    operator = pick(OPERATORS[field.type])
    test: Data = {"field": field.name, "operator": operator}
    if operator in ("is_null", "not_null"):
        return test
    values = _values(world, entity, field, made_up=operator == "contains" or not _is_name(entity, field))
    if operator in ("in", "not_in"):
        return {**test, "value": sorted({pick(values) for _ in range(pick([1, 2, 3]))})}
    if operator == "between":
        return {**test, "value": sorted([pick(values), pick(values)])}
    value = pick(values)
    if operator == "contains" and field.type == "text":
        value = value[pick([0, 1, 2]) :][: pick([1, 3, 8])] or value
        value = value.swapcase() if pick([False, True]) else value
    return {**test, "value": value}


def _is_name(entity: Entity, field: EntityField) -> bool:
    """Whether only what occurs can be asked for."""
    return bool(field.names) or field.name == entity.name_field


def _values(world: World, entity: Entity, field: EntityField, *, made_up: bool) -> list[Any]:
    """Values that a condition may name: the vocabulary, or some that occur."""
    if field.values:
        return [value.value for value in field.values]
    occurring = {feature.values.get(field.name) for feature in world.features[entity.name].values()} - {None}
    some: list[Any] = sorted(occurring, key=str)[:: max(1, len(occurring) // SHOWN)]
    if field.type == "text":
        return [*some, "%", "_"] if made_up or not some else some
    return some or [1]


def draw_temporal(world: World, entity: Entity, pick: Pick) -> Data:
    """Days, years, months, weekdays and hours, also past midnight, one or several at once."""
    parts = [*_periods(world, entity, pick), {"weekdays": _some_weekdays(pick)}]
    if entity.time_field:
        spans = [{"hours": hours} for hours in _hours(pick)]
        parts += [*spans, *spans, *({**hours, "weekdays": _some_weekdays(pick)} for hours in spans)]
    chosen = pick(parts)
    return {**chosen, **(pick(parts) if pick([True, False]) else {})}


def _periods(world: World, entity: Entity, pick: Pick) -> list[Data]:
    field = entity.date_field or ""
    dates = {feature.values.get(field) for feature in world.features[entity.name].values()}
    known: list[date] = sorted(day for day in dates if day is not None)
    days = known[:: max(1, len(known) // SHOWN)] or [date(2024, 1, 1)]
    first, last = sorted([pick(days), pick(days)])
    unit = pick(PERIOD_UNITS)
    return [
        {"from": first.isoformat(), "to": last.isoformat()},
        {"from": first.isoformat()},
        {"to": last.isoformat()},
        {"last": {"count": pick(LAST[unit]), "unit": unit}},
        {"years": sorted({first.year, last.year})},
        {"months": sorted({pick(range(1, 13)), pick(range(1, 13))})},
    ]


def _some_weekdays(pick: Pick) -> list[str]:
    chosen = {pick(WEEKDAYS) for _ in range(pick([1, 2, 3]))}
    return [day for day in WEEKDAYS if day in chosen]


def _hours(pick: Pick) -> Iterator[Any]:
    """One span, and where two differ both of them."""
    spans = []
    for _ in range(2):
        start, end = pick(HOURS), pick([*HOURS, "24:00"])
        if start != end and {"from": start, "to": end} not in spans:
            spans.append({"from": start, "to": end})
    if spans:
        yield spans[0]
    if len(spans) > 1:
        yield spans
