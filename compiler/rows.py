"""The rows of an answer: features or groups with their measures, compared, ranked and shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from groundframe.compiler.build import Builder, paths, where
from groundframe.compiler.columns import Column, feature_columns, group_columns, measure_column
from groundframe.compiler.conditions import temporal
from groundframe.compiler.measures import Measured, measured, split_measures
from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    GroupKey,
    Having,
    JoinGroups,
    Op,
    Rank,
    Show,
    Side,
)
from groundframe.compiler.predicates import IsNull, Not, both
from groundframe.compiler.tree import Edge, Node
from groundframe.compiler.unsupported import unsupported
from groundframe.errors import PlanError
from groundframe.frames.model import Frame, GroupBy
from groundframe.frames.terms import TIME_BUCKETS

__all__ = ["DISTANCE", "Rows", "build_rows"]

DISTANCE = "distance"


@dataclass(slots=True)
class Rows:
    """The output operation, what it shows, and what is measured of which target."""

    output: Show
    columns: tuple[Column, ...]
    geometry: bool
    requests: list[Request] = field(default_factory=list)

    @property
    def shown(self) -> Op:
        """The rows before they are shown."""
        return self.output.input


@dataclass(slots=True)
class Request:
    """The measures of one target, with the path that leads to it from the primary."""

    node: Node
    path: tuple[Edge, ...]
    measures: list[Measured] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)


def build_rows(frame: Frame, builder: Builder) -> Rows:
    """The rows that a checked frame asks for."""
    requests = _requests(frame, builder)
    if frame.group_by:
        made, columns, geometry = _groups(frame, builder, requests)
    else:
        made, columns, geometry = _features(builder, requests)
    if frame.having:
        conditions = tuple((item.measure, item.operator, float(item.value)) for item in frame.having)
        made = Having(made, conditions)
    ranking = frame.ranking
    if ranking is not None:
        if ranking.order not in ("highest", "lowest"):
            raise PlanError(f"A ranking is 'highest' or 'lowest', not '{ranking.order}'.")
        order: Literal["highest", "lowest"] = "highest" if ranking.order == "highest" else "lowest"
        most = None if ranking.top_n is None else int(ranking.top_n)
        made = Rank(made, ranking.metric, order, most, ranking.include_ties)
        columns = (Column("rank", "rank", "integer", "", "rank"), *columns)
    elif any(column.kind == "distance" for column in columns):
        made = Rank(made, DISTANCE, "lowest")
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise PlanError(f"Two columns would have one name: {', '.join(names)}.")
    shown = Show(made, tuple(names), ranked=ranking is not None)
    return Rows(shown, columns, geometry, requests)


def _requests(frame: Frame, builder: Builder) -> list[Request]:
    """The frame's measures by target, in order of appearance, counts with their splits."""
    reached: dict[str, tuple[Edge, ...]] = {builder.root.id: ()}
    nodes: dict[str, Node] = {builder.root.id: builder.root}
    for path in paths(builder.root):
        reached.setdefault(path[-1].child.id, path)
        nodes.setdefault(path[-1].child.id, path[-1].child)
    found: dict[str, Request] = {}
    for item in frame.measures:
        name = item.target_role or builder.root.id
        if name not in nodes:
            raise PlanError(f"A measure names '{name}', which is no target.")
        node = nodes[name]
        entity = node.features()
        made = measured(item, entity, builder.pack)
        request = found.setdefault(name, Request(node, reached[name]))
        request.measures.append(made)
        request.columns.append(measure_column(item, made, entity, builder.pack))
    counted = [
        request
        for request in found.values()
        if any(item.zero for item in request.measures) and (request.path or frame.group_by)
    ]
    splits = [request for request in counted if request.node.features().split_field is not None]
    for request in splits:
        entity = request.node.features()
        prefix = f"{request.node.id}_" if len(splits) > 1 else ""
        for made, label in split_measures(entity, prefix):
            request.measures.append(made)
            request.columns.append(Column(made.name, label, "integer", entity.plural, "split"))
    return list(found.values())


def _features(builder: Builder, requests: list[Request]) -> tuple[Op, tuple[Column, ...], bool]:
    """One row per primary feature."""
    root = builder.root
    found = builder.features(root)
    own: tuple[Measured, ...] = ()
    groups: list[Op] = []
    distance: list[Column] = []
    key = (GroupKey("key", "key"),)
    for edge in root.edges:
        if edge.restricts and edge.exists is not None and edge.exists.chooses_parent:
            pairs = builder.bonded(edge, edge.exists, builder.candidates(root), builder.operand(edge.child))
            groups.append(Aggregate(pairs, key, (Measured(DISTANCE, "distance"),)))
            distance = [Column(DISTANCE, "distance", "number", "m", "distance")]
    for request in requests:
        if request.path:
            groups.append(Aggregate(builder.path(request.path), key, tuple(request.measures), "right"))
        else:
            own = tuple(request.measures)
    measures = [column for request in requests for column in request.columns]
    columns = (*feature_columns(root.features(), builder.pack), *distance, *measures)
    if not own and not groups:
        return found, columns, True
    return Attach(found, own, tuple(groups)), columns, True


