"""Pairs of neighbours that were computed at load need no search."""

from __future__ import annotations

from dataclasses import replace

from groundframe.compiler.estimates import costs
from groundframe.compiler.ops import Join, Op, Semi, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import TRUE, And, Located, Predicate, both
from groundframe.compiler.relations import Listed, Relation, WithinDistance
from groundframe.compiler.types import Features

__all__ = ["use_stored_pairs"]


def use_stored_pairs(root: Op, physical: Physical | None = None) -> Op:
    """A join by a distance up to that of stored pairs goes by these, where that is probably quicker.

    A search is quicker where few features remain that have a spatial index of their own.
    """
    if physical is None:
        return root

    def change(op: Join) -> Op:
        if not isinstance(op.right.output, Features):
            return op
        relations = tuple(_listed(op, relation, physical) for relation in op.relations)
        # One table of pairs can be read for them; a second relation by distance is tested on the geometry.
        if sum(isinstance(relation, Listed) for relation in relations) != 1:
            return op
        return replace(op, left=_placed(op.left), right=_placed(op.right), relations=relations)

    return rewrite(root, change, Join)


def _listed(join: Join, relation: Relation, physical: Physical) -> Relation:
    left, right = join.left.output, join.right.output
    if not isinstance(relation, WithinDistance) or not (
        isinstance(left, Features) and isinstance(right, Features)
    ):
        return relation
    near = physical.near(left.entity, right.entity)
    if near is None or relation.metres > near.metres:
        return relation
    listed, searched = costs(join, relation.metres, near, physical)
    if listed > searched:
        return relation
    return Listed(relation.metres, near.table, "a" if near.a == left.entity else "b")


def _placed(op: Op) -> Op:
    """The features without the condition that their place is known, which every pair meets."""
    if isinstance(op, Semi):
        return op.with_inputs(lambda one: _placed(one) if one is op.input else one)
    if not isinstance(op, Where):
        return op
    predicate = _without(op.predicate)
    return op.input if predicate == TRUE else replace(op, predicate=predicate)


def _without(predicate: Predicate) -> Predicate:
    if predicate == Located():
        return TRUE
    if isinstance(predicate, And):
        return both(*(part for part in predicate.parts if part != Located()))
    return predicate
