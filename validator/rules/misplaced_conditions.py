"""Conditions on a target that cannot have them, while exactly one other can."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.schema.model import Entity
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit


def check(context: Context) -> Iterator[Finding]:
    """Move a condition to the one target that can have it; refuse conditions on anchors."""
    for number, condition in enumerate(context.frame.attribute_constraints):
        path = f"/attribute_constraints/{number}"
        if condition.field is not None:
            yield from _moved(context, path, condition.target_role, _has_field(context, condition.field))
        elif condition.concept is not None:
            yield from _moved(context, path, condition.target_role, _has_concept(context, condition.concept))
        else:
            yield from _moved(context, path, condition.target_role, lambda _: True)
    for number, constraint in enumerate(context.frame.temporal_constraints):
        path = f"/temporal_constraints/{number}"
        yield from _moved(context, path, constraint.target_role, lambda entity: entity.date_field is not None)


def _moved(
    context: Context, path: str, part_id: str | None, fits: Callable[[Entity], bool]
) -> Iterator[Finding]:
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
    able = [t.id for t in context.frame.targets if (other := context.entity(t.entity)) and fits(other)]
    if len(able) == 1:
        message = f"A {entity.label} has no such thing, only '{able[0]}' has; the condition is about that."
        yield edit(f"{path}/target_role", part_id, able[0], message)


def _has_field(context: Context, name: str) -> Callable[[Entity], bool]:
    def fits(entity: Entity) -> bool:
        match = context.words.fields(entity).match(name)
        return match is not None and match.basis != "fuzzy"

    return fits


def _has_concept(context: Context, name: str) -> Callable[[Entity], bool]:
    match = context.words.concepts.match(name)
    owner = context.pack.concept(match.word).entity if match else None
    return lambda entity: entity.name == owner


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
