"""What a name may stand for: features of the dataset and places of the gazetteer, grouped into sites."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from groundframe.frames.model import Reference, Target
from groundframe.frames.names import NamedFeature
from groundframe.schema.model import GAZETTEER, Entity
from groundframe.validator.books import Hit, NameBook, name_book, street_parts
from groundframe.validator.context import Context
from groundframe.validator.outcomes import Candidate
from groundframe.validator.plane import apart_m

__all__ = ["Site", "book", "gazetteer", "listed_sites", "lookup", "measured", "named_sites"]

SAME_CORNER_M = 100.0


@dataclass(frozen=True, slots=True)
class Site:
    """One thing that a name may stand for: a feature, the segments of one street in one town, or a place.

    ``note`` is what a reader of the answer should know when it is taken, ``notice`` the terms of who told it.
    """

    candidate: Candidate
    keys: tuple[str, ...]
    names: tuple[str, ...]
    origin: str = "dataset"
    note: str = ""
    notice: str = ""


def book(context: Context, entity: Entity, field: str = "") -> NameBook:
    """The names of the entity in the dataset, or those in one of its other fields."""
    names = context.names.distinct_names(entity.name, field) if context.names else ()
    return name_book(names, context.pack, "" if field else entity.name)


def gazetteer(context: Context) -> NameBook:
    """The names of the pack's own places."""
    names = [name for place in context.pack.gazetteer for name in (place.name, *place.aliases)]
    return name_book(names, context.pack, GAZETTEER)


def lookup(context: Context, entity: Entity, text: str, *, alike: bool = True) -> Hit | None:
    """The names of the entity that a text stands for; two streets name their crossing."""
    names = book(context, entity)
    found = names.find(text, alike=False)
    if found is None and entity.derived is not None:
        found = names.crossing(street_parts([text]))
        if found is not None and found.basis == "fuzzy" and not alike:
            found = None
    return found or (names.find(text) if alike else None)


def named_sites(context: Context, entity: Entity, names: Collection[str]) -> list[Site]:
    """The sites of the features that bear one of these names, in the order of their keys."""
    groups: list[list[NamedFeature]] = []
    for feature in context.names.features(entity.name, names) if context.names else ():
        for group in groups:
            if _same_site(context, entity, group[0], feature):
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


def _same_site(context: Context, entity: Entity, one: NamedFeature, other: NamedFeature) -> bool:
    """Whether two features are parts of one thing: a street in a town, the nodes of one wide crossing."""
    if one.town != other.town:
        return False
    if "line" in entity.geometry:
        return True
    if entity.derived is None:
        return False
    ends = ((one.longitude, one.latitude), (other.longitude, other.latitude))
    return apart_m(context.pack, *ends) <= SAME_CORNER_M


def _candidate(entity: Entity, feature: NamedFeature) -> Candidate:
    return Candidate(
        feature.key, feature.name, entity.label, feature.town, feature.longitude, feature.latitude
    )


def listed_sites(context: Context, names: Collection[str]) -> list[Site]:
    """The places of the gazetteer that bear one of these names."""
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
            GAZETTEER,
        )
        for place in context.pack.gazetteer
        if {*names} & {place.name, *place.aliases}
    ]


def measured(context: Context, path: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with how far they lie from an anchor of the frame, else from the area it is about."""
    parts = sorted(context.parts(), key=lambda one: isinstance(one[1], Target))
    own = "/".join(path.split("/")[:3])
    spots = (_spot(context, part) for pointer, part in parts if pointer != own)
    start = next((spot for spot in spots if spot is not None), None)
    return tuple(_measured(context, one, start) if start else one for one in candidates)


def _measured(context: Context, candidate: Candidate, start: Candidate) -> Candidate:
    """The candidate with its distance; inside the area itself that says nothing."""
    far = apart_m(context.pack, (candidate.longitude, candidate.latitude), (start.longitude, start.latitude))
    if candidate.distance_m is not None or candidate.town == start.name or far == float("inf"):
        return candidate
    return replace(candidate, distance_m=round(far, 3), distance_from=start.name)


def _spot(context: Context, part: Target | Reference) -> Candidate | None:
    """A point on the one place that a scope or an anchor stands for, None where that is not known yet."""
    if isinstance(part, Reference) and part.coordinates is not None:
        name = part.names[0] if part.names else "the position"
        return Candidate(
            "", name, "", longitude=part.coordinates.longitude, latitude=part.coordinates.latitude
        )
    entity = context.entity(part.entity)
    if entity is None or not part.keys or len(part.names) != 1 or part.role not in ("scope", "anchor"):
        return None
    found = [site.candidate for site in named_sites(context, entity, part.names) if site.keys == part.keys]
    return next((one for one in found if one.longitude is not None), None)
