"""The highest of a count are sought among those of which a load has counted the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import ceil
from typing import NamedTuple

from groundframe.compiler.estimates import LISTED, share, share_within, size
from groundframe.compiler.near import Near
from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    Bound,
    GroupKey,
    Join,
    Op,
    Rank,
    Scan,
    Semi,
    Where,
    rewrite,
)
from groundframe.compiler.physical import Narrow, Physical
from groundframe.compiler.predicates import Stored, conjuncts
from groundframe.compiler.relations import LinksFrom, Listed, WithinDistance
from groundframe.compiler.types import Features

__all__ = ["use_stored_counts"]

_LEAST = 0.1
"""Where a smaller part of what is stored takes part, it says too little of who has the most."""
_TIMES = 10
"""So many times those that are counted first there must be: they are counted twice, and have the most."""


def use_stored_counts(root: Op, physical: Physical | None = None) -> Op:
    """Give a ranking by a count what this cannot exceed: what a load has counted of pairs or links.

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
            table, part, whole, each = found
            first = ceil((top_n + 1) / max(part, _LEAST))
            if whole and item.where is None and len(group.measures) == 1:
                return replace(rank, bound=Bound(table, first, exact=True))
            among = size(features, physical)
            if part >= _LEAST and among >= _TIMES * first and among * each > LISTED:
                return replace(rank, bound=Bound(table, first))
    return rank


class _Found(NamedTuple):
    """What a load has counted.

    Attributes
    ----------
    part : float
        About which part of that the group counts.
    whole : bool
        Whether it counts all of it.
    each : float
        How many a feature has, on average.
    """

    table: str
    part: float
    whole: bool
    each: float


def _stored(group: Aggregate, physical: Physical) -> _Found | None:
    """The counts that those of the group cannot exceed."""
    match group:
        case Aggregate(
            input=Join(left=left, right=right, relations=relations, distinct=distinct),
            keys=(GroupKey(kind="key", side="left"),),
            counted="right",
        ) if isinstance(left.output, Features) and isinstance(right.output, Features):
            counted = _Counted.of(right, physical)
            every = counted.every and isinstance(left, Scan) and len(relations) == 1 and not distinct
            for relation in relations:
                if isinstance(relation, Listed | WithinDistance):
                    near = physical.near(left.output.entity, right.output.entity)
                    if near is not None and _covers(near, left.output.entity, relation):
                        part = share_within(near, relation.metres) * counted.part
                        rows = physical.entities[left.output.entity].rows
                        whole = every and relation.metres == near.metres
                        return _Found(near.counts(counted.flag), part, whole, near.rows / max(rows, 1))
                if isinstance(relation, LinksFrom) and relation.link in counted.narrow.counted_links:
                    return counted.linked(relation.link, every, physical)
        case Aggregate(input=features, keys=(GroupKey(kind="link", field=link),)) if isinstance(
            features.output, Features
        ):
            counted = _Counted.of(features, physical)
            if link in counted.narrow.counted_links:
                return counted.linked(link, counted.every, physical)
    return None


def _covers(near: Near, left: str, relation: Listed | WithinDistance) -> bool:
    """Whether the stored pairs, of which each feature of the left's has its number, are all or more."""
    if isinstance(relation, Listed) and (relation.left, relation.table) != ("a", near.table):
        return False
    return near.counted and near.a == left and relation.metres <= near.metres


class _Counted(NamedTuple):
    """What of some features is counted: all of their entity, or those of the rarest concept that they meet.

    Attributes
    ----------
    part : float
        About which part of what is counted they are.
    every : bool
        Whether they are all of it.
    """

    narrow: Narrow
    flag: str
    part: float
    every: bool

    def linked(self, link: str, whole: bool, physical: Physical) -> _Found:
        """How many a link leads from."""
        to = physical.entities[self.narrow.entity.link(link).to]
        each = self.narrow.rows / max(to.rows, 1)
        return _Found(self.narrow.link_counts(link, self.flag), self.part, whole, each)

    @classmethod
    def of(cls, features: Op, physical: Physical) -> _Counted:
        assert isinstance(features.output, Features)  # noqa: S101 - asked of features only
        narrow = physical.entities[features.output.entity]
        part = share(features, physical)
        flags = [column for column in _concepts(features) if column in narrow.counted_flags]
        if not flags:
            return cls(narrow, "", part, isinstance(features, Scan))
        rarest = min(flags, key=lambda column: (narrow.counted(column, "true", 1.0), column))
        match features:
            case Where(input=Scan(), predicate=Stored()):
                every = True
            case _:
                every = False
        return cls(narrow, rarest, min(1.0, part / max(narrow.counted(rarest, "true", 1.0), part)), every)


def _concepts(features: Op) -> Iterator[str]:
    """The stored concepts that some features meet."""
    match features:
        case Where(input=rest, predicate=predicate):
            yield from (part.column for part in conjuncts(predicate) if isinstance(part, Stored))
            yield from _concepts(rest)
        case Semi(input=rest):
            yield from _concepts(rest)
