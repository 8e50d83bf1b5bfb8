"""Kinds of features: what is asked for, what is counted, what restricts another."""

from __future__ import annotations

from groundframe.frames.inquiry import Rank, Thing, Tie
from groundframe.frames.lexical.conditions import (
    add_condition,
    amount_after,
    follows_noun,
    take_pending,
    value_condition,
)
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.relations import tie_thing
from groundframe.frames.lexical.state import State

__all__ = ["add_thing", "read_entity", "read_implied", "read_measure"]


def read_entity(state: State, place: int, item: Item) -> bool:
    """A kind of feature."""
    pending = state.pending
    senses = tuple(sense for sense in item.senses if sense.kind == "entity" or sense.noun)
    if not senses:
        return False
    sense = senses[0]
    if sense.noun:
        # The phrase says a condition as well: "high school", "crashes involving cyclists".
        add_condition(state, place, sense)
    if pending.link == "at" and _as_value(state, place, item):
        return True
    if _is_own(state, place, item, sense.entity):
        state.take(place, place + 1, sense.entity)
        return True
    if pending.nearest:
        return _nearest(state, place, item, sense.entity)
    thing = Thing(sense.entity)
    if _is_repeated(state, sense.entity):
        thing = next(one for one in state.things if one.entity == sense.entity)
        take_pending(state, thing)
    elif _grouped(state, sense.entity):
        pending.clear_link()
        state.grouped_at = place
        state.take(place, place + 1, f"by {sense.entity}")
        return True
    elif not _place_in_question(state, thing, place, item):
        return False
    if thing not in state.things:
        state.things.append(thing)
        take_pending(state, thing)
    if pending.which and id(thing) not in state.objects | {id(one) for one in state.counted}:
        state.asked = thing
    pending.clear("which")
    if not item.plural:
        state.singular.add(id(thing))
    state.current = state.mentioned = thing
    pending.clear_link()
    state.take(place, place + 1, sense.entity)
    return True


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
    return free[0] if free else next((entity for _, entity, _ in state.measures), next(waiting, ""))


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


def read_implied(state: State, place: int, item: Item) -> bool:
    """A condition that stands for the thing itself: "crashes on interstates", "top arterials by crashes"."""
    pending = state.pending
    senses = item.of_kind("value", "concept")
    if not senses or item.form or item.has("vague") or follows_noun(state, place) is not None:
        return False
    sense = senses[0]
    held = [own for one in senses if (own := state.thing_of(one.entity)) is not None]
    if held and pending.link == "without" and all(own in state.counted for own in held):
        # "towns with 100 crashes and no fatals": not 100 crashes that are not fatal.
        state.leave(place)
        return True
    if held:
        return False
    if (
        state.things
        and state.is_counted(sense.entity)
        and (bound := amount_after(state, state.skip(place + 1)))
    ):
        operators, amounts, stop = bound
        if operators != ["eq"] and len(amounts) == 1 and not amounts[0].kind:
            # "towns where fatals are more than 5"
            counted = Thing(sense.entity)
            pending.number, pending.operator = amounts[0].value, operators[0]
            _having(state, counted)
            add_condition(state, place, sense)
            state.things.append(counted)
            take_pending(state, counted)
            state.current = state.mentioned = counted
            pending.clear_link()
            state.take(place, stop, f"{sense.entity} {sense.name}")
            return True
    if state.is_counted(sense.entity):
        # "towns with no pedestrian deaths": only what is there, or not, stands for itself.
        if (
            pending.link not in ("with", "without")
            or pending.order
            or pending.number is not None
            or not state.things
        ):
            return False
    elif sense.kind != "value" or pending.link not in ("near", "on", "", "by", "in", "of", "for"):
        return False
    thing = Thing(sense.entity)
    if not _place_in_question(state, thing, place, item):
        return False
    pending.clear("without", "negate")  # that is how the thing lies, not what it is
    add_condition(state, place, sense)
    state.things.append(thing)
    take_pending(state, thing)
    if pending.which and id(thing) not in state.objects:
        state.asked = thing
    pending.clear("which")
    if not item.plural:
        state.singular.add(id(thing))
    state.current = state.mentioned = thing
    pending.clear_link()
    state.take(place, place + 1, f"{sense.entity} {sense.name}")
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


