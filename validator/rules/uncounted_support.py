"""A support that nothing counts."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit


def check(context: Context) -> Iterator[Finding]:
    """Read a support that no measure counts as a filter."""
    counted = {measure.target_role for measure in context.frame.measures}
    known = {measure.name for measure in context.frame.measures}
    ranking = context.frame.ranking
    if ranking is not None and ranking.metric not in known:
        return  # what the ranking counts is not known, and reported
    for number, target in enumerate(context.frame.targets):
        if target.role == "support" and target.id not in counted:
            message = f"Nothing counts '{target.id}'; it restricts, which makes it a filter."
            yield edit(f"/targets/{number}/role", "support", "filter", message)


RULE = Rule(
    id="uncounted_support",
    name="a support that nothing counts",
    rationale=(
        "A support removes nothing, so one that is not counted would have no effect; it is meant as a filter."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
