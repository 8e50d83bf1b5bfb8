"""Filters move below semi-joins, so that a spatial join meets fewer features."""

from __future__ import annotations

from groundframe.compiler.ops import Join, Op, Semi, Where, rewrite

__all__ = ["push_filters_down"]


def push_filters_down(root: Op) -> Op:
    """Filter first, then relate: ``Where(Semi(x, x ⋈ y))`` becomes ``Semi(Where(x), Where(x) ⋈ y)``.

    The choice of nearest features stays where it is: filtering before it would choose others.
    """

    def change(op: Op) -> Op:
        match op:
            case Where(input=Semi(input=features, pairs=Join() as join, negate=negate, drive=drive)):
                filtered = change(Where(features, op.predicate))
                left = filtered if join.left == features else join.left
                return Semi(filtered, Join(left, join.right, join.relations, join.distinct), negate, drive)
        return op

    return rewrite(root, change)
