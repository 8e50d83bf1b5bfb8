"""No primary target, or more than one."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Report a frame that does not say what it returns, or says two things; the same said twice is one."""
    found = [number for number, target in enumerate(context.frame.targets) if target.role == "primary"]
    if not found:
        action = "Give the target whose features are wanted the role 'primary'."
        yield Issue(
            "no_primary",
            "/targets",
            "No target is 'primary', so nothing says what is returned.",
            action=action,
        )
    for number in found[1:]:
        target, first = context.frame.targets[number], context.frame.targets[found[0]]
        if target == first:
            before = target.model_dump(mode="json", exclude_defaults=True)
            message = "It repeats the primary target; it was left out."
            yield Edit(f"/targets/{number}", before, None, message, (Drop(f"/targets/{number}"),))
            continue
        message = f"'{context.frame.targets[number].entity}' is a second primary; a frame returns one entity."
        action = "Make it 'support' if it is counted, 'filter' if it restricts, 'scope' if it is the area."
        yield Issue("second_primary", f"/targets/{number}/role", message, action=action)


RULE = Rule(
    id="one_primary",
    name="no primary target, or several",
    rationale=(
        "The primary target is what is returned; which of several, or what instead of none, is for "
        "the planner."
    ),
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
