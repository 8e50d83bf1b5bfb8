"""Rows by time, by a field, or by what things belong to."""

from __future__ import annotations

from groundframe.frames.inquiry import Thing
from groundframe.frames.lexical.conditions import follows_noun, take_pending
from groundframe.frames.lexical.denials import side_by_side
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.tokens import stems
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.terms import TIME_BUCKETS

__all__ = ["OF_EACH", "bucket_of", "names_areas", "read_groups"]

OF_EACH = "A ranking within every group is not available."
"""What is said where each group would have its own first."""


def bucket_of(item: Item) -> str:
    """The time bucket that the words name; empty where there is none."""
    return next((one for one in TIME_BUCKETS if item.has(f"bucket_{one}")), "")


def read_groups(state: State, place: int, item: Item) -> bool:
    """Rows by year, by a field, or by what things belong to."""
    pending = state.pending
    if item.text == "falling" and any(one.of_kind("value") for one in state.items[max(0, place - 2) : place]):
        state.take(place, place + 1, "")  # of snow
        return True
    if item.has("trend"):
        state.groups = state.groups or [("time", "year")]
        state.take(place, place + 1, "by year")
        return True
    bucket = bucket_of(item)
    behind, following = state.item(place + 1), state.item(state.skip(place + 1))
    ahead = state.item(place - 1)
    ahead = state.item(place - 2) if ahead is not None and ahead.amount is not None else ahead
    led = ahead is not None and (ahead.has("worst", "safest", "most", "fewest", "top") or bool(ahead.form))
    beside = state.item(place - 1)
    numbered = beside is not None and beside.amount is not None and led
    leads = numbered or (
        not state.things and (led or (following is not None and following.has("with", "most", "fewest")))
    )
    if bucket and state.counted and state.rank is not None and not state.groups and not state.asked:
        alone = all(one in state.counted for one in state.things) and not (beside and beside.amount)
        leads = leads or (alone and not pending.link)  # "least crashes hour of day"
    again = bool(bucket) and ("time", bucket) in state.groups
    finer = bucket == "year" and bool({("time", "month"), ("time", "quarter")} & set(state.groups))
    if again or finer:
        # "which month, month and year, …": a month is one of a year already
        pending.clear_link()
        state.take(place, place + 1, f"by {bucket.replace('_', ' ')}")
        return True
    if bucket and (
        leads
        or "by" in item.text.split()
        or (behind is not None and behind.has("breakdown"))
        or pending.link in ("by", "per")
        or pending.each
        or item.text.endswith("ly")
        or item.text == "annual"
        or pending.which
    ):
        if ("time", bucket) not in state.groups:
            state.groups.append(("time", bucket))
        if (pending.which or leads) and bucket in ("month", "quarter"):
            together = ", all years together are by 'month of the year'" if bucket == "month" else ""
            state.notes.append((place, f"each {bucket} of each year by itself{together}"))
        several = item.text.split()[0].endswith("s") and not numbered  # "which months are worst"
        state.grouped_which = state.grouped_which or ((pending.which or leads) and not several)
        pending.clear("which", "each")
        pending.clear_link()
        state.grouped_at = place
        state.take(place, place + 1, f"by {bucket.replace('_', ' ')}")
        return True
    if item.has("per") and (area := _each_of_named(state, place)):
        if state.measures:
            state.groups.append(("entity", area))
        else:
            state.compare = place if state.compare is None else state.compare
        if pending.link not in ("in", "on", "at"):
            pending.link, pending.at["link"] = "in", place
        state.take(place, place + 2, "by")
        return True
    if item.has("per") and (_after_several(state, place) or _quantifies(state, place)):
        state.take(place, place + 1, "by")
        return True
    if item.has("by", "per") or (item.text == "x" and state.grouped_at == place - 1):
        state.drop_number()
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
    return _by_area(state, place, item) or _grouped_field(state, place, item)


def _each_of_named(state: State, place: int) -> str:
    """The kind of the areas that are named and each asked about: "for each of Quincy and Boston"."""
    of = state.item(place + 1)
    areas = {one.name for one in state.pack.entities if "scope" in one.roles}
    named: list[str] = []
    for one in state.items[place + 2 :] if of is not None and of.has("of") else ():
        if one.place is None and not one.has("comma", "and", "affix"):
            break
        named += [kind for kind in one.place.kinds[:1] if kind in areas] if one.place is not None else []
    return named[0] if len(named) > 1 and len(set(named)) == 1 else ""


def _after_several(state: State, place: int) -> bool:
    """Whether several years or areas stand before, and "each" says that they are apart."""
    before, after = state.item(place - 1), state.item(place + 1)
    if before is None or not (after is None or after.has("stop")) or state.items[place].text != "each":
        return False
    if side_by_side(before.times):
        state.groups = state.groups or [("time", "year")]
        return True
    if before.place is not None and any(len(one.names) > 1 for one in state.scopes):
        state.compare = place if state.compare is None else state.compare
        return True
    return False


def _quantifies(state: State, place: int) -> bool:
    """Whether "every" only says that all are meant: "every head-on from …"."""
    after = state.item(place + 1)
    condition = after is not None and after.of_kind("value", "concept") and not after.of_kind("field")
    return bool(condition) and not state.things and follows_noun(state, place) is None


