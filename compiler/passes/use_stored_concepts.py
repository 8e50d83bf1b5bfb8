"""A concept that is stored as a column need not be worked out."""

from __future__ import annotations

from dataclasses import replace

from groundframe.compiler.ops import Op, Where, rewrite
from groundframe.compiler.physical import Narrow, Physical
from groundframe.compiler.predicates import And, IsUnknown, Not, Or, Possible, Predicate, Stored

__all__ = ["use_stored_concepts"]


def use_stored_concepts(root: Op, physical: Physical | None = None) -> Op:
    """Predicates that are a stored concept's become a look at its column, whether or not it was named."""
    if physical is None:
        return root

    def change(op: Where) -> Op:
        return replace(op, predicate=_stored(op.predicate, physical.entities[op.output.entity]))

    return rewrite(root, change, Where)


def _stored(predicate: Predicate, narrow: Narrow) -> Predicate:
    for flag in narrow.flags:
        if flag.predicate == predicate:
            return Stored(flag.column, predicate)
    match predicate:
        case And(parts) | Or(parts):
            return type(predicate)(tuple(_stored(part, narrow) for part in parts))
        case Not(part) | IsUnknown(part) | Possible(part):
            return type(predicate)(_stored(part, narrow))
    return predicate
