"""Kinds of features: what is asked for, what is counted, what restricts another."""

from __future__ import annotations

from groundframe.frames.inquiry import Thing, Tie
from groundframe.frames.lexical.clauses import value_condition
from groundframe.frames.lexical.conditions import add_condition, lies_on, take_pending
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.roles import near_each, place_in_question
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.vocabulary import field_of

__all__ = ["add_thing", "read_entity", "read_nearest", "take_area"]


def read_entity(state: State, place: int, item: Item) -> bool:
    """A kind of feature."""
    pending = state.pending
    senses = tuple(sense for sense in item.senses if sense.kind == "entity" or sense.noun)
    if not senses:
        return False
    sense = senses[0]
    if _is_modifier(state, place, item):
        if not sense.noun:
            return False
        add_condition(state, place, sense)  # "local road segments"
        state.take(place, place + 1, sense.name)
        return True
    if sense.noun and sense.kind == "value" and lies_on(state, place, sense):
        return True
    if sense.noun:
        # The phrase says a condition as well: "high school", "crashes involving cyclists".
        add_condition(state, place, sense)
    if pending.link == "at" and _as_value(state, place, item):
        return True
    if _is_own(state, place, item, sense.entity):
        state.take(place, place + 1, sense.entity)
        return True
    equals, named = state.item(place + 1), state.item(place + 2)
    if equals is not None and equals.text == "=" and named is not None and named.place is not None:
        state.take(place, place + 2, sense.entity)  # "town = Lowell"
        return True
    if not sense.noun and (names := _names_corner(state, place, sense.entity)):
        if pending.link in ("", "for", "of", "by", "from", "per", "to", "in"):
            pending.link = "near" if pending.link == "by" else "at"
            pending.at["link"] = place
        state.take(place, names, sense.entity)
        return True
    if not sense.noun and _is_scenery(state, place, item, sense.entity):
        state.take(place, place + 1, "")
        return True
    if not sense.noun and _is_apposed(state, place, sense.entity):
        state.take(place, place + 1, sense.entity)
        return True
    if pending.nearest:
        return read_nearest(state, place, item, sense.entity)
    thing = Thing(sense.entity)
    if _is_whole(state, item, sense.entity):
        state.wholes.add(id(thing))
        if pending.link == "by" and state.rank is None and _home(state):
            pending.link = "per"  # "crashes by street": one row for each name, not for each piece
    if _is_repeated(state, sense.entity):
        thing = next(one for one in state.things if one.entity == sense.entity)
        take_pending(state, thing)
    elif id(thing) not in state.wholes and _grouped(state, sense.entity):
        pending.clear_link()
        state.grouped_at = place
        state.take(place, place + 1, f"by {sense.entity}")
        return True
    elif not place_in_question(state, thing, place, item):
        return False
    if thing not in state.things:
        state.things.append(thing)
        take_pending(state, thing)
    if pending.which and id(thing) not in state.objects | {id(one) for one in state.counted}:
        state.asked = thing
    pending.clear("which")
    if not item.plural and pending.link != "by":
        state.singular.add(id(thing))
    state.turn_to(thing)
    take_area(state, thing)
    state.take(place, place + 1, sense.entity)
    return True


def take_area(state: State, thing: Thing) -> None:
    """Give a thing the area that was named before it: "within 300 m of any Amherst school"."""
    if state.ahead is not None:
        state.scopes.append(state.ahead)
        state.ties.append(Tie(thing, state.ahead, "in"))
        state.ahead = None


def _is_whole(state: State, item: Item, entity: str) -> bool:
    """Whether the word is what the names of the entity are called elsewhere in the pack: a street."""
    after = state.item(state.items.index(item) + 1)
    if after is not None and any(one.entity == entity for one in after.of_kind("entity")):
        return False  # "street segments"
    named = (field_of(state.pack, one.entity, one.name) for one in item.of_kind("field"))
    return any(one is not None and one.names == entity for one in named)


def _names_corner(state: State, place: int, entity: str) -> int:
    """Where the two streets follow whose corner the noun is, as "the corner of A and B"; else 0."""
    derived = state.pack.entity(entity).derived
    of = state.item(place + 1)
    start = place + 2 if of is not None and of.has("of", "at", "of_place") else place + 1
    first, joint, second = (state.item(start + step) for step in (0, 1, 2))
    if derived is None or state.items[place].plural:
        return 0
    named = [one.place for one in (first, second) if one is not None and one.place is not None]
    joins = joint is not None and (joint.has("and", "at") or joint.text == "/")
    fits = joins and len(named) == 2 and all(derived.from_entity in one.kinds for one in named)
    return start if fits else 0


def _is_scenery(state: State, place: int, item: Item, entity: str) -> bool:
    """Whether the noun says no more than the area before it: crashes "on Quincy streets" are in Quincy."""
    lead, area, after = state.item(place - 2), state.item(place - 1), state.item(place + 1)
    if lead is None or area is None or area.place is None or not lead.has("on") or not item.plural:
        return False
    of = {one.entity for one in state.things} | {owner for _, owner, _ in state.measures}
    linked = any(link.rule == "nearest" for one in of for link in state.pack.entity(one).links_to(entity))
    waiting = any(entity in owners for owners, _, _ in state.pending.conditions)
    told = after is not None and (after.has("with", "without", "no") or bool(after.senses or after.amount))
    return linked and not waiting and not told