def _by_area(state: State, place: int, item: Item) -> bool:
    """Rows by what areas have in common, with what is counted in them: "by county", "which county"."""
    pending = state.pending
    fields = item.of_kind("field")
    sense = next((one for one in fields if names_areas(state, one) or _is_of_linked(state, one)), None)
    led = pending.link in ("by", "per") or pending.each or pending.which or state.rank is not None
    listed = item.plural and not pending.link
    led |= not state.things and _has_most(state, place)
    if sense is None or not (led or listed or pending.order):
        return False
    if ("field", sense.name) not in state.groups:
        home = next((one for one in state.things if id(one) not in state.objects), None)
        each = pending.link == "per" or pending.each
        if home is not None and home.entity == sense.entity and each and state.rank is not None:
            state.problem = state.problem or OF_EACH  # "top 3 towns in each county"
        if home is not None and home.entity != sense.entity:
            if state.rank is not None and home not in state.counted and not state.is_counted(home.entity):
                # "the school with the most crashes in each county"
                state.problem = state.problem or OF_EACH
            if not state.pack.entity(home.entity).links_to(sense.entity):
                return False
            if home not in state.counted and not state.measures:
                state.counted.append(home)
            home = None
        area = home or Thing(sense.entity)
        if home is None:
            state.things.append(area)
            take_pending(state, area)
        state.area = state.asked = area
        state.groups.append(("field", sense.name))
        state.grouped_which = state.grouped_which or (not item.plural and pending.link not in ("by", "per"))
    pending.clear("which", "each")
    pending.clear_link()
    state.grouped_at = place
    state.take(place, place + 1, f"by {sense.name}")
    return True


def _has_most(state: State, place: int) -> bool:
    """Whether it is said of one that it has the most: "county with the fewest crashes"."""
    after = state.item(place + 1)
    most = any(one.has("most", "fewest") for one in state.items[place + 2 : place + 4])
    return after is not None and after.has("with") and most


def _is_of_linked(state: State, sense: Sense) -> bool:
    """Whether rows go by what those counted lie on: "crashes by functional class" of their roads."""
    entity = next((one.entity for one in state.things if id(one) not in state.objects), "")
    if not entity or entity == sense.entity or state.pending.link not in ("by", "per"):
        return False
    if not state.is_counted(entity) or state.has_field(entity, sense.name):
        return False
    linked = any(link.rule == "nearest" for link in state.pack.entity(entity).links_to(sense.entity))
    return linked and state.pack.entity(sense.entity).field(sense.name).type == "category"


def names_areas(state: State, sense: Sense) -> bool:
    """Whether the field names what several areas are parts of."""
    entity = state.pack.entity(sense.entity)
    field = entity.field(sense.name)
    return "scope" in entity.roles and bool(field.names) and sense.name != entity.name_field


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
    bare = not state.things and (
        bool(pending.order)
        or _leads_to_noun(state, place)
        or _crosses(state, place)
        or _holds_noun(state, item)
    )
    grouping = pending.link in ("by", "per") or pending.each or broken
    senses = item.of_kind("field")
    ranked = state.rank is not None and not (bare and _holds_noun(state, item))  # "top 3 crash types"
    if not senses or item.of_kind("entity") or not (grouping or pending.which or bare) or ranked:
        return False
    own = next((one.entity for one in state.things if id(one) not in state.objects), senses[0].entity)
    sense = next((one for one in senses if one.entity == own), None)
    field = state.pack.entity(own).field(sense.name) if sense is not None else None
    category = field is not None and field.type.startswith("category")
    # "Which district has the most schools" is one that they state.
    named = field is not None and pending.which and bool(field.names)
    named &= any(one.has("most", "fewest") for one in state.items)
    if sense is None or field is None or not (grouping or category or named) or (bare and field.none_value):
        return False
    if bare and pending.order:
        state.grouped_which = True
    if ("field", sense.name) not in state.groups:
        state.groups.append(("field", sense.name))
    state.grouped_which = state.grouped_which or pending.which
    state.grouped_entity, state.grouped_at = own, place
    pending.clear("which", "each")
    pending.clear_link()
    state.take(
        place, last + 1 if after is not None and after.has("breakdown") else place + 1, f"by {sense.name}"
    )
    if before is not None and before.has("breakdown"):
        state.take(place - 1, place, "")
    return True


def _holds_noun(state: State, item: Item) -> bool:
    """Whether the words for the field name those that have it as well: "kinds of schools"."""
    owners = [state.pack.entity(sense.entity) for sense in item.of_kind("field")]
    nouns = [stems(word) for one in owners for word in (one.label, *one.synonyms)]
    ends = ((item.key[: len(noun)], item.key[-len(noun) :]) for noun in nouns)
    return len(item.key) > 1 and any(noun in end for noun, end in zip(nouns, ends, strict=True))


def _crosses(state: State, place: int) -> bool:
    """Whether another field or time stands behind, by which it is broken down: "weather by severity"."""
    joint, after = state.item(place + 1), state.item(place + 2)
    if joint is None or after is None or not (joint.has("by") or joint.text == "x"):
        return False
    return bool(after.of_kind("field", "entity")) or bool(bucket_of(after))


def _leads_to_noun(state: State, place: int) -> bool:
    """Whether a preposition follows, and what it leads to is of a kind: "severity of crashes"."""
    joint = state.item(place + 1)
    if joint is None or not joint.has("of", "for", "in", "among"):
        return False
    return any(
        item.of_kind("entity") or any(sense.noun for sense in item.senses)
        for item in state.items[place + 2 : place + 6]
    )
