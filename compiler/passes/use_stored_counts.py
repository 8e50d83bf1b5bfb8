"""The highest of a count are sought among those of which a load has counted the most."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import ceil

from groundframe.compiler.estimates import share, share_within, size
from groundframe.compiler.ops import Aggregate, Attach, Bound, GroupKey, Join, Op, Rank, Scan, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.relations import LinksFrom, Listed
from groundframe.compiler.types import Features

__all__ = ["use_stored_counts"]

_LEAST = 0.1
"""Where a smaller part of what is stored takes part, it says too little of who has the most."""
_TIMES = 5


def use_stored_counts(root: Op, physical: Physical | None = None) -> Op:
    """Give a ranking by a count what this cannot exceed: all pairs that are stored, or all that is linked.

    Conditions and shorter distances only make a count smaller. So the n-th highest count among any features
    is one that the n-th highest of all reaches, and who has fewer stored pairs than that is not among them.
    """
    if physical is None:
        return root
    return rewrite(root, partial(_bounded, physical=physical), Rank)


def _bounded(rank: Rank, physical: Physical) -> Rank:
    match rank:
        case Rank(
            input=Attach(input=features, own=(), groups=(Aggregate() as group,)),
            order="highest",
            top_n=int() as top_n,
            include_ties=False,
        ):
            found = _stored(group, physical)
            (item,) = [item for item in group.measures if item.name == rank.by]
            if found is None or item.function != "count":
                return rank
            table, part, whole = found
            first = ceil((top_n + 1) / max(part, _LEAST))
            if whole and item.where is None and len(group.measures) == 1:
                return replace(rank, bound=Bound(table, first, exact=True))
            if part >= _LEAST and size(features, physical) >= _TIMES * first:
                return replace(rank, bound=Bound(table, first))
    return rank


def _stored(group: Aggregate, physical: Physical) -> tuple[str, float, bool] | None:
    """The table of counts, about which part of them the group counts, and whether that is all."""
    match group:
        case Aggregate(
            input=Join(left=left, right=right, relations=relations, distinct=distinct),
            keys=(GroupKey(kind="key", side="left"),),
            counted="right",
        ) if isinstance(left.output, Features) and isinstance(right.output, Features):
            every = (
                isinstance(left, Scan) and isinstance(right, Scan) and len(relations) == 1 and not distinct
            )
            for relation in relations:
                if isinstance(relation, Listed) and relation.left == "a":
                    near = physical.near(left.output.entity, right.output.entity)
                    if near is not None and near.counted and near.table == relation.table:
                        part = share_within(near, relation.metres) * share(right, physical)
                        return near.counts, part, every and relation.metres == near.metres
                if isinstance(relation, LinksFrom):
                    narrow = physical.entities[right.output.entity]
                    if relation.link in narrow.counted_links:
                        return narrow.link_counts(relation.link), share(right, physical), every
        case Aggregate(input=features, keys=(GroupKey(kind="link", field=link),)) if isinstance(
            features.output, Features
        ):
            narrow = physical.entities[features.output.entity]
            if link in narrow.counted_links:
                return narrow.link_counts(link), share(features, physical), isinstance(features, Scan)
    return None
