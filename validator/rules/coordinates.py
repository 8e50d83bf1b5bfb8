"""Positions outside the jurisdiction."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.schema.model import Pack
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Refuse positions outside the pack's bounds, with a hint where longitude and latitude look swapped."""
    west, south, east, north = context.pack.bounds
    for number, reference in enumerate(context.frame.references):
        position = reference.coordinates
        if position is None or is_inside(context.pack, position.longitude, position.latitude):
            continue
        message = (
            f"Longitude {position.longitude:g}, latitude {position.latitude:g} lies outside the pack "
            f"'{context.pack.name}' ({west:g} to {east:g}, {south:g} to {north:g})."
        )
        swapped = is_inside(context.pack, position.latitude, position.longitude)
        action = (
            "Longitude and latitude look swapped."
            if swapped
            else "Longitude is west-east, negative in the west."
        )
        yield Issue("outside_bounds", f"/references/{number}/coordinates", message, action=action)


def is_inside(pack: Pack, longitude: float, latitude: float) -> bool:
    """Whether a position lies within the pack's bounds."""
    west, south, east, north = pack.bounds
    return west <= longitude <= east and south <= latitude <= north


RULE = Rule(
    id="coordinates",
    name="a position outside the jurisdiction",
    rationale="Nothing lies there; swapped coordinates are likely but not certain, so they are hinted at.",
    phase=Phase.PLACES,
    safety=None,
    check=check,
)
