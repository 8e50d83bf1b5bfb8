"""The answer: rows with their numbers in order, and the counts that go with them (DESIGN §7.5, §7.6)."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from groundframe.eval.oracle.checked import counted, given
from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.groups import WEEKDAYS, Group, groups_of
from groundframe.eval.oracle.measures import Number, measure_of, split_of
from groundframe.eval.oracle.result import OracleAnswer, OracleRow
from groundframe.eval.oracle.tally import nearest_tied, not_mapped, taking_part, unknown_left_out
from groundframe.eval.oracle.tree import Node
from groundframe.eval.oracle.world import World
from groundframe.frames.model import Frame, Having

__all__ = ["answer", "answer_of"]

COMPARE = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


def answer(world: World, frame: Frame) -> OracleAnswer:
    """Answer a checked frame."""
    return answer_of(Evaluation(world, frame))


def answer_of(found: Evaluation) -> OracleAnswer:
    """The answer to a frame that was evaluated."""
    frame = found.frame
    roles = {found.root.id, *(given(one.target_role) for one in frame.measures)}
    roles |= {one.target_role for one in frame.group_by}
    partners = {role: _partners(found, found.nodes[role]) for role in sorted(roles)}
    rows = [_row(found, group) for group in groups_of(found, partners)]
    rows = [row for row in rows if all(_has(row.measures, condition) for condition in frame.having)]
    ordered, tied = _cut(frame, _ordered(frame, rows))
    return OracleAnswer(
        rows=tuple(ordered),
        matched=len(found.meets[found.root.id]),
        not_mapped=not_mapped(found),
        unknown_left_out=unknown_left_out(found),
        taking_part=taking_part(found),
        ties_at_cut=tied or nearest_tied(found),
    )


def _partners(found: Evaluation, node: Node) -> dict[str, set[str]]:
    """Per primary, keys of the node's features that belong to it along the way from the primary."""
    if node is found.root:
        return {feature.key: {feature.key} for feature in found.meets[found.root.id]}
    edges = (edge for parent in found.nodes.values() for edge in parent.edges)
    edge = next(edge for edge in edges if edge.child is node and not edge.negate)
    below: dict[str, set[str]] = {}
    for here, there in found.related(edge):
        below.setdefault(here, set()).add(there)
    fit = {feature.key for feature in found.meets[edge.parent.id]}
    return {
        primary: {key for middle in keys if middle in fit for key in below.get(middle, ())}
        for primary, keys in _partners(found, edge.parent).items()
    }


def _row(found: Evaluation, group: Group) -> OracleRow:
    world, measures = found.world, found.frame.measures
    features = {
        role: [world.features[found.nodes[role].what.entity][key] for key in sorted(keys)]
        for role, keys in group.members.items()
    }
    return OracleRow(
        key=group.key,
        group=group.values,
        measures={
            given(one.name): measure_of(world.pack, one, features[given(one.target_role)]) for one in measures
        },
        split={role: split_of(world.pack, features[role]) for role in _counted(found)},
        distance_m=found.distances.get(group.key or ""),
    )


def _counted(found: Evaluation) -> set[str]:
    """The targets of which a row counts several features; each count comes with its split (DESIGN §7.12)."""
    counts = [one for one in found.frame.measures if one.measure not in ("mean", "min", "max", "median")]
    roles = {given(one.target_role) for one in counts}
    return roles if found.frame.group_by else roles - {found.root.id}


def _has(measures: Mapping[str, Number], condition: Having) -> bool:
    value = measures[condition.measure]
    return value is not None and bool(COMPARE[condition.operator](value, condition.value))


def _ordered(frame: Frame, rows: list[OracleRow]) -> list[OracleRow]:
    """By the metric, or by distance from what they are nearest to, and always by key in the end."""
    metric, sign = (None, 1) if frame.ranking is None else (frame.ranking.metric, 1)
    if frame.ranking is not None and frame.ranking.order == "highest":
        sign = -1

    def place(row: OracleRow) -> Any:
        value = None if metric is None else row.measures[metric]
        number = (value is None, 0 if value is None else sign * value)
        far = (row.distance_m is None, row.distance_m or 0.0)
        group = tuple(
            (value is None, WEEKDAYS.index(value) if value in WEEKDAYS else value) for value in row.group
        )
        return (number, group, row.key or "") if metric else (far, group, row.key or "")

    return sorted(rows, key=place)


def _cut(frame: Frame, rows: list[OracleRow]) -> tuple[list[OracleRow], bool]:
    """The rows that the ranking keeps, and whether one after them is level with the last."""
    ranking = frame.ranking
    if ranking is None:
        return rows, False
    limit = len(rows) if ranking.top_n is None else counted(ranking.top_n)
    kept, rest = rows[:limit], rows[limit:]
    level = [
        row for row in rest if kept and row.measures[ranking.metric] == kept[-1].measures[ranking.metric]
    ]
    if ranking.include_ties:
        kept, level = kept + level, []
    ranked = [
        OracleRow(row.key, row.group, place, row.measures, row.split, row.distance_m)
        for place, row in enumerate(kept, start=1)
    ]
    return ranked, bool(level)
