"""From a name to features of the dataset: candidates, sites, and what to do when there are several."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from groundframe.errors import Issue
from groundframe.frames.model import Reference, Target
from groundframe.frames.names import NamedFeature
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, NameBook, name_book, street_parts
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Fill, Finding, Put
from groundframe.validator.outcomes import Anchor, Candidate, Choice

__all__ = [
    "Site",
    "area_of",
    "book",
    "filled",
    "lookup",
    "named_sites",
    "resolve_name",
    "resolve_names",
    "scope_of",
    "settle",
]

SAME_CORNER_M = 100.0
OFFERED = 20


@dataclass(frozen=True, slots=True)
class Within:
    """The areas whose features go before namesakes elsewhere; with `required` no others count."""

    towns: frozenset[str] = frozenset()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """One thing that a name may stand for: a feature, or the segments of one street in one town."""

    candidate: Candidate
    keys: tuple[str, ...]
    names: tuple[str, ...]


def book(context: Context, entity: Entity) -> NameBook:
    """The names of the entity in the dataset."""
    names = context.names.distinct_names(entity.name) if context.names else ()
    return name_book(names, context.pack, entity.name)


def lookup(context: Context, entity: Entity, text: str, *, alike: bool = True) -> Hit | None:
    """The names of the entity that a text stands for; two streets name their crossing."""
    names = book(context, entity)
    found = names.find(text, alike=False)
    if found is None and entity.derived is not None:
        found = names.crossing(street_parts([text]))
    return found or (names.find(text) if alike else None)


def named_sites(context: Context, entity: Entity, names: Collection[str]) -> list[Site]:
    """The sites of the features that bear one of these names."""
    return sites_of(entity, context.names.features(entity.name, names) if context.names else ())


def sites_of(entity: Entity, features: Sequence[NamedFeature]) -> list[Site]:
    """Features as sites, in the order of their keys."""
    groups: list[list[NamedFeature]] = []
    for feature in features:
        for group in groups:
            if _same_site(entity, group[0], feature):
                group.append(feature)
                break
        else:
            groups.append([feature])
    return [
        Site(
            _candidate(entity, group[0]),
            tuple(sorted(one.key for one in group)),
            tuple(dict.fromkeys(one.name for one in group)),
        )
        for group in groups
    ]


def _same_site(entity: Entity, one: NamedFeature, other: NamedFeature) -> bool:
    """Whether two features are parts of one thing: a street in a town, the nodes of one wide crossing."""
    if one.town != other.town:
        return False
    if "line" in entity.geometry:
        return True
    return entity.derived is not None and _apart_m(one, other) <= SAME_CORNER_M


def _apart_m(one: NamedFeature, other: NamedFeature) -> float:
    if one.longitude is None or one.latitude is None or other.longitude is None or other.latitude is None:
        return math.inf
    east = (one.longitude - other.longitude) * math.cos(math.radians(one.latitude))
    return 111_320.0 * math.hypot(east, one.latitude - other.latitude)


def _candidate(entity: Entity, feature: NamedFeature) -> Candidate:
    return Candidate(
        feature.key, feature.name, entity.label, feature.town, feature.longitude, feature.latitude
    )


def scope_of(context: Context, part: Target | Reference) -> Within:
    """Where the features that a part names lie: in the town it gives, else rather in the frame's scopes."""
    town = part.town if isinstance(part, Reference) else None
    if town:
        return Within(frozenset({town}), required=True)
    scopes = [target for target in context.frame.targets if target.role == "scope" and target is not part]
    return Within(frozenset(name for scope in scopes for name in scope.names))


def area_of(context: Context, name: str) -> Entity | None:
    """The entity whose features tell namesakes apart: where the first link leads."""
    kinds = context.pack.place_order if name == PLACE else (name,)
    links = [entity.links[0] for kind in kinds if (entity := context.entity(kind)) and entity.links]
    return context.entity(links[0].to) if links else None


def split_town(context: Context, area: Entity | None, text: str) -> tuple[str, Within] | None:
    """A name and its area: "Lincoln School, Brookline" or "Lincoln School in Brookline"."""
    if area is None:
        return None
    for separator in (",", " in "):
        name, found, town = text.rpartition(separator)
        if found and name.strip() and (hit := book(context, area).find(town, alike=False)):
            return name.strip(), Within(frozenset(hit.names), required=True)
    return None


