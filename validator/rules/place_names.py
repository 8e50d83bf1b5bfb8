"""Anchors that are just a name: a feature of any kind, else a place of the gazetteer."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, NameBook, name_book
from groundframe.validator.context import Context
from groundframe.validator.findings import Fill, Finding, Phase, Put, Rule
from groundframe.validator.outcomes import Candidate
from groundframe.validator.places import (
    Site,
    Within,
    area_of,
    book,
    crossing,
    filled,
    is_open,
    lookup,
    named_sites,
    renamed,
    scope_of,
    settle,
    split_town,
)

GAZETTEER = "gazetteer"


def check(context: Context) -> Iterator[Finding]:
    """Look the name up by kind of place, exactly everywhere before by likeness anywhere."""
    if context.names is None:
        return
    for number, reference in enumerate(context.frame.references):
        if reference.entity != PLACE or not is_open(reference):
            continue
        path = f"/references/{number}"
        nodes = next((entity for entity in context.pack.entities if entity.derived is not None), None)
        if len(reference.names) == 2 and nodes is not None:
            for finding in crossing(context, path, reference, nodes, scope_of(context, reference)):
                yield _as_entity(finding, path, nodes)
        elif len(reference.names) > 1:
            message = "A place has one name, or the two streets of an intersection."
            yield Issue(
                "several_names", f"{path}/names", message, action="Give each place its own reference."
            )
        else:
            yield from _one(context, path, reference)


def _one(context: Context, path: str, reference: Reference) -> Iterator[Finding]:
    where = f"{path}/names/0"
    found = _found(context, reference)
    if found is None:
        yield from _perhaps(context, path, reference)
        return
    entity, name, within, hit = found
    yield from renamed(where, name, hit, entity.label if entity else "place")
    sites = named_sites(context, entity, hit.names) if entity else _listed(context, hit)
    if entity and len(sites) > 1:
        sites += _listed(context, _gazetteer(context).find(name, alike=False))
    kind = entity.plural if entity and all(site.keys for site in sites) else "places"
    origin = "dataset" if entity else GAZETTEER
    for finding in settle(context, where, name, sites, within, kind, basis=hit.basis, origin=origin):
        yield _taken(path, finding, entity) if isinstance(finding, Site) else finding


def _found(context: Context, reference: Reference) -> tuple[Entity | None, str, Within, Hit] | None:
    """The first kind of place (None: the gazetteer) with the name; the name, where, and what was found."""
    text = reference.names[0]
    options = [(text, scope_of(context, reference))]
    if split := split_town(context, area_of(context, PLACE), text):
        options.append(split)
    for alike in (False, True):
        for name, within in options:
            for entity in _kinds(context):
                if hit := lookup(context, entity, name, alike=alike):
                    return entity, name, within, hit
            if hit := _gazetteer(context).find(name, alike=alike):
                return None, name, within, hit
    return None


def _perhaps(context: Context, path: str, reference: Reference) -> Iterator[Finding]:
    """Offer what may be meant, or say that there is nothing like it."""
    where, text = f"{path}/names/0", reference.names[0]
    owners: dict[str, Entity] = {}
    sites: list[Site] = []
    for entity in _kinds(context):
        found = named_sites(context, entity, book(context, entity).similar(text))
        owners |= {site.candidate.key: entity for site in found}
        sites += found
    sites += _listed(context, Hit(_gazetteer(context).similar(text), "fuzzy"))
    if sites:
        within = scope_of(context, reference)
        for finding in settle(context, where, text, sites, within, "places", basis="chosen", sure=False):
            if isinstance(finding, Site):
                yield _taken(path, finding, owners.get(finding.candidate.key))
            else:
                yield finding
        return
    books = [_gazetteer(context), *(book(context, entity) for entity in _kinds(context))]
    nearest = tuple(dict.fromkeys(name for one in books for name in one.nearest(text)))[:3]
    message = f"There is no place '{text}' in this dataset or the gazetteer."
    action = "No geocoder is configured; give the place's 'coordinates' instead."
    yield Issue("unknown_name", where, message, nearest=nearest, action=action)


def _kinds(context: Context) -> list[Entity]:
    """The entities whose names a place may bear, in the pack's order."""
    return [context.pack.entity(name) for name in context.pack.place_order]


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
    rationale=(
        "The dataset's own names come first, kind by kind, then the gazetteer; several candidates "
        "are offered."
    ),
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
