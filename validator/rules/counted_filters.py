"""A filter that a measure counts."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit


def check(context: Context) -> Iterator[Finding]:
    """Read a filter that is counted per row as a support."""
    if context.frame.group_by:
        return
    counted = {measure.target_role for measure in context.frame.measures}
    for number, target in enumerate(context.frame.targets):
        entity = context.entity(target.entity)
        if target.role == "filter" and target.id in counted and entity and "support" in entity.roles:
            message = f"'{target.id}' is counted, and rows with none of it stay; that makes it a support."
            yield edit(f"/targets/{number}/role", "filter", "support", message)


RULE = Rule(
    id="counted_filters",
    name="a filter that is counted",
    rationale=(
        "A filter would remove the rows whose count is zero, so that the fewest could not be found; what "
        "must be there is said by 'having'."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
