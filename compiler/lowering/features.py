"""Feature sets and pairs as SQL.

A feature set is expanded again, on a fresh alias of its table, wherever it is used, so that its indexes stay
in reach; only sets of keys become common table expressions. A spatial join is an inner join that yields
pairs of keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.estimates import sizes
from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.logic import truth
from groundframe.compiler.lowering.pairs import PairUse, are_listed, candidates, chooses, entity_of
from groundframe.compiler.lowering.relations import geometric, related, shape_of
from groundframe.compiler.lowering.traits import Traits
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import (
    Compose,
    Constant,
    Flip,
    Join,
    Keep,
    Nearest,
    Op,
    Scan,
    Semi,
    Where,
)
from groundframe.compiler.physical import SELDOM, Physical
from groundframe.compiler.predicates import NearAny
from groundframe.compiler.relations import LinksFrom, LinksTo, Listed, is_link
from groundframe.errors import PlanError
from groundframe.schema.model import Pack

__all__ = ["FeatureLowering"]

Clause = sa.ColumnElement[bool]


class FeatureLowering:
    """Lowers feature sets and pairs of one statement.

    Parameters
    ----------
    schema : str, optional
        The database schema that qualifies every table.
    physical : Physical, optional
        The narrow tables and pairs that there are.
    """

    def __init__(
        self, pack: Pack, traits: Traits, schema: str | None = None, physical: Physical | None = None
    ) -> None:
        self.pack = pack
        self.physical = physical
        self.traits = traits
        self.schema = schema
        self.binds = Binds()
        self._uses = 0
        self._ctes: dict[tuple[str, Op], sa.CTE] = {}

    def use(self, op: Op) -> Use:
        """A fresh use of the table of some features."""
        return self.use_entity(entity_of(op), grouped=_grouped(op))

    def use_entity(
        self,
        name: str,
        given: sa.ColumnElement[Any] | None = None,
        held: Mapping[str, sa.ColumnClause[Any]] | None = None,
        grouped: str | None = None,
    ) -> Use:
        """A fresh use of an entity's table; `given` and `held` are columns that there are already."""
        self._uses += 1
        narrow = self.physical.entities[name] if self.physical is not None else None
        return Use(self.pack.entity(name), self.schema, self._uses, narrow, given, held, grouped)

    def cte(self, kind: str, op: Op, made: Any) -> sa.CTE:
        """The common table expression of an operation; `made` gives the statement the first time.

        The choice of the nearest is made once, and not once for each row beside which it is looked at.
        """
        if (kind, op) not in self._ctes:
            table = made().cte(f"{kind}_{len(self._ctes) + 1}")
            once = table.prefix_with("MATERIALIZED", dialect="postgresql")
            self._ctes[kind, op] = once if chooses(op) else table
        return self._ctes[kind, op]

    def restrict(self, op: Op, use: Use) -> list[Clause]:
        """The conditions under which the feature in `use` is one of `op`."""
        match op:
            case Scan():
                return []
            case Where(input=features, predicate=predicate):
                return [*self.restrict(features, use), truth(predicate, use, self.binds)]
            case Semi():
                return self._semi(op, use)
        raise PlanError(f"{type(op).__name__} gives no features.")

    def _semi(self, op: Semi, use: Use) -> list[Clause]:
        pairs = op.pairs
        if isinstance(pairs, Join) and isinstance(pairs.right, Constant):
            shape = shape_of(pairs.right, self.binds)
            related = sa.and_(*(geometric(item, use.geom, shape, self.binds) for item in pairs.relations))
            return [*self.restrict(op.input, use), sa.not_(related) if op.negate else related]
        if isinstance(pairs, Join) and all(map(is_link, pairs.relations)):
            linked = sa.not_(self.some_partner(pairs, use)) if op.negate else self._linked(pairs, use)
            return [*self.restrict(op.input, use), linked]
        rewrite = self.traits.rewrites.get("anti" if op.negate else "semi")
        found: Clause | None = rewrite(self, op, use) if rewrite is not None else None
        if found is not None:
            return [*self.restrict(op.input, use), found]
        few = not op.negate and self.physical is not None and sizes(op, self.physical).few
        listed = self.traits.rewrites.get("few_keys") if few else None
        # A search among the keys takes each once, and those of stored pairs do not come often.
        keys = self.key_set(pairs, repeated=listed is not None and are_listed(pairs))
        if op.negate:
            some = keys.alias()
            partner = sa.exists(sa.select(1).select_from(some).where(some.c.id == use.id))
            return [*self.restrict(op.input, use), sa.not_(partner.correlate(*use.outer))]
        # The key set holds the conditions of the pairs' left already.
        implied = isinstance(pairs, Join) and pairs.left == op.input
        given = [] if implied else self.restrict(op.input, use)
        among = use.id.in_(sa.select(keys.c.id)) if listed is None else listed(use.id, keys)
        return [*given, among]

    def key_set(self, pairs: Op, *, repeated: bool = False) -> sa.CTE:
        """The keys on the left of some pairs, each once, or as often as they come."""

        def made() -> sa.Select[Any]:
            found = self.pairs(pairs)
            key, source = found.left.id.label("id"), found.source()
            keys = sa.select(key).select_from(source).where(*found.where)
            return keys if repeated else keys.distinct()

        return self.cte("ends" if repeated else "keys", pairs, made)

    def _linked(self, pairs: Join, use: Use) -> Clause:
        """An equi-join as IN: the compiler need not guess which side is smaller."""
        if len(pairs.relations) > 1:
            return self.some_partner(pairs, use)
        (relation,) = pairs.relations
        other = self.use(pairs.right)
        given = self.restrict(pairs.right, other)
        apart = [other.id != use.id] if pairs.distinct else []
        if isinstance(relation, LinksTo):
            column = use.linked(relation.link)
            given.extend([column != use.id] if pairs.distinct else [])
            return column.in_(sa.select(other.id).where(*given))
        if isinstance(relation, LinksFrom) and not apart:
            column = other.linked(relation.link)
            return use.id.in_(sa.select(column).where(*given, column.is_not(None)))
        return self.some_partner(pairs, use)

    def some_partner(self, pairs: Op, use: Use) -> Clause:
        """EXISTS, for the right of a join whose left is in use."""
        found = self.pairs(pairs, left=use)
        source = found.source()
        return sa.exists(sa.select(1).select_from(source).where(*found.where)).correlate(*use.outer)

    def pairs(self, op: Op, left: Use | None = None, right: Use | None = None) -> PairUse:
        """The pairs, on the uses given, whose conditions are left to whoever gave them, or on fresh ones."""
        match op:
            case Join():
                return self._join(op, left, right)
            case Nearest():
                return self._nearest(op, left, right)
            case Flip(pairs=pairs):
                found = self.pairs(pairs, left=right, right=left)
                if found.right is None:
                    raise PlanError("A region cannot be the left of a pair.")
                return replace(found, left=found.right, right=found.left)
            case Keep(pairs=pairs, features=features):
                found = self.pairs(pairs, left, right)
                found.where.extend(self.restrict(features, found.left))
                return found
            case Compose(first=first, second=second):
                near = self.pairs(first, left=left)
                far = self.pairs(second, left=near.right, right=right)
                return PairUse(
                    near.left, far.right, near.joins + far.joins, near.where + far.where, unique=False
                )
        raise PlanError(f"{type(op).__name__} gives no pairs.")

    def codes(self, op: Join, listed: Listed, side: str) -> dict[str, str]:
        """Columns of a narrow table that the pairs hold of one of their sides, and what they call them."""
        near = self.physical and self.physical.near(entity_of(op.left), entity_of(op.right))
        return near.codes(side) if near and near.table == listed.table else {}

    def _listed(self, op: Join, listed: Listed, left: Use | None, right: Use | None) -> PairUse:
        """Pairs from their table; features are looked up only for what else is asked of them."""
        self._uses += 1
        codes = {side: self.codes(op, listed, side) for side in "ab"}
        ids = (sa.column(name, sa.Integer()) for side in "ab" for name in (side, *codes[side].values()))
        near = sa.table(listed.table, *ids, sa.column("m", sa.Double()), schema=self.schema).alias(
            f"near_{self._uses}"
        )
        ends = (listed.left, "b" if listed.left == "a" else "a")
        conditions = [near.c.m <= self.binds.within(listed.metres)]
        uses: list[Use] = []
        fresh: list[Use] = []
        for given, side, end in zip((left, right), (op.left, op.right), ends, strict=True):
            held = {column: near.c[name] for column, name in codes[end].items()}
            use = given or self.use_entity(entity_of(side), near.c[end], held)
            uses.append(use)
            if given is None:
                fresh.append(use)
            else:
                conditions.append(near.c[end] == use.id)
        found = PairUse(uses[0], uses[1], [(near, sa.and_(*conditions)), *fresh])
        for given, side, other, use in zip(
            (left, right), (op.left, op.right), (op.right, op.left), uses, strict=True
        ):
            if given is None and (asked := self.restrict(side, use)):
                found.where.extend([*asked, *self._implied(listed, other, use)])
        rest = (relation for relation in op.relations if relation != listed)
        found.where.extend(related(relation, uses[0], uses[1], self.binds) for relation in rest)
        return found

    def _implied(self, listed: Listed, other: Op, use: Use) -> list[Clause]:
        """Of pairs each feature is near one: where few are, an index on that finds those to look at."""
        narrow, near = use.narrow, entity_of(other)
        if narrow is None or narrow.counted(narrow.near_column(near), "true", 1.0) > SELDOM:
            return []
        return [truth(NearAny(near, listed.metres), use, self.binds)]

    def _join(self, op: Join, left: Use | None, right: Use | None) -> PairUse:
        for relation in op.relations:
            if isinstance(relation, Listed):
                return self._listed(op, relation, left, right)
        found = PairUse(left or self.use(op.left), right)
        if left is None:
            found.joins.append((found.left.source, sa.true()))
            found.where.extend(self.restrict(op.left, found.left))
        if isinstance(op.right, Constant):
            shape = shape_of(op.right, self.binds)
            found.where.extend(geometric(item, found.left.geom, shape, self.binds) for item in op.relations)
            return found
        other = found.right = right or self.use(op.right)
        condition = sa.and_(*(related(item, found.left, other, self.binds) for item in op.relations))
        if op.distinct:
            condition = sa.and_(condition, found.left.id != other.id)
        if right is None:
            found.joins.append((other.source, condition))
            found.where.extend(self.restrict(op.right, other))
        elif left is None:
            found.joins = [(found.left.source, condition)]
        else:
            found.where.append(condition)
        return found

    def _nearest(self, op: Nearest, left: Use | None, right: Use | None) -> PairUse:
        chosen = self.nearest(op).alias()
        found = PairUse(left or self.use(op.left), right, mm=chosen.c.mm)
        target = chosen.c.target == found.left.id
        if left is None:
            found.joins = [(found.left.source, sa.true()), (chosen, target)]
        else:
            found.joins = [(chosen, target)]
        found.where.append(chosen.c.position <= self.binds.value(op.k, sa.Integer()))
        if isinstance(op.right, Constant):
            shape = shape_of(op.right, self.binds)
            found.where.extend(geometric(item, found.left.geom, shape, self.binds) for item in op.relations)
            return found
        other = found.right = right or self.use(op.right)
        reference = chosen.c.reference == other.id
        if right is None:
            found.joins.append((other.source, reference))
        else:
            found.where.append(reference)
        found.where.extend(related(item, found.left, other, self.binds) for item in op.relations)
        return found

    def nearest(self, op: Nearest) -> sa.CTE:
        """Rows (target, reference, mm, position, next_mm): the k nearest of each reference feature.

        ``next_mm`` is the distance of the candidate at the next position.
        """

        def made() -> sa.Select[Any]:
            rewrite = self.traits.rewrites.get("nearest")
            found = rewrite(self, op) if rewrite is not None else None
            chosen_from = found if found is not None else self._candidates(op)
            return self.positions(chosen_from.subquery())

        return self.cte("nearest", op, made)

    def _candidates(self, op: Nearest) -> sa.Select[Any]:
        """Every candidate with every reference feature."""
        left = self.use(op.left)
        given = [*self.restrict(op.left, left), left.geom.is_not(None)]
        if isinstance(op.right, Constant):
            return candidates(left, None, shape_of(op.right, self.binds)).where(*given)
        right = self.use(op.right)
        given += [*self.restrict(op.right, right), right.geom.is_not(None)]
        if op.distinct:
            given.append(left.id != right.id)
        source = left.source.join(right.source, sa.true())
        return candidates(left, right.id, right.geom).select_from(source).where(*given)

    def positions(self, candidates: sa.FromClause) -> sa.Select[Any]:
        """Candidates numbered for each reference feature, by millimetres, then key."""
        columns = candidates.c
        window: dict[str, Any] = {
            "partition_by": columns.reference,
            "order_by": [columns.mm.asc(), columns.target_order.asc()],
        }
        return sa.select(
            columns.target,
            columns.reference,
            columns.mm,
            sa.func.row_number().over(**window).label("position"),
            sa.func.lead(columns.mm).over(**window).label("next_mm"),
        )


def _grouped(op: Op) -> str | None:
    """The table of features that come as a load has counted them."""
    while isinstance(op, Where):
        op = op.input
    return op.grouped if isinstance(op, Scan) else None
