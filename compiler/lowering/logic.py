"""Predicates as SQL: the truth and the falsity of each are two expressions.

Both are TRUE exactly where the predicate is true, or false; elsewhere they are FALSE or NULL. They are
combined with AND and OR only, so three-valued logic comes out right without a CASE, and indexes stay usable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import ListOverlaps, TextHas
from groundframe.compiler.lowering.uses import Use, among
from groundframe.compiler.predicates import (
    FACTS,
    And,
    Compare,
    Equals,
    IsNull,
    IsUnknown,
    IsUnknownValue,
    KeyIn,
    LinkIn,
    LinkPresent,
    Located,
    NearAny,
    Not,
    Or,
    Overlaps,
    PartIn,
    Placed,
    Possible,
    Predicate,
    Stored,
    TextContains,
    Undecided,
    both,
    either,
)

__all__ = ["falsity", "truth"]

Clause = sa.ColumnElement[bool]


def truth(predicate: Predicate, use: Use, binds: Binds) -> Clause:
    """TRUE where the predicate is true."""
    match predicate:
        case And(parts):
            return sa.and_(sa.true(), *(truth(part, use, binds) for part in parts))
        case Or(parts):
            return sa.or_(sa.false(), *(truth(part, use, binds) for part in parts))
        case Not(part):
            return falsity(part, use, binds)
        case Stored(column):
            return use.flag(column)
        case IsUnknown(Stored(column)):
            return use.flag(column).is_(None)
        case IsUnknown(And(parts)):
            return truth(_unknown_all(parts), use, binds)
        case IsUnknown(part) if isinstance(part, FACTS):
            return sa.false()
        case IsUnknown(part):
            return sa.and_(_not(truth(part, use, binds)), _not(falsity(part, use, binds)))
        case Possible(part) if isinstance(part, FACTS):
            return truth(part, use, binds)
        case Possible(part):
            return _not(falsity(part, use, binds))
        case Undecided():
            return sa.false()
        case Equals(field, values):
            return among(*_coded(use, field, values), binds)
        case IsUnknownValue(field, unknown, in_list):
            where, others = _coded(use, field, unknown)
            return sa.or_(where.is_(None), _has(where, others, in_list, binds))
        case Overlaps(field, values):
            return _has(use[field], values, True, binds)
        case Compare(field, comparison, value, unknown):
            return _known(use[field], _compare(use[field], comparison, value, binds), unknown, binds)
        case TextContains(field, value, unknown):
            return _known(use[field], TextHas(use[field], binds.value(value, part=value)), unknown, binds)
        case PartIn(field, part_name, values):
            return use.part(part_name, field).in_(binds.values(values, sa.Integer()))
        case _:
            return _fact(predicate, use, binds)


def falsity(predicate: Predicate, use: Use, binds: Binds) -> Clause:
    """TRUE where the predicate is false."""
    match predicate:
        case And(parts):
            return sa.or_(sa.false(), *(falsity(part, use, binds) for part in parts))
        case Or(parts):
            return sa.and_(sa.true(), *(falsity(part, use, binds) for part in parts))
        case Not(part):
            return truth(part, use, binds)
        case Stored(column):
            return sa.not_(use.flag(column))
        case IsUnknown() | Possible():
            return _not(truth(predicate, use, binds))
        case Undecided():
            return sa.false()
        case Equals(field, values, unknown):
            where, others = _coded(use, field, (*values, *unknown))
            return where.not_in(binds.values(others, where.type)) if others else where.is_not(None)
        case IsUnknownValue(field, unknown, in_list):
            where, others = _coded(use, field, unknown)
            return sa.not_(_has(where, others, in_list, binds)) if others else where.is_not(None)
        case Overlaps(field, values, unknown):
            return sa.not_(_has(use[field], (*values, *unknown), True, binds))
        case Compare(field, comparison, value, unknown):
            opposite = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}[comparison]
            return _known(use[field], _compare(use[field], opposite, value, binds), unknown, binds)
        case TextContains(field, value, unknown):
            return _known(
                use[field], sa.not_(TextHas(use[field], binds.value(value, part=value))), unknown, binds
            )
        case PartIn(field, part_name, values):
            return use.part(part_name, field).not_in(binds.values(values, sa.Integer()))
        case _:
            return sa.not_(_fact(predicate, use, binds))


def _unknown_all(parts: Sequence[Predicate]) -> Predicate:
    """Where a conjunction is unknown: case by case, the first part that is, so that indexes stay usable."""
    facts = [part for part in parts if isinstance(part, FACTS)]
    groups: dict[Predicate, list[Predicate]] = {}
    for part in parts:
        if not isinstance(part, FACTS):
            groups.setdefault(_unknown(part), []).append(part)
    cases = []
    for number, unknown in enumerate(groups):
        before = [part for group in list(groups.values())[:number] for part in group]
        after = [Possible(part) for group in list(groups.values())[number + 1 :] for part in group]
        cases.append(both(*before, unknown, *after))
    return both(*facts, either(*cases))


def _unknown(predicate: Predicate) -> Predicate:
    """Where a predicate is unknown."""
    match predicate:
        case Compare(field, unknown=()) | TextContains(field, unknown=()) | PartIn(field):
            return IsNull(field)
    return IsUnknown(predicate)


def _coded(use: Use, field: str, values: Sequence[Any]) -> tuple[sa.ColumnClause[Any], Sequence[Any]]:
    """The column to compare with values, and the values as it has them."""
    coded = use.coded(field)
    if coded is None:
        return use[field], values
    column, known = coded
    # What is none of the field's values is no row's either.
    return column, tuple(known.index(value) for value in values if value in known)


def _fact(predicate: Predicate, use: Use, binds: Binds) -> Clause:
    """Predicates that are never unknown and give no NULL."""
    match predicate:
        case IsNull(field):
            return use[field].is_(None)
        case KeyIn(keys):
            return use.is_one_of(keys, binds)
        case LinkIn(link, keys):
            column = use.linked(link)
            return sa.and_(column.is_not(None), use.leads_to(link, keys, binds))
        case LinkPresent(link):
            return use.linked(link).is_not(None)
        case NearAny(other, metres):
            column = use.near(other)
            return sa.and_(column.is_not(None), column <= binds.within(metres))
        case Located():
            return use.geom.is_not(None)
        case Placed(link):
            return sa.or_(use.linked(link).is_not(None), use.geom.is_not(None))
    raise AssertionError(predicate)


def _has(column: sa.ColumnClause[Any], values: Sequence[Any], in_list: bool, binds: Binds) -> Clause:
    if not values or not in_list:
        return among(column, values, binds)
    return ListOverlaps(column, *(binds.value(value) for value in values))


def _known(column: sa.ColumnClause[Any], test: Clause, unknown: Sequence[str], binds: Binds) -> Clause:
    """The test, where the column has none of the values that mean unknown."""
    return sa.and_(test, column.not_in(binds.values(unknown, column.type))) if unknown else test


def _compare(column: sa.ColumnClause[Any], comparison: str, value: Any, binds: Binds) -> Clause:
    # An integer field may be compared with a fraction.
    kind = sa.Double() if isinstance(value, float) else column.type
    # Small whole numbers are often equal to what a statement has anyway: they are part of its shape.
    bound = binds.value(value, kind, part=None if isinstance(value, int) else value)
    match comparison:
        case "lt":
            return column < bound
        case "lte":
            return column <= bound
        case "gt":
            return column > bound
    return column >= bound


def _not(clause: Clause) -> Clause:
    """TRUE where the clause is FALSE or NULL."""
    return sa.not_(sa.func.coalesce(clause, sa.false()))
