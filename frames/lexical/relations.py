"""How things lie to each other: distances, nearness, and the places that are named."""

from __future__ import annotations

from groundframe.frames.inquiry import Nearness, Spot, Thing, Tie, link_between
from groundframe.frames.lexical.conditions import value_condition
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.places import Named
from groundframe.frames.lexical.state import State
from groundframe.frames.terms import PLACE
from groundframe.schema.model import GAZETTEER, Entity

__all__ = ["read_distance", "read_link", "read_place", "tie_thing"]

_NEARNESS: dict[str, Nearness] = {
    "near": "near",
    "on": "on",
    "at": "on",
    "in": "in",
    "with": "with",
    "without": "with",
}
_LINKS = ("near", "on", "in", "at", "for", "of", "from", "to")


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
    if after is not None and after.of_kind("field") and not after.has("filler"):
        return False  # "over 1 km long"
    stop = _past(state, start + 1)
    following = state.item(stop)
    linked = (
        following is not None
        and following.has("of_place", "near", "of", "in", "at")
        and not following.has("nearby")
    )
    rest = state.item(stop + 1)
    around = linked and following is not None and following.has("near") and (rest is None or rest.has("stop"))
    pronoun = following is not None and (
        following.has("nearby") or around or (linked and _is_pronoun(state, stop + 1))
    )
    pending = state.pending
    beyond ^= pending.negate
    joint = state.item(place - 1)
    state.coordinated = joint is not None and joint.has("and") and bool(state.ties)
    distance = number.amount.value
    if pronoun:
        stop = state.skip(stop + 1, "nearby", "pronoun", "per")
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
        item.has("radius", "or_less", "or_more")
        or (item.has("filler") and item.text in ("straight line", "a", "the"))
    ):
        place += 1
    return place


def _is_pronoun(state: State, place: int) -> bool:
    place = state.skip(place)
    item = state.item(place)
    after = state.item(place + 1)
    return item is not None and (
        item.has("pronoun") or (item.has("per") and (after is None or after.has("pronoun", "stop")))
    )


def _object_is_place(state: State, place: int) -> bool:
    item = state.item(state.skip(place, "per", "all"))
    return (
        item is not None
        and (item.place is not None or bool(item.of_kind("entity")))
        and not _is_scope(state, item)
    )


def _is_scope(state: State, item: Item) -> bool:
    return item.place is not None and _kind(state, item.place) in _areas(state)


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


def tie_thing(state: State, thing: Thing, place: int) -> bool:
    """Tie a new thing by the words before it; False where they say nothing of how it lies."""
    pending = state.pending
    link = pending.link
    if link == "at" and link_between(state.pack, (state.current or thing).entity, thing.entity) is None:
        link = "near"
    nearness = _NEARNESS.get(link)
    if nearness is None or (link in ("with", "without") and not state.things):
        return False
    if link == "in" and not state.things and state.is_counted(thing.entity):
        return False  # "how do A and B compare in crashes"
    if link == "in" and thing.entity not in _areas(state):
        nearness = "near" if pending.distance_m is not None else "with"
    base = state.current
    if state.coordinated and state.ties:
        # "within 30 m of A and 100 m of B": both of the same thing.
        base = state.ties[-1].base
    denied = pending.beyond or pending.negate or link == "without"
    tie = Tie(base, thing, nearness, pending.distance_m, denied)
    state.ties.append(tie)
    state.objects.add(id(thing))
    if (pending.distance_m is not None or pending.quantified) and not tie.negate:
        state.closed.add(id(thing))
    return True


def _areas(state: State) -> list[str]:
    return [entity.name for entity in state.pack.entities if "scope" in entity.roles]


def _kind(state: State, named: Named) -> str:
    """The kind of the place that is meant: on something long where it is said to be on it, else the first."""
    if not named.kinds:
        return PLACE
    if state.pending.link == "on":
        lines = [
            kind for kind in named.kinds if kind != GAZETTEER and "line" in state.pack.entity(kind).geometry
        ]
        if lines:
            return lines[0]
    return named.kinds[0]


