"""Reading a question item by item, from left to right."""

from __future__ import annotations

from groundframe.frames.inquiry import Rank
from groundframe.frames.lexical.conditions import (
    attach,
    attach_times,
    read_amount,
    read_field,
    read_value,
    value_condition,
)
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.relations import named_area, read_distance, read_link, read_place
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.things import read_entity, read_implied, read_measure
from groundframe.frames.lexical.tokens import stems

__all__ = ["read"]

_BUCKETS = ("year", "quarter", "month", "date", "weekday", "hour")
_AGGREGATES = {
    "aggregate_mean": "mean",
    "aggregate_median": "median",
    "aggregate_max": "max",
    "aggregate_min": "min",
}


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
    if not state.pending.link:
        state.pending.link, state.pending.at["link"] = "with", place
    state.take(place, place + 1, "")
    return True


def _ranking(state: State, place: int, item: Item) -> bool:
    """Superlatives, and words for an order."""
    pending = state.pending
    if item.form == "superlative":
        return _superlative(state, place, item)
    if item.has("top", "bottom", "worst", "safest"):
        order = "lowest" if item.has("bottom", "safest") else "highest"
        state.rank = state.rank or Rank(order)
        state.rank.order = order
        following = state.item(state.skip(place + 1))
        if (
            item.has("worst", "safest")
            and following is not None
            and following.of_kind("field")
            and not following.of_kind("entity", "value", "concept", "measure")
        ):
            return False
        state.default_metric = state.default_metric or item.has("worst", "safest")
    elif item.has("more", "less") and state.rank is None and not pending.order:
        # "which of A and B has more": held against the named in the end.
        pending.order = "lowest" if item.has("less") else "highest"
        pending.at["order"] = state.comparative = place
        if item.has("worst"):
            state.default_metric = True
    elif item.has("most", "fewest"):
        pending.order = "lowest" if item.has("fewest") else "highest"
        pending.at["order"] = place
    elif item.has("rank", "ascending", "descending"):
        state.rank = state.rank or Rank()
        if item.has("rank"):
            state.ranked_in_words = True
        if item.has("ascending"):
            state.rank.order = "lowest"
    else:
        return False
    state.take(place, place + 1, "order")
    return True


def _superlative(state: State, place: int, item: Item) -> bool:
    """The most of a condition, as "deadliest"; the highest of a field, as "longest"."""
    state.rank = state.rank or Rank()
    state.rank.order = "highest"
    if senses := item.of_kind("concept", "value"):
        sense = senses[0]
        made = (
            {"concept": sense.name}
            if sense.kind == "concept"
            else {"field": sense.name, "operator": "in", "value": list(sense.values)}
        )
        state.pending.conditions.append(((sense.entity,), made, place))
        state.default_metric = True
    else:
        state.pending.order, state.pending.at["order"] = "highest", place
        state.fields_ranked = tuple((sense.entity, sense.name) for sense in item.of_kind("field"))
        state.pending.clear("order")
    state.take(place, place + 1, "order")
    return True


def _ranked_field(state: State, place: int, item: Item) -> bool:
    """A field that the order goes by, or of which the mean is taken."""
    pending = state.pending
    senses = item.of_kind("field")
    numeric = tuple(
        (sense.entity, sense.name)
        for sense in senses
        if state.pack.entity(sense.entity).field(sense.name).type in ("number", "integer")
    )
    if not numeric:
        return False
    if pending.aggregate:
        pending.clear("many")
        state.aggregated = (pending.aggregate, numeric)
        pending.clear("aggregate", "order")
    elif pending.order or (pending.link == "by" and state.rank is not None):
        state.rank = state.rank or Rank()
        state.rank.order = pending.order or state.rank.order
        state.fields_ranked = numeric
        pending.clear("order")
    elif state.fields_ranked and set(numeric) & set(state.fields_ranked):
        pass
    else:
        return False
    pending.clear_link()
    state.take(place, place + 1, numeric[0][1])
    return True