def _place_in_question(state: State, thing: Thing, place: int, item: Item) -> bool:
    """Settle what the new thing is in the question; False where nothing says it."""
    pending = state.pending
    entity = thing.entity
    if state.nearest is not None and pending.link in ("near", "to", "of", "from", "for", "per", ""):
        state.ties.append(Tie(state.nearest[0], thing, "near"))
        state.objects.add(id(thing))
        state.closed.add(id(thing))
        pending.clear("each")
        return True
    each = next((one for one in state.things if one.each), None)
    ahead = state.item(state.skip(place + 1))
    if each is not None and pending.which and ahead is not None and ahead.has("nearest"):
        state.nearest = (thing, 1)
        state.ties.append(Tie(thing, each, "near"))
        state.objects.add(id(each))
        state.closed.add(id(each))
        each.each = False
        return True
    if pending.number is not None and pending.operator not in ("", "rank") and (state.things or state.scopes):
        return _having(state, thing)
    if pending.order:
        return _most(state, thing)
    if pending.link == "by":
        return _by(state, thing)
    if pending.each or pending.link == "per":
        return _each(state, thing)
    if pending.number is not None:
        state.numbers[id(thing)] = (pending.number, pending.at.get("number", place))
        pending.clear("number", "operator")
    if pending.many and state.things and state.is_counted(entity) and _of_each(state, place):
        pending.clear("many")
        return _counted(state, thing)
    if pending.many:
        state.count = True
        pending.clear("many")
        if (
            state.rank is not None
            and state.rank.counted is None
            and state.things
            and state.is_counted(entity)
        ):
            return _counted(state, thing)
        if any(one.each for one in state.things):
            return _counted(state, thing)
    if pending.link in ("in", "of", "from", "at") and _is_measured(state, entity):
        if state.things:
            state.counted.append(thing)
        return True
    unmeasured = state.rank is not None and not (state.counted or state.rank.measure or state.rank.field)
    if unmeasured and state.things and state.is_counted(entity) and pending.link in ("with", "for"):
        return _counted(state, thing)
    if tie_thing(state, thing, place):
        return True
    if not [one for one in state.things if id(one) not in state.objects] and pending.link != "near":
        return True
    if state.rank is not None and not state.counted and state.is_counted(entity):
        return _counted(state, thing)
    if pending.which and state.counted:
        return True
    if all(id(one) in state.objects or one in state.counted for one in state.things):
        return True
    if state.loose and state.is_counted(entity):
        return _counted(state, thing)
    return False


def _of_each(state: State, place: int) -> bool:
    """Whether a distance "of each" or "of them" follows: what is counted for each of those named before."""
    rest = state.items[place + 1 : place + 6]
    return any(item.amount is not None and item.amount.kind for item in rest) and any(
        item.has("per", "pronoun", "nearby") for item in rest
    )


def _is_measured(state: State, entity: str) -> bool:
    """Whether a measure of the entity has been asked for already: "people killed in crashes"."""
    ranked = state.rank.measure if state.rank is not None and state.rank.counted is None else ""
    asked = {owner for _, owner, _ in state.measures} | {
        one.entity for one in state.pack.measures if one.name == ranked
    }
    return entity in asked


def _counted(state: State, thing: Thing) -> bool:
    state.counted.append(thing)
    if (
        state.rank is not None
        and state.rank.counted is None
        and not state.rank.measure
        and not state.rank.field
    ):
        state.rank.counted, state.rank.measure = thing, state.count_measure(thing.entity)
    return True


def _most(state: State, thing: Thing) -> bool:
    """What there is to be the most or the fewest of."""
    order, pending = state.pending.order, state.pending
    pending.clear("order", "many")
    others = [one for one in state.things if id(one) not in state.objects]
    later = any(
        item.of_kind("entity") or item.has("bucket_year", "bucket_month", "bucket_hour", "bucket_weekday")
        for item in state.items[pending.at.get("order", 0) :]
    )
    if not others and not state.is_counted(thing.entity) and not later:
        return False
    if not others and not state.is_counted(thing.entity):
        # "the most dangerous schools": the order is one of the things themselves.
        state.rank = state.rank or Rank(order)
        state.rank.order = order
        return True
    state.rank = state.rank or Rank()
    state.rank.order = order
    return _counted(state, thing)