def read_place(state: State, place: int, item: Item) -> bool:
    """A place by name, or a list of places."""
    if item.place is None:
        return False
    if _county(state, place, item):
        return True
    if crossed := _crossing(state, place):
        return crossed
    pending = state.pending
    kind = _kind(state, item.place)
    if kind in _areas(state) and not (pending.link == "near" and not _is_around(state)):
        names, stop = _listed(state, place, kind)
        _scope(state, kind, names, place)
        state.take(place, stop, " and ".join(names))
        return True
    if kind not in (GAZETTEER, PLACE) and "line" in state.pack.entity(kind).geometry:
        _line(state, place, kind)
        return True
    entity = PLACE if kind == GAZETTEER else kind
    spot = Spot(entity, [item.place.text])
    on = pending.link in ("on", "at") and entity != PLACE and pending.distance_m is None
    _tie_spot(state, spot, "on" if on else "near")
    state.take(place, place + 1, item.place.text)
    return True


def _line(state: State, place: int, kind: str) -> None:
    """A street by name: all its segments, whichever the town, as one more thing with a condition."""
    pending, named = state.pending, state.items[place].place
    entity = state.pack.entity(kind)
    assert named is not None and entity.name_field is not None  # noqa: S101, PT018 - it was found by its name
    street = Thing(
        kind, "filter", conditions=[{"field": entity.name_field, "operator": "eq", "value": named.text}]
    )
    joint, before = state.item(place - 1), state.item(place - 2)
    if (
        joint is not None
        and joint.has("and", "or", "comma")
        and before is not None
        and before.place is not None
    ):
        last = state.things[-1] if state.things else None
        if last is not None and id(last) in state.streets and not pending.link:
            listed = last.conditions[0]
            held = listed["value"] if isinstance(listed["value"], list) else [listed["value"]]
            listed |= {"operator": "in", "value": [*held, named.text]}
            state.take(place, place + 1, named.text)
            return
    near = pending.distance_m is not None or pending.link == "near"
    current = state.current
    base = current if current is not None and id(current) in state.closed else None
    noun = state.item(place - 2)
    if current is not None and id(current) in state.objects and noun is not None and not near:
        # "near the bus stops on Main Street": the stops are on it.
        fits = any(one.names == kind for one in state.pack.entity(current.entity).fields)
        beside = any(sense.entity == current.entity for sense in noun.of_kind("entity"))
        base = current if fits and beside else base
    denied = pending.beyond or pending.negate
    state.ties.append(Tie(base, street, "near" if near else "on", pending.distance_m, denied))
    state.things.append(street)
    state.objects.add(id(street))
    state.streets.add(id(street))
    state.mentioned = street
    if pending.distance_m is not None and not denied:
        # "within 500 m of Main Street in Quincy": that part of the street.
        state.closed.add(id(street))
        state.current = street
    pending.clear_link()
    state.take(place, place + 1, named.text)


def _is_around(state: State) -> bool:
    """Whether the nearness is only "around": around a town is in it."""
    at = state.pending.at.get("link")
    return state.pending.distance_m is None and at is not None and state.items[at].text == "around"


def _tie_spot(state: State, spot: Spot, nearness: Nearness) -> None:
    pending = state.pending
    current = state.current
    base = current if current is not None and id(current) in state.closed else None
    state.ties.append(Tie(base, spot, nearness, pending.distance_m, pending.beyond or pending.negate))
    state.last_spot = state.mentioned = spot
    if pending.distance_m is None and state.loose and nearness == "near" and not state.counted:
        distance, beyond, _ = state.loose.pop()
        state.ties[-1].distance_m, state.ties[-1].negate = distance, beyond or pending.negate
    pending.clear_link()


