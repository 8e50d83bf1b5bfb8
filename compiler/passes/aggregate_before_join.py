"""Counts by a link need no join with what they are counted for."""

from __future__ import annotations

from dataclasses import replace

from groundframe.compiler.ops import Aggregate, GroupKey, Join, Op, Scan, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import KeyIn, LinkIn
from groundframe.compiler.relations import LinksFrom

__all__ = ["aggregate_before_join"]


def aggregate_before_join(root: Op, physical: Physical | None = None) -> Op:
    """Group the linked features by their link; attaching the groups joins them once, when they are few.

    Only where the features counted for are all there are, or given by key: otherwise the join is what keeps
    the groups few.
    """

    def change(op: Op) -> Op:
        match op:
            case Aggregate(
                input=Join(left=left, right=right, relations=(LinksFrom(link),), distinct=False),
                keys=(GroupKey(kind="key", side="left") as key,),
                counted="right",
            ):
                by_link = (replace(key, kind="link", field=link),)
                match left:
                    case Scan():
                        return Aggregate(right, by_link, op.measures)
                    case Where(input=Scan(), predicate=KeyIn(keys)):
                        return Aggregate(Where(right, LinkIn(link, keys)), by_link, op.measures)
        return op

    return rewrite(root, change, Aggregate)
