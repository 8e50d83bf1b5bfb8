"""Names of anchors of a given entity."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.schema.model import Entity
from groundframe.validator.books import street_parts
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.places import (
    Site,
    book,
    filled,
    renamed,
    named_sites,
    resolve_names,
    scope_towns,
    settle,
)


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
                f"A {entity.label} has no name.",
                action="Give 'coordinates'.",
            )
            continue
        towns = {reference.town} if reference.town else scope_towns(context, entity)
        if entity.derived is not None and len(reference.names) == 2:
            yield from crossing(context, path, reference, entity, towns)
        else:
            yield from resolve_names(context, path, reference, entity, towns)


def is_open(reference: Reference) -> bool:
    """Whether a reference has names that still stand for nothing."""
    return (
        bool(reference.names)
        and reference.keys is None
        and reference.coordinates is None
        and reference.area is None
    )


def crossing(
    context: Context, path: str, reference: Reference, entity: Entity, towns: object
) -> Iterator[Finding]:
    """The intersection of two streets that are given one by one."""
    streets = street_parts(reference.names)
    asked = " & ".join(streets)
    hit = book(context, entity).crossing(streets)
    if hit is None:
        message = f"No {entity.label} of '{asked}' is in this dataset."
        nearest = book(context, entity).nearest(asked)
        yield Issue("unknown_name", f"{path}/names", message, nearest=nearest)
        return
    yield from renamed(f"{path}/names", asked, hit, entity.label)
    sites = named_sites(context, entity, hit.names)
    for finding in settle(context, f"{path}/names", asked, sites, towns, entity.plural, basis=hit.basis):
        yield filled(path, [finding]) if isinstance(finding, Site) else finding


RULE = Rule(
    id="anchor_names",
    name="the name of an anchor in other words, or of several features",
    rationale="Names are not keys; several features of one name are offered with their towns, never guessed.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
