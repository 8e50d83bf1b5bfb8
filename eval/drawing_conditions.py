"""Conditions drawn at random: every kind of field, every operator, values that occur or do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from groundframe.eval.oracle.world import World
from groundframe.schema.model import Entity, EntityField

__all__ = ["draw_attribute", "draw_temporal"]

Pick = Callable[[Sequence[Any]], Any]
Data = dict[str, Any]

OPERATORS = {
    "category": ("eq", "ne", "in", "not_in", "is_null", "not_null"),
    "category_list": ("contains", "contains", "is_null", "not_null"),
    "text": ("eq", "ne", "contains", "in", "is_null"),
    "number": ("eq", "ne", "lt", "lte", "gt", "gte", "between", "is_null", "not_null"),
    "integer": ("eq", "ne", "lt", "lte", "gt", "gte", "between", "in"),
    "boolean": ("eq", "ne", "is_null"),
}
HOURS = ("00:00", "01:30", "06:00", "07:00", "10:00", "12:00", "16:30", "20:00", "22:00", "23:59")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def draw_attribute(world: World, entity: Entity, pick: Pick) -> Iterator[Data]:
    """One condition on a feature of the entity; none where the entity has nothing to test."""
    kind = pick(["field", "field", "field", "concept", "any_of"])
    negate = {"negate": True} if pick([True, False, False, False]) else {}
    concepts = [concept for concept in world.pack.concepts if concept.entity == entity.name]
    fields = [
        one for one in entity.fields if one.type in OPERATORS and not one.internal and one.name != "source"
    ]
    if kind == "concept" and concepts:
        concept = pick(concepts)
        yield {"concept": concept.name, "variant": pick(list(concept.variants)), **negate}
    elif kind == "any_of" and fields:
        yield {
            "any_of": [_field_test(world, entity, pick(fields), pick) for _ in range(pick([2, 3]))],
            **negate,
        }
    elif fields:
        yield {**_field_test(world, entity, pick(fields), pick), **negate}


def _field_test(world: World, entity: Entity, field: EntityField, pick: Pick) -> Data:
    operator = pick(OPERATORS[field.type])
    test: Data = {"field": field.name, "operator": operator}
    if operator in ("is_null", "not_null"):
        return test
    values = _values(world, entity, field, made_up=field.name != entity.name_field or operator == "contains")
    if operator in ("in", "not_in"):
        return {**test, "value": sorted({pick(values) for _ in range(pick([1, 2, 3]))})}
    if operator == "between":
        return {**test, "value": sorted([pick(values), pick(values)])}
    value = pick(values)
    if operator == "contains" and field.type == "text":
        value = value[pick([0, 1, 2]) :][: pick([1, 3, 8])] or value
    return {**test, "value": value}


def _values(world: World, entity: Entity, field: EntityField, *, made_up: bool) -> list[Any]:
    """Values that a condition may name: the vocabulary, or some that occur."""
    if field.values:
        return [value.value for value in field.values]
    occurring = {feature.values.get(field.name) for feature in world.features[entity.name].values()} - {None}
    some: list[Any] = sorted(occurring, key=str)[:: max(1, len(occurring) // 20)]
    if field.type == "text":
        return [*some, "%", "_"] if made_up or not some else some
    return some or [1]


def draw_temporal(world: World, entity: Entity, pick: Pick) -> Data:
    """Days, years, months, weekdays and hours, also past midnight, one or several at once."""
    days = sorted(
        {
            _day(feature.values.get(entity.date_field or ""))
            for feature in world.features[entity.name].values()
        }
    )
    days = [day for day in days if day][:: max(1, len(days) // 40)] or ["2024-01-01"]
    first, last = sorted([pick(days), pick(days)])
    parts: list[Data] = [
        {"from": first, "to": last},
        {"from": first},
        {"to": last},
        {"years": sorted({int(first[:4]), int(last[:4])})},
        {"months": sorted({pick(range(1, 13)), pick(range(1, 13))})},
        {"weekdays": [pick(WEEKDAYS)]},
    ]
    starts, ends = (pick(HOURS), pick(HOURS)), (pick([*HOURS, "24:00"]), pick([*HOURS, "24:00"]))
    spans = [{"from": start, "to": end} for start, end in zip(starts, ends, strict=True) if start != end]
    if entity.time_field and spans:
        parts += [{"hours": spans[0]}] * 3 + [{"hours": spans}] * 2
    chosen = pick(parts)
    return {**chosen, **(pick(parts) if pick([True, False]) else {})}


def _day(value: date | None) -> str:
    return "" if value is None else value.isoformat()
