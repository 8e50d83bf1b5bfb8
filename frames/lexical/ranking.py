"""Superlatives, orders, and the numbers and counts beside them."""

from __future__ import annotations

from groundframe.frames.inquiry import Rank
from groundframe.frames.lexical.bounds import amount_after, bounded_amount
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.conditions import attach
from groundframe.frames.lexical.grouping import bucket_of, names_areas
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.strikers import strikes

__all__ = ["read_counting", "read_number", "read_ranked_field", "read_ranking"]

_AGGREGATES = {
    "aggregate_mean": "mean",
    "aggregate_median": "median",
    "aggregate_max": "max",
    "aggregate_min": "min",
}


def read_ranking(state: State, place: int, item: Item) -> bool:
    """Superlatives, and words for an order."""
    pending = state.pending
    if item.has("top", "bottom", "worst", "safest", "most", "fewest"):
        _first(state, place)
    after = state.item(place + 1)
    ordered = state.rank is not None or bool(pending.order)
    if item.text == "first" and after is not None and after.amount is not None and not after.amount.kind:
        state.rank = state.rank or Rank()  # "first five"
        state.take(place, place + 1, "order")
        return True
    if item.form in ("superlative", "least"):
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
            and not any(names_areas(state, one) for one in following.of_kind("field"))
        ):
            return False
        state.default_metric = state.default_metric or item.has("worst", "safest")
    elif item.form == "comparative" and item.of_kind("concept") and state.rank is None:
        sense = item.of_kind("concept")[0]  # "was January or February deadlier"
        attach(state, sense.entity, {"concept": sense.name}, place)
        state.comparative = place
    elif item.has("more", "less") and state.rank is None and not pending.order:
        # "which of A and B has more": held against the named in the end.
        pending.order = "lowest" if item.has("less") else "highest"
        pending.at["order"] = place
        if not any(one.has("others") for one in state.items[place:]):
            state.comparative = place  # "more than any other" is the most
        if item.has("worst"):
            state.default_metric = True
    elif item.has("most", "fewest") and ordered and _ends_order(state, place):
        pass  # "most crashes to fewest"
    elif item.has("most", "fewest"):
        pending.order = "lowest" if item.has("fewest") else "highest"
        pending.at["order"] = place
    elif item.has("rank", "ascending", "descending"):
        state.rank = state.rank or Rank()
        state.ranked_in_words = True
        if item.text.startswith("ranking") and all(state.is_counted(one.entity) for one in state.things):
            # "crash count ranking of schools"
            state.counted += [one for one in state.things if one not in state.counted]
            state.pending.clear("many")
            state.count = False
        if item.has("ascending"):
            state.rank.order = "lowest"
    else:
        return False
    state.take(place, place + 1, "order")
    return True


def _ends_order(state: State, place: int) -> bool:
    """Whether the word only says where the list ends: "from the fewest crashes to the most"."""
    before = place - 1 - (state.items[place - 1].text == "the")
    return before >= 0 and state.items[before].has("to")


def _first(state: State, place: int) -> None:
    """Words that say where the list begins: "worst county first"."""
    for at in range(place + 1, min(place + 4, len(state.items))):
        item = state.items[at]
        if item.text == "first":
            state.ranked_in_words = True
            state.take(at, at + 1, "order")
        if not item.senses and not item.has("filler", "how_many"):
            return


def _superlative(state: State, place: int, item: Item) -> bool:
    """The most of a condition, as "deadliest"; the highest of a field, as "longest"."""
    following = state.item(state.skip(place + 1))
    if following is not None and bucket_of(following) and item.of_kind("field"):
        # "the busiest hour": of what is counted
        state.pending.order = "lowest" if item.form == "least" else "highest"
        state.pending.at["order"] = place
        state.take(place, place + 1, "order")
        return True
    state.rank = state.rank or Rank()
    state.rank.order = "lowest" if item.form == "least" else "highest"
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
        state.pending.order, state.pending.at["order"] = state.rank.order, place
        state.fields_ranked = tuple((sense.entity, sense.name) for sense in item.of_kind("field"))
        state.pending.clear("order")
    state.take(place, place + 1, "order")
    return True