def _counting(state: State, place: int, item: Item) -> bool:
    pending = state.pending
    if item.has("how_many"):
        pending.many, pending.at["many"] = True, place
    elif aggregate := next((name for cls, name in _AGGREGATES.items() if item.has(cls)), ""):
        pending.aggregate, pending.at["aggregate"] = aggregate, place
    elif item.has("total"):
        pending.total = True
    elif item.has("which"):
        pending.which = True
        if not state.things:
            pending.clear_link()  # "at which corners"
    elif item.has("compare"):
        beside = (state.item(place - 1), state.item(place + 1))
        if all(one is not None and one.of_kind("value", "concept") for one in beside):
            return False  # "injury vs fatal": not both at once
        state.compare = place
    elif item.has("nearest"):
        _nearest(state, place)
    elif item.has("both"):
        state.both = True
    else:
        return False
    state.take(place, place + 1, "")
    return True


def _nearest(state: State, place: int) -> None:
    """The nearest: of what follows, or of what came before when that is all."""
    pending = state.pending
    if state.nearest is not None:
        return  # "for each school, which stop is closest"
    after = state.item(state.skip(place + 1))
    modified = after is not None and (after.of_kind("entity", "value", "concept"))
    before = state.asked or state.current
    if before is None or (modified and not (after is not None and after.has("to"))):
        pending.nearest, pending.at["nearest"] = True, place
        return
    number = state.numbers.pop(id(before), None)
    singular = id(before) in state.singular
    if number is None and not singular:
        state.problem = (
            state.problem
            or f"How many of the nearest {state.pack.entity(before.entity).plural} are wanted is not said."
        )
    state.nearest = (before, int(number[0]) if number else 1)


def _bucket(item: Item) -> str:
    """The time bucket that the words name; empty where there is none."""
    return next((one for one in _BUCKETS if item.has(f"bucket_{one}")), "")


def _groups(state: State, place: int, item: Item) -> bool:
    """Rows by year, by a field, or by what things belong to."""
    pending = state.pending
    if item.has("trend"):
        state.groups = state.groups or [("time", "year")]
        state.take(place, place + 1, "by year")
        return True
    bucket = _bucket(item)
    following = state.item(state.skip(place + 1))
    ahead = state.item(place - 1)
    ahead = state.item(place - 2) if ahead is not None and ahead.amount is not None else ahead
    led = ahead is not None and (ahead.has("worst", "safest", "most", "fewest", "top") or bool(ahead.form))
    leads = not state.things and (led or (following is not None and following.has("with", "most", "fewest")))
    if bucket and (
        leads
        or pending.link in ("by", "per")
        or pending.each
        or item.text.endswith("ly")
        or item.text == "annual"
        or pending.which
    ):
        if ("time", bucket) not in state.groups:
            state.groups.append(("time", bucket))
        state.grouped_which = state.grouped_which or pending.which or leads
        pending.clear("which", "each")
        pending.clear_link()
        state.grouped_at = place
        state.take(place, place + 1, f"by {bucket}")
        return True
    if item.has("by", "per"):
        if item.has("per") and pending.link:
            pending.each = True
        else:
            pending.link = "per" if item.has("per") else "by"
            pending.at["link"] = place
        state.take(place, place + 1, "by")
        return True
    if item.has("all") and not item.senses:
        pending.quantified = True
        state.take(place, place + 1, "")
        return True
    return _grouped_field(state, place, item)


def _grouped_field(state: State, place: int, item: Item) -> bool:
    """Rows by the values of a field: "by severity", "severity breakdown", "which light condition"."""
    pending = state.pending
    last = state.skip(place + 1)
    after = state.item(last)
    before = state.item(place - 1)
    broken = (after is not None and after.has("breakdown")) or (
        before is not None and before.has("breakdown")
    )
    # "most common weather", "light conditions of …": the values of the field, each with its number.
    bare = not state.things and (bool(pending.order) or _leads_to_noun(state, place))
    grouping = pending.link in ("by", "per") or pending.each or broken
    senses = item.of_kind("field")
    if (
        not senses
        or item.of_kind("entity")
        or not (grouping or pending.which or bare)
        or state.rank is not None
    ):
        return False
    own = next((one.entity for one in state.things if id(one) not in state.objects), senses[0].entity)
    sense = next((one for one in senses if one.entity == own), None)
    field = state.pack.entity(own).field(sense.name) if sense is not None else None
    category = field is not None and field.type.startswith("category")
    if sense is None or field is None or not (grouping or category) or (bare and field.none_value):
        return False
    if bare and pending.order:
        state.grouped_which = True
    state.groups.append(("field", sense.name))
    state.grouped_which = state.grouped_which or pending.which
    state.grouped_entity, state.grouped_at = own, place
    pending.clear("which", "each")
    pending.clear_link()
    state.take(place, last + 1 if broken else place + 1, f"by {sense.name}")
    return True