def _scope(state: State, kind: str, names: list[str], place: int) -> None:
    """An area: of the place or thing whose words take it in, else of what is asked for."""
    pending = state.pending
    before = state.item(place - 1)
    named = before is not None and before.has("in", "of", "comma", "from") and state.item(place - 2)
    if (
        state.last_spot is not None
        and named
        and named.place is not None
        and len(names) == 1
        and not pending.negate
    ):
        entity = state.last_spot.entity
        if entity == PLACE or "line" not in state.pack.entity(entity).geometry:
            state.last_spot.town = names[0]
            pending.clear_link()
            return
    scope = Thing(kind, "scope", names)
    if state.items[place].aside:
        state.homes.append(scope)
    current = state.current
    if pending.negate or pending.beyond:
        state.scopes.append(scope)
        state.ties.append(Tie(None, scope, "in", negate=True))
    elif current is not None and id(current) in state.closed and id(current) in state.objects:
        state.scopes.append(scope)
        state.ties.append(Tie(current, scope, "in"))
    else:
        same = [
            one for one in state.scopes if one.entity == kind and not any(t.far is one for t in state.ties)
        ]
        if same:
            same[0].names += [name for name in names if name not in same[0].names]
        else:
            state.scopes.append(scope)
    pending.clear_link()


def _listed(state: State, place: int, kind: str) -> tuple[list[str], int]:
    """The names of a list such as "A, B, and C", and where it ends; affixes belong to the names."""
    names: list[str] = []
    stop = place
    while (
        (item := state.item(stop)) is not None and item.place is not None and _kind(state, item.place) == kind
    ):
        names.append(item.place.text)
        stop += 1
        joint = stop
        while (between := state.item(joint)) is not None and between.has(
            "comma", "and", "or", "affix", "compare", "in"
        ):
            joint += 1
        following = state.item(joint)
        if following is None or following.place is None or joint == stop:
            break
        versus = next((one for one in range(stop, joint) if state.items[one].has("compare")), None)
        state.compare = state.compare if versus is None else versus
        stop = joint
    return names, stop


def _county(state: State, place: int, item: Item) -> bool:
    """A name before a field of text: "Worcester County"."""
    after = state.item(place + 1)
    if after is None or item.place is None:
        return False
    for sense in after.of_kind("field"):
        entity = state.pack.entity(sense.entity)
        if (
            sense.entity in _areas(state)
            and entity.field(sense.name).type == "text"
            and sense.name != entity.name_field
        ):
            return named_area(state, place, place + 2, entity, sense.name, item.place.text)
    return False


def named_area(state: State, place: int, stop: int, entity: Entity, field: str, text: str) -> bool:
    """Restrict what is asked for to areas with this text in one of their fields."""
    condition = value_condition(field, (text,), listed=False, negate=state.pending.negate)
    own = next((one for one in state.things if one.entity == entity.name), None)
    if own is None:
        own = Thing(entity.name, "filter")
        state.things.append(own)
        state.objects.add(id(own))
        state.ties.append(Tie(None, own, "in"))
    own.conditions.append(condition)
    state.pending.clear_link()
    state.take(place, stop, text)
    return True


def _crossing(state: State, place: int) -> bool:
    """Two streets that name where they meet: "the intersection of A and B", "at A and B"."""
    nodes = next((one for one in state.pack.entities if one.derived is not None), None)
    joint, second = state.item(place + 1), state.item(place + 2)
    first = state.items[place]
    if (
        nodes is None
        or nodes.derived is None
        or joint is None
        or second is None
        or not joint.has("and", "at")
    ):
        return False
    street = nodes.derived.from_entity
    if not (first.place and second.place and street in first.place.kinds and street in second.place.kinds):
        return False
    if state.pending.link not in ("at", "near", "of", *(("",) if first.place.bare else ())):
        return False
    spot = Spot(nodes.name, [first.place.text, second.place.text])
    own = state.current
    if own is not None and own.entity == nodes.name and state.pending.link == "of":
        state.things.remove(own)
        state.objects.discard(id(own))
        tie = next((one for one in state.ties if one.far is own), None)
        if tie is not None:
            state.ties.remove(tie)
            state.pending.distance_m, state.pending.beyond = tie.distance_m, tie.negate
            state.pending.link = "at" if tie.nearness == "on" else "near"
        state.current = tie.base if tie else (state.things[-1] if state.things else None)
    at = state.pending.link == "at" and state.pending.distance_m is None
    _tie_spot(state, spot, "on" if at else "near")
    state.take(place, place + 3, " & ".join(spot.names))
    return True
