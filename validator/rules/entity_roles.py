"""Entities in roles that they cannot take."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.terms import PLACE, TARGET_ROLES
from groundframe.validator.context import Context, as_reference
from groundframe.validator.findings import Add, Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Turn a named scope that can only be an anchor into one; report every other role not allowed."""
    for number, target in enumerate(context.frame.targets):
        entity = context.entity(target.entity)
        if entity is None or target.role in entity.roles or target.role not in TARGET_ROLES:
            continue
        path = f"/targets/{number}"
        if target.role == "scope" and "anchor" in entity.roles and (target.names or target.keys):
            message = f"{entity.one} is no area; it was made an anchor."
            yield Edit(
                path, "scope", "anchor", message, (Drop(path), Add("/references", as_reference(target)))
            )
        else:
            message = f"{entity.one} cannot be '{target.role}'."
            yield Issue(
                "role_not_allowed", f"{path}/role", message, tuple(r for r in entity.roles if r != "anchor")
            )
    for number, reference in enumerate(context.frame.references):
        entity = context.entity(reference.entity)
        if entity is not None and "anchor" not in entity.roles:
            message = f"{entity.one} cannot be an anchor."
            allowed = (PLACE, *(one.name for one in context.pack.entities if "anchor" in one.roles))
            yield Issue("role_not_allowed", f"/references/{number}/entity", message, allowed)


RULE = Rule(
    id="entity_roles",
    name="an entity in a role it cannot take",
    rationale=(
        "Only areas can be a scope; a named point or line given as one is the place that the "
        "question is around."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
