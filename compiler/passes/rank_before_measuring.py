"""What only the rows of a ranking show is measured when all others are cut off."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from groundframe.compiler.estimates import size
from groundframe.compiler.ops import Aggregate, Attach, Complete, GroupKey, Op, Rank, Show, Where, rewrite
from groundframe.compiler.passes.use_stored_counts import use_stored_counts
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import NearAny, conjuncts

__all__ = ["rank_before_measuring"]

_MOST, _TIMES, _TIMES_COUNTED = 1000, 5, 20
"""The most rows, and how many times as many features there must be; the more where these are all counted:
looking a row's features up again takes some ten times as long as counting them with all others, and the
highest have more than others.
"""


def rank_before_measuring(root: Op, physical: Physical | None = None) -> Op:
    """Rank by the one measure, then work out the others for the rows that are left.

    Only where these are probably a small part of the features; for the others it would be done twice.
    """
    if physical is None:
        return root
    return rewrite(root, partial(_ranked_first, physical=physical), Show)


def _ranked_first(root: Show, physical: Physical) -> Show:
    match root.input:
        case Rank(input=Attach(input=features, own=own, groups=groups), by=by, top_n=int() as top_n) as rank:
            names = [name for group in groups for name in _names(group)]
            among = size(features, physical)
            if rank.include_ties or top_n > _MOST or among < _TIMES * top_n:
                return root
            first = next((group for group in groups if by in _names(group)), None)
            if not isinstance(first, Aggregate) or len(set(names)) < len(names) or _read_whole(first):
                return root
            rest = replace(first, measures=tuple(item for item in first.measures if item.name != by))
            left = tuple(rest if group is first else group for group in groups)
            left = tuple(group for group in left if _names(group))
            if not left and not own:
                return root
            ranked = replace(first, measures=tuple(item for item in first.measures if item.name == by))
            alone = replace(rank, input=Attach(features, (), (ranked,)))
            if among < _TIMES_COUNTED * top_n and not _is_stored(alone, physical):
                return root
            return replace(root, input=Complete(alone, own, left))
    return root


def _is_stored(rank: Rank, physical: Physical) -> bool:
    """Whether a load has counted just what is ranked by, so that nothing is counted twice."""
    found = use_stored_counts(rank, physical)
    return isinstance(found, Rank) and found.bound is not None and found.bound.exact


def _names(group: Op) -> list[str]:
    return [item.name for item in group.measures] if isinstance(group, Aggregate) else []


def _read_whole(group: Aggregate) -> bool:
    """Whether some of the groups take as long as all: what is near something is indexed by the distance."""
    match group:
        case Aggregate(input=Where(predicate=predicate), keys=(GroupKey(kind="link"),)):
            return any(isinstance(part, NearAny) for part in conjuncts(predicate))
    return False
