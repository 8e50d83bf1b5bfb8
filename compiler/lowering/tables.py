"""Groups and ranked rows as SQL."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering.aggregates import aggregate, decoded, group_key, single
from groundframe.compiler.lowering.constructs import CodePoints, ListValues
from groundframe.compiler.lowering.features import FeatureLowering
from groundframe.compiler.lowering.pairs import PairUse
from groundframe.compiler.lowering.ranking import ORDER, highest
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.measures import Measured
from groundframe.compiler.ops import Aggregate, Attach, Complete, GroupKey, Having, JoinGroups, Op, Rank
from groundframe.compiler.types import Features, Groups, Pairs, Region
from groundframe.errors import PlanError

__all__ = ["TableLowering", "one_row_per_pair"]

_TESTS = {
    "eq": "__eq__",
    "ne": "__ne__",
    "lt": "__lt__",
    "lte": "__le__",
    "gt": "__gt__",
    "gte": "__ge__",
}


class TableLowering(FeatureLowering):
    """Lowers what gives rows with keys and measures; columns bear the names of these."""

    def rows(self, op: Op) -> sa.Select[Any]:
        """The statement for groups, one row each."""
        match op:
            case Aggregate():
                return self._aggregate(op)
            case Attach():
                return self.attach(op)
            case Complete():
                return self._complete(op)
            case JoinGroups():
                return self._join_groups(op)
            case Having():
                return self._having(op)
            case Rank():
                return self._rank(op)
        raise PlanError(f"{op.output} are no rows.")

    def _aggregate(self, op: Aggregate) -> sa.Select[Any]:
        return self._readable(op, self.counted(op))

    def _readable(self, op: Aggregate, counted: sa.Select[Any]) -> sa.Select[Any]:
        """Groups with values and keys in the place of codes and numbers, few as they are by now."""
        if self.physical is None or all(key.kind not in ("link", "field") for key in op.keys):
            return counted
        groups = counted.subquery()
        source: sa.FromClause = groups
        columns: list[sa.ColumnElement[Any]] = []
        for key in op.keys:
            value: sa.ColumnElement[Any] = groups.c[key.name]
            narrow = self.physical.entities[_owner(op, key).entity]
            if key.kind == "link":
                target = self.use_entity(narrow.entity.link(key.field).to)
                source = source.outerjoin(target.source, target.id == value)
                value = target.key
            elif key.kind == "field" and (values := narrow.values(key.field)) is not None:
                value = decoded(value, values, self.binds)
            columns.append(value.label(key.name))
        return sa.select(*columns, *(groups.c[item.name] for item in op.measures)).select_from(source)

    def counted(self, op: Aggregate, only: sa.FromClause | None = None) -> sa.Select[Any]:
        """Groups as they are counted; of the features in `only`, a few by ``id``, if it is given."""
        if isinstance(op.input.output, Features):
            use = self.use(op.input)
            pairs = PairUse(use, None, [(use.source, sa.true())], self.restrict(op.input, use))
        else:
            pairs = self.pairs(op.input)
        counted = pairs.left if op.counted == "left" else pairs.right
        if counted is None:
            raise PlanError("A constant geometry is not counted.")
        once = isinstance(op.input.output, Features) or (pairs.unique and one_row_per_pair(op))
        keys, beside = self._keys(op, pairs)
        if only is not None:
            looked_up = self.traits.rewrites.get("few_keys")
            key: sa.ColumnElement[Any] = keys[0].element
            pairs.where.append(key.in_(sa.select(only.c.id)) if looked_up is None else looked_up(key, only))
        if once and not beside:
            measures = self.measures(op.measures, counted, pairs.mm)
            source = pairs.source()
            return sa.select(*keys, *measures).select_from(source).where(*pairs.where).group_by(*keys)
        # Each feature once per group, however many partners or equal values it has (DESIGN §7.2).
        number = counted.id.label("counted_id")
        source = pairs.source()
        for values in beside:
            source = source.outerjoin(values, sa.true())
        distinct = sa.select(*keys, number).distinct().select_from(source).where(*pairs.where).subquery()
        again = self.use_entity(counted.entity.name, distinct.c.counted_id)
        named = [distinct.c[key.name] for key in op.keys]
        measures = self.measures(op.measures, again)
        step = again.step()
        source = distinct if step is None else distinct.join(*step)
        return sa.select(*named, *measures).select_from(source).group_by(*named)

    def _keys(self, op: Aggregate, pairs: PairUse) -> tuple[list[sa.Label[Any]], list[sa.FromClause]]:
        """The keys of groups, and the values of lists that stand beside the features."""
        keys: list[sa.Label[Any]] = []
        beside: list[sa.FromClause] = []
        for key in op.keys:
            use = pairs.left if key.side == "left" or pairs.right is None else pairs.right
            element: sa.ColumnElement[Any] | None = None
            if key.kind == "list":
                values = ListValues(use[key.field]).table_valued("value").render_derived().lateral()
                beside.append(values)
                element = values.c.value
                # A list that is NULL is unknown; one without values is in no group.
                pairs.where.append(sa.or_(element.is_not(None), use[key.field].is_(None)))
            keys.append(group_key(key, use, self.binds, element).label(key.name))
        return keys, beside

    def measures(
        self, measures: tuple[Measured, ...], use: Use, mm: sa.ColumnElement[Any] | None = None
    ) -> list[sa.Label[Any]]:
        """The measures over the features in `use`."""
        return [aggregate(item, use, self.binds, mm).label(item.name) for item in measures]

    def attach(self, op: Attach) -> sa.Select[Any]:
        """One row per feature."""
        use = self.use(op.input)
        sorts = {} if self.physical is None else {ORDER: use.order}
        values = {item.name: single(item, use, self.binds) for item in op.own}
        source: sa.FromClause = use.source
        for join in self._groups_of(use, op.groups, values):
            source = source.outerjoin(*join)
        columns = (value.label(name) for name, value in {"key": use.id, **sorts, **values}.items())
        return sa.select(*columns).select_from(source).where(*self.restrict(op.input, use))

    def _groups_of(
        self,
        use: Use,
        groups: tuple[Op, ...],
        values: dict[str, sa.ColumnElement[Any]],
        only: sa.FromClause | None = None,
    ) -> list[tuple[sa.FromClause, sa.ColumnElement[bool]]]:
        """What joins the groups of the features in `use`; their measures are put among the values."""
        rewrite = self.traits.rewrites.get("group")
        joins: list[tuple[sa.FromClause, sa.ColumnElement[bool]]] = []
        for group in groups:
            beside = rewrite(self, group, use) if rewrite is not None else None
            if beside is not None:
                joins.append((beside, sa.true()))
                found = {name: beside.c[name] for name in _groups(group).measures}
            else:
                joined = self.beside(group, only)
                joins.append((joined, joined.c.key == use.id))
                found = self._filled(group, joined)
            for name, value in found.items():
                values[name] = sa.func.least(values[name], value) if name in values else value
        return joins

    def _complete(self, op: Complete) -> sa.Select[Any]:
        ranked = self.cte("first", op.input, lambda: self.rows(op.input))
        features = _groups(op.input).features
        if features is None:
            raise PlanError(f"{op.input.output} is no ranking of features.")
        use = self.use_entity(features.entity, ranked.c.key)
        values = {item.name: single(item, use, self.binds) for item in op.own}
        joins = self._groups_of(use, op.groups, values, ranked)
        source: sa.FromClause = ranked
        step = use.step()
        if step is not None:
            source = source.join(*step)
        for join in joins:
            source = source.outerjoin(*join)
        columns = (value.label(name) for name, value in values.items())
        return sa.select(*ranked.c, *columns).select_from(source)

    def beside(self, group: Op, only: sa.FromClause | None) -> sa.FromClause:
        """Groups to be joined with features, keyed as these are told apart."""
        if only is not None and isinstance(group, Aggregate):
            return self.counted(group, sa.select(only.c.key.label("id")).subquery()).subquery()
        return self.cte(
            "beside",
            group,
            lambda: self.counted(group) if isinstance(group, Aggregate) else self.rows(group),
        )

    def _filled(self, group: Op, joined: sa.FromClause) -> dict[str, sa.ColumnElement[Any]]:
        """Measures of a group that may be missing: counts and sums of nothing are 0 (DESIGN §7.5)."""
        zero = {item.name for item in group.measures if item.zero} if isinstance(group, Aggregate) else set()
        nought = sa.literal_column("0", sa.Integer)
        return {
            name: sa.func.coalesce(joined.c[name], nought) if name in zero else joined.c[name]
            for name in _groups(group).measures
        }

    def _join_groups(self, op: JoinGroups) -> sa.Select[Any]:
        first = self.cte("groups", op.input, lambda: self.rows(op.input))
        kind = _groups(op.input)
        columns: list[sa.ColumnElement[Any]] = [first.c[name] for name in (*kind.keys, *kind.measures)]
        source: sa.FromClause = first
        for other in op.others:
            joined = self.cte("groups", other, lambda other=other: self.rows(other))
            same = (first.c[name].is_not_distinct_from(joined.c[name]) for name in kind.keys)
            source = source.outerjoin(joined, sa.and_(*same))
            columns.extend(value.label(name) for name, value in self._filled(other, joined).items())
        return sa.select(*columns).select_from(source)

    def _having(self, op: Having) -> sa.Select[Any]:
        rows = self.rows(op.input).subquery()
        tests = []
        for name, operator, value in op.conditions:
            if operator not in _TESTS:
                raise PlanError(f"A measure cannot be compared by '{operator}'.")
            bound = self.binds.value(value, sa.Double())
            tests.append(getattr(rows.c[name], _TESTS[operator])(bound))
        return sa.select(rows).where(*tests)

    def _rank(self, op: Rank) -> sa.Select[Any]:
        """Rows with ``rank``; where they are cut, one more than wanted, to see whether it is a tie."""
        found = highest(self, op)
        rows = (self.rows(op.input) if found is None else found).subquery()
        by = rows.c[op.by]
        metric = by.desc().nulls_last() if op.order == "highest" else by.asc().nulls_last()
        order = [metric, *self.key_order(op, rows)]
        top = sa.select(rows)
        if op.top_n is not None:
            if op.include_ties:
                place = sa.func.rank().over(order_by=[metric]).label("place")
                placed = sa.select(rows, place).subquery()
                kept = placed.c.place <= self.binds.value(op.top_n, sa.Integer())
                top = sa.select(*(placed.c[column.name] for column in rows.c)).where(kept)
            else:
                top = top.order_by(*order).limit(self.binds.value(op.top_n + 1, sa.Integer()))
        chosen = top.subquery()
        by = chosen.c[op.by]
        metric = by.desc().nulls_last() if op.order == "highest" else by.asc().nulls_last()
        order = [metric, *self.key_order(op, chosen)]
        return sa.select(chosen, sa.func.row_number().over(order_by=order).label("rank"))

    def key_order(self, op: Op, rows: sa.FromClause) -> list[sa.ColumnElement[Any]]:
        """The order by keys, which is total: text by code points, NULL last."""
        if self.physical is not None and _groups(op).features is not None:
            return [rows.c[ORDER].asc()]
        return [code_points(rows.c[name]).asc().nulls_last() for name in _groups(op).keys]


def code_points(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The column as it is sorted."""
    return CodePoints(column) if isinstance(column.type, sa.String) else column


def _owner(op: Aggregate, key: GroupKey) -> Features:
    """Whose key it is."""
    kind = op.input.output
    if isinstance(kind, Pairs):
        kind = kind.left if key.side == "left" or isinstance(kind.right, Region) else kind.right
    if not isinstance(kind, Features):
        raise PlanError(f"'{key.name}' is the key of nothing.")
    return kind


def _groups(op: Op) -> Groups:
    if not isinstance(op.output, Groups):
        raise PlanError(f"{op.output} are no groups.")
    return op.output


def one_row_per_pair(op: Aggregate) -> bool:
    """Whether a pair is in one group and its counted side in no other pair of that group."""
    other = "left" if op.counted == "right" else "right"
    distances = all(item.function == "distance" for item in op.measures)
    return distances or op.keys == (GroupKey(op.keys[0].name, "key", side=other),)  # type: ignore[arg-type]
