"""The highest of a count, found among the groups alone where these are enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from groundframe.compiler.estimates import sizes
from groundframe.compiler.ops import Aggregate, Attach, Bound, Rank

if TYPE_CHECKING:
    from groundframe.compiler.lowering.tables import TableLowering

__all__ = ["ORDER", "highest"]

ORDER = "_order"
"""The column that sorts rows of features; no measure has such a name."""


def highest(lowering: TableLowering, op: Rank) -> sa.CompoundSelect[Any] | None:
    """Rows for the highest of a count over groups, those without a group only if there are too few.

    Every group is of one of the features, and without one the count is 0: so where the n-th group counts
    more than that, what counts at least as much is all that is wanted.
    """
    attach = op.input
    if not isinstance(attach, Attach) or len(attach.groups) != 1 or attach.own:
        return None
    (group,) = attach.groups
    cut = op.top_n is None or op.include_ties or op.order != "highest"
    if cut or lowering.physical is None or not isinstance(group, Aggregate) or group.keys[0].kind == "list":
        return None
    zero = any(item.zero and item.name == op.by for item in group.measures)
    rewrite = lowering.traits.rewrites.get("group")
    if not zero:
        return None
    if op.bound is not None:
        lowering.cte("beside", group, partial(_bounded, lowering, op, op.bound, attach, group))
    elif rewrite is not None and rewrite(lowering, group, lowering.use(attach.input)) is not None:
        return None
    joined = lowering.beside(group, None)
    counts = joined.c[op.by]
    last = _last(lowering, op, joined, "last")
    nought = sa.literal_column("0", sa.Integer)
    use = lowering.use(attach.input)
    names = [item.name for item in group.measures]
    found = [last > nought, counts >= last]
    looked_up = lowering.traits.rewrites.get("few_keys")
    keys = sa.select(joined.c.key.label("id")).where(*found).subquery()
    few = [looked_up(use.id, keys)] if looked_up is not None else []
    among = (
        sa.select(use.id.label("key"), use.order.label(ORDER), *(joined.c[name] for name in names))
        .select_from(joined.join(use.source, use.id == joined.c.key))
        .where(*found, *few, *lowering.restrict(attach.input, use))
    )
    return sa.union_all(among, lowering.attach(attach).where(sa.func.coalesce(last, nought) <= nought))


def _last(lowering: TableLowering, op: Rank, groups: sa.FromClause, name: str) -> sa.ScalarSelect[Any]:
    """The count at the place after the last that is wanted, which is looked for once."""
    counts, place = groups.c[op.by], lowering.binds.value(op.top_n, sa.Integer())
    found = sa.select(counts).order_by(counts.desc()).offset(place).limit(1)
    last = lowering.cte(name, op, lambda: sa.select(found.scalar_subquery().label("n")))
    return sa.select(last.c.n).scalar_subquery()


def _bounded(
    lowering: TableLowering, op: Rank, bound: Bound, attach: Attach, group: Aggregate
) -> sa.Select[Any]:
    """All groups that may be among the highest, none of which exceeds what a load has counted for it.

    Of the features with the highest bounds the groups are counted. What the place after the last of these
    counts, that place of all counts at least, and who may not reach it need not be counted.
    """
    n, number = sa.column("n", sa.Integer()), sa.column("id", sa.Integer())
    nought = sa.literal_column("0", sa.Integer)
    most = sa.table(bound.table, number, n, schema=lowering.schema)
    first, likely = most.alias("most"), most.alias("likely")
    use = lowering.use(attach.input)
    given = lowering.restrict(attach.input, use)
    source = first.join(use.source, use.id == first.c.id) if given else first
    counts = first.c.n.label(op.by)
    if bound.exact:
        every = sa.select(counts).select_from(source).where(*given).subquery()
        enough = first.c.n >= sa.func.coalesce(_last(lowering, op, every, "least"), nought)
        return sa.select(first.c.id.label("key"), counts).select_from(source).where(*given, enough)
    highest = (
        sa.select(first.c.id)
        .select_from(source)
        .where(*given)
        .order_by(first.c.n.desc(), first.c.id)
        .limit(lowering.binds.value(bound.first, sa.Integer()))
    )
    begun = lowering.cte("begun", group, lambda: lowering.counted(group, highest.subquery()))
    least = sa.func.coalesce(_last(lowering, op, begun, "least"), nought)
    chosen = sa.select(likely.c.id).where(likely.c.n >= least)
    if lowering.physical is not None and sizes(attach.input, lowering.physical).few:
        # Of few features the counts of all others need not be looked at.
        use = lowering.use(attach.input)
        among = likely.join(use.source, use.id == likely.c.id)
        chosen = chosen.select_from(among).where(*lowering.restrict(attach.input, use))
    return lowering.counted(group, chosen.subquery())
