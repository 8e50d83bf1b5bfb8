"""What PostGIS does better than the neutral form, each with a test that the result is the same.

The neutral forms spell semi-joins, zero counts and nearest features as equi-joins on keys, which every
engine does right. PostGIS also does the forms below right, and faster.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from groundframe.compiler.estimates import sizes
from groundframe.compiler.lowering.constructs import Near
from groundframe.compiler.lowering.pairs import candidates
from groundframe.compiler.lowering.relations import shape_of
from groundframe.compiler.lowering.tables import TableLowering, one_row_per_pair
from groundframe.compiler.lowering.traits import Traits
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import Aggregate, Constant, Join, Nearest, Semi
from groundframe.compiler.relations import Listed, is_link

__all__ = ["POSTGIS"]

_MM = 0.001


def anti_join(lowering: TableLowering, op: Semi, use: Use) -> sa.ColumnElement[bool] | None:
    """NOT EXISTS beside the row, by the spatial index of the other side."""
    return sa.not_(lowering.some_partner(op.pairs, use)) if isinstance(op.pairs, Join) else None


def semi_join(lowering: TableLowering, op: Semi, use: Use) -> sa.ColumnElement[bool] | None:
    """EXISTS beside the row, where the rows are probably fewer than their partners."""
    if op.drive == "right" or not isinstance(op.pairs, Join):
        return None
    return lowering.some_partner(op.pairs, use)


def lateral_count(lowering: TableLowering, group: Aggregate, use: Use) -> sa.FromClause | None:
    """Counts beside each row: one search in the spatial index, and 0 where it finds nothing."""
    pairs = group.input
    if not isinstance(pairs, Join) or isinstance(pairs.right, Constant) or group.counted == "left":
        return None
    if all(map(is_link, pairs.relations)) or not one_row_per_pair(group):
        return None
    listed = any(isinstance(relation, Listed) for relation in pairs.relations)
    # The rows of a ranking are few.
    many = lowering.physical is not None and sizes(pairs.left, lowering.physical).many
    if listed and many and not use.anchored:
        return None
    found = lowering.pairs(pairs, left=use)
    if found.right is None:
        return None
    measures = lowering.measures(group.measures, found.right)
    source = found.source()
    statement = sa.select(*measures).select_from(source).where(*found.where)
    return statement.correlate(*use.outer).lateral()


def looked_up(key: sa.ColumnElement[Any], keys: sa.FromClause) -> sa.ColumnElement[bool]:
    """One of few keys: as an array, which is worked out once and searched for in the index.

    The planner thinks that a spatial join leaves a hundred times as many, and reads the whole table instead.
    """
    return key == sa.any_(sa.func.array(sa.select(keys.c.id).scalar_subquery(), type_=ARRAY(sa.Integer)))


def nearest_by_index(lowering: TableLowering, op: Nearest) -> sa.Select[Any]:
    """Candidates up to a millimetre beyond the distance of the one after the last wanted.

    Ordering by ``<->`` alone picks any of equally near features; ordering by it and the key cannot use the
    index.
    """
    near, left = lowering.use(op.left), lowering.use(op.left)
    given = lowering.restrict(op.left, left)
    if isinstance(op.right, Constant):
        place = shape_of(op.right, lowering.binds)
        far = _far(lowering, op, near, place, []).subquery()
        within = Near(left.geom, place, sa.select(far.c.far).scalar_subquery())
        return candidates(left, None, place).select_from(left.source).where(within, *given)
    right = lowering.use(op.right)
    apart = [near.id != right.id] if op.distinct else []
    # Beside each reference feature, so that the distance is looked for once and not once per candidate.
    beside = _far(lowering, op, near, right.geom, apart, right.source).lateral()
    source = right.source.join(beside, sa.true())
    source = source.join(left.source, Near(left.geom, right.geom, beside.c.far))
    given += lowering.restrict(op.right, right)
    if op.distinct:
        given.append(left.id != right.id)
    return candidates(left, right.id, right.geom).select_from(source).where(*given)


def _far(
    lowering: TableLowering,
    op: Nearest,
    near: Use,
    place: sa.ColumnElement[Any],
    apart: list[sa.ColumnElement[bool]],
    beside: sa.FromClause | None = None,
) -> sa.Select[Any]:
    """How far to look: the distance of the candidate after the last wanted, and a millimetre."""
    nearest = (
        sa.select(sa.func.ST_Distance(near.geom, place).label("d"))
        .select_from(near.source)
        .where(near.geom.is_not(None), *lowering.restrict(op.left, near), *apart)
        .order_by(near.geom.op("<->")(place))
        .limit(lowering.binds.value(op.k + 1, sa.Integer()))
    )
    if beside is not None:
        nearest = nearest.correlate(beside)
    found = nearest.subquery()
    far = sa.func.max(found.c.d) + lowering.binds.value(_MM, sa.Double())
    return sa.select(far.label("far")).select_from(found)


POSTGIS = Traits(
    "postgis",
    {
        "anti": anti_join,
        "semi": semi_join,
        "few_keys": looked_up,
        "group": lateral_count,
        "nearest": nearest_by_index,
    },
)
