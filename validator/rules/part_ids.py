"""Targets and references without an id, or two with the same."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit


def check(context: Context) -> Iterator[Finding]:
    """Give every target and reference an id: its role, then ``role_2`` and so on."""
    taken: set[str] = set()
    for path, part in context.parts():
        if part.id in taken:
            action = "Give each target and reference its own id."
            yield Issue("doubled_id", f"{path}/id", f"Two targets have the id '{part.id}'.", action=action)
        if part.id is not None:
            taken.add(part.id)
    for path, part in context.parts():
        if part.id is None:
            name, number = part.role, 1
            while name in taken:
                number += 1
                name = f"{part.role[:190]}_{number}"
            taken.add(name)
            yield edit(f"{path}/id", None, name, f"The {part.role} is called '{name}'.", safety="declared")


RULE = Rule(
    id="part_ids",
    name="targets that are not told apart",
    rationale="Constraints name targets by id; the default id is the role, then the role with a number.",
    phase=Phase.STRUCTURE,
    safety="declared",
    check=check,
)
