"""The highest of a count, found among the groups alone where these are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from groundframe.compiler.ops import Aggregate, Attach, Rank

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
    if not zero or (rewrite is not None and rewrite(lowering, group, lowering.use(attach.input)) is not None):
        return None
    joined = lowering.beside(group, None)
    counts = joined.c[op.by]
    place = lowering.binds.value(op.top_n, sa.Integer())
    last = sa.select(counts).order_by(counts.desc()).offset(place).limit(1).scalar_subquery()
    nought = sa.literal_column("0", sa.Integer)
    use = lowering.use(attach.input)
    names = [item.name for item in group.measures]
    found = [last > nought, counts >= last]
    looked_up = lowering.traits.rewrites.get("few_keys")
    keys = sa.select(joined.c.key.label("id")).where(*found).subquery()
    few = [looked_up(use, keys)] if looked_up is not None else []
    among = (
        sa.select(use.id.label("key"), use.order.label(ORDER), *(joined.c[name] for name in names))
        .select_from(joined.join(use.source, use.id == joined.c.key))
        .where(*found, *few, *lowering.restrict(attach.input, use))
    )
    return sa.union_all(among, lowering.attach(attach).where(sa.func.coalesce(last, nought) <= nought))
