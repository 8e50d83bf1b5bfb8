"""Rows of an answer: features of the primary, or groups of them (docs/checked_frames.md)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from itertools import product

from groundframe.eval.oracle.checked import given
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
        for values in product(*(_values(pack, feature, by) for by in frame.group_by)):
            groups.setdefault(values, []).append(feature)
    for values, members in groups.items():
        yield None, values, members


def _values(pack: Pack, feature: Feature, by: GroupBy) -> set[object]:
    """The groups that a feature is in; several for a list, none for an empty one."""
    entity = pack.entity(feature.entity)
    if by.entity is not None:
        return {feature.links[entity.links_to(by.entity)[0].name]}
    if by.time is not None:
        day = feature.values.get(entity.date_field or "")
        return {_bucket(by.time, day, feature.values.get(entity.time_field or ""))}
    field = entity.field(given(by.field))
    value = feature.values.get(field.name)
    unknown = field.unknown_values[0] if field.unknown_values else None
    members = value if isinstance(value, tuple) else (value,)
    return {unknown if member is None or member in field.unknown_values else member for member in members}


def _bucket(unit: str, day: date | None, clock: time | None) -> object:
    if unit == "hour":
        return None if clock is None else clock.hour
    if day is None:
        return None
    match unit:
        case "year":
            return day.year
        case "quarter":
            return f"{day.year}-Q{(day.month + 2) // 3}"
        case "month":
            return f"{day:%Y-%m}"
        case "date":
            return day.isoformat()
        case "weekday":
            return WEEKDAYS[day.weekday()]
    raise ValueError(f"time bucket {unit}")
