"""Reading a question item by item, from left to right."""

from __future__ import annotations

from groundframe.frames.lexical.clauses import value_condition
from groundframe.frames.lexical.conditions import attach, attach_times, read_value
from groundframe.frames.lexical.distances import read_distance
from groundframe.frames.lexical.fields import read_amount, read_field
from groundframe.frames.lexical.grouping import bucket_of, read_groups
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.measured import read_implied, read_measure
from groundframe.frames.lexical.named import read_place, text_before_field
from groundframe.frames.lexical.pointing import points_back
from groundframe.frames.lexical.ranking import read_counting, read_number, read_ranked_field, read_ranking
from groundframe.frames.lexical.relations import read_link
from groundframe.frames.lexical.roles import having_again
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.things import read_entity
from groundframe.frames.lexical.tokens import stems

__all__ = ["read"]

_ENDS = (".", "?", "!", ";")


def read(state: State) -> None:
    """Read all items; what has no meaning is left."""
    for place, item in enumerate(state.items):
        if place in state.reading:
            continue
        if item.problem:
            state.problem = state.problem or item.problem
            state.leave(place, item.problem)
            continue
        if not any(step(state, place, item) for step in _STEPS):
            state.leave(place, item.reason)


def _negation(state: State, place: int, item: Item) -> bool:
    """Words that say there is none, or not: kept until what they deny."""
    if not item.has("without", "no", "not") or item.of_kind("value", "concept"):
        return False
    pending = state.pending
    joint = state.item(place - 1)
    if item.has("without", "no"):
        pending.link, pending.without = "without", True
        again = item.text == "nor" or (joint is not None and joint.has("and", "or"))
        state.coordinated = again and bool(state.ties)
    else:
        pending.negate = not pending.negate
    pending.at["negate"] = place
    state.take(place, place + 1, "not")
    return True


def _with(state: State, place: int, item: Item) -> bool:
    if not item.has("with") or item.senses:
        return False
    if state.pending.negate and state.pending.link in ("", "with") and state.things:
        # "have never had a fatal crash"
        at = state.pending.at.get("negate", place)
        state.pending.clear("negate")
        state.pending.link, state.pending.without, state.pending.at["negate"] = "without", True, at
    state.drop_number()
    if not state.pending.link:
        state.pending.link, state.pending.at["link"] = "with", place
    state.coordinated = points_back(state.items, place) and bool(state.ties)
    state.take(place, place + 1, "")
    return True


def _time(state: State, place: int, item: Item) -> bool:
    if not item.times:
        return False
    if state.pending.negate:
        return False
    having_again(state)
    attach_times(state, place, dict(item.times))
    if {"vs", "versus"} & set(item.text.split()):
        state.compare = place
    if state.pending.link in ("in", "on", "at", "of", "for", "from", "to"):
        state.pending.clear_link()
    state.take(place, place + 1, "when")
    return True


def _there(state: State, place: int, item: Item) -> bool:
    """A place that was named before; without one nobody knows where "here" is."""
    if not item.has("there") or not (state.scopes or state.streets or state.last_spot):
        return False
    if state.pending.link in ("in", "on", "at", "near", "for", "of"):
        state.pending.clear_link()
    state.take(place, place + 1, "as named before")
    return True


def _nothing(state: State, place: int, item: Item) -> bool:
    """Words that change nothing, and those whose work is done."""
    harmless = (
        "collide",
        "filler",
        "comma",
        "and",
        "or",
        "stop",
        "everywhere",
        "others",
        "where",
        "affix",
        "pronoun",
        "or_less",
        "of",
        "to",
        "radius",
        "for",
        "total",
    )
    after = state.item(place + 1)
    before = state.item(place - 1)
    pending = state.pending
    mover = item.has("mover") and after is not None and after.has("collide")
    told = before is not None and (before.times or (before.senses and item.plural))
    unit = bool(told) and bool(bucket_of(item))  # "snowy days"
    further = any(one.known and not one.has("stop", "filler") for one in state.items[place + 1 :])
    if item.has("stop") and item.text in _ENDS and pending.number is not None and further:
        state.leave(pending.at.get("number", place))  # a sentence ends, and nothing there is so many
        pending.clear("number", "operator")
    if item.has("number_only"):
        state.count = state.count or not state.measures  # of people the number is theirs
    elif item.text == "=" and after is not None and after.place is not None:
        pass  # "town = Quincy"
    elif item.has("meant") and after is not None and after.known:
        pass  # what is meant follows
    elif item.text == "under" and after is not None and after.of_kind("value") and not after.has("filler"):
        pass  # "under dark conditions"
    elif item.text == "how" and after is not None and after.of_kind("field"):
        pass  # "how long is …"
    elif item.has("breakdown") and any(one.has("by") for one in state.items[place:]):
        pass  # "break down the crashes by light"
    elif not (mover or unit) and (not item.has(*harmless) or item.amount or item.place):
        return False
    if item.has("everywhere"):
        pending.clear_link()
    if item.text.endswith(" which") and not state.things and after is not None:
        pending.which = bool(bucket_of(after) or after.of_kind("entity", "field"))  # "in which month"
    if item.has("compare") and state.compare is None:
        state.compare = place
    counted = after is not None and any(state.is_counted(one.entity) for one in after.of_kind("entity"))
    listed = item.has("and", "comma") and state.grouped_at == place - 1 and not (counted and not state.things)
    if listed and after is not None and (after.of_kind("field", "entity") or bucket_of(after)):
        state.pending.link, state.pending.at["link"] = "by", place
    state.take(place, place + 1, "")
    return True


def _text_before(state: State, place: int, item: Item) -> bool:
    """An unknown word before a field of text: "Middlesex County"."""
    if item.known or item.reason:
        return False
    return text_before_field(state, place, state.question[item.start : item.end].title())


def _value_before_field(state: State, place: int, item: Item) -> bool:
    """A value that needs its field, before it: "unknown severity"."""
    if item.known:
        return False
    for last in (place, place + 1, place + 2):
        after = state.item(last + 1)
        words = [word for one in state.items[place : last + 1] for word in (one.key or stems(one.text))]
        for sense in after.of_kind("field") if after is not None else ():
            values = state.words.bound.get((sense.entity, sense.name), {}).get(tuple(words))
            if values:
                listed = state.pack.entity(sense.entity).field(sense.name).type == "category_list"
                made = value_condition(sense.name, values, listed=listed, negate=state.pending.negate)
                attach(state, sense.entity, made, last + 1)
                state.take(place, last + 2, sense.name)
                return True
    return False


_STEPS = (
    read_distance,
    read_amount,
    read_number,
    _time,
    read_measure,
    read_ranked_field,
    read_groups,
    read_entity,
    read_implied,
    read_value,
    read_field,
    _negation,
    read_ranking,
    read_counting,
    _with,
    read_place,
    _there,
    read_link,
    _text_before,
    _value_before_field,
    _nothing,
)
"""What an item may be, tried in this order."""
