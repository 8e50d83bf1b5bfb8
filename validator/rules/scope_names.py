"""Names of scopes."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Note, Phase, Rule
from groundframe.validator.places import Within, resolve_names


def check(context: Context) -> Iterator[Finding]:
    """Look up the names of scopes; first, because they tell other names apart."""
    named = any(part.names and part.keys is None for _, part in context.parts())
    if context.names is None:
        if named:
            yield Note("Names were not looked up, because there is no database.")
        return
    for number, target in enumerate(context.frame.targets):
        entity = context.entity(target.entity)
        if target.role == "scope" and target.keys is None and entity is not None:
            described = {one.target_role for one in context.frame.attribute_constraints}
            if not target.names and target.id not in described:
                yield Note(f"No {entity.label} is named, so that all {entity.plural} are taken.")
            yield from resolve_names(context, f"/targets/{number}", target, entity, Within())


RULE = Rule(
    id="scope_names",
    name="the name of a scope in other words",
    rationale=(
        "Aliases and affixes of names are declared; a misspelling beyond doubt is repaired, any "
        "other is asked about."
    ),
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
