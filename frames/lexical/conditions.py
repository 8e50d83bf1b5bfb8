"""Conditions: values, concepts, fields with numbers, times, and what negates or joins them."""

from __future__ import annotations

from typing import Any

from groundframe.frames.inquiry import Thing, Tie, link_between
from groundframe.frames.lexical.clauses import (
    fields_of,
    is_denied,
    merged,
    narrower,
    sense_condition,
)
from groundframe.frames.lexical.denials import either_time
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.strikers import is_striker, strikes
from groundframe.frames.lexical.vocabulary import Sense, field_of

__all__ = [
    "add_condition",
    "attach",
    "attach_times",
    "follows_noun",
    "lies_on",
    "of_ground",
    "ranks_apart",
    "read_value",
    "settle_link",
    "take_pending",
]


_AGAIN = ("on", "in", "at", "more", "with", "where", "pronoun", "collide")
"""What may be said again behind "or": "where it was wet or where it had ice"."""


def read_value(state: State, place: int, item: Item) -> bool:
    """A value or a concept: a condition on the thing beside it."""
    senses = item.of_kind("concept", "value")
    if not senses or item.form:
        return False
    if state.pending.many and item.text.startswith("people ") and " or " in item.text:
        return False  # "how many people hurt or killed" are no crashes
    if strikes(state.items, place):
        state.take(place, place + 1, "")
        return True
    sense = _fitting(state, place, _alike(state, place, senses))
    if lies_on(state, place, sense):
        return True
    if sense.noun or (item.has("vague") and follows_noun(state, place) != sense.entity):
        return False
    add_condition(state, place, sense)
    if measures := item.of_kind("measure"):
        state.persons = (measures[0], state.joined[0] if state.joined else {})
    settle_link(state, place)
    state.take(place, place + 1, f"{sense.entity} {sense.name}")
    after = state.item(place + 1)
    owned = (
        after.of_kind("field")
        if after is not None and not after.of_kind("entity", "value", "concept")
        else ()
    )
    if any((one.entity, one.name) == (sense.entity, sense.name) for one in owned):
        state.take(place + 1, place + 2, sense.name)  # "rainy weather"
    return True


def lies_on(state: State, place: int, sense: Sense) -> bool:
    """A value of another kind before the noun is where that is: "freeway crashes"."""
    after = state.item(place + 1)
    if sense.noun and after is not None and not (after.senses or after.has("and", "or", "comma")):
        return False  # "local roads with fatal crashes"
    entities = after.of_kind("entity") if after is not None and sense.noun else ()
    beside = place + 1 if sense.noun and after is not None else place
    noun = entities[0].entity if entities else follows_noun(state, beside)
    kinds = {one.entity for one in state.items[place].of_kind("value", "concept")}
    if noun is None or noun in kinds or not state.is_counted(noun) or state.thing_of(sense.entity):
        return False
    if sense.kind != "value" or link_between(state.pack, noun, sense.entity) is None:
        return False
    far = Thing(sense.entity, conditions=[sense_condition(state, sense, negate=state.pending.negate)])
    state.pending.clear("negate")
    state.things.append(far)
    state.objects.add(id(far))
    state.ties.append(Tie(None, far, "on"))
    state.take(place, place + 1, f"{sense.entity} {sense.name}")
    return True


def add_condition(state: State, place: int, sense: Sense) -> None:
    """The condition of a value or a concept: an alternative of the one before it, or one more."""
    # "no fatal crashes" denies the crashes, not that they are fatal.
    noun = follows_noun(state, place) is not None
    denied = noun and bool(state.things)
    negate = state.pending.negate or (state.pending.without and not denied)
    condition = sense_condition(state, sense, negate=negate)
    _struck(state, place, sense, condition)
    if not _joined(state, place, sense, condition):
        attach(state, sense.entity, condition, place)
        state.joined = (condition, place)
    state.pending.clear("negate", *(() if denied else ("without",)))
    if noun and not denied and state.pending.link == "without":
        state.pending.clear_link()  # "no rain crashes": there is nothing yet that could be without them


