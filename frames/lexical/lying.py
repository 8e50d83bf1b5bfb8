"""What is said to lie on something long that no link joins it to: a school on a street."""

from __future__ import annotations

from groundframe.frames.inquiry import Inquiry, Thing, link_between
from groundframe.frames.lexical.state import State

__all__ = ["HOW_FAR", "how_far"]

HOW_FAR = "is not in the data; say within how many metres."
"""How it is said that a distance is wanted: near is too far for "on"."""


def how_far(state: State, inquiry: Inquiry) -> None:
    """Ask for the distance of what is said to lie on a line; the nodes of a network lie at its ends."""
    for tie in inquiry.ties:
        base, far = tie.base or inquiry.primary, tie.far
        if tie.nearness != "on" or tie.distance_m is not None or not isinstance(far, Thing):
            continue
        entity = state.pack.entity(base.entity)
        line = "line" in state.pack.entity(far.entity).geometry
        if not line or link_between(state.pack, base.entity, far.entity) is not None:
            continue
        if (at_ends := state.pack.at_ends_m(base.entity, far.entity)) is not None:
            tie.nearness, tie.distance_m = "near", at_ends
        elif (place := state.leads.get(id(far))) is not None and entity.name != far.entity:
            lines = state.pack.entity(far.entity).plural
            state.leave(place, f"Which {entity.plural} are {state.items[place].text} {lines} {HOW_FAR}")
