"""From a name to features of the dataset: the one that is meant, or what to do when there are several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundframe.errors import Issue
from groundframe.frames.model import Reference, Target
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, street_parts
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Fill, Finding, Note, Put
from groundframe.validator.geocoding import Lookup, geocoded_features, too_far
from groundframe.validator.outcomes import Anchor, Candidate, Choice
from groundframe.validator.sites import Site, book, lookup, measured, named_sites

__all__ = [
    "Within",
    "area_of",
    "crossing",
    "filled",
    "is_open",
    "renamed",
    "resolve_name",
    "resolve_names",
    "scope_of",
    "settle",
    "split_town",
]

OFFERED = 20


@dataclass(frozen=True, slots=True)
class Within:
    """The areas whose features go before namesakes elsewhere; with `required` no others count."""

    towns: frozenset[str] = frozenset()
    required: bool = False

    def town(self) -> str:
        """The one town that a name was given with, empty when there is none."""
        return next(iter(self.towns)) if self.required and len(self.towns) == 1 else ""

    def holds(self, site: Site) -> bool:
        """Whether the site lies within; what lies in no area of its own is within anything."""
        return not site.candidate.town or site.candidate.town in self.towns


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
    chosen = context.choice(pointer)
    if chosen is None and sure and len(offered) == 1:
        listed = tuple(site.candidate for site in sites)[:OFFERED]
        if within.towns and not inside and (town := offered[0].candidate.town):
            yield Note(f"'{asked}' lies in {town}, not in {' or '.join(sorted(within.towns))}.")
        yield from _taken(pointer, asked, basis, offered[0], listed)
        return
    candidates = measured(context, path, [site.candidate for site in offered[:OFFERED]])
    taken = next((site for site in sites if site.candidate.key == chosen), None)
    if taken is not None:
        yield from _taken(pointer, asked, "chosen", taken, candidates)
    elif chosen is not None:
        keys = tuple(one.key for one in candidates)
        action = "Run the frame without this choice to see the candidates."
        yield Issue(
            "unknown_choice",
            path,
            f"'{chosen}' is none of the candidates for '{asked}'.",
            keys,
            action=action,
        )
    else:
        more = f" (the first {OFFERED} are listed)" if len(offered) > OFFERED else ""
        which = (
            f"'{asked}' names {len(offered)} {kind}{more}."
            if sure
            else f"No {kind} are named '{asked}', but some are alike{more}."
        )
        yield Choice(pointer, f"{which} Which one is meant?", candidates)


def _taken(
    pointer: str, asked: str, basis: str, site: Site, offered: tuple[Candidate, ...]
) -> Iterator[Finding | Site]:
    yield Anchor(pointer, asked, basis, site.origin, (site.candidate,), offered, site.notice)
    yield site


def resolve_names(
    context: Context, path: str, part: Target | Reference, entity: Entity, within: Within
) -> Iterator[Finding]:
    """Fill in the names and keys of a part whose names are looked up among the features of `entity`.

    Every name is looked up by itself; together they are a union. Nothing is filled in until all are settled.
    """
    found: list[Site] = []
    # The point that a geocoder gives for an area does not say which area; scopes are never looked up.
    geocoded = part.role != "scope" and "polygon" not in entity.geometry
    for number, text in enumerate(part.names):
        where = f"{path}/names/{number}"
        for finding in resolve_name(context, where, text, entity, within, geocoded=geocoded):
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
    context: Context, path: str, text: str, entity: Entity, within: Within, *, geocoded: bool = False
) -> Iterator[Finding | Site]:
    """The site that a name stands for, with the records of how; or a question, or an issue.

    With ``geocoded=True`` what is unknown is looked up by the geocoder.
    """
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
    alike = named_sites(context, entity, book(context, entity).similar(text))
    owners = _owners(context, text, entity)
    asked = Lookup()
    if geocoded and not owners:
        asked = geocoded_features(context, entity, text, within.town())
    # What the geocoder leads to as well keeps the distance at which it lies.
    found = list({site.candidate.key: site for site in (*alike, *asked.sites)}.values())
    if found:
        sure, basis = asked.sure and not alike, "geocoded" if asked.sites else "chosen"
        for finding in settle(context, path, text, found, within, entity.plural, basis=basis, sure=sure):
            if isinstance(finding, Site) and finding.origin != "dataset":
                yield Edit(path, text, finding.names[0], finding.note, ())
            yield finding
    elif asked.far:
        yield too_far(context, path, text, entity, asked.far[0])
    else:
        action = asked.action or "Check the spelling; names are those of the dataset."
        if owners:
            action = f"It is the name of a {owners[0].label}; ask for that instead."
        message = " ".join((f"There is no {entity.label} '{text}' in this dataset.", asked.why)).strip()
        yield Issue("unknown_name", path, message, nearest=book(context, entity).nearest(text), action=action)


def _owners(context: Context, text: str, entity: Entity) -> list[Entity]:
    """The other entities that have a feature of that name."""
    others = (
        other for other in context.pack.entities if other is not entity and other.name_field is not None
    )
    return [other for other in others if book(context, other).find(text, alike=False)]


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
        action = "Check the streets, or give longitude and latitude."
        yield Issue("unknown_name", f"{path}/names", message, nearest=nearest, action=action)
        return
    yield from renamed(f"{path}/names", asked, hit, entity.label)
    sites = named_sites(context, entity, hit.names)
    for finding in settle(context, f"{path}/names", asked, sites, within, entity.plural, basis=hit.basis):
        yield filled(path, [finding]) if isinstance(finding, Site) else finding
