"""What a new thing is in the question: asked for, counted, ranked by, or what another one lies near."""

from __future__ import annotations

from groundframe.frames.inquiry import Rank, Thing, Tie, link_between
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.relations import tie_thing
from groundframe.frames.lexical.state import State

__all__ = ["OF_OBJECT", "having", "having_again", "place_in_question"]


OF_OBJECT = "So many can only be asked of what is listed; of what that is near or in there are some or none."
"""What is said of a number at something that only says where the things asked for are."""
_SOME = {("gte", 1), ("gt", 0)}
_ORDERS = ("top", "bottom", "worst", "safest", "rank", "ascending", "descending")


def place_in_question(state: State, thing: Thing, place: int, item: Item) -> bool:
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
        near_each(state, thing, each)
        return True
    named = state.things or state.scopes or state.groups  # "which years had more than 50 crashes"
    if pending.number is not None and pending.operator not in ("", "rank") and named:
        if not of_object(state, thing, place):
            return having(state, thing)
        if (pending.operator, pending.number) not in _SOME:
            state.leave(pending.at["number"], OF_OBJECT)
        pending.clear("number", "operator", "upper")
    if pending.order:
        return _most(state, thing)
    if pending.link == "by":
        return _by(state, thing, place, item)
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
    ordered = state.rank is not None and bool(state.rank.measure or state.rank.field or state.fields_ranked)
    unmeasured = state.rank is not None and not (state.counted or ordered)
    links = ("with", "for", *(("on",) if state.ranked_in_words else ()))
    if unmeasured and state.things and state.is_counted(entity) and pending.link in links:
        return _counted(state, thing)
    if not pending.link and not state.is_counted(entity) and (state.havings and state.head(place)):
        pending.link, pending.at["link"] = "with", place  # "with 5 crashes and a bus stop"
    _beside_last(state, place, item)
    if tie_thing(state, thing, place):
        return True
    if not [one for one in state.things if id(one) not in state.objects] and pending.link != "near":
        return True
    if state.rank is not None and not state.counted and state.is_counted(entity):
        return _counted(state, thing)
    if pending.which and state.counted:
        return True
    if _has_most(state, thing, place):
        return True
    if all(id(one) in state.objects or one in state.counted for one in state.things):
        return True
    taken = state.area is not None or any(one.each for one in state.things)
    if state.is_counted(entity) and (taken or state.loose or beside_ranking(state, place)):
        return _counted(state, thing)
    return False


def _beside_last(state: State, place: int, item: Item) -> None:
    """Take what stands behind "and" as one more that lies like the last: "with a stop and a school"."""
    pending, last = state.pending, state.ties[-1] if state.ties else None
    joint = next((one for one in reversed(state.items[:place]) if not one.has("filler")), None)
    if last is None or pending.link or joint is None or not joint.has("and") or last.far is not state.current:
        return
    after, behind = state.item(place + 1), state.item(place + 2)
    within = behind is not None and behind.amount is not None  # "in Boston" is no distance of its own
    own = after is not None and (
        after.has("nearby") or after.amount is not None or (after.has("inside_of") and within)
    )
    if last.negate or last.nearness not in ("near", "with") or (item.plural and not (own or state.both)):
        return
    pending.link, pending.at["link"], state.coordinated = last.nearness, place, True
    if last.nearness == "near" and not own:
        pending.distance_m = last.distance_m


def _has_most(state: State, thing: Thing, place: int) -> bool:
    """Whether it is the one with the most of what came before: "bike crashes: the town with the most"."""
    rest = state.items[place + 1 :]
    ends = any(one.has("most", "fewest") for one in rest)
    more = any(state.is_counted(sense.entity) for one in rest for sense in one.senses)
    counted = [one for one in state.things if id(one) not in state.objects]
    plain = not (state.rank or state.counted or state.groups or state.measures or state.pending.link)
    if not (ends and plain and counted) or more or state.is_counted(thing.entity):
        return False
    if not all(state.is_counted(one.entity) for one in counted):
        return False
    state.counted += counted
    state.asked = thing
    return True


