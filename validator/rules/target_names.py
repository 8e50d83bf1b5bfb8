"""Names of targets other than scopes."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.places import resolve_names, scope_of


def check(context: Context) -> Iterator[Finding]:
    """Look up the names of primary, support and filter targets; namesakes within the scope go first."""
    for number, target in enumerate(context.frame.targets):
        entity = context.entity(target.entity)
        if target.role == "scope" or not target.names or entity is None:
            continue
        if entity.name_field is None:
            message = f"{entity.one} has no name."
            yield Issue("nameless_entity", f"/targets/{number}/names", message, action="Leave 'names' out.")
        elif target.keys is None and context.names is not None:
            yield from resolve_names(context, f"/targets/{number}", target, entity, scope_of(context, target))


RULE = Rule(
    id="target_names",
    name="the name of a target in other words, or of several features",
    rationale="Names are not keys; several features of one name are offered, never merged and never guessed.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
