"""Counts by parts of date and time come from tables in which a load has counted all features by them."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import partial

from groundframe.compiler.ops import Aggregate, Count, GroupKey, Op, Scan, Where, rewrite
from groundframe.compiler.physical import Narrow, Physical
from groundframe.compiler.predicates import (
    And,
    Compare,
    Equals,
    IsUnknownValue,
    Or,
    PartIn,
    Predicate,
    Stored,
)

__all__ = ["use_stored_groups"]

_FIRST, _LAST = (1, 1), (12, 31)
_WHOLE = {"gte": _FIRST, "lt": _FIRST, "gt": _LAST, "lte": _LAST}
"""Beside which day of a year a comparison tells whole years apart."""
_TESTS = {"gte": operator.ge, "lt": operator.lt, "gt": operator.gt, "lte": operator.le}


def use_stored_groups(root: Op, physical: Physical | None = None) -> Op:
    """Count features by hour, weekday, month and year, and by severity, as a load has counted them.

    Conditions may be on the same, and on whole years, as long as there is a table of all parts together.
    """
    if physical is None:
        return root
    return rewrite(root, partial(_grouped, physical=physical), Aggregate, Count)


def _grouped(op: Aggregate | Count, physical: Physical) -> Aggregate | Count:
    scan, predicates = _conditions(op.input)
    if scan is None or scan.grouped is not None:
        return op
    narrow = physical.entities[scan.entity]
    if not narrow.grouped:
        return op
    asked = _asked(op, narrow)
    allowed = [_by_parts(predicate, narrow) for predicate in predicates]
    if asked is None or None in allowed:
        return op
    found = [one for one in allowed if one is not None]
    parts = set(asked).union(*(_parts(one) for one in found))
    tables = [table for table, held in narrow.groupings.items() if parts <= set(held)]
    # A table of everything is no gain where everything has been summed.
    if not tables or (isinstance(op, Count) and (op.stored is not None or not parts)):
        return op
    features: Op = replace(scan, grouped=tables[0])
    for predicate in reversed(found):
        features = Where(features, predicate)
    return replace(op, input=features)


def _conditions(op: Op) -> tuple[Scan | None, list[Predicate]]:
    """All features of an entity and what is asked of them; None where they are something else."""
    predicates = []
    while isinstance(op, Where):
        predicates.append(op.predicate)
        op = op.input
    return (op if isinstance(op, Scan) else None), predicates


def _asked(op: Aggregate | Count, narrow: Narrow) -> list[str] | None:
    """The parts that it counts by; None where it asks for more than the tables hold."""
    split = narrow.entity.split_field
    if isinstance(op, Count):
        return [] if op.test is None and set(op.by) <= {"source", split} else None
    simple = all(
        item.function == "count" and (item.where is None or _by_parts(item.where, narrow) == item.where)
        for item in op.measures
    )
    keys = [_part_of(key, narrow) for key in op.keys]
    if not simple or op.counted != "left" or None in keys:
        return None
    wheres = [item.where for item in op.measures if item.where is not None]
    return [*(key for key in keys if key), *(part for where in wheres for part in _parts(where))]


def _part_of(key: GroupKey, narrow: Narrow) -> str | None:
    """The part of date or time that groups are by; empty where they are by what all tables hold."""
    if key.kind == "field":
        return "" if _holds(key.field, narrow) else None
    return key.part if narrow.part(key.part, key.field) is not None else None


def _holds(field: str, narrow: Narrow) -> bool:
    """Whether all tables have the field's codes."""
    return field in ("source", narrow.entity.split_field) and narrow.values(field) is not None


def _by_parts(predicate: Predicate, narrow: Narrow) -> Predicate | None:
    """The same predicate on what the tables hold; None where there is no such."""
    match predicate:
        case And(parts) | Or(parts):
            found = [_by_parts(part, narrow) for part in parts]
            return None if None in found else type(predicate)(tuple(one for one in found if one is not None))
        case PartIn(field, part) if narrow.part(part, field) is not None:
            return predicate
        case Equals(field) | IsUnknownValue(field) if _holds(field, narrow):
            return predicate
        case Stored(part=Equals() as meant):
            return _by_parts(meant, narrow)
        case Compare(field, comparison, date() as day) if narrow.part("year", field) is not None:
            if (day.month, day.day) != _WHOLE[comparison]:
                return None
            years = sorted(map(int, narrow.counts.get("year_part", {})))
            return PartIn(field, "year", tuple(one for one in years if _TESTS[comparison](one, day.year)))
    return None


def _parts(predicate: Predicate) -> Iterable[str]:
    match predicate:
        case And(parts) | Or(parts):
            return [name for part in parts for name in _parts(part)]
        case PartIn(_, part):
            return [part]
    return []
