"""Rows of an answer: features of the primary, or groups of them (docs/checked_frames.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from itertools import product

from groundframe.eval.oracle.checked import given
from groundframe.eval.oracle.conditions import meets_temporal
from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.feature import Feature
from groundframe.frames.model import GroupBy
from groundframe.schema.model import Pack

__all__ = ["WEEKDAYS", "Group", "groups_of"]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(slots=True)
class Group:
    """One row in the making: key (None for a group), grouping values, and keys of its features by target."""

    key: str | None
    values: tuple[object, ...] = ()
    members: dict[str, set[str]] = field(default_factory=dict)

    def add(self, role: str, keys: Iterable[str]) -> None:
        """Take features of a target in; one that is there already counts once."""
        self.members.setdefault(role, set()).update(keys)


def groups_of(found: Evaluation, partners: Mapping[str, Mapping[str, set[str]]]) -> list[Group]:
    """The rows: one per feature of the primary, or one per group.

    `partners` are, per target and primary, keys of the features that belong to it. Where a target other than
    the primary is grouped, each pair of a primary and such a feature is in the group of its values.
    """
    frame, root = found.frame, found.root.id
    primary = {feature.key: feature for feature in found.meets[root]}
    if not frame.group_by:
        return [Group(key, (), {role: known[key] for role, known in partners.items()}) for key in primary]
    other = next((by.target_role for by in frame.group_by if by.target_role != root), root)
    features = found.world.features[found.nodes[other].what.entity]
    groups: dict[tuple[object, ...], Group] = {}
    for key, feature in primary.items():
        for far in [features[one] for one in sorted(partners[other][key])]:
            sides = [feature if by.target_role == root else far for by in frame.group_by]
            values_of = [
                _values(found.pack, side, by) for side, by in zip(sides, frame.group_by, strict=True)
            ]
            for values in product(*values_of):
                group = groups.setdefault(values, Group(None, values))
                group.add(root, [key])
                group.add(other, [far.key])
                for role, known in partners.items():
                    if role not in (root, other):
                        group.add(role, known[key])
    if _ranks_periods(found, partners):
        return _with_empty(found, groups)
    return list(groups.values())


def _ranks_periods(found: Evaluation, partners: Mapping[str, Mapping[str, set[str]]]) -> bool:
    """Whether the lowest number of something by one part of the time is asked for."""
    frame = found.frame
    ranking = frame.ranking
    if ranking is None or ranking.order != "lowest" or len(frame.group_by) != 1:
        return False
    by = frame.group_by[0]
    metric = next(one for one in frame.measures if one.name == ranking.metric)
    counts = metric.measure not in ("mean", "min", "max", "median")
    return by.time is not None and by.target_role == metric.target_role == found.root.id and counts


def _with_empty(found: Evaluation, groups: dict[tuple[object, ...], Group]) -> list[Group]:
    """The groups that are known, and those of the same time in which other features of the kind lie."""
    by, root = found.frame.group_by[0], found.root.id
    times = [one for one in found.frame.temporal_constraints if one.target_role == root]
    for feature in found.world.features[found.root.what.entity].values():
        if all(meets_temporal(found.pack, feature, one) for one in times):
            values = tuple(_values(found.pack, feature, by))
            groups.setdefault(values, Group(None, values)).add(root, [])
    return [group for group in groups.values() if group.values != (None,)]


def _values(pack: Pack, feature: Feature, by: GroupBy) -> set[object]:
    """The groups that a feature is in; several for a list, none for an empty one."""
    entity = pack.entity(feature.entity)
    if by.entity is not None:
        return {feature.links[entity.links_to(by.entity)[0].name]}
    if by.time is not None:
        day = feature.values.get(entity.date_field or "")
        return {_bucket(by.time, day, feature.values.get(entity.time_field or ""))}
    grouped = entity.field(given(by.field))
    value = feature.values.get(grouped.name)
    unknown = grouped.unknown_values[0] if grouped.unknown_values else None
    members = value if isinstance(value, tuple) else (value,)
    return {unknown if member is None or member in grouped.unknown_values else member for member in members}


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
        case "month_of_year":
            return day.month
        case "weekday":
            return WEEKDAYS[day.weekday()]
    raise ValueError(f"time bucket {unit}")
