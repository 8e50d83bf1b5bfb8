"""Names of anchors of a given entity."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.places import crossing, is_open, resolve_names, scope_of


def check(context: Context) -> Iterator[Finding]:
    """Look up the names of references; two streets name the intersection where they meet."""
    for number, reference in enumerate(context.frame.references):
        entity = context.entity(reference.entity)
        if entity is None or not is_open(reference) or context.names is None:
            continue
        path = f"/references/{number}"
        if entity.name_field is None:
            yield Issue(
                "nameless_entity",
                f"{path}/names",
                f"{entity.one} has no name.",
                action="Give 'coordinates'.",
            )
            continue
        within = scope_of(context, reference)
        if entity.derived is not None and len(reference.names) == 2:
            yield from crossing(context, path, reference, entity, within)
        else:
            yield from resolve_names(context, path, reference, entity, within)


RULE = Rule(
    id="anchor_names",
    name="the name of an anchor in other words, or of several features",
    rationale="Names are not keys; several features of one name are offered with their towns, never guessed.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
