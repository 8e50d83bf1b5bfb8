"""Measures of the pack, and conditions that stand for the thing itself."""

from __future__ import annotations

from groundframe.frames.inquiry import Rank, Thing, Tie, link_between
from groundframe.frames.lexical.bounds import amount_after
from groundframe.frames.lexical.clauses import sense_condition
from groundframe.frames.lexical.conditions import add_condition, follows_noun, of_ground, take_pending
from groundframe.frames.lexical.grouping import bucket_of
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.roles import beside_ranking, having, place_in_question
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.things import add_thing, read_nearest, take_area
from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["read_implied", "read_measure"]


_PREPOSITIONS = ("at", "in", "on", "near", "within")
_LEADING = ("", "near", "on", "by", "in", "of", "for", "with", "without")
"""What may lead to a thing that only its kind names: "towns without charters"."""


def _is_bounded(state: State) -> bool:
    """Whether a bounded number waits for what there are so many of."""
    return state.pending.number is not None and state.pending.operator not in ("", "rank")


def _paired(state: State, place: int) -> bool:
    """Whether two numbers of people are asked for beside each other: "deaths and injuries by town"."""
    if state.pending.link in ("with", "without") or state.pending.negate or state.rank or state.pending.order:
        return False
    for step in (-1, 1):
        joint, other = state.item(place + step), state.item(place + 2 * step)
        if joint is None or other is None or not joint.has("and", "compare", "comma"):
            continue
        lead = state.item(place + 2 * step - 1) if step < 0 else state.item(place - 1)
        led = lead is not None and lead.has("with", "filler") and not lead.has("how_many")
        spread = any(one.has("by", "per", "trend") or bucket_of(one) for one in state.items[place:])
        if joint.has("comma") and (led or not spread):
            continue  # "crashes with people killed, hurt"
        if (
            other.of_kind("measure")
            and follows_noun(state, place) is None
            and follows_noun(state, place + 2 * step) is None
        ):
            return bool(
                {one.name for one in other.of_kind("measure")}
                - {one.name for one in state.items[place].of_kind("measure")}
            )
    return False


def _by_group(state: State, place: int) -> bool:
    """Whether people are counted by group: "deaths by town" are persons, not crashes."""
    pending = state.pending
    counted = [one for one in state.items[place].of_kind("measure") if state.pack.measure(one.name).field]
    beside = (state.item(place - 1), state.item(place + 1))
    compared = any(one is not None and one.has("compare") for one in beside)
    listed = _beside_noun(state, place) is not None or _noun_follows(state, place)
    taken = compared or pending.negate or pending.order or state.rank or state.aggregated
    barred = bool(taken) or pending.link in ("with", "without", "by")
    if not counted or barred or (follows_noun(state, place) and not listed):
        return False
    if listed or state.thing_of(counted[0].entity):
        return listed
    rest = state.items[place + 1 :]
    joined = bool(rest) and bool(rest[0].of_kind("value", "concept", "entity")) and not rest[0].has("filler")
    joined = joined and rest[0].text.split()[0] not in _PREPOSITIONS
    spread = any(one.has("by", "per", "trend") or bucket_of(one) or " by " in one.text for one in rest)
    ranked = bool(rest) and rest[0].has("top", "bottom", "rank") and not state.things  # "deaths top 10 towns"
    return bool(state.groups or spread or ranked) and not joined


def _noun_follows(state: State, place: int) -> bool:
    """Whether what is counted is listed behind people: "deaths and crashes"."""
    joint, noun, after = (state.item(place + step) for step in (1, 2, 3))
    if joint is None or noun is None or joint.text not in ("and", "&") or after is None or state.things:
        return False
    bare = not noun.of_kind("concept", "value") and any(
        state.is_counted(one.entity) for one in noun.of_kind("entity")
    )
    return bare and after.has("by", "per", "in", "for", "trend")


def _beside_noun(state: State, place: int) -> Thing | None:
    """What is listed before people: "crashes and deaths" are two numbers."""
    noun, joint = state.item(place - 2), state.item(place - 1)
    if noun is None or joint is None or not joint.has("and", "comma"):
        return None
    own = next((one for one in noun.of_kind("entity") if state.is_counted(one.entity)), None)
    thing = state.thing_of(own.entity) if own is not None else None
    plain = thing is not None and thing is state.current and thing not in state.counted
    return thing if plain else None


