"""Operations that change nothing go, and filters of filters become one."""

from __future__ import annotations

from groundframe.compiler.ops import Keep, Op, Semi, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import TRUE, both

__all__ = ["drop_redundant"]


def drop_redundant(root: Op, physical: Physical | None = None) -> Op:
    """Merge adjacent filters, drop those that are always true, and semi-joins that were done before."""

    def change(op: Op) -> Op:
        match op:
            case Where(input=features, predicate=predicate) if predicate == TRUE:
                return features
            case Where(input=Where(input=features, predicate=first), predicate=second):
                return Where(features, both(first, second))
            case Semi(input=Semi() as before, pairs=pairs, negate=negate):
                return before if _done(before, pairs, negate) else op
            case Keep(pairs=Keep(features=before) as pairs, features=features) if before == features:
                return pairs
        return op

    return rewrite(root, change, Where, Semi, Keep)


def _done(op: Op, pairs: Op, negate: bool) -> bool:
    while isinstance(op, Semi):
        if op.pairs == pairs and op.negate == negate:
            return True
        op = op.input
    return False
