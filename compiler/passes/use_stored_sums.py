"""Features that a load has counted need not be counted again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from groundframe.compiler.ops import Count, Op, Scan, Where, rewrite
from groundframe.compiler.physical import Narrow, Physical
from groundframe.compiler.predicates import (
    TRUE,
    And,
    IsUnknown,
    LinkPresent,
    Located,
    NearAny,
    Not,
    Predicate,
    Stored,
)
from groundframe.compiler.types import Features

__all__ = ["kind_of", "use_stored_sums"]


def use_stored_sums(root: Op, physical: Physical | None = None) -> Op:
    """Take the number of all features, or of those that a load has summed, from its sums.

    Within a distance the sums hold whole metres, and only what is in the last one is counted.
    """
    if physical is None:
        return root
    return rewrite(root, partial(_summed, physical=physical), Count)


def _summed(op: Count, physical: Physical) -> Count:
    kind = op.input.output
    if op.test is not None or not isinstance(kind, Features):
        return op
    narrow = physical.entities[kind.entity]
    if not narrow.summed or not set(op.by) <= {"source", narrow.entity.split_field}:
        return op
    match op.input:
        case Scan():
            return replace(op, stored=kind_of(TRUE, narrow))
        case Where(input=Scan(), predicate=predicate):
            return replace(op, stored=kind_of(predicate, narrow))
    return op


def kind_of(predicate: Predicate, narrow: Narrow) -> str | None:
    """What the sums call features for which it is true; None where they do not hold them.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> crashes = Physical.of(load_pack("massachusetts")).entities["Crash"]
    >>> [
    ...     kind_of(one, crashes)
    ...     for one in (TRUE, Not(Located()), And((LinkPresent("road"), NearAny("School", 90.0))))
    ... ]
    ['every', 'not geom', 'road_id, near_school_m']
    """
    match predicate:
        case And((one, other)):
            for condition, place in ((one, other), (other, one)):
                if _is_condition(condition) and isinstance(place, Not | NearAny):
                    names = kind_of(condition, narrow), kind_of(place, narrow)
                    return None if None in names else ", ".join(map(str, names))
        case Located():
            return "geom"
        case Not(Located()):
            return "not geom"
        case LinkPresent(link):
            return f"{link}_id"
        case Stored(column):
            return column
        case IsUnknown(Stored(column)):
            return f"not {column}"
        case NearAny(entity, metres) if metres <= narrow.near.get(entity, 0.0):
            return narrow.near_column(entity)
    return "every" if predicate == TRUE else None


def _is_condition(predicate: Predicate) -> bool:
    """Whether features are summed by it together with where they are."""
    match predicate:
        case LinkPresent() | Stored() | IsUnknown(Stored()):
            return True
    return False