def _by(state: State, thing: Thing) -> bool:
    """Ranked by what is counted, else near."""
    home = next((one for one in state.things if id(one) not in state.objects), None)
    if state.rank is not None or state.is_counted(thing.entity):
        state.rank = state.rank or Rank()
        return _counted(state, thing)
    if home is None:
        return False
    state.ties.append(Tie(state.current, thing, "near"))
    state.objects.add(id(thing))
    return True


def _each(state: State, thing: Thing) -> bool:
    """One row for each of them, with what is counted."""
    home = next((one for one in state.things if id(one) not in state.objects), None)
    if home is not None and not state.count and state.pending.link == "near":
        return tie_thing(state, thing, 0)
    thing.each = True
    state.asked = thing
    if home is not None:
        state.counted.append(home)
        if state.pending.distance_m is not None:
            state.loose.append(
                (state.pending.distance_m, state.pending.beyond, state.pending.at.get("link", 0))
            )
    return True


def _having(state: State, thing: Thing) -> bool:
    """So many of them: a condition on their number."""
    pending = state.pending
    measure = state.count_measure(thing.entity)
    state.havings.append((measure, thing, pending.operator, float(pending.number or 0)))
    pending.clear("number", "operator")
    state.counted.append(thing)
    return True


def _nearest(state: State, place: int, item: Item, entity: str) -> bool:
    """The nearest of a kind to what follows."""
    pending = state.pending
    thing = Thing(entity)
    number = pending.number
    if number is None and item.plural:
        state.problem = f"How many of the nearest {state.pack.entity(entity).plural} are wanted is not said."
    state.nearest = (thing, int(number or 1))
    pending.clear("nearest", "number", "operator", "which")
    if state.things and pending.link in ("near", "with", ""):
        state.leave(place)
    state.things.insert(0, thing)
    take_pending(state, thing)
    state.current = state.mentioned = thing
    pending.clear_link()
    state.take(place, place + 1, entity)
    return True


def read_measure(state: State, place: int, item: Item) -> bool:
    """A measure of the pack, where the words around it count, rank or bound it."""
    senses = item.of_kind("measure")
    if not senses:
        return False
    sense, pending = senses[0], state.pending
    field = state.pack.measure(sense.name).field
    if field is not None and (own := state.thing_of(sense.entity)) is not None and own is state.current:
        # "crashes that injured 3 or more"
        after = amount_after(state, place + 1)
        if after is not None and len(after[0]) == 1 and not after[1][0].kind:
            own.conditions.append({"field": field, "operator": after[0][0], "value": int(after[1][0].value)})
            pending.clear_link()
            state.take(place, after[2], sense.name)
            return True
    if pending.aggregate and field is not None:
        state.aggregated = (pending.aggregate, ((sense.entity, field),))
        pending.clear("aggregate", "many")
        if not state.things:
            add_thing(state, sense.entity)
    elif pending.number is not None and pending.operator != "rank":
        operator = pending.operator or "eq"
        own = state.thing_of(sense.entity)
        if own is not None and field is not None and own is state.current:
            number = pending.number
            own.conditions.append(
                {
                    "field": field,
                    "operator": operator,
                    "value": int(number) if number.is_integer() else number,
                }
            )
        else:
            counted = own or Thing(sense.entity)
            if own is None:
                state.things.append(counted)
                take_pending(state, counted)
            state.counted.append(counted)
            state.havings.append((sense.name, counted, operator, pending.number))
            state.current = counted
        pending.clear("number", "operator")
    elif (
        pending.order
        or (pending.link in ("by", "for") and state.things)
        or (
            state.rank
            and not state.rank.measure
            and not state.counted
            and not item.of_kind("concept", "value")
        )
    ):
        state.rank = state.rank or Rank()
        if pending.order:
            state.rank.order = pending.order
        state.rank.measure, state.rank.counted = sense.name, None
        pending.clear("order", "many")
    elif pending.many or pending.total or (not item.of_kind("concept", "value")):
        state.measures.append((sense.name, sense.entity, ""))
        pending.clear("many", "total")
    else:
        return False
    pending.clear_link()
    state.take(place, place + 1, sense.name)
    return True
