"""Which side a semi-join is driven from."""

from __future__ import annotations

from dataclasses import replace

from groundframe.compiler.ops import Constant, Join, Op, Scan, Semi, Side, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import (
    And,
    Compare,
    Equals,
    KeyIn,
    LinkIn,
    Or,
    Overlaps,
    PartIn,
    Predicate,
    TextContains,
)

__all__ = ["prefer_semi_join"]

_KNOWN_KEYS = 1.0
_SHARE = {Equals: 0.1, Compare: 0.3, Overlaps: 0.1, PartIn: 0.3, TextContains: 0.05, LinkIn: 0.01}
"""What a test probably leaves; the planner of a database is off by hundreds beside a spatial join."""
_EVENTS, _SITES, _AREAS = 1_000_000.0, 50_000.0, 500.0


def prefer_semi_join(root: Op, physical: Physical | None = None) -> Op:
    """Drive a semi-join from the left where it is much the smaller side, from the right otherwise.

    From the right means a join that yields the keys of the left, from the left a search beside each row. The
    estimate needs no data: it goes by the kind of features and by what is asked of each side.
    """

    def change(op: Op) -> Op:
        match op:
            case Semi(input=features, pairs=Join(right=right), negate=False):
                if isinstance(right, Constant):
                    return op
                drive: Side = "left" if 10 * _size(features) < _size(right) else "right"
                return replace(op, drive=drive)
        return op

    return rewrite(root, change, Semi)


def _size(op: Op) -> float:
    match op:
        case Scan():
            return _AREAS if "polygon" in op.geometry else _EVENTS if op.dated else _SITES
        case Where(input=features, predicate=predicate):
            return _left_by(predicate, _size(features))
        case Semi(input=features):
            return _size(features) * 0.5
    return _EVENTS


def _left_by(predicate: Predicate, size: float) -> float:
    match predicate:
        case KeyIn(keys):
            return min(size, _KNOWN_KEYS * len(keys))
        case And(parts):
            for part in parts:
                size = _left_by(part, size)
            return size
        case Or(parts):
            return min(size, sum(_left_by(part, size) for part in parts))
        case _:
            return size * _SHARE.get(type(predicate), 1.0)