def _is_how_many(state: State) -> bool:
    """Whether a number is how many are wanted: "ten highest EPDO intersections"."""
    return bool(state.pending.order) and not state.pending.operator and not state.counted


def _has_bound(state: State, thing: Thing) -> bool:
    """Whether there must be so many of a thing already."""
    return any(one is thing for _, one, _, _ in state.havings)


def _said_before(state: State, thing: Thing, sense: Sense) -> bool:
    """Whether the same number of the same kind is said once more."""
    same = sense_condition(state, sense, negate=False) in thing.conditions
    bound = (thing, state.pending.operator, state.pending.number)
    return same and any((one, operator, number) == bound for _, one, operator, number in state.havings)


def _stands_apart(state: State) -> bool:
    """Whether a number is of what is asked for, not of what came last: "with 500 crashes and 5 deaths"."""
    place = state.pending.at.get("number", 0) - 1
    while place > 0 and state.items[place].has("gt", "gte", "lt", "lte", "eq", "filler", "with"):
        place -= 1
    return state.items[place].has("and", "comma", "or")


def _before_noun(state: State, place: int, entity: str) -> bool:
    """Whether the word only says of what kind the noun behind it is."""
    after = state.item(place + 1)
    beside = after is not None and (after.of_kind("entity") or after.has("and", "or", "comma"))
    return bool(beside) and follows_noun(state, place) == entity


def _names_later(state: State, place: int) -> bool:
    """Whether a noun is still to come that things are counted for."""
    return any(
        not state.is_counted(sense.entity) for item in state.items[place:] for sense in item.of_kind("entity")
    )


def _of_persons(state: State, sense: Sense) -> bool:
    """Whether it tells of how people came to harm, not what else a road has: "killed on roads with ice"."""
    asked = any(entity == sense.entity for _, entity, _ in state.measures)
    beside = all(id(one) in state.objects for one in state.things) and bool(state.things)
    led = state.ties[-1] if state.ties else None
    lies = led is not None and led.base is None and led.nearness == "on" and led.far is state.current
    unasked = not (state.measures or state.groups or state.rank or state.pending.order)
    return (
        state.is_counted(sense.entity)
        and (asked or unasked)
        and beside
        and lies
        and state.pending.link == "with"
        and state.pending.number is None
    )


def read_implied(state: State, place: int, item: Item) -> bool:
    """A condition that stands for the thing itself: "crashes on interstates", "top arterials by crashes"."""
    pending = state.pending
    senses = item.of_kind("value", "concept")
    if not senses or item.form or item.has("vague") or follows_noun(state, place) is not None:
        return False
    sense = of_ground(state, place, senses) or senses[0]
    if pending.nearest and state.thing_of(sense.entity) is None:
        read_nearest(state, place, item, sense.entity)  # "the nearest fatal to …"
        add_condition(state, place, sense)
        return True
    held = [own for one in senses if (own := state.thing_of(one.entity)) is not None]
    if held and _is_bounded(state) and _said_before(state, held[0], sense):
        pending.clear("number", "operator")
    elif (pending.order or _is_bounded(state)) and all(_has_bound(state, own) for own in held):
        held = []  # "of towns with 100 crashes, which has the fewest fatal ones"
    if held and pending.link == "without" and all(own in state.counted for own in held):
        # "towns with 100 crashes and no fatals": not 100 crashes that are not fatal.
        head = state.head(place)
        if head is None or link_between(state.pack, sense.entity, head.entity) is None:
            state.leave(place)
            return True
        none = state.current = Thing(sense.entity)
        state.things.append(none)
        state.objects.add(id(none))
        state.ties.append(Tie(head, none, "with", negate=True))
        pending.clear_link()
        add_condition(state, place, sense)
        state.take(place, place + 1, f"{sense.entity} {sense.name}")
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
            having(state, counted)
            add_condition(state, place, sense)
            state.things.append(counted)
            take_pending(state, counted)
            state.turn_to(counted)
            state.take(place, stop, f"{sense.entity} {sense.name}")
            return True
    of_several = bool(state.things or state.groups)
    if state.is_counted(sense.entity) and of_several and _is_bounded(state) and not item.has("vehicle"):
        # "with at least two cyclists hit", "months with 3 or more fatals"
        counted = Thing(sense.entity)
        having(state, counted)
        state.things.append(counted)
        state.current = counted
        add_condition(state, place, sense)
        take_pending(state, counted)
        state.turn_to(counted)
        state.take(place, place + 1, f"{sense.entity} {sense.name}")
        return True
    if _of_persons(state, sense):
        add_condition(state, place, sense)
        pending.clear_link()
        state.take(place, place + 1, f"{sense.entity} {sense.name}")
        return True
    if state.is_counted(sense.entity):
        # "towns with no pedestrian deaths": only what is there, or not, stands for itself.
        ranked = pending.link == "by" or (not pending.link and beside_ranking(state, place))
        if not state.things or not (
            ranked
            or (pending.order and bool(state.havings))
            or (pending.link in ("with", "without", "near") and not pending.order and pending.number is None)
        ):
            return False
    elif sense.kind != "value" or pending.link not in _LEADING:
        return False
    thing = Thing(sense.entity)
    if not place_in_question(state, thing, place, item):
        return False
    pending.clear("without", "negate")  # that is how the thing lies, not what it is
    state.things.append(thing)
    take_area(state, thing)
    state.current = thing if thing in state.counted else state.current
    add_condition(state, place, sense)
    take_pending(state, thing)
    if pending.which and id(thing) not in state.objects and thing not in state.counted:
        state.asked = thing
    pending.clear("which")
    if not item.plural:
        state.singular.add(id(thing))
    state.turn_to(thing)
    state.take(place, place + 1, f"{sense.entity} {sense.name}")
    return True


