"""Names that neither the dataset nor the gazetteer know, asked of the geocoder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from groundframe.errors import Issue
from groundframe.frames.names import NamedFeature
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity
from groundframe.validator.context import Context
from groundframe.validator.geocoder import Geocode, GeocodeReply, GeocoderError, GeocoderOffError
from groundframe.validator.geocoder_settings import HOW_TO_TURN_ON
from groundframe.validator.outcomes import Candidate
from groundframe.validator.sites import Site, named_sites

__all__ = ["Lookup", "geocoded_features", "geocoded_places", "too_far"]

GEOCODER = "geocoder"


@dataclass(frozen=True, slots=True)
class Lookup:
    """What came of asking the geocoder: sites, and else why there are none and what to do.

    ``sure`` says that all it offered came to these sites; ``far`` are features too far from what it offered.
    """

    sites: tuple[Site, ...] = ()
    sure: bool = True
    why: str = ""
    action: str = ""
    far: tuple[Site, ...] = ()


def geocoded_places(context: Context, text: str, town: str = "") -> Lookup:
    """The places that a name stands for, as points."""
    reply = _asked(context, text, town)
    if isinstance(reply, Lookup):
        return reply
    sites: dict[str, Site] = {}
    for place in reply.candidates:
        candidate = Candidate(
            f"{GEOCODER}:{place.latitude},{place.longitude}",
            place.label,
            place.kind,
            "",
            place.longitude,
            place.latitude,
        )
        note = f"'{text}' was looked up by the geocoder: {candidate.label()}."
        sites.setdefault(candidate.key, Site(candidate, (), (text,), GEOCODER, note, reply.note))
    return Lookup(tuple(sites.values()))


def geocoded_features(context: Context, entity: Entity, text: str, town: str = "") -> Lookup:
    """The features of an entity that lie where the geocoder puts a name, up to the pack's distance."""
    reply = _asked(context, text, town)
    if isinstance(reply, Lookup):
        return reply
    near: dict[str, Site] = {}
    far: dict[str, Site] = {}
    for place in reply.candidates:
        for site in _snapped(context, entity, place, text, reply.note):
            within = (site.candidate.distance_m or 0.0) <= context.pack.defaults.snap_m
            (near if within else far).setdefault(site.candidate.key, site)
    return Lookup(tuple(near.values()), not far, far=tuple(far.values()))


def too_far(context: Context, path: str, text: str, entity: Entity, far: Site) -> Issue:
    """The issue for a name whose place has no feature of the entity near it."""
    one = far.candidate
    message = (
        f"There is no {entity.label} '{text}' in this dataset, and the {entity.label} nearest to where the "
        f"geocoder puts it ({one.distance_from}) is {one.distance_m:,.0f} m away, farther than the "
        f"{context.pack.defaults.snap_m:g} m up to which one is taken for it."
    )
    action = f"Give the {entity.label}'s name as in the dataset, or ask for a {PLACE} instead."
    return Issue("too_far", path, message, nearest=(one.name,), action=action)


def _snapped(context: Context, entity: Entity, place: Geocode, text: str, notice: str) -> Iterator[Site]:
    found = context.names.nearest(entity.name, place.longitude, place.latitude) if context.names else None
    if found is None:
        return
    feature, metres = found
    where = place.label.partition(",")[0]
    for site in named_sites(context, entity, [feature.name]):
        if feature.key in site.keys:
            candidate = _at(site.candidate, feature, metres, where)
            note = (
                f"'{text}' was looked up by the geocoder: {place.label}; taken for it: {candidate.label()}."
            )
            yield Site(candidate, site.keys, site.names, GEOCODER, note, notice)


def _at(candidate: Candidate, feature: NamedFeature, metres: float, where: str) -> Candidate:
    return Candidate(
        candidate.key,
        candidate.name,
        candidate.kind,
        candidate.town,
        feature.longitude,
        feature.latitude,
        metres,
        where,
    )


def _asked(context: Context, text: str, town: str) -> GeocodeReply | Lookup:
    """What the geocoder answers, or why it does not."""
    if context.geocoder is None:
        return Lookup(action=HOW_TO_TURN_ON)
    try:
        reply = context.geocoder.geocode(f"{text}, {town}" if town else text)
    except GeocoderOffError:
        return Lookup(action=HOW_TO_TURN_ON)
    except GeocoderError as error:
        return Lookup(why=error.message, action=error.hint)
    if not reply.candidates:
        why = " ".join(("The geocoder knows no such place in the area of the data.", reply.note)).strip()
        return Lookup(why=why, action="Correct the name, or give longitude and latitude.")
    return reply