def _is_apposed(state: State, place: int, entity: str) -> bool:
    """Whether the noun only says what the name before it is of: "the Route 28 corridor"."""
    at = place - 1
    while at > 0 and state.items[at].text in ("(", "the"):
        at -= 1  # "Lowell (the city)"
    bracket = any(one.text == "(" for one in state.items[at + 1 : place])
    before = state.item(at if bracket else place - 1)
    named = before.place if before is not None else None
    return (
        named is not None
        and entity in named.kinds
        and (entity not in named.kinds[1:] or len(named.kinds) == 1)
        and not state.pending.nearest
    )


def _is_modifier(state: State, place: int, item: Item) -> bool:
    """Whether the noun says of what kind the next is: "intersection crashes"."""
    after = state.item(place + 1)
    if after is None or state.pending.link in ("by", "per") or state.pending.order:
        return False
    following = {sense.entity for sense in after.of_kind("entity")}
    return any(sense.entity in following for sense in item.of_kind("value"))


def add_thing(state: State, entity: str) -> Thing:
    """A thing that no noun names, but a condition or a measure implies."""
    thing = Thing(entity)
    state.things.append(thing)
    take_pending(state, thing)
    return thing


def _is_repeated(state: State, entity: str) -> bool:
    """Whether the noun only takes up a thing again, in another sentence or as what was counted."""
    pending = state.pending
    if state.aggregated is not None and pending.link == "per":
        return any(one.entity == entity for one in state.things)
    if (
        pending.order
        or pending.number is not None
        or pending.link in ("near", "on", "with", "without", "per", "by")
    ):
        return False
    return any(one.entity == entity and id(one) not in state.objects for one in state.things)


def _is_own(state: State, place: int, item: Item, entity: str) -> bool:
    """Whether "the road" is that of the thing itself, which carries what is known of it."""
    before, base = state.item(place - 1), state.current
    said = state.joined is not None and state.joined[1] == place - 1 and state.pending.link == "on"
    its = said and base is not None and bool(state.pack.entity(base.entity).links_to(entity))
    if its and base and before and any(one.entity == base.entity for one in before.of_kind("value")):
        # "on wet roads": what the crash says of its road.
        state.pending.clear_link()
        return True
    if (
        base is None
        or item.plural
        or state.pending.link
        or before is None
        or before.text not in ("the", "where the")
    ):
        return False
    links = [link.name for link in state.pack.entity(base.entity).links_to(entity)]
    return any(
        one.carries is not None and one.carries.link in links for one in state.pack.entity(base.entity).fields
    )


def _home(state: State) -> str:
    """The entity of what is asked for, as far as that is known."""
    free = [one.entity for one in state.things if id(one) not in state.objects]
    waiting = (owners[0] for owners, _, _ in state.pending.conditions)
    asked = [entity for _, entity, _ in state.measures]
    if state.aggregated is not None:
        asked += [entity for entity, _ in state.aggregated[1]]
    return next(iter((*free, *asked)), next(waiting, state.grouped_entity))


def _grouped(state: State, entity: str) -> bool:
    """Whether the noun is what the rows are grouped by: "by town", "in each town"."""
    pending, home = state.pending, _home(state)
    by = pending.link == "by" and state.rank is None
    if not (by or pending.link == "per" or pending.each) or not home or pending.order:
        return False
    if not state.pack.entity(home).links_to(entity):
        return False
    state.groups.append(("entity", entity))
    return True


def _as_value(state: State, place: int, item: Item) -> bool:
    """At a kind of place that the thing itself records: a condition, unless the place is named."""
    after = state.item(place + 1)
    if after is not None and after.has("of") and (named := state.item(place + 2)) is not None and named.place:
        return False
    own = state.current or (state.things[0] if state.things else None)
    for sense in item.of_kind("value"):
        if own is not None and sense.entity == own.entity:
            own.conditions.append(
                value_condition(sense.name, sense.values, listed=False, negate=state.pending.negate)
            )
            state.pending.clear_link()
            state.take(place, place + 1, sense.name)
            return True
    return False


def read_nearest(state: State, place: int, item: Item, entity: str) -> bool:
    """The nearest of a kind to what follows."""
    pending = state.pending
    thing = Thing(entity)
    number = pending.number
    if number is None and item.plural:
        state.problem = f"How many of the nearest {state.pack.entity(entity).plural} are wanted is not said."
    state.nearest = (thing, int(number or 1))
    each = next((one for one in state.things if one.each), None)
    if each is not None:
        # "for every school, the nearest stop"
        state.asked = None
        near_each(state, thing, each)
    pending.clear("nearest", "number", "operator", "which")
    if state.things and pending.link in ("near", "with", ""):
        state.leave(place)
    state.things.insert(0, thing)
    take_pending(state, thing)
    state.turn_to(thing)
    state.take(place, place + 1, entity)
    return True