def read_measure(state: State, place: int, item: Item) -> bool:
    """A measure of the pack, where the words around it count, rank or bound it."""
    senses = item.of_kind("measure")
    if not senses:
        return False
    sense, pending = senses[0], state.pending
    beside = item.of_kind("concept", "value") and _before_noun(state, place, sense.entity)
    if beside and not _noun_follows(state, place):
        return False  # "by hurt or killed crashes"
    field = state.pack.measure(sense.name).field
    own = state.thing_of(sense.entity)
    waits = not state.things and any(owners[0] == sense.entity for owners, _, _ in pending.conditions)
    if field is not None and (waits or (own is not None and own is state.current)):
        # "crashes that injured 3 or more", "rollovers that killed 2"
        after = amount_after(state, place + 1)
        if after is not None and len(after[0]) == 1 and not after[1][0].kind and own is None:
            own = state.current = add_thing(state, sense.entity)
        if own is not None and after is not None and len(after[0]) == 1 and not after[1][0].kind:
            own.conditions.append({"field": field, "operator": after[0][0], "value": int(after[1][0].value)})
            pending.clear_link()
            state.take(place, after[2], sense.name)
            return True
    if pending.aggregate and field is not None:
        state.aggregated = (pending.aggregate, ((sense.entity, field),))
        pending.clear("aggregate", "many")
        if not state.things:
            add_thing(state, sense.entity)
    elif pending.number is not None and pending.operator != "rank" and not _is_how_many(state):
        operator = pending.operator or "eq"
        own = state.thing_of(sense.entity)
        apart = own is not None and own in state.counted and _stands_apart(state)
        if field is not None and not state.things and not _names_later(state, place):
            own = state.current = add_thing(state, sense.entity)  # "4 or more hurt in Quincy"
        if own is not None and field is not None and own is state.current and not apart:
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
        or (pending.link in ("by", "for") and (state.things or state.groups))
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
    elif (
        pending.many
        or pending.total
        or (not item.of_kind("concept", "value"))
        or (_paired(state, place) or _by_group(state, place))
    ):
        if _beside_noun(state, place) is not None and field is not None:
            state.measures.append((state.count_measure(sense.entity), sense.entity, ""))
        state.measures.append((sense.name, sense.entity, ""))
        if field is not None and _noun_follows(state, place) and not pending.many:
            state.measures.append((state.count_measure(sense.entity), sense.entity, ""))
        pending.clear("many", "total")
    else:
        return False
    pending.clear_link()
    state.take(place, place + 1, sense.name)
    return True
