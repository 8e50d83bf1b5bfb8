"""Filters move below semi-joins, so that a spatial join meets fewer features."""

from __future__ import annotations

from dataclasses import replace

from groundframe.compiler.ops import Flip, Join, Nearest, Op, Semi, Where, rewrite
from groundframe.compiler.physical import Physical

__all__ = ["push_filters_down"]


def push_filters_down(root: Op, physical: Physical | None = None) -> Op:
    """Filter first, then relate: ``Where(Semi(x, x ⋈ y))`` becomes ``Semi(Where(x), Where(x) ⋈ y)``.

    What is chosen as nearest stays unfiltered, since others would be chosen; those for whose sake it is
    chosen can be filtered before.
    """

    def change(op: Op) -> Op:
        match op:
            case Where(input=Semi(input=features, pairs=Join() as join, negate=negate, drive=drive)):
                filtered = change(Where(features, op.predicate))
                left = filtered if join.left == features else join.left
                return Semi(filtered, replace(join, left=left), negate, drive)
            case Where(
                input=Semi(input=features, pairs=Flip(pairs=Nearest() as nearest), negate=negate, drive=drive)
            ):
                filtered = change(Where(features, op.predicate))
                right = filtered if nearest.right == features else nearest.right
                return Semi(filtered, Flip(replace(nearest, right=right)), negate, drive)
        return op

    return rewrite(root, change, Where)
