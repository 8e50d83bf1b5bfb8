"""How many features a set probably has and what a join probably costs.

The planner of a database is off by hundreds beside a spatial join. These estimates go by what a load has
noted of the dataset, so that a plan is the same for the same data.
"""

from __future__ import annotations

from typing import NamedTuple

from groundframe.compiler.near import Near
from groundframe.compiler.ops import Join, Op, Scan, Semi, Where
from groundframe.compiler.physical import Narrow, Physical
from groundframe.compiler.predicates import (
    And,
    Compare,
    Equals,
    IsUnknown,
    IsUnknownValue,
    KeyIn,
    LinkIn,
    Located,
    NearAny,
    Not,
    Or,
    Overlaps,
    PartIn,
    Predicate,
    Stored,
    TextContains,
    conjuncts,
)
from groundframe.compiler.relations import Listed, WithinDistance
from groundframe.compiler.types import Features

__all__ = ["Sizes", "costs", "left_by", "share", "share_within", "size", "sizes"]

_SHARES = {Overlaps: 0.1, TextContains: 0.05, IsUnknown: 0.1, IsUnknownValue: 0.1, Compare: 0.3, Equals: 0.1}
_RELATED = 0.5
_FEW = 0.2
"""Up to this share of an entity's features, they are looked up one by one."""
LISTED = 20_000
"""Up to so many rows, what they are linked to is looked up one by one."""
# Microseconds, measured: a search in a spatial index, a feature that it finds; a stored pair, looking up the
# pairs of one feature, and looking up the feature of a pair.
_SEARCH, _FOUND, _PAIR, _PROBE, _LOOK_UP = 15.0, 1.5, 0.2, 2.0, 0.6


class Sizes(NamedTuple):
    """All that lowering asks about the size of a set of features.

    Attributes
    ----------
    few, many : bool
        Whether they are a small part of their entity's features, or more than that.
    listed : bool
        Whether they are so few that what they are linked to is looked up one by one.
    """

    few: bool
    many: bool
    listed: bool


def sizes(op: Op, physical: Physical) -> Sizes:
    """How large a set of features probably is."""
    part = share(op, physical)
    return Sizes(part < _FEW, part > _FEW, part * _narrow(op, physical).rows <= LISTED)


def size(op: Op, physical: Physical) -> float:
    """About how many features there are."""
    return share(op, physical) * _narrow(op, physical).rows


def share(op: Op, physical: Physical) -> float:
    """About which part of their entity's features they are."""
    match op:
        case Scan():
            return 1.0
        case Where(input=features, predicate=predicate):
            return share(features, physical) * left_by(predicate, _narrow(op, physical), physical)
        case Semi(input=features, pairs=pairs, negate=negate):
            related = _related(pairs, physical)
            return share(features, physical) * (1 - related if negate else related)
    return 1.0


def _narrow(op: Op, physical: Physical) -> Narrow:
    assert isinstance(op.output, Features)  # noqa: S101 - asked of features only
    return physical.entities[op.output.entity]


def _related(pairs: Op, physical: Physical) -> float:
    """Which part of the left's features has a partner."""
    if isinstance(pairs, Join) and isinstance(pairs.right.output, Features):
        left, right = _narrow(pairs.left, physical), _narrow(pairs.right, physical)
        near = physical.near(left.entity.name, right.entity.name)
        for relation in pairs.relations:
            if isinstance(relation, WithinDistance | Listed) and near is not None:
                partners = _pairs_within(near, relation.metres) / max(left.rows, 1)
                return min(1.0, partners * share(pairs.right, physical))
    return _RELATED


def left_by(predicate: Predicate, narrow: Narrow, physical: Physical) -> float:
    """About which part of the features a condition leaves."""
    rows = max(narrow.rows, 1)
    match predicate:
        case And(parts):
            found = 1.0
            for part in parts:
                found *= left_by(part, narrow, physical)
            return found
        case Or(parts):
            return min(1.0, sum(left_by(part, narrow, physical) for part in parts))
        case Not(part):
            return 1.0 - left_by(part, narrow, physical)
        case IsUnknown(Stored(column)) if column in narrow.counts:
            return narrow.unknown(column)
        case KeyIn(keys):
            return min(1.0, len(keys) / rows)
        case LinkIn(link, keys):
            target = physical.entities[narrow.entity.link(link).to]
            return min(1.0, len(keys) / max(target.rows, 1))
        case Located():
            return narrow.counted("geom", "true", 1.0)
        case NearAny(other, metres):
            return narrow.counted(narrow.near_column(other), "true", 1.0) * metres / narrow.near[other]
        case Stored(column):
            return narrow.counted(column, "true", 0.1)
        case Equals(field, values) if (known := narrow.values(field)) is not None:
            codes = [str(known.index(str(value))) for value in values if value in known]
            return sum(narrow.counted(f"{field}_code", code, 0.1) for code in codes)
        case PartIn(_, part, numbers):
            return sum(narrow.counted(f"{part}_part", str(number), 0.1) for number in numbers)
        case Compare(field, comparison, value) if field == narrow.entity.date_field:
            years = {int(year): n for year, n in narrow.counts.get("year_part", {}).items()}
            after = comparison in ("gt", "gte")
            year = int(str(value)[:4])
            held = sum(n for one, n in years.items() if (one >= year if after else one <= year))
            return held / rows if years else _SHARES[Compare]
    return _SHARES.get(type(predicate), 1.0)


def share_within(near: Near, metres: float) -> float:
    """About which part of the stored pairs are within a shorter distance."""
    return (metres / near.metres) ** 2


def _pairs_within(near: Near, metres: float) -> float:
    return near.rows * share_within(near, metres)


def costs(join: Join, metres: float, near: Near, physical: Physical) -> tuple[float, float]:
    """Microseconds that a join by distance probably takes: by the stored pairs, and by searching."""
    sides = [(join.left, join.right), (join.right, join.left)]
    within = _pairs_within(near, metres)
    asked = {side: _LOOK_UP * (not isinstance(side, Scan)) for side in (join.left, join.right)}
    listed = [within * (_PAIR + sum(asked.values()))]
    # From one side: its features, the pairs of each, and what is asked of the other feature.
    listed += [
        size(driver, physical) * _PROBE + within * share(driver, physical) * (_PAIR + asked[other])
        for driver, other in sides
    ]
    return min(listed), min(_searched(driver, other, within, physical) for driver, other in sides)


def _searched(driver: Op, other: Op, within: float, physical: Physical) -> float:
    """Microseconds for a search beside each feature of the driver."""
    found = within * share(driver, physical) * _indexed(other, _narrow(other, physical))
    return size(driver, physical) * _SEARCH + found * _FOUND


def _indexed(op: Op, narrow: Narrow) -> float:
    """Which part of the features the smallest spatial index holds that has all of these."""
    match op:
        case Where(input=features, predicate=predicate):
            found = (_own_index(part, narrow) for part in conjuncts(predicate))
            return min([*found, _indexed(features, narrow)])
        case Semi(input=features):
            return _indexed(features, narrow)
    return 1.0


def _own_index(predicate: Predicate, narrow: Narrow) -> float:
    """Which part of the features is in an index of those for which a concept holds or is unknown."""
    match predicate:
        case Stored(column) if narrow.selective(column):
            return narrow.counted(column, "true", 1.0)
        case IsUnknown(Stored(column)) if narrow.seldom_unknown(column):
            return narrow.unknown(column)
    return 1.0