def beside_ranking(state: State, place: int) -> bool:
    """Whether what is ranked stands before and the order behind: "stops, crashes within 50 m, top 5"."""
    home = any(id(one) not in state.objects and not state.is_counted(one.entity) for one in state.things)
    last = next((one for one in range(place - 1, -1, -1) if not state.items[one].senses), 0)
    rest = state.items[place + 1 :]
    limited = any(
        item.amount is not None and not item.amount.kind and (after is None or after.has("comma", "stop"))
        for item, after in zip(rest, (*rest[1:], None), strict=False)
    )
    ordered = limited or any(item.has(*_ORDERS) for item in rest)
    # "school crashes 400 m top 10": so far from what stands right before them
    beside = any(item.amount is not None and item.amount.kind == "length" for item in rest)
    apart = state.items[last].has("comma", "stop")
    return home and not state.counted and ordered and (apart or beside)


def near_each(state: State, thing: Thing, each: Thing) -> None:
    """The nearest of a kind for each of another, in the areas that were named with those."""
    each.each = False
    state.ties.append(Tie(thing, each, "near"))
    state.objects.add(id(each))
    state.closed.add(id(each))
    state.ties += [Tie(each, scope, "in") for scope in state.scopes]


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


def _by(state: State, thing: Thing, place: int, item: Item) -> bool:
    """Ranked by what is counted, one row for each, else near."""
    home = next((one for one in state.things if id(one) not in state.objects), None)
    ranked = state.rank is not None and state.rank.counted is not None
    if ranked and state.things == state.counted and not state.is_counted(thing.entity):
        state.asked = thing  # "most crashes by town"
        return True
    led = state.items[place - 1].text.split()
    counts = state.pending.many or (led[0] == "by" and led[-1] == "of")
    numbered = counts and bool(state.things)  # "schools by number of bus stops"
    if state.rank is not None or state.is_counted(thing.entity) or numbered:
        state.rank = state.rank or Rank()
        state.pending.clear("many")
        return _counted(state, thing)
    if not state.things and not state.is_counted(thing.entity):
        return _each(state, thing)  # "by town, crashes in 2022"
    if home is None or link_between(state.pack, home.entity, thing.entity) is not None:
        return False  # "crashes by interstate" are to be grouped, which a kind cannot do
    if state.is_counted(home.entity) and not item.plural and state.items[place - 1].text == "by":
        return _each(state, thing)  # "crashes by school"; "by a school" and "by schools" is near
    state.ties.append(Tie(state.current, thing, "near"))
    state.objects.add(id(thing))
    return True


def _each(state: State, thing: Thing) -> bool:
    """One row for each of them, with what is counted."""
    if any(owner == thing.entity for _, owner, _ in state.measures):
        return False  # "deaths per crash" are a rate
    if (
        state.asked is not None
        and state.rank is not None
        and state.counted
        and not state.is_counted(thing.entity)
    ):
        return False  # "which town has the most bus stops per school"
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


def of_object(state: State, thing: Thing, place: int) -> bool:
    """Whether so many are said of what only tells where the others are: "near a corner with 2 crashes"."""
    near = state.current
    if near is None or id(near) not in state.objects or state.pending.link != "with" or near in state.counted:
        return False
    before = state.pending.at.get("link", place) - 1
    while before > 0 and (state.items[before].has("in", "affix") or state.items[before].place is not None):
        before -= 1  # "a corner in Quincy with …"
    return any(one.entity == near.entity for one in state.items[before].of_kind("entity"))


def having(state: State, thing: Thing) -> bool:
    """So many of them: a condition on their number."""
    pending = state.pending
    measure = state.count_measure(thing.entity)
    state.havings.append((measure, thing, pending.operator, float(pending.number or 0)))
    if pending.upper is not None:
        state.havings.append((measure, thing, "lte", pending.upper))
    pending.clear("number", "operator", "upper")
    state.counted.append(thing)
    return True


def having_again(state: State) -> bool:
    """A number of the same in another time: "5 fatal crashes in 2022 and fewer than 2 in 2023"."""
    pending = state.pending
    thing = next((one for _, one, _, _ in state.havings if one is state.current), None)
    if thing is None or not thing.times or pending.number is None or pending.operator in ("", "rank"):
        return False
    again = Thing(thing.entity, conditions=[{**one} for one in thing.conditions])
    having(state, again)
    state.things.append(again)
    state.turn_to(again)
    return True
