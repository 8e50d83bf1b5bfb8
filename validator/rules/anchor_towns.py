"""The town that tells an anchor from its namesakes, in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.schema.model import Entity
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Put, Fill, Rule
from groundframe.validator.places import Site, resolve_name


def check(context: Context) -> Iterator[Finding]:
    """Replace the town of a reference by its name in the dataset."""
    area = scope_entity(context)
    if context.names is None or area is None:
        return
    for number, reference in enumerate(context.frame.references):
        if reference.town:
            path = f"/references/{number}/town"
            for finding in resolve_name(context, path, reference.town, area, ()):
                yield Fill((Put(path, finding.names[0]),)) if isinstance(finding, Site) else finding


def scope_entity(context: Context) -> Entity | None:
    """The entity that scopes are made of."""
    return next((entity for entity in context.pack.entities if "scope" in entity.roles), None)


RULE = Rule(
    id="anchor_towns",
    name="the town of an anchor in other words",
    rationale="A town that is not known cannot tell namesakes apart, and must not be left out silently.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
