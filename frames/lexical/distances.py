"""Distances, with the words around them."""

from __future__ import annotations

from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.named import area_kinds, kind_of
from groundframe.frames.lexical.state import State

__all__ = ["read_distance"]


def read_distance(state: State, place: int, item: Item) -> bool:
    """A distance with the words around it: "within 500 m of", "a half mile radius", "more than 1 km from"."""
    start, beyond, bounded = place, False, False
    if item.has("inside_of", "beyond", "gt", "gte", "lt", "lte") and not item.has("between"):
        bounded = True
        beyond = item.has("beyond", "gt", "gte") and not item.has("inside_of", "lt", "lte")
        start = state.skip(place + 1, "radius", "of", "inside_of")
    number = state.item(start)
    if number is None or number.amount is None or number.amount.kind != "length":
        return False
    if bounded and _is_length(state, place, start):
        return False
    after = state.item(start + 1)
    measured = state.item(start + 2) if after is not None and after.has("in") else after
    if measured is not None and measured.of_kind("field") and not measured.has("filler"):
        return False  # "over 1 km long", "less than 50 m in length"
    stop = _past(state, start + 1)
    following = state.item(stop)
    linked = (
        following is not None
        and following.has("of_place", "near", "of", "in", "at")
        and not following.has("nearby")
    )
    rest = state.item(stop + 1)
    around = (
        linked
        and following is not None
        and following.has("near")
        and (rest is None or rest.has("stop", "comma"))
    )
    pronoun = following is not None and (
        following.has("nearby") or around or (linked and _is_pronoun(state, stop + 1))
    )
    pending = state.pending
    beyond ^= pending.negate
    joint = state.item(place - 1)
    state.coordinated = joint is not None and joint.has("and") and bool(state.ties)
    distance = number.amount.value
    if pronoun:
        stop = state.skip(stop + 1, "nearby", "pronoun", "per", "there")
        _loose(state, distance, beyond, place)
    elif linked and (following is None or not following.has("in", "at") or _object_is_place(state, stop + 1)):
        pending.link, pending.distance_m, pending.beyond = "near", distance, beyond
        pending.at["link"] = place
        stop += 1
    elif pending.link == "near" and pending.distance_m is None:
        pending.distance_m, pending.beyond = distance, beyond
    else:
        _loose(state, distance, beyond, place)
    pending.clear("negate")
    state.take(place, stop, f"{distance:g} m")
    return True


def _is_length(state: State, place: int, start: int) -> bool:
    """Whether the amount is how long something is, rather than how far away."""
    return state.items[place].text.startswith(("longer", "shorter")) or bool(
        state.current is None and not state.things and start + 1 >= len(state.items)
    )


def _past(state: State, place: int) -> int:
    """Past what may stand between a distance and its object: "radius", "or less", "away"."""
    while (item := state.item(place)) is not None and (
        (item.has("radius", "or_less", "or_more") and not item.has("of_place"))
        or (item.has("filler") and item.text in ("straight line", "a", "the"))
    ):
        place += 1
    return place


def _is_pronoun(state: State, place: int) -> bool:
    place = state.skip(place)
    item = state.item(place)
    after = state.item(place + 1)
    return item is not None and (
        item.has("pronoun")
        or (item.has("there") and state.last_spot is not None)
        or (item.has("per") and (after is None or after.has("pronoun", "stop")))
    )


def _object_is_place(state: State, place: int) -> bool:
    item = state.item(state.skip(place, "per", "all"))
    return (
        item is not None
        and (item.place is not None or bool(item.of_kind("entity")))
        and not _is_scope(state, item)
    )


def _is_scope(state: State, item: Item) -> bool:
    return item.place is not None and kind_of(state, item.place) in area_kinds(state)


def _loose(state: State, distance: float, beyond: bool, place: int) -> None:
    """A distance whose object stands elsewhere: what was named last, or what is counted."""
    for tie in reversed(state.ties):
        if tie.distance_m is None and tie.nearness in ("near", "with") and tie.far is state.mentioned:
            for one in state.ties:
                # "neither A nor B within 200 m": the distance is that of both.
                alike = (one.base, one.nearness, one.negate) == (tie.base, tie.nearness, tie.negate)
                if one is not tie and one.distance_m is None and alike:
                    one.distance_m, one.negate = distance, one.negate or beyond
            tie.distance_m, tie.negate = distance, tie.negate or beyond
            return
    state.loose.append((distance, beyond, place))
