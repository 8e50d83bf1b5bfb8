"""The operations of a plan, none of which can be built with the wrong inputs."""

from __future__ import annotations

from groundframe.compiler.feature_ops import (
    Compose,
    Constant,
    Flip,
    Join,
    Keep,
    Nearest,
    Scan,
    Semi,
    Side,
    Where,
)
from groundframe.compiler.group_ops import (
    Aggregate,
    Attach,
    Bound,
    Complete,
    Count,
    CutTies,
    GroupKey,
    Having,
    JoinGroups,
    Rank,
    Show,
    Together,
)
from groundframe.compiler.op import Op, rewrite

__all__ = [
    "Aggregate",
    "Attach",
    "Bound",
    "Complete",
    "Compose",
    "Constant",
    "Count",
    "CutTies",
    "Flip",
    "GroupKey",
    "Having",
    "Join",
    "JoinGroups",
    "Keep",
    "Nearest",
    "Op",
    "Rank",
    "Scan",
    "Semi",
    "Show",
    "Side",
    "Together",
    "Where",
    "rewrite",
]
