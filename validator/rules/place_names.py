"""Anchors that are just a name: a feature of any kind, a place of the gazetteer, else of the geocoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.errors import Issue
from groundframe.frames.model import Reference
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, street_parts
from groundframe.validator.context import Context
from groundframe.validator.findings import Fill, Finding, Note, Phase, Put, Rule
from groundframe.validator.geocoding import geocoded_places
from groundframe.validator.places import (
    Within,
    area_of,
    crossing,
    filled,
    is_open,
    renamed,
    scope_of,
    settle,
    split_town,
)
from groundframe.validator.sites import Site, book, gazetteer, listed_sites, lookup, named_sites

Kind = Entity | None
"""Where a place is looked up: an entity, or None for the gazetteer."""


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
    sites = _sites(context, entity, hit)
    if within.required and not any(map(within.holds, sites)):
        asked = geocoded_places(context, name, within.town())
        if asked.sites:
            yield from _offered(context, path, name, asked.sites)
            return
    yield from renamed(where, name, hit, entity.label if entity else "place")
    if entity and len(sites) > 1 and (also := gazetteer(context).find(name, alike=False)):
        sites += listed_sites(context, also.names)
    kind = entity.plural if entity and all(site.keys for site in sites) else "places"
    for finding in settle(context, where, name, sites, within, kind, basis=hit.basis):
        yield _filled(path, finding, entity) if isinstance(finding, Site) else finding


def _found(context: Context, reference: Reference) -> tuple[Kind, str, Within, Hit] | None:
    """The first kind of place with the name; the name, where, and what was found.

    A kind that has the name only outside the areas that are asked about comes after the others.
    """
    text = reference.names[0]
    options = [(text, scope_of(context, reference))]
    if split := split_town(context, area_of(context, PLACE), text):
        options.append(split)
    for alike in (False, True):
        for name, within in options:
            hits = [
                (kind, name, within, hit)
                for kind in _kinds(context)
                if (hit := _hit(context, kind, name, alike=alike))
            ]
            for found in hits:
                if not within.towns or any(map(within.holds, _sites(context, found[0], found[3]))):
                    return found
            if hits:
                return hits[0]
    return None


def _hit(context: Context, kind: Kind, name: str, *, alike: bool) -> Hit | None:
    if kind is None:
        return gazetteer(context).find(name, alike=alike)
    # A node of one street only is called by the street's name, which means the street.
    if kind.derived is not None and len(street_parts([name])) < 2:
        return None
    return lookup(context, kind, name, alike=alike)


def _sites(context: Context, kind: Kind, hit: Hit) -> list[Site]:
    return named_sites(context, kind, hit.names) if kind else listed_sites(context, hit.names)


def _perhaps(context: Context, path: str, reference: Reference) -> Iterator[Finding]:
    """Offer what may be meant, ask the geocoder, or say that there is nothing like it."""
    where, text = f"{path}/names/0", reference.names[0]
    owners: dict[str, Entity] = {}
    alike: list[Site] = []
    for kind in _kinds(context):
        if kind is None:
            alike += listed_sites(context, gazetteer(context).similar(text))
            continue
        found = named_sites(context, kind, book(context, kind).similar(text))
        owners |= {site.candidate.key: kind for site in found}
        alike += found
    asked = geocoded_places(context, text, reference.town or "")
    if alike:
        within = scope_of(context, reference)
        for finding in settle(
            context, where, text, [*alike, *asked.sites], within, "places", basis="chosen", sure=False
        ):
            if isinstance(finding, Site):
                yield from _noted(path, finding, owners.get(finding.candidate.key))
            else:
                yield finding
        return
    if asked.sites:
        yield from _offered(context, path, text, asked.sites)
        return
    books = [book(context, kind) if kind else gazetteer(context) for kind in _kinds(context)]
    nearest = tuple(dict.fromkeys(name for one in books for name in one.nearest(text)))[:3]
    message = f"There is no place '{text}' in this dataset or the gazetteer."
    message = " ".join((message, asked.why)).strip()
    yield Issue("unknown_name", where, message, nearest=nearest, action=asked.action)


def _offered(context: Context, path: str, text: str, sites: Sequence[Site]) -> Iterator[Finding]:
    """The one place that the geocoder offers, or the question which one; it was looked for in the town."""
    where = f"{path}/names/0"
    for finding in settle(context, where, text, sites, Within(), "places", basis="geocoded"):
        if isinstance(finding, Site):
            yield from _noted(path, finding, None)
        else:
            yield finding


def _noted(path: str, site: Site, entity: Kind) -> Iterator[Finding]:
    if site.note:
        yield Note(site.note)
    yield _filled(path, site, entity)


def _kinds(context: Context) -> list[Kind]:
    """Where a place is looked up, in the pack's order."""
    return [context.entity(name) for name in context.pack.place_kinds()]


def _filled(path: str, site: Site, entity: Kind) -> Fill:
    """The reference as a feature of an entity, or as a point."""
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
        "The pack says which kind of place comes before which, whatever is more alike; several candidates "
        "are offered."
    ),
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