def settle_link(state: State, place: int) -> None:
    """A preposition has found what it leads to, unless a noun is still to come."""
    if follows_noun(state, place) is None and state.pending.link not in ("by", "per"):
        state.pending.clear_link()


def _alike(state: State, place: int, senses: tuple[Sense, ...]) -> tuple[Sense, ...]:
    """Of several senses those on the field of a neighbour in the same list: "snow, ice or slush"."""
    for step in (-1, 1):
        joint, other = state.item(place + step), state.item(place + 2 * step)
        if joint is None or other is None or not joint.has("comma", "or", "and"):
            continue
        fields = {(one.entity, one.name) for one in other.of_kind("value")}
        if found := tuple(one for one in senses if (one.entity, one.name) in fields):
            return found
    return senses


def _fitting(state: State, place: int, senses: tuple[Sense, ...]) -> Sense:
    """The sense whose entity the thing beside it has: the one that follows, else those before."""
    if (ground := of_ground(state, place, senses)) is not None:
        return ground
    noun = follows_noun(state, place)
    beside = [state.head(place), state.current, *reversed(state.things)]
    things = [noun, *(one.entity for one in beside if one is not None)]
    for entity in things:
        for sense in senses:
            if sense.entity == entity:
                return sense
    return senses[0]


def of_ground(state: State, place: int, senses: tuple[Sense, ...]) -> Sense | None:
    """The sense of a field that is of the noun before it: of "on a road with snow" the road's surface."""
    lead, noun = state.item(place - 1), state.item(place - 2)
    if lead is None or noun is None or len(senses) < 2 or not lead.has("with", "of"):
        return None
    owners = (state.pack.entity(one.entity) for one in noun.of_kind("entity"))
    words = {name for one in owners for name in (one.label, *one.synonyms)}
    fields = ((one, field_of(state.pack, one.entity, one.name)) for one in senses if one.kind == "value")
    return next((one for one, field in fields if field and words & set(field.label.split())), None)


def follows_noun(state: State, place: int) -> str | None:
    """The entity of the noun that the words from here lead up to."""
    if any(sense.noun for sense in state.items[place].senses):
        return next(sense.entity for sense in state.items[place].senses if sense.noun)
    place += 1
    while (item := state.item(place)) is not None:
        if entities := item.of_kind("entity"):
            return entities[0].entity
        if named := [sense.entity for sense in item.senses if sense.noun]:
            return named[0]  # "fatal cyclist crashes"
        modifier = item.of_kind("concept", "value") or item.has("and", "or", "comma", "both")
        if (
            not (modifier or (item.has("filler") and item.text in ("a", "an", "the")))
            or item.times
            or item.place
        ):
            return None
        place += 1
    return None


def _joined(state: State, place: int, sense: Sense, condition: dict[str, Any]) -> bool:
    """Whether the condition is another alternative of the one before: "A or B", or "A and B" of one kind."""
    if state.joined is None:
        return False
    before, last = state.joined
    between = [state.items[one] for one in range(last + 1, place)]
    either = any(one.has("or", "compare") for one in between)
    joints = ("or", "and", "comma", "filler", "compare", *(_AGAIN if either else ()))
    if fields_of(state, sense.entity, before) & fields_of(state, sense.entity, condition) and (
        any(one.has("how_many") for one in between) and any(one.has("comma", "and", "or") for one in between)
    ):
        state.compare = place  # "how many fatal, how many injury": each by itself
        between = [one for one in between if not one.has("how_many")]
    plain = [one for at, one in enumerate(between, last + 1) if not strikes(state.items, at)]
    joins = ("or", "and", "comma", *(("compare",) if len(plain) == len(between) else ()))
    if not any(one.has(*joins) for one in plain) or not all(
        one.has(*joints) and not (one.senses or one.times or one.place) for one in plain
    ):
        return False
    same = bool(fields_of(state, sense.entity, before) & fields_of(state, sense.entity, condition))
    if same and "concept" in before and sense.kind == "value" and any(one.text == "(" for one in between):
        state.joined = (before, place)
        return True  # "animal crashes (deer, …)": an example of what was said
    # "pedestrian and cyclist crashes" are either; "with a pedestrian and a cyclist" have both.
    each = any(one.text in ("a", "an") for one in between)
    if same and not either and (narrow := narrower(before, condition)):
        before.clear()  # "after dark, unlit": not the one or the other
        before.update(narrow)
        state.joined = (before, place)
        return True
    following = state.item(place + 1)
    both = state.both or (following is not None and following.has("both"))
    union = either or (same and not both and not each)
    apart = any(one.has("filler") for one in between) and not any(one.has("or", "and") for one in between)
    if is_denied(before) and not is_denied(condition) and apart:
        return False  # "not a ped, still fatal"
    if is_denied(before) and not is_denied(condition):
        # "not A or B" denies both.
        denied = sense_condition(state, sense, negate=True)
        condition.clear()
        condition.update(denied)
        return False
    if not union or is_denied(before):
        return False
    either_of = merged(dict(before), condition)
    before.clear()
    before.update(either_of)
    state.joined = (before, place)
    return True