def settle(
    context: Context,
    path: str,
    asked: str,
    sites: Sequence[Site],
    within: Within,
    kind: str,
    *,
    basis: str,
    origin: str = "dataset",
    sure: bool = True,
) -> Iterator[Finding | Site]:
    """Take the one site that is meant, or ask.

    Sites within go before others. A choice made by the caller is taken when it is among the sites; with
    ``sure=False`` even a single site is only offered.
    """
    pointer = context.origins.pointer(path)
    inside = [site for site in sites if site.candidate.town in within.towns]
    if within.required and not inside:
        message = f"None of the {kind} named '{asked}' lies in {' or '.join(sorted(within.towns))}."
        elsewhere = tuple(dict.fromkeys(site.candidate.town for site in sites if site.candidate.town))
        yield Issue(
            "not_in_town", path, message, nearest=elsewhere[:3], action="Correct the town or leave it out."
        )
        return
    offered = sorted(
        inside or sites, key=lambda site: (site.candidate.name, site.candidate.town, site.candidate.key)
    )
    candidates = tuple(site.candidate for site in offered[:OFFERED])
    chosen = context.choices.get(pointer)
    if chosen is not None:
        taken = [site for site in sites if site.candidate.key == chosen]
        if not taken:
            message = f"'{chosen}' is none of the candidates for '{asked}'."
            yield Issue("unknown_choice", path, message, tuple(one.key for one in candidates))
            return
        yield Anchor(pointer, asked, "chosen", origin, (taken[0].candidate,), candidates)
        yield taken[0]
    elif len(offered) == 1 and sure:
        yield Anchor(
            pointer,
            asked,
            basis,
            origin,
            (offered[0].candidate,),
            tuple(site.candidate for site in sites)[:OFFERED],
        )
        yield offered[0]
    else:
        more = f" (the first {OFFERED} are listed)" if len(offered) > OFFERED else ""
        which = (
            f"'{asked}' names {len(offered)} {kind}{more}."
            if sure
            else f"No {kind} are named '{asked}', but some are alike{more}."
        )
        yield Choice(pointer, f"{which} Which one is meant?", candidates)


def resolve_names(
    context: Context, path: str, part: Target | Reference, entity: Entity, within: Within
) -> Iterator[Finding]:
    """Fill in the names and keys of a part whose names are looked up among the features of `entity`.

    Every name is looked up by itself; together they are a union. Nothing is filled in until all are settled.
    """
    found: list[Site] = []
    for number, text in enumerate(part.names):
        for finding in resolve_name(context, f"{path}/names/{number}", text, entity, within):
            if isinstance(finding, Site):
                found.append(finding)
            else:
                yield finding
    if part.names and len(found) == len(part.names):
        yield filled(path, found)


def filled(path: str, found: Sequence[Site], *more: Put) -> Fill:
    """The names and keys of the sites, put into the part at `path`."""
    names = list(dict.fromkeys(name for site in found for name in site.names))
    keys = sorted({key for site in found for key in site.keys})
    return Fill((Put(f"{path}/names", names), Put(f"{path}/keys", keys), *more))


def resolve_name(
    context: Context, path: str, text: str, entity: Entity, within: Within
) -> Iterator[Finding | Site]:
    """The site that a name stands for, with the records of how; or a question, or an issue."""
    hit = lookup(context, entity, text, alike=False)
    if hit is None and (split := split_town(context, area_of(context, entity.name), text)):
        text, within = split
        hit = lookup(context, entity, text, alike=False)
    hit = hit or lookup(context, entity, text)
    if hit is not None:
        yield from renamed(path, text, hit, entity.label)
        sites = named_sites(context, entity, hit.names)
        yield from settle(context, path, text, sites, within, entity.plural, basis=hit.basis)
        return
    sites = named_sites(context, entity, book(context, entity).similar(text))
    if sites:
        yield from settle(context, path, text, sites, within, entity.plural, basis="chosen", sure=False)
    else:
        yield _unknown(context, path, text, entity)


def _unknown(context: Context, path: str, text: str, entity: Entity) -> Issue:
    """The issue for a name that no feature of the entity bears, with what else bears it."""
    others = [
        other for other in context.pack.entities if other is not entity and other.name_field is not None
    ]
    owners = [other.label for other in others if book(context, other).find(text, alike=False)]
    action = f"It is the name of a {owners[0]}." if owners else "Names are those of the dataset."
    message = f"There is no {entity.label} '{text}' in this dataset."
    return Issue("unknown_name", path, message, nearest=book(context, entity).nearest(text), action=action)


def renamed(path: str, text: str, hit: Hit, kind: str) -> Iterator[Finding]:
    """The record of a name that was written otherwise; what is filled in for it are the names of the site."""
    name = hit.names[0]
    if text in hit.names:
        return
    if hit.basis in ("exact", "alias"):
        yield Edit(path, text, name, f"'{text}' is the {kind} '{name}'.", (), "declared")
    elif hit.basis == "without_part":
        message = f"'{text}' is no {kind} of its own; '{name}', of which it is a part, was taken."
        yield Edit(path, text, name, message, ())
    else:
        yield Edit(path, text, name, f"'{text}' is read as the {kind} '{name}'.", (), score=hit.score)


def is_open(reference: Reference) -> bool:
    """Whether a reference has names that still stand for nothing."""
    return (
        bool(reference.names)
        and reference.keys is None
        and reference.coordinates is None
        and reference.area is None
    )


def crossing(
    context: Context, path: str, reference: Reference, entity: Entity, within: Within
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
    for finding in settle(context, f"{path}/names", asked, sites, within, entity.plural, basis=hit.basis):
        yield filled(path, [finding]) if isinstance(finding, Site) else finding