def _leads_to_noun(state: State, place: int) -> bool:
    """Whether a preposition follows, and what it leads to is of a kind: "severity of crashes"."""
    joint = state.item(place + 1)
    if joint is None or not joint.has("of", "for", "in", "among"):
        return False
    return any(
        item.of_kind("entity") or any(sense.noun for sense in item.senses)
        for item in state.items[place + 2 : place + 6]
    )


def _number(state: State, place: int, item: Item) -> bool:
    """A plain number, with what bounds it, for the noun that follows."""
    pending = state.pending
    operator, start = "", place
    if item.has("gte", "gt", "lte", "lt", "eq"):
        operator = next(name for name in ("gte", "lte", "gt", "lt", "eq") if item.has(name))
        start = state.skip(place + 1)
    number = state.item(start)
    if number is None or number.amount is None or number.amount.kind:
        return False
    stop = start + 1
    after = state.item(stop)
    if after is not None and after.has("post_gte", "post_lte"):
        operator, stop = "gte" if after.has("post_gte") else "lte", stop + 1
    elif number.amount.more:
        operator = "gte"
    before = state.item(place - 1)
    wanted = not state.things or (before is not None and before.has("top", "bottom", "worst", "safest"))
    if not operator and state.rank is not None and state.rank.top_n is None and wanted:
        state.rank.top_n = int(number.amount.value)
    else:
        pending.number, pending.operator = number.amount.value, operator
        pending.at["number"] = start
    state.take(place, stop, f"{number.amount.value:g}")
    return True


def _time(state: State, place: int, item: Item) -> bool:
    if not item.times:
        return False
    times = dict(item.times)
    if state.pending.negate:
        hours = times.get("hours")
        if set(times) != {"hours"} or not isinstance(hours, dict):
            return False
        times = {"hours": {"from": hours["to"], "to": hours["from"]}}
        state.pending.clear("negate")
    attach_times(state, place, times)
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
    mover = item.has("mover") and after is not None and after.has("collide")
    unit = before is not None and bool(before.times or before.senses) and bool(_bucket(item))
    if item.has("number_only"):
        state.count = True
    elif not (mover or unit) and (not item.has(*harmless) or item.amount or item.place):
        return False
    if item.has("everywhere"):
        state.pending.clear_link()
    if item.has("compare") and state.compare is None:
        state.compare = place
    listed = item.has("and", "comma") and state.grouped_at == place - 1 and after is not None
    if listed and after is not None and (after.of_kind("field", "entity") or _bucket(after)):
        state.pending.link, state.pending.at["link"] = "by", place
    state.take(place, place + 1, "")
    return True


def _text_before(state: State, place: int, item: Item) -> bool:
    """An unknown word before a field of text: "Middlesex County"."""
    after = state.item(place + 1)
    if item.known or item.reason or after is None:
        return False
    for sense in after.of_kind("field"):
        entity = state.pack.entity(sense.entity)
        if (
            "scope" in entity.roles
            and entity.field(sense.name).type == "text"
            and sense.name != entity.name_field
        ):
            return named_area(
                state, place, place + 2, entity, sense.name, state.question[item.start : item.end].title()
            )
    return False


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
    _number,
    _time,
    read_measure,
    _ranked_field,
    _groups,
    read_entity,
    read_implied,
    read_value,
    read_field,
    _negation,
    _ranking,
    _counting,
    _with,
    read_place,
    _there,
    read_link,
    _text_before,
    _value_before_field,
    _nothing,
)
"""What an item may be, tried in this order."""