def read_ranked_field(state: State, place: int, item: Item) -> bool:
    """A field that the order goes by, or of which the mean is taken."""
    pending = state.pending
    senses = item.of_kind("field")
    numeric = tuple(
        (sense.entity, sense.name)
        for sense in senses
        if state.pack.entity(sense.entity).field(sense.name).type in ("number", "integer")
    )
    later = state.items[place + 1 : place + 4]
    if item.has("filler") and pending.order and _persons_of(state):
        state.take(place, place + 1, "order")
        return True
    persons = item.has("filler") and any(one.of_kind("measure", "concept") for one in later)
    if not numeric or (persons and pending.order):
        return False  # "where do most people get killed" is not of how many live there
    _behind(state, place)
    bound = amount_after(state, state.skip(place + 1)) if pending.aggregate else None
    if bound is not None and bound[0] != ["eq"]:
        pending.clear("aggregate")  # "average daily traffic over 20,000" is a condition
        return False
    bare = not state.things and not pending.order and any(one.has("by", "per") for one in state.items[place:])
    bare |= (
        len(item.key) > 1 and item.key[:1] in classes().units and not pending.order
    )  # "miles of interstate"
    summed = pending.total or pending.many or (bare and not item.has("vague"))
    if not pending.aggregate and summed and _is_summed(state, numeric, item):
        pending.aggregate = "sum"
        pending.clear("total")
    if pending.aggregate:
        pending.clear("many")
        state.aggregated = (pending.aggregate, numeric)
        pending.clear("aggregate", "order")
    elif pending.order or (pending.link == "by" and (state.rank is not None or _of_areas(state, numeric))):
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


def _behind(state: State, place: int) -> None:
    """Take a word for the mean behind the field that it is of: "speed limit on average, by town"."""
    at = state.skip(place + 1)
    word, after = state.item(at), state.item(at + 1)
    bounds = after is not None and after.amount is not None  # "speed limit max 30"
    if state.pending.aggregate or word is None or bounds:
        return
    name = next((name for cls, name in _AGGREGATES.items() if word.has(cls)), "")
    if name and not (after is not None and after.of_kind("field", "measure")):
        state.pending.aggregate = name
        state.take(place + 1, at + 1, "")


def _persons_of(state: State) -> bool:
    """Whether people are those that a condition spoke of: "which crash killed the most people"."""
    if state.persons is None or state.rank is not None:
        return False
    measure, condition = state.persons
    thing = next((one for one in state.things if condition in one.conditions), None)
    if thing is None or thing is not state.things[0]:
        return False
    thing.conditions.remove(condition)
    state.rank = Rank(state.pending.order, measure=measure.name)
    state.pending.clear("order", "many")
    return True


def _of_areas(state: State, numeric: tuple[tuple[str, str], ...]) -> bool:
    """Whether the field is one of the areas that are listed: "towns by population" are in that order."""
    own = next((one.entity for one in state.things if id(one) not in state.objects), "")
    return any(entity == own and "scope" in state.pack.entity(entity).roles for entity, _ in numeric)


def _is_summed(state: State, numeric: tuple[tuple[str, str], ...], item: Item) -> bool:
    """Whether a total of the field is asked for: "total length", "how many miles of road"."""
    if state.pending.total:
        return not item.of_kind("measure")
    entity, name = numeric[0]
    return state.pack.entity(entity).field(name).computed is not None


def read_counting(state: State, place: int, item: Item) -> bool:
    """Words that count, take a mean, compare, or ask for the nearest."""
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
        if state.measures and state.reading.get(place - 1) == state.measures[-1][0]:
            state.take(place, place + 1, "")
            return True  # "deaths vs injuries"
        if all(one is not None and one.of_kind("value", "concept") for one in beside):
            if len({one.senses for one in beside if one is not None}) == 1:
                return False  # "car vs car"
            if not any(strikes(state.items, one) for one in (place - 1, place + 1)):
                state.compare = place  # "injury vs fatal": not both at once
            state.take(place, place + 1, "")
            return True
        state.compare = place
    elif item.has("nearest") and pending.distance_m is not None:
        pass  # "more than 300 m from the nearest stop" is that from any
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


def _range(state: State, place: int) -> bool:
    """A number from so many to so many, of the noun that follows: "10 to 20 fatal crashes"."""
    found = amount_after(state, place)
    if found is None or len(found[1]) != 2 or any(one.kind for one in found[1]):
        return False
    (first, second), stop = found[1], found[2]
    pending = state.pending
    pending.number, pending.operator, pending.upper = first.value, "gte", second.value
    pending.at["number"] = pending.at["upper"] = place
    state.take(place, stop, f"{first.value:g} to {second.value:g}")
    return True


def read_number(state: State, place: int, item: Item) -> bool:
    """A plain number, with what bounds it, for the noun that follows."""
    pending = state.pending
    if _range(state, place):
        return True
    found = bounded_amount(state, place, item)
    if found is None or found.amount.kind:
        return False
    if not found.operator and item.text == "0" and state.things:
        pending.link, pending.without, pending.at["negate"] = "without", True, place  # "and 0 crashes"
        state.take(place, place + 1, "not")
        return True
    before, following = state.item(place - 1), state.item(place + 1)
    if place and not found.operator and following is not None and following.has("which"):
        return False  # "Quincy 22, which hour had …"
    wanted = not state.things or (before is not None and before.has("top", "bottom", "worst", "safest"))
    if not found.operator and state.rank is not None and state.rank.top_n is None and wanted:
        state.rank.top_n = int(found.amount.value)
    else:
        pending.number, pending.operator = found.amount.value, found.operator
        pending.at["number"] = found.start
    state.take(place, found.stop, f"{found.amount.value:g}")
    return True
