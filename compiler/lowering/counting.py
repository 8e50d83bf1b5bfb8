"""The tally of a plan as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.estimates import sizes
from groundframe.compiler.lowering.aggregates import decoded
from groundframe.compiler.lowering.logic import truth
from groundframe.compiler.lowering.pairs import PairUse
from groundframe.compiler.lowering.tables import TableLowering
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    Complete,
    Count,
    CutTies,
    Having,
    Join,
    JoinGroups,
    Op,
    Rank,
    Scan,
    Semi,
    Where,
)
from groundframe.compiler.predicates import NearAny, conjuncts
from groundframe.compiler.relations import Listed, is_link
from groundframe.compiler.tally import TallyItem
from groundframe.compiler.types import Features, Groups
from groundframe.errors import PlanError

__all__ = ["rows_of", "tally"]


def tally(items: Iterable[TallyItem], lowering: TableLowering) -> sa.CompoundSelect[Any]:
    """The counts, one after the other."""
    return sa.union_all(*(_tally_part(item, lowering) for item in items if not item.of_none))


def _tally_part(item: TallyItem, lowering: TableLowering) -> sa.Select[Any]:
    binds = lowering.binds
    what = [binds.value(item.kind).label("kind"), binds.value(item.role).label("role")]
    none: sa.ColumnElement[Any] = sa.null().cast(sa.Text)
    source, split, test = none, none, sa.false().label("test")
    count = sa.func.count().label("n")
    op = item.op
    if isinstance(op, CutTies):
        chosen = lowering.nearest(op.nearest).alias()
        k = binds.value(op.nearest.k, sa.Integer())
        return (
            sa.select(*what, source.label("source"), split.label("split"), test, count)
            .select_from(chosen)
            .where(chosen.c.position == k, chosen.c.next_mm == chosen.c.mm)
        )
    if not isinstance(op.input.output, Features):
        rows = rows_of(op.input, lowering)
        return sa.select(*what, source.label("source"), split.label("split"), test, count).select_from(rows)
    found = _held(op, lowering)
    use = lowering.use(op.input) if found is None else found.left
    count = use.count().label("n")
    shown: dict[str, sa.ColumnElement[Any]] = {"source": none, "split": none, "test": sa.false()}
    names = dict(zip(("source", "split"), op.by, strict=False))
    if "source" in names and use.narrow is not None and len(use.narrow.sources) == 1:
        # All rows are of the one source, so that an index on the rest is enough to count by.
        shown["source"] = binds.value(use.narrow.sources[0])
        del names["source"]
    values: dict[str, tuple[str, ...]] = {}
    grouped: dict[str, sa.ColumnElement[Any]] = {}
    for label, name in names.items():
        coded = use.coded(name)
        grouped[label] = use[name] if coded is None else coded[0]
        values |= {} if coded is None else {label: coded[1]}
    if op.test is not None:
        grouped["test"] = sa.func.coalesce(truth(op.test, use, binds), sa.false())
    if op.known is not None:
        grouped["known"] = sa.func.coalesce(truth(op.known, use, binds), sa.false())
    keys = [value.label(label) for label, value in grouped.items()]
    counting: sa.FromClause
    where: list[sa.ColumnElement[bool]] = []
    if op.stored is not None and grouped.keys() <= values.keys():
        counting = _summed(op, use, lowering, grouped).subquery()
        keys = [counting.c[label].label(label) for label in grouped]
        total = sa.func.coalesce(sa.func.sum(counting.c.n), sa.literal_column("0", sa.Integer))
        count = sa.cast(total, sa.BigInteger).label("n")
    else:
        if found is None:
            counting, where = use.source, lowering.restrict(op.input, use)
        else:
            counting, where = found.source(), found.where
        number = use.id
        if op.known is not None:
            # So that its values stand once in the statement, and groups are by the same.
            each = sa.select(*keys, number.label("id")).select_from(counting).where(*where).subquery()
            keys, number = [each.c[label].label(label) for label in grouped], each.c.id
            counting, where = each, []
        # Sorting numbers takes half as long as hashing each with what it is counted by.
        count = count if found is None else sa.func.count(sa.distinct(number)).label("n")
    statement = sa.select(*keys, count).select_from(counting).where(*where).group_by(*keys)
    if op.by and not keys:
        # As with a key: no row for none.
        statement = statement.having(sa.func.count() > sa.literal_column("0", sa.Integer))
    counted = statement.subquery()
    if op.known is not None:
        what[0] = sa.case((counted.c.known, what[0].element), else_=binds.value("unknown")).label("kind")
    for label in (one for one in grouped if one != "known"):
        value = counted.c[label]
        shown[label] = decoded(value, values[label], binds) if label in values else value
    return sa.select(*what, *(value.label(label) for label, value in shown.items()), counted.c.n)


def _summed(
    op: Count, use: Use, lowering: TableLowering, grouped: Mapping[str, sa.ColumnElement[Any]]
) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """Codes of features that a load has counted, and ``n``, how many; those of the last metre one by one."""
    if use.narrow is None:
        raise PlanError(f"There are no sums of {op.stored}.")
    codes = {label: sa.column(f"{label}_code", sa.Integer()) for label in ("source", "split")}
    kind, metre, n = (
        sa.column("kind", sa.Text()),
        sa.column("metre", sa.Integer()),
        sa.column("n", sa.Integer()),
    )
    sums = sa.table(use.narrow.sums, kind, metre, n, *codes.values(), schema=lowering.schema)
    shown = (sums.c[codes[label].name].label(label) for label in grouped)
    stored = sa.select(*shown, sums.c.n).where(sums.c.kind == lowering.binds.value(op.stored))
    predicate = op.input.predicate if isinstance(op.input, Where) else None
    parts = conjuncts(predicate) if predicate is not None else ()
    place = next((part for part in parts if isinstance(part, NearAny)), None)
    # Within all that a load has measured there is no last metre to look into.
    if place is None or place.metres == use.narrow.near[place.entity]:
        return stored
    whole = sa.func.floor(lowering.binds.within(place.metres))
    last = sa.select(
        *(value.label(label) for label, value in grouped.items()), sa.literal_column("1", sa.Integer)
    )
    beyond = use.near(place.entity) >= whole
    rest = last.select_from(use.source).where(beyond, *lowering.restrict(op.input, use))
    return sa.union_all(stored.where(sums.c.metre < whole), rest)


def _held(op: Count, lowering: TableLowering) -> PairUse | None:
    """The pairs in which the features are, where these need not be looked up for what they are counted by.

    Stored pairs must hold all of that. A search has it at hand; it is asked for where few are found.
    """
    features, physical = op.input, lowering.physical
    if op.test is not None or physical is None or not isinstance(features, Semi) or features.negate:
        return None
    pairs = features.pairs
    if not isinstance(pairs, Join) or not isinstance(pairs.right.output, Features):
        return None
    listed = next((one for one in pairs.relations if isinstance(one, Listed)), None)
    if listed is not None:
        if not isinstance(features.input, Scan) or not isinstance(pairs.left, Scan):
            return None
        narrow = physical.entities[pairs.left.entity]
        held = lowering.codes(pairs, listed, listed.left)
        coded = [f"{name}_code" for name in op.by if name != "source" or len(narrow.sources) != 1]
        return lowering.pairs(pairs) if coded and held.keys() >= set(coded) else None
    searched = features.drive == "right" and pairs.left == features.input and sizes(features, physical).few
    return lowering.pairs(pairs) if searched and not all(map(is_link, pairs.relations)) else None


def rows_of(op: Op, lowering: TableLowering) -> sa.Subquery:
    """The rows that are kept, one each."""
    op = op.input if isinstance(op, Complete) else op
    rows = lowering.rows(_measured(op, frozenset())).subquery()
    if isinstance(op, Rank) and op.top_n is not None and not op.include_ties:
        kept = rows.c.rank <= lowering.binds.value(op.top_n, sa.Integer())
        return sa.select(rows).where(kept).subquery()
    return rows


def _measured(op: Op, asked: frozenset[str]) -> Op:
    """The same rows with no more measures than decide which rows there are."""
    match op:
        case Having(input=rows, conditions=conditions):
            return replace(op, input=_measured(rows, asked | {name for name, _, _ in conditions}))
        case Rank(input=rows, by=by):
            return replace(op, input=_measured(rows, asked | {by}))
        case Attach(own=own, groups=groups):
            left = tuple(_measured(group, asked) for group in groups if _names(group) & asked)
            return replace(op, own=tuple(item for item in own if item.name in asked), groups=left)
        case JoinGroups(input=rows, others=others):
            left = tuple(_measured(group, asked) for group in others if _names(group) & asked)
            rows = _measured(rows, asked)
            return replace(op, input=rows, others=left) if left else rows
        case Aggregate(measures=measures):
            return replace(op, measures=tuple(item for item in measures if item.name in asked))
    return op


def _names(group: Op) -> set[str]:
    return set(group.output.measures) if isinstance(group.output, Groups) else set()
