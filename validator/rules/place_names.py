"""Anchors that are just a name: a feature of any kind, else a place of the gazetteer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, NameBook, name_book
from groundframe.validator.context import Context
from groundframe.validator.findings import Fill, Finding, Phase, Put, Rule
from groundframe.validator.outcomes import Candidate
from groundframe.validator.places import (
    Site,
    book,
    filled,
    lookup,
    named_sites,
    renamed,
    scope_towns,
    settle,
    split_town,
)
from groundframe.validator.rules.anchor_names import crossing, is_open

GAZETTEER = "gazetteer"


def check(context: Context) -> Iterator[Finding]:
    """Look the name up by kind of place, exactly everywhere before by likeness anywhere."""
    if context.names is None:
        return
    for number, reference in enumerate(context.frame.references):
        if reference.entity != "Place" or not is_open(reference):
            continue
        path = f"/references/{number}"
        nodes = next((entity for entity in context.pack.entities if entity.derived is not None), None)
        if len(reference.names) == 2 and nodes is not None:
            for finding in crossing(context, path, reference, nodes, {reference.town}):
                yield _as_entity(finding, path, nodes)
        elif len(reference.names) > 1:
            message = "A place has one name, or the two streets of an intersection."
            yield Issue(
                "several_names", f"{path}/names", message, action="Give each place its own reference."
            )
        else:
            yield from _one(context, path, reference.names[0], reference)


def _one(context: Context, path: str, text: str, reference: Reference) -> Iterator[Finding]:
    where = f"{path}/names/0"
    for alike in (False, True):
        for entity in _kinds(context):
            name, towns = _asked(context, entity, text, reference)
            hit = lookup(context, entity, name, alike=alike)
            if hit is None:
                continue
            yield from renamed(where, name, hit, entity.label)
            sites = named_sites(context, entity, hit.names)
            if len(sites) > 1:
                sites += _listed(context, _gazetteer(context).find(name, alike=False))
            for finding in settle(context, where, text, sites, towns, entity.plural, basis=hit.basis):
                yield _taken(path, finding, entity) if isinstance(finding, Site) else finding
            return
        hit = _gazetteer(context).find(text, alike=alike)
        if hit is not None:
            yield from renamed(where, text, hit, "place")
            sites, towns = _listed(context, hit), {reference.town} if reference.town else _scopes(context)
            for finding in settle(
                context, where, text, sites, towns, "places", basis=hit.basis, origin=GAZETTEER
            ):
                yield _taken(path, finding, None) if isinstance(finding, Site) else finding
            return
    yield from _perhaps(context, path, text, reference)


def _perhaps(context: Context, path: str, text: str, reference: Reference) -> Iterator[Finding]:
    """Offer what may be meant, or say that there is nothing like it."""
    where = f"{path}/names/0"
    options = [
        (entity, named_sites(context, entity, book(context, entity).similar(text)))
        for entity in _kinds(context)
    ]
    listed = _listed(context, Hit(_gazetteer(context).similar(text), "fuzzy"))
    sites = [site for _, found in options for site in found] + listed
    owner = {site.candidate.key: entity for entity, found in options for site in found}
    if sites:
        towns = {reference.town} if reference.town else _scopes(context)
        for finding in settle(context, where, text, sites, towns, "place", basis="chosen", sure=False):
            if isinstance(finding, Site):
                yield _taken(path, finding, owner.get(finding.candidate.key))
            else:
                yield finding
        return
    nearest = (
        *_gazetteer(context).nearest(text),
        *(n for entity in _kinds(context) for n in book(context, entity).nearest(text)),
    )
    message = f"There is no place '{text}' in this dataset or the gazetteer."
    action = "No geocoder is configured; give the place's 'coordinates' instead."
    yield Issue("unknown_name", where, message, nearest=tuple(dict.fromkeys(nearest))[:3], action=action)


def _kinds(context: Context) -> list[Entity]:
    """The entities whose names a place may bear, in the pack's order."""
    return [context.pack.entity(name) for name in context.pack.place_order]


def _asked(
    context: Context, entity: Entity, text: str, reference: Reference
) -> tuple[str, Sequence[str] | frozenset[str]]:
    """The name to look up and the towns that go first."""
    if reference.town:
        return text, (reference.town,)
    if split := split_town(context, entity, text):
        return split[0], (split[1],)
    return text, scope_towns(context, entity)


def _scopes(context: Context) -> frozenset[str]:
    return frozenset(
        name for target in context.frame.targets if target.role == "scope" for name in target.names
    )


def _gazetteer(context: Context) -> NameBook:
    names = [name for place in context.pack.gazetteer for name in (place.name, *place.aliases)]
    return name_book(names, context.pack, GAZETTEER)


def _listed(context: Context, hit: Hit | None) -> list[Site]:
    """The places of the gazetteer that bear one of these names."""
    names = set(hit.names) if hit else set()
    return [
        Site(
            Candidate(
                f"{GAZETTEER}:{place.name}",
                place.name,
                place.kind,
                place.town,
                place.longitude,
                place.latitude,
            ),
            (),
            (place.name,),
        )
        for place in context.pack.gazetteer
        if names & {place.name, *place.aliases}
    ]


def _taken(path: str, site: Site, entity: Entity | None) -> Fill:
    """The reference as a feature of an entity, or as a point of the gazetteer."""
    if site.keys and entity is not None:
        return filled(path, [site], Put(f"{path}/entity", entity.name))
    point = {"longitude": site.candidate.longitude, "latitude": site.candidate.latitude}
    return Fill((Put(f"{path}/names", list(site.names)), Put(f"{path}/coordinates", point)))


def _as_entity(finding: Finding, path: str, entity: Entity) -> Finding:
    return (
        Fill((*finding.operations, Put(f"{path}/entity", entity.name)))
        if isinstance(finding, Fill)
        else finding
    )


RULE = Rule(
    id="place_names",
    name="a place by name",
    rationale="The dataset's own names come first, kind by kind, then the gazetteer; several candidates are offered.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
