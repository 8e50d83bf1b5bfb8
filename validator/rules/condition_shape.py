"""Attribute constraints that are none, or several things at once."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import AttributeConstraint
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit


def check(context: Context) -> Iterator[Finding]:
    """See that each is a field test, a concept or an any_of, with an operator, about one target."""
    for path, condition, part_id in context.conditions():
        kinds = [name for name in ("field", "concept", "any_of") if getattr(condition, name)]
        if len(kinds) != 1:
            found = "none" if not kinds else " and ".join(f"'{kind}'" for kind in kinds)
            message = (
                f"An attribute constraint has one of 'field', 'concept' and 'any_of'; this one has {found}."
            )
            yield Issue("condition_kind", path, message, action="Give exactly one of them.")
        elif kinds == ["field"]:
            yield from _operator(path, condition)
        if condition.variant is not None and condition.concept is None:
            action = "Leave it out, or name the 'concept'."
            yield Issue("stray_variant", f"{path}/variant", "Only a concept has variants.", action=action)
        if path.count("/") > 2:
            yield from _same_target(context, path, condition, part_id)


def _operator(path: str, condition: AttributeConstraint) -> Iterator[Finding]:
    if condition.operator is None:
        default = "in" if isinstance(condition.value, list) else "eq"
        message = f"Without an operator a condition is read as '{default}'."
        yield edit(f"{path}/operator", None, default, message)


def _same_target(
    context: Context, path: str, condition: AttributeConstraint, part_id: str | None
) -> Iterator[Finding]:
    whole = context.frame.attribute_constraints[int(path.split("/")[2])]
    if condition.target_role is None:
        yield edit(
            f"{path}/target_role",
            None,
            whole.target_role,
            "It is about the target of the whole.",
            safety="declared",
        )
    elif part_id != whole.target_role:
        message = f"All parts of an 'any_of' are about one target; this one is about '{part_id}'."
        yield Issue("any_of_targets", f"{path}/target_role", message, action="Leave 'target_role' out here.")


RULE = Rule(
    id="condition_shape",
    name="a condition that is none, or several at once",
    rationale="A condition has one reading only when it is one thing; equality is what a bare value means.",
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
