"""Features that take part, and those of which too little is known for that, are counted in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from groundframe.compiler.estimates import left_by
from groundframe.compiler.ops import Count, Join, Op, Semi, Together, Where
from groundframe.compiler.passes.use_stored_groups import use_stored_groups
from groundframe.compiler.physical import SELECTIVE, Narrow, Physical
from groundframe.compiler.predicates import (
    FACTS,
    FALSE,
    And,
    Compare,
    Equals,
    IsUnknown,
    KeyIn,
    LinkIn,
    Not,
    Or,
    Possible,
    Predicate,
    Stored,
    both,
    conjuncts,
)
from groundframe.compiler.types import Features

__all__ = ["count_once"]


def count_once(root: Op, physical: Physical | None = None) -> Op:
    """Count those with unknown conditions beside those that meet them, where no index leads to either.

    What an index finds is left apart: conditions that hold for few. Of conditions that the dataset knows of
    every feature nothing is unknown.
    """
    if physical is None or not isinstance(root, Together):
        return root
    parts = list(root.parts)
    for place, known in enumerate(parts):
        if not isinstance(known, Count) or not known.by or known.known is not None:
            continue
        for other in range(place + 1, len(parts)):
            unknown = parts[other]
            if isinstance(unknown, Count) and not unknown.by and unknown.role == known.role:
                found = _together(known, unknown, physical)
                if found is not None:
                    parts[place], parts[other] = found
                    break
    return replace(root, parts=tuple(parts))


def _together(known: Count, unknown: Count, physical: Physical) -> tuple[Count, Count] | None:
    """Both counts made anew; None where the second is not of those that may be among the first."""
    kind = known.input.output
    if not isinstance(kind, Features) or unknown.input.output != kind:
        return None
    apart = _apart(known.input, unknown.input)
    if apart is None:
        return None
    narrow = physical.entities[kind.entity]
    own = [part for part in apart.own if not isinstance(part, FACTS) and not _is_known(part, narrow)]
    sure = [*apart.same, *(part for part in apart.own if part not in own)]
    sought = _sought(own, apart.same, narrow, physical)
    rest = [part for part in own if part not in sought]
    maybe = [Possible(part) for part in rest]
    left = both(*sure, IsUnknown(both(*sought)), *maybe) if sought else FALSE
    if not rest:
        return known, replace(unknown, input=apart.where(left))
    if use_stored_groups(known, physical) is not known:
        return None
    first = apart.where(both(*sure, *sought, *maybe))
    return replace(known, input=first, known=both(*rest)), replace(unknown, input=apart.where(left))


class _Apart(NamedTuple):
    """Where two sets of features differ: in a filter by which one has what is unknown of the other.

    Attributes
    ----------
    same, own : list of Predicate
        What is asked of both, and what is true of the first and unknown of the second.
    where : callable
        Makes the features anew with another predicate in that place.
    """

    same: list[Predicate]
    own: list[Predicate]
    where: Callable[[Predicate], Op]


def _apart(known: Op, unknown: Op) -> _Apart | None:
    """None unless they differ so, and each feature by itself: others may decide which are the nearest."""
    match known, unknown:
        case Where(input=first, predicate=asked), Where(input=second, predicate=left) if first == second:
            parts = conjuncts(left)
            opened = [part for part in parts if isinstance(part, IsUnknown)]
            if len(opened) != 1:
                return None
            same = [part for part in parts if part not in opened]
            own = [part for part in conjuncts(opened[0].part) if part not in same]
            return _Apart(same, own, partial(Where, first)) if {*same, *own} == {*conjuncts(asked)} else None
        case Where(predicate=asked), Where(predicate=left) if asked == left:
            return _within(known.input, unknown.input, lambda op: Where(op, asked))
        case Semi(), Semi() if known.negate == unknown.negate:
            return _within(known.input, unknown.input, _partners(known, unknown))
    return None


def _within(known: Op, unknown: Op, around: Callable[[Op], Op] | None) -> _Apart | None:
    """Where two inputs differ, with what is asked of both around it."""
    found = _apart(known, unknown)
    if found is None or around is None:
        return None
    return found._replace(where=lambda predicate: around(found.where(predicate)))


def _partners(known: Semi, unknown: Semi) -> Callable[[Op], Op] | None:
    """Asks others for the same partners; None where the two have not the same."""
    first, second = known.pairs, unknown.pairs
    if first == second:
        return lambda features: replace(known, input=features)
    if not isinstance(first, Join) or not isinstance(second, Join):
        return None
    own = (first.left, second.left) == (known.input, unknown.input)
    if not own or replace(second, left=first.left) != first:
        return None
    return lambda features: replace(known, input=features, pairs=replace(first, left=features))


def _is_known(predicate: Predicate, narrow: Narrow) -> bool:
    """Whether the dataset has no feature for which it is unknown."""
    match predicate:
        case Compare(field, unknown=()) if field == narrow.entity.date_field:
            return _all_counted("year_part", (), narrow)
        case Equals(field, unknown=unknown) if (values := narrow.values(field)) is not None:
            codes = [str(values.index(value)) for value in unknown if value in values]
            return _all_counted(f"{field}_code", codes, narrow)
        case Stored(column):
            return _all_counted(column, (), narrow)
    return False


def _all_counted(column: str, unknown: Sequence[str], narrow: Narrow) -> bool:
    counts = narrow.counts.get(column)
    return (
        counts is not None
        and sum(counts.values()) == narrow.rows
        and not any(counts.get(one) for one in unknown)
    )


def _sought(
    own: Sequence[Predicate], same: Sequence[Predicate], narrow: Narrow, physical: Physical
) -> list[Predicate]:
    """The conditions by which an index finds features: rare concepts, or else values and dates of few."""
    rare = [part for part in own if _has_rare(part, narrow)]
    if rare or any(isinstance(part, LinkIn | KeyIn) for part in same):
        return rare
    indexed = [part for part in own if _is_indexed(part, narrow)]
    return indexed if left_by(both(*indexed), narrow, physical) <= SELECTIVE else []


def _has_rare(predicate: Predicate, narrow: Narrow) -> bool:
    match predicate:
        case Stored(column):
            return narrow.selective(column) or narrow.seldom_unknown(column)
        case And(parts) | Or(parts):
            return any(_has_rare(part, narrow) for part in parts)
        case Not(part):
            return _has_rare(part, narrow)
    return False


def _is_indexed(predicate: Predicate, narrow: Narrow) -> bool:
    match predicate:
        case Compare(field):
            return field == narrow.entity.date_field
        case Equals(field):
            return narrow.values(field) is not None
    return False