def _groups(frame: Frame, builder: Builder, requests: list[Request]) -> tuple[Op, tuple[Column, ...], bool]:
    """One row per group."""
    root = builder.root
    by_id = {path[-1].child.id: path for path in reversed(paths(root))}
    others = list(dict.fromkeys(item.target_role for item in frame.group_by if item.target_role != root.id))
    if len(others) > 1 or any(name not in by_id for name in others):
        names = ", ".join(f"'{name}'" for name in others)
        raise unsupported("/group_by", f"Groups go by the primary and one more target, not by {names}.")
    far = by_id[others[0]] if others else None
    keys: list[tuple[GroupKey, Node]] = []
    for item in frame.group_by:
        node = root if item.target_role == root.id or far is None else far[-1].child
        keys.append((_group_key(item, node, "left" if node is root else "right"), node))
    group_keys = tuple(key for key, _ in keys)

    pairs = builder.path(far) if far is not None else None
    main: Op | None = None
    more: list[Op] = []
    for request in requests:
        measures = tuple(request.measures)
        if pairs is not None and far is not None:
            if request.path and request.node is not far[-1].child:
                raise unsupported("/group_by", f"Groups of '{others[0]}' cannot count '{request.node.id}'.")
            more.append(Aggregate(pairs, group_keys, measures, "right" if request.path else "left"))
        elif request.path:
            more.append(Aggregate(builder.path(request.path), group_keys, measures, "right"))
        else:
            main = Aggregate(builder.features(root), group_keys, measures)
    if main is not None and _ranks_empty_periods(frame, requests, group_keys):
        main, more = _periods(frame, builder, group_keys), [main, *more]
    if main is None:
        # Groups in which nothing is counted are there too, with 0.
        main = Aggregate(pairs if pairs is not None else builder.features(root), group_keys, ())
    columns = group_columns([(key, node.features()) for key, node in keys], builder.pack)
    order = sorted(requests, key=lambda request: bool(request.path))
    columns = (*columns, *(column for request in order for column in request.columns))
    geometry = len(keys) == 1 and keys[0][0].kind == "link"
    return (JoinGroups(main, tuple(more)) if more else main), columns, geometry


def _ranks_empty_periods(frame: Frame, requests: list[Request], keys: tuple[GroupKey, ...]) -> bool:
    """Whether the fewest of something by one part of the time are asked for: it may be none."""
    ranking = frame.ranking
    if ranking is None or ranking.order != "lowest" or len(keys) != 1 or keys[0].kind not in TIME_BUCKETS:
        return False
    own = [measure for request in requests if not request.path for measure in request.measures]
    return any(measure.name == ranking.metric and measure.zero for measure in own)


def _periods(frame: Frame, builder: Builder, keys: tuple[GroupKey, ...]) -> Op:
    """The parts of the time that is asked for in which there is any feature, whatever else is asked of it."""
    root = builder.root
    entity = root.features()
    times = [temporal(one, entity) for one in frame.temporal_constraints if one.target_role == root.id]
    known = Not(IsNull(keys[0].field))
    return Aggregate(where(builder.scan(entity), both(known, *times)), keys, ())


def _group_key(item: GroupBy, node: Node, side: Side) -> GroupKey:
    entity = node.features()
    if item.entity is not None:
        links = entity.links_to(item.entity)
        if not links:
            raise unsupported("/group_by", f"{entity.name} is not linked to {item.entity}.")
        return GroupKey(links[0].name, "link", links[0].name, side)
    if item.field is not None:
        known = entity.field(item.field)
        kind = "list" if known.type == "category_list" else "field"
        return GroupKey(known.name, kind, known.name, side, tuple(known.unknown_values))  # type: ignore[arg-type]
    for time in TIME_BUCKETS:
        if item.time == time:
            source = entity.time_field if time == "hour" else entity.date_field
            if source is None:
                raise PlanError(f"{entity.name} has no {'time' if time == 'hour' else 'date'} to group by.")
            return GroupKey(time, time, source, side)  # type: ignore[arg-type]
    raise PlanError(f"Groups of {entity.name} by '{item.time}' are not known.")
