"""From a name to features of the dataset: candidates, sites, and what to do when there are several."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from groundframe.errors import Issue
from groundframe.frames.model import Reference, Target
from groundframe.frames.names import NamedFeature
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, NameBook, name_book, street_parts
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Fill, Finding, Put
from groundframe.validator.outcomes import Anchor, Candidate, Choice

__all__ = [
    "Site",
    "book",
    "filled",
    "lookup",
    "named_sites",
    "resolve_name",
    "resolve_names",
    "scope_towns",
    "settle",
]

SAME_CORNER_M = 100.0
OFFERED = 20


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
    """The names of the entity that a text stands for; two streets name their crossing where nodes are derived."""
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
    """Whether two features are parts of one thing: a street's segments in a town, the nodes of one wide crossing."""
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


def scope_towns(context: Context, entity: Entity) -> frozenset[str]:
    """Names of the areas that the frame's scopes are, as far as the entity's features lie in such areas."""
    area = entity.links[0].to if entity.links else None
    return frozenset(
        name
        for target in context.frame.targets
        if target.role == "scope" and target.entity == area
        for name in target.names
    )


def split_town(context: Context, entity: Entity, text: str) -> tuple[str, str] | None:
    """A name and the area it is said to lie in: "Lincoln School, Brookline" or "Lincoln School in Brookline"."""
    if not entity.links:
        return None
    areas = book(context, context.pack.entity(entity.links[0].to))
    for separator in (",", " in "):
        name, found, town = text.rpartition(separator)
        if found and name.strip() and (hit := areas.find(town, alike=False)):
            return name.strip(), hit.names[0]
    return None


def settle(
    context: Context,
    path: str,
    asked: str,
    sites: Sequence[Site],
    towns: Collection[str],
    kind: str,
    *,
    basis: str,
    origin: str = "dataset",
    sure: bool = True,
) -> Iterator[Finding | Site]:
    """Take the one site that is meant, or ask.

    Sites in one of `towns` go before others. A choice made by the caller is taken when it is among the sites; with
    ``sure=False`` even a single site is only offered.
    """
    pointer = context.origins.pointer(path)
    within = [site for site in sites if site.candidate.town in towns]
    offered = within or list(sites)
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
            f"names {len(offered)} {kind}{more}"
            if sure
            else f"is no {kind} of this dataset, but may be one of these"
        )
        yield Choice(pointer, f"'{asked}' {which}. Which one is meant?", candidates)


def resolve_names(
    context: Context, path: str, part: Target | Reference, entity: Entity, towns: Collection[str]
) -> Iterator[Finding]:
    """Fill in the canonical names and the keys of a part whose names are looked up among the features of `entity`.

    Every name is looked up by itself; together they are a union. Without the last one settled nothing is filled in.
    """
    found: list[Site] = []
    for number, text in enumerate(part.names):
        for finding in resolve_name(context, f"{path}/names/{number}", text, entity, towns):
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
    context: Context, path: str, text: str, entity: Entity, towns: Collection[str]
) -> Iterator[Finding | Site]:
    """The site that a name stands for, with the records of how; or a question, or an issue."""
    hit = lookup(context, entity, text, alike=False)
    if hit is None and (split := split_town(context, entity, text)):
        text, towns = split[0], (split[1],)
        hit = lookup(context, entity, text, alike=False)
    hit = hit or lookup(context, entity, text)
    if hit is not None:
        yield from renamed(path, text, hit, entity.label)
        sites = named_sites(context, entity, hit.names)
        yield from settle(context, path, text, sites, towns, entity.plural, basis=hit.basis)
        return
    sites = named_sites(context, entity, book(context, entity).similar(text))
    if sites:
        yield from settle(context, path, text, sites, towns, entity.label, basis="chosen", sure=False)
    else:
        nearest = book(context, entity).nearest(text)
        message = f"There is no {entity.label} '{text}' in this dataset."
        yield Issue(
            "unknown_name",
            path,
            message,
            nearest=nearest,
            action="Names are looked up as the dataset has them.",
        )


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