def _struck(state: State, place: int, sense: Sense, condition: dict[str, Any]) -> None:
    """Who strikes is no condition beside what is struck: "a car hit a tree"."""
    if state.joined is None:
        return
    before, last = state.joined
    between = state.items[last + 1 : place]
    hit = any(one.has("collide") for one in between) or is_striker(state.items, last)
    apart = next((one for one in between if one.has("or", "collide")), None)
    if not hit or "concept" in before or (apart is not None and apart.has("or")):
        return  # "rolled over or hit a guardrail"
    if fields_of(state, sense.entity, before) & fields_of(state, sense.entity, condition):
        state.pending.conditions[:] = [one for one in state.pending.conditions if one[1] is not before]
        for thing in state.things:
            thing.conditions[:] = [one for one in thing.conditions if one is not before]


def attach(
    state: State, entity: str, condition: dict[str, Any], place: int, others: tuple[str, ...] = ()
) -> None:
    """Give a condition to the thing that it is about, or keep it until that comes, or one of `others`."""
    thing = None if follows_noun(state, place) == entity else state.thing_of(entity)
    if thing is None:
        state.pending.conditions.append(((entity, *others), condition, place))
        return
    thing.conditions.append(condition)


def take_pending(state: State, thing: Thing) -> None:
    """Hand a new thing the conditions and times that wait for it."""
    pending, rest = state.pending.conditions, []
    for entry in pending:
        if thing.entity in entry[0] and not ranks_apart(state, thing, entry[2]):
            thing.conditions.append(entry[1])
        else:
            rest.append(entry)
    pending[:] = rest
    dated = state.pack.entity(thing.entity)
    kept = []
    for times, place in state.pending.times:
        if dated.date_field or (dated.time_field and set(times) == {"hours"}):
            _merge_times(thing.times, times)
        else:
            kept.append((times, place))
    state.pending.times[:] = kept


def ranks_apart(state: State, thing: Thing, place: int) -> bool:
    """Whether a condition is of what the order goes by, where the thing's number is only bounded.

    Such are "the deadliest town with fewer than 100 crashes" and "worst towns for cyclists with 100 crashes".
    """
    if not any(one is thing for _, one, _, _ in state.havings):
        return False
    if state.items[place].form in ("superlative", "least"):
        return True
    ordered = state.rank is not None or bool(state.pending.order)
    noun = next((one for one in state.items[place:] if one.of_kind("entity") or one.amount), None)
    return ordered and noun is not None and noun.amount is not None


def attach_times(state: State, place: int, times: dict[str, Any]) -> None:
    """Give a time to the last thing that has dates, or keep it."""
    for thing in [one for one in (state.current, *reversed(state.things)) if one is not None]:
        if state.pack.entity(thing.entity).date_field:
            _merge_times(thing.times, times)
            return
    state.pending.times.append((times, place))


def _merge_times(held: list[dict[str, Any]], times: dict[str, Any]) -> None:
    """Days of the week and hours hold together: a Friday night ends on Saturday."""
    for one in held:
        if (either := either_time(one, times)) is not None:
            one.update(either)  # nothing is of both
            return
        if {frozenset(one), frozenset(times)} == {frozenset({"weekdays"}), frozenset({"hours"})}:
            one.update(times)
            return
    held.append(times)
