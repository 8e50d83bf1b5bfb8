"""Rows of an answer: features of the primary, or groups of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time

from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.world import Feature
from groundframe.frames.model import Frame, GroupBy
from groundframe.schema.model import Pack

__all__ = ["groups_of"]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def groups_of(
    pack: Pack, frame: Frame, found: Evaluation
) -> Iterator[tuple[str | None, tuple[object, ...], list[Feature]]]:
    """Key (None for a group), grouping values and member features of every row."""
    primary = found.meets[found.root.id]
    if not frame.group_by:
        yield from ((feature.key, (), [feature]) for feature in primary)
        return
    groups: dict[tuple[object, ...], list[Feature]] = {}
    for feature in primary:
        groups.setdefault(tuple(_value(pack, feature, one) for one in frame.group_by), []).append(feature)
    for values, members in groups.items():
        yield None, values, members


def _value(pack: Pack, feature: Feature, by: GroupBy) -> object:
    entity = pack.entity(feature.entity)
    if by.field is not None:
        field = entity.field(by.field)
        value = feature.values.get(field.name)
        is_unknown = value is None or value in field.unknown_values
        return (field.unknown_values[0] if field.unknown_values else None) if is_unknown else value
    if by.entity is not None:
        link = entity.links_to(by.entity)[0]
        return feature.links[link.name]
    return _bucket(
        str(by.time), feature.values.get(entity.date_field or ""), feature.values.get(entity.time_field or "")
    )


def _bucket(unit: str, day: date | None, clock: time | None) -> object:
    if unit == "hour":
        return None if clock is None else clock.hour
    if day is None:
        return None
    match unit:
        case "year":
            return day.year
        case "month":
            return day.month
        case "weekday":
            return WEEKDAYS[day.weekday()]
    raise ValueError(f"time bucket {unit}")
