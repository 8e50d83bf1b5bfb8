"""Conditions on a target that cannot have them, while exactly one other can."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.fitting import Fits, able, fits_condition, has_dates


def check(context: Context) -> Iterator[Finding]:
    """Move a condition to the one target that can have it; refuse conditions on anchors."""
    for number, condition in enumerate(context.frame.attribute_constraints):
        path = f"/attribute_constraints/{number}"
        fits = fits_condition(context, condition) or (lambda _: True)
        yield from _moved(context, path, condition.target_role, fits)
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _moved(context, path, constraint.target_role, has_dates)


def _moved(context: Context, path: str, part_id: str | None, fits: Fits) -> Iterator[Finding]:
    part = context.part(part_id)
    if isinstance(part, Reference):
        message = f"'{part_id}' is an anchor, a fixed place, and has no conditions."
        yield Issue(
            "condition_on_anchor",
            f"{path}/target_role",
            message,
            action="Make it a target with role 'filter'.",
        )
        return
    entity = context.entity_of(part_id)
    if entity is None or fits(entity):
        return
    others = able(context, fits)
    if len(others) == 1:
        message = f"{entity.one} has no such thing, only '{others[0]}' has; the condition is about that."
        yield edit(f"{path}/target_role", part_id, others[0], message)


RULE = Rule(
    id="misplaced_conditions",
    name="a condition on a target that cannot have it",
    rationale=(
        "A school has no severity; where one target of the frame has the field, the condition can "
        "only be about that."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
