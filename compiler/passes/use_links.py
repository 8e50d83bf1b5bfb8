"""What a link says of itself needs no join."""

from __future__ import annotations

from groundframe.compiler.ops import Join, Op, Scan, Semi, Where, rewrite
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import KeyIn, LinkIn, LinkPresent, Not, Predicate
from groundframe.compiler.relations import LinksTo

__all__ = ["use_links"]


def use_links(root: Op, physical: Physical | None = None) -> Op:
    """A semi-join by link with all features, or with given keys, becomes a test of the link."""

    def change(op: Op) -> Op:
        match op:
            case Semi(input=features, pairs=Join(right=right, relations=(LinksTo(link),), distinct=False)):
                test = _test(right, link)
                if test is not None:
                    return Where(features, Not(test) if op.negate else test)
        return op

    return rewrite(root, change, Semi)


def _test(right: Op, link: str) -> Predicate | None:
    match right:
        case Scan():
            return LinkPresent(link)
        case Where(input=Scan(), predicate=KeyIn(keys)):
            return LinkIn(link, keys)
    return None
