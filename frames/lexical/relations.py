"""How things lie to each other: distances, nearness, and the places that are named."""

from __future__ import annotations

from groundframe.frames.inquiry import Nearness, Thing, Tie, link_between
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.named import area_kinds
from groundframe.frames.lexical.state import State

__all__ = ["read_link", "tie_thing"]

_NEARNESS: dict[str, Nearness] = {
    "near": "near",
    "on": "on",
    "at": "on",
    "in": "in",
    "with": "with",
    "without": "with",
}
_LINKS = ("near", "on", "in", "at", "for", "of", "from", "to")


def read_link(state: State, place: int, item: Item) -> bool:
    """A preposition: kept until the thing or the place comes that it leads to."""
    pending = state.pending
    if item.has("nearby"):
        state.take(place, place + 1, "near")
        for tie in reversed(state.ties):
            if tie.nearness == "with" and tie.distance_m is None:
                tie.nearness = "near"
                return True
        return True
    after = state.item(place + 1)
    if item.has("except") or (item.text == "but" and after is not None and after.place is not None):
        pending.negate = True
        pending.link, pending.at["link"] = "in", place
        state.take(place, place + 1, "not")
        return True
    link = next((name for name in _LINKS if item.has(name)), "")
    if not link:
        return False
    joint = state.item(place - 1)
    state.coordinated = link == "near" and joint is not None and joint.has("and") and bool(state.ties)
    if link in ("of", "for", "from", "to") and pending.link:
        state.take(place, place + 1, "")
        return True
    if pending.link in ("by", "per", "with", "without") and link in ("of", "in", "at", "to", "for"):
        state.take(place, place + 1, "")
        return True
    pending.link, pending.at["link"] = link, place
    pending.distance_m, pending.beyond = None, False
    state.take(place, place + 1, link)
    return True


def _lies_on(state: State, entity: str, other: str) -> bool:
    """Whether those of an entity lie on the nearest of another."""
    return any(link.rule == "nearest" for link in state.pack.entity(entity).links_to(other))


def tie_thing(state: State, thing: Thing, place: int) -> bool:
    """Tie a new thing by the words before it; False where they say nothing of how it lies."""
    pending = state.pending
    link = pending.link
    apart = link_between(state.pack, (state.current or thing).entity, thing.entity) is None
    line = "line" in state.pack.entity(thing.entity).geometry and pending.distance_m is None
    if link == "at" and apart:
        link = "on" if line else "near"
    elif link == "in" and apart and line:
        link = "on"  # "in a crosswalk" is not near one
    waiting = {owners[0] for owners, _, _ in pending.conditions}
    if link == "from" and not state.things and any(_lies_on(state, one, thing.entity) for one in waiting):
        link = "on"  # "every head-on from 30 mph roads"
    nearness = _NEARNESS.get(link)
    if nearness is None or (link in ("with", "without") and not state.things):
        return False
    if link in ("in", "on") and not state.things and state.is_counted(thing.entity):
        return False  # "how do A and B compare in crashes"
    if link == "in" and thing.entity not in area_kinds(state):
        nearness = "near" if pending.distance_m is not None else "with"
    base = state.current
    if state.coordinated and state.ties:
        # "within 30 m of A and 100 m of B": both of the same thing.
        last = next((tie for tie in reversed(state.ties) if tie.nearness != "in"), state.ties[-1])
        base, state.coordinated = last.base, False  # what is said behind that is of that
    if base is not None and base in state.counted and base.entity == thing.entity:
        base = None  # "with 5 crashes and no bike crashes": of what these are counted for
    joint = state.item(pending.at.get("negate", pending.at.get("link", place)) - 1)
    beside = link in ("with", "without") or (joint is not None and joint.has("and"))
    if beside and (head := state.head(place)) is not None:
        base = head  # "schools with 5 crashes and no crosswalk"
    denied = pending.beyond or pending.negate or link == "without"
    tie = Tie(base, thing, nearness, pending.distance_m, denied)
    state.ties.append(tie)
    if "link" in pending.at:
        state.leads[id(thing)] = pending.at["link"]
    state.objects.add(id(thing))
    if (pending.distance_m is not None or pending.quantified) and not tie.negate:
        state.closed.add(id(thing))
    return True
