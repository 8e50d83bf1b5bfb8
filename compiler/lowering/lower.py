"""Lowering a plan: the rows as one statement, the tally as a second over the same parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.columns import Column
from groundframe.compiler.conditions import WEEKDAYS
from groundframe.compiler.estimates import LISTED, sizes
from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import CodePoints, GeoJson
from groundframe.compiler.lowering.counting import rows_of, tally
from groundframe.compiler.lowering.naming import with_own_names
from groundframe.compiler.lowering.tables import TableLowering
from groundframe.compiler.lowering.traits import NEUTRAL, Traits
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import (
    Aggregate,
    Constant,
    Having,
    JoinGroups,
    Op,
    Rank,
    Show,
)
from groundframe.compiler.plan import Plan
from groundframe.compiler.types import Features, Groups, Pairs
from groundframe.errors import PlanError
from groundframe.schema.model import Entity

__all__ = ["Lowered", "lower", "lower_tally", "node_counts"]

GEOMETRY = "geometry"
TIED = "tied"


@dataclass(frozen=True, slots=True)
class Lowered:
    """The statements of a plan.

    Attributes
    ----------
    rows : sqlalchemy.Select
        The plan's columns, then ``geometry`` (GeoJSON text or NULL) and ``tied``, whether the ranking was
        cut inside a tie.
    tally : sqlalchemy.CompoundSelect
        Rows (kind, role, source, split, test, n), see :class:`~groundframe.compiler.tally.TallyItem`.
    rows_binds, tally_binds : Binds
        Their parameters.
    """

    rows: sa.Select[Any]
    tally: sa.CompoundSelect[Any]
    rows_binds: Binds
    tally_binds: Binds


def lower(plan: Plan, traits: Traits = NEUTRAL, schema: str | None = None) -> Lowered:
    """Lower a plan to engine-neutral SQLAlchemy Core.

    Parameters
    ----------
    traits : Traits
        The engine's optional rewrites.
    schema : str, optional
        The database schema that qualifies every table.
    """
    shown = _Shown(with_own_names(plan), traits, schema)
    rows = shown.statement(shown.plan.output)
    counts, binds = lower_tally(plan, traits, schema)
    return Lowered(rows, counts, shown.lowering.binds, binds)


def lower_tally(
    plan: Plan, traits: Traits = NEUTRAL, schema: str | None = None
) -> tuple[sa.CompoundSelect[Any], Binds]:
    """The tally alone, with its parameters."""
    plan = with_own_names(plan)
    counted = TableLowering(plan.pack, traits, schema, plan.physical)
    return tally(plan.tally, counted), counted.binds


class _Shown:
    """Lowers the output of a plan: columns and geometry joined to the rows."""

    def __init__(self, plan: Plan, traits: Traits, schema: str | None) -> None:
        self.plan = plan
        self.lowering = TableLowering(plan.pack, traits, schema, plan.physical)

    def statement(self, op: Show) -> sa.Select[Any]:
        kind = op.input.output
        if isinstance(kind, Features):
            use = self.lowering.use(op.input)
            where = self.lowering.restrict(op.input, use)
            statement, order = self._of_features(use, None, use.source)
            return statement.where(*where).order_by(order.asc())
        if not isinstance(kind, Groups):
            raise PlanError(f"{kind} cannot be shown.")
        ranking = self.plan.ranking
        rows = self.lowering.rows(op.input).cte("measured" if ranking is None else "ranked")
        if kind.features is not None:
            use = self.lowering.use_entity(kind.features.entity)
            statement, _ = self._of_features(use, rows, use.source.join(rows, rows.c.key == use.id))
        else:
            statement = self._of_groups(op.input, rows)
        if ranking is None:
            return statement.order_by(*self.lowering.key_order(op.input, rows))
        statement = statement.order_by(rows.c.rank)
        if ranking.top_n is None or ranking.include_ties:
            return statement
        count = self.lowering.binds.value(ranking.top_n, sa.Integer())
        return statement.where(rows.c.rank <= count)

    def _tied(self, rows: sa.FromClause | None) -> sa.Label[Any]:
        """Whether the first row that was cut is equal to the last one kept (DESIGN §7.6)."""
        rank = self.plan.ranking
        if rows is None or rank is None or rank.top_n is None or rank.include_ties:
            return sa.false().label(TIED)
        last, cut = rows.alias(), rows.alias()
        count = self.lowering.binds.value(rank.top_n, sa.Integer())
        return sa.exists(
            sa.select(1)
            .select_from(last.join(cut, last.c[rank.by].is_not_distinct_from(cut.c[rank.by])))
            .where(
                last.c.rank == count, cut.c.rank == self.lowering.binds.value(rank.top_n + 1, sa.Integer())
            )
        ).label(TIED)

    def _of_features(
        self, use: Use, rows: sa.FromClause | None, source: sa.FromClause
    ) -> tuple[sa.Select[Any], sa.ColumnElement[Any]]:
        """Columns and geometry of features, and what sorts them by their keys."""
        use.show()
        shown: list[sa.ColumnElement[Any]] = []
        few = self._few()
        # By number what is linked is found twice as quickly as by key, even where that takes another join.
        numbered = self.lowering.use_entity(use.entity.name, use.id) if use.wide else use
        for column in self.plan.columns:
            value: sa.ColumnElement[Any]
            if column.kind in ("measure", "split", "distance", "rank"):
                if rows is None:
                    raise PlanError(f"There are no rows to take '{column.name}' from.")
                value = rows.c[column.name]
            elif column.kind == "link":
                link = use.entity.link(column.name)
                linked = self.lowering.use_entity(link.to)
                if few:
                    same = linked.id == numbered.linked(link.name)
                    named = sa.select(_name(linked)).select_from(linked.source).where(same)
                    value = named.correlate(numbered.source).scalar_subquery()
                else:
                    source = source.outerjoin(linked.source, linked.key == use[f"{link.name}_key"])
                    value = _name(linked)
            else:
                value = use[column.name]
            shown.append(value.label(column.name))
        # Numbers are sorted several times as quickly as texts, where they are at hand.
        order: sa.ColumnElement[Any] = CodePoints(use.key)
        if (step := numbered.step()) is not None:
            order, source = numbered.order, source.join(*step)
        geometry = GeoJson(use["geom_wgs"]).label(GEOMETRY)
        return sa.select(*shown, geometry, self._tied(rows)).select_from(source), order

    def _few(self) -> bool:
        """Whether the rows are so few that what they are linked to is looked up one by one."""
        plan = self.plan
        if plan.physical is None:
            return False
        if plan.ranking is not None and plan.ranking.top_n is not None:
            return plan.ranking.top_n <= LISTED
        features = plan.output.input
        return isinstance(features.output, Features) and sizes(features, plan.physical).listed

    def _of_groups(self, op: Op, rows: sa.CTE) -> sa.Select[Any]:
        linked_to = {key.name: self._linked(op, key.name) for key in _main(op).keys if key.kind == "link"}
        source: sa.FromClause = rows
        for name, (use, _) in linked_to.items():
            source = source.outerjoin(use.source, use.key == rows.c[name])
        shown = [
            self._group_value(column, rows, linked_to).label(column.name) for column in self.plan.columns
        ]
        geometry: sa.ColumnElement[Any] = sa.null().cast(sa.Text)
        if self.plan.geometry:
            ((use, _),) = linked_to.values()
            geometry = GeoJson(use["geom_wgs"])
        return sa.select(*shown, geometry.label(GEOMETRY), self._tied(rows)).select_from(source)

    def _group_value(
        self, column: Column, rows: sa.FromClause, linked_to: dict[str, tuple[Use, Entity]]
    ) -> sa.ColumnElement[Any]:
        if column.kind == "key":
            return rows.c[column.name.removesuffix("_key")]
        value: sa.ColumnElement[Any] = rows.c[column.name]
        if column.name in linked_to:
            use, entity = linked_to[column.name]
            none = self.lowering.binds.value(f"(no {entity.label})")
            return sa.case((value.is_(None), none), else_=sa.func.coalesce(_name(use), value))
        if column.name == "weekday" and isinstance(value.type, sa.Integer):
            names = [
                (value == number, self.lowering.binds.value(day)) for number, day in enumerate(WEEKDAYS, 1)
            ]
            return sa.case(*names)
        return value

    def _linked(self, op: Op, name: str) -> tuple[Use, Entity]:
        """The use of what a key links to, and its entity."""
        key = next(key for key in _main(op).keys if key.name == name)
        owner: object = _main(op).input.output
        if isinstance(owner, Pairs):
            owner = owner.left if key.side == "left" else owner.right
        if not isinstance(owner, Features):
            raise PlanError(f"'{name}' links nothing.")
        entity = self.plan.pack.entity(self.plan.pack.entity(owner.entity).link(key.field).to)
        return self.lowering.use_entity(entity.name), entity


def _main(op: Op) -> Aggregate:
    """The groups that rows of groups begin with."""
    while not isinstance(op, Aggregate):
        if not isinstance(op, Having | Rank | JoinGroups):
            raise PlanError(f"{op.output} are no groups.")
        op = op.input
    return op


def _name(use: Use) -> sa.ColumnElement[Any]:
    """What a feature is called: its name, or its key where the entity has no names."""
    return use[use.entity.name_field] if use.entity.name_field else use.key


def node_counts(plan: Plan, traits: Traits = NEUTRAL, schema: str | None = None) -> dict[str, sa.Select[Any]]:
    """For each node of the plan the statement that counts what leaves it."""
    plan = with_own_names(plan)
    return {
        name: _node_count(data["op"], TableLowering(plan.pack, traits, schema, plan.physical))
        for name, data in plan.dag.nodes(data=True)
    }


def _node_count(op: Op, lowering: TableLowering) -> sa.Select[Any]:
    if isinstance(op, Show):
        op = op.input
    count = sa.func.count()
    if isinstance(op, Constant):
        return sa.select(sa.literal_column("1", sa.Integer))
    if isinstance(op.output, Features):
        use = lowering.use(op)
        return sa.select(count).select_from(use.source).where(*lowering.restrict(op, use))
    if isinstance(op.output, Pairs):
        pairs = lowering.pairs(op)
        ends = [pairs.left.id.label("l")] + ([pairs.right.id.label("r")] if pairs.right is not None else [])
        source = pairs.source()
        once = sa.select(*ends).distinct().select_from(source).where(*pairs.where)
        return sa.select(count).select_from(once.subquery())
    return sa.select(count).select_from(rows_of(op, lowering))
