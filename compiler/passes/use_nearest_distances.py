"""Whether anything of another entity is near is known from the distance to the nearest."""

from __future__ import annotations

from groundframe.compiler.ops import Join, Op, Scan, Semi, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import Located, NearAny, Not
from groundframe.compiler.relations import WithinDistance
from groundframe.compiler.types import Features

__all__ = ["use_nearest_distances"]


def use_nearest_distances(root: Op, physical: Physical | None = None) -> Op:
    """A semi-join with all features within a stored distance becomes a test of the distance to the nearest.

    Only for a distance up to that which is stored, and where nothing is asked of the other features but that
    their place is known.
    """
    if physical is None:
        return root

    def change(op: Op) -> Op:
        match op:
            case Semi(input=features, pairs=Join(right=right, relations=(WithinDistance(metres),))):
                here, there = features.output, right.output
                if not isinstance(here, Features) or not isinstance(there, Features):
                    return op
                other = there.entity
                near = physical.near(here.entity, other)
                if near is not None and metres <= near.metres and _all_there_are(right):
                    test = NearAny(other, metres)
                    return Where(features, Not(test) if op.negate else test)
        return op

    return rewrite(root, change, Semi)


def _all_there_are(op: Op) -> bool:
    return isinstance(op, Scan) or (
        isinstance(op, Where) and op.predicate == Located() and _all_there_are(op.input)
    )
