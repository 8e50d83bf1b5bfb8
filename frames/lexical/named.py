"""The places that are named: areas, streets, corners and everything else that bears a name."""

from __future__ import annotations

from groundframe.frames.inquiry import Nearness, Spot, Thing, Tie
from groundframe.frames.lexical.clauses import alternatives, value_condition
from groundframe.frames.lexical.conditions import follows_noun
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.places import Named
from groundframe.frames.lexical.state import State
from groundframe.frames.terms import PLACE
from groundframe.schema.model import GAZETTEER, Entity

__all__ = ["area_kinds", "kind_of", "read_place", "text_before_field"]


def area_kinds(state: State) -> list[str]:
    """The entities that may be an area."""
    return [entity.name for entity in state.pack.entities if "scope" in entity.roles]


def kind_of(state: State, named: Named) -> str:
    """The kind of the place that is meant: on something long where it is said to be on it, else the first."""
    if not named.kinds:
        return PLACE
    first = next((one for one in state.pack.entities if one.name == named.kinds[0]), None)
    derived = first is not None and first.derived is not None  # a corner that bears one street's name only
    if state.pending.link == "on" or (state.pending.link == "near" and derived):
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
    kind = _apposed(state, place, item.place) or kind_of(state, item.place)
    if _leads_to_noun(state, place):
        # "within 300 m of any Amherst school"
        state.ahead = Thing(item.place.kinds[0], "scope", [item.place.text])
        state.take(place, place + 1, item.place.text)
        return True
    if kind in area_kinds(state) and not (pending.link == "near" and not _is_around(state)):
        names, stop = _listed(state, place, kind)
        owner = state.item(stop)
        link = pending.link if owner is not None and owner.text == "'s" else ""
        _scope(state, kind, names, place)
        if link in ("on", "from", "at"):
            pending.link, pending.at["link"] = link, place  # "from Quincy's 30 mph roads"
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


def _apposed(state: State, place: int, named: Named) -> str:
    """The kind that a noun says the name is of, which is no thing of its own: "the bus stop Elm Street"."""
    before = place - 1
    while (between := state.item(before)) is not None and between.has("filler") and not between.senses:
        before -= 1  # "the stop called 'Elm Street'"
    own, noun = state.current, state.item(before)
    if own is None or noun is None or own.conditions or own.entity not in named.kinds or noun.plural:
        return ""
    tie = next((one for one in state.ties if one.far is own), None)
    if tie is None or not any(sense.entity == own.entity for sense in noun.of_kind("entity")):
        return ""
    state.ties.remove(tie)
    state.things.remove(own)
    state.objects.discard(id(own))
    state.current = tie.base or (state.things[-1] if state.things else None)
    state.pending.link = "on" if tie.nearness == "on" else "near"
    state.pending.distance_m, state.pending.beyond = tie.distance_m, tie.negate
    return own.entity


def _leads_to_noun(state: State, place: int) -> bool:
    """Whether an area says where the things are that the next noun names, near which others lie."""
    named = state.items[place].place
    if named is None or not named.kinds or named.kinds[0] not in area_kinds(state):
        return False
    noun = follows_noun(state, place) or (place + 1 < len(state.items) and follows_noun(state, place + 1))
    after = state.item(place + 1)
    if not noun and after is not None and not after.has("filler") and (values := after.of_kind("value")):
        noun = values[0].entity if not state.is_counted(values[0].entity) else None  # "of any Quincy elem"
    return state.pending.link == "near" and bool(noun) and noun not in area_kinds(state)


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
            listed.update(alternatives(listed, street.conditions[0]) or {})
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
    if "link" in pending.at:
        state.leads[id(street)] = pending.at["link"]
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
            known = [one.casefold() for one in same[0].names]
            if state.count and any(one.has("how_many") for one in state.items[max(0, place - 4) : place]):
                state.compare = place  # "how many crashes in A and how many in B"
            same[0].names += [name for name in names if name.casefold() not in known]
        else:
            state.scopes.append(scope)
    pending.clear_link()


def _listed(state: State, place: int, kind: str) -> tuple[list[str], int]:
    """The names of a list such as "A, B, and C", and where it ends; affixes belong to the names."""
    names: list[str] = []
    stop = place
    while (
        (item := state.item(stop)) is not None
        and item.place is not None
        and kind_of(state, item.place) == kind
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
    return item.place is not None and text_before_field(state, place, item.place.text)


def text_before_field(state: State, place: int, text: str) -> bool:
    """Read `text` as what the field of an area that the next item names has; False where it names none."""
    texts, last = [text], place
    while (joint := state.item(last + 1)) is not None and joint.has("or", "and", "comma"):
        following = state.item(last + 2)
        if following is None or following.senses or following.times or following.amount:
            return False  # of a list the last stands before the field: "Norfolk or Worcester County"
        last += 2
        texts.append(state.question[following.start : following.end].title())
    after = state.item(last + 1)
    for sense in after.of_kind("field") if after is not None else ():
        entity = state.pack.entity(sense.entity)
        if (
            sense.entity in area_kinds(state)
            and entity.field(sense.name).type == "text"
            and sense.name != entity.name_field
        ):
            return _named_area(state, place, last + 2, entity, sense.name, tuple(texts))
    return False


def _named_area(
    state: State, place: int, stop: int, entity: Entity, field: str, texts: tuple[str, ...]
) -> bool:
    """Restrict what is asked for to areas with one of these texts in one of their fields."""
    condition = value_condition(field, texts, listed=False, negate=state.pending.negate)
    own = next((one for one in state.things if one.entity == entity.name), None)
    if own is None:
        own = Thing(entity.name, "filter")
        state.things.append(own)
        state.objects.add(id(own))
        state.ties.append(Tie(None, own, "in"))
    joint = state.item(place - 1)
    joins = bool(own.conditions) and joint is not None and joint.has("or", "and", "comma")
    if joins and (either := alternatives(own.conditions[-1], condition)):
        own.conditions[-1].update(either)  # "Worcester County or Hampden County"
    else:
        own.conditions.append(condition)
    state.pending.clear_link()
    state.take(place, stop, " or ".join(texts))
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
        or not (joint.has("and", "at") or joint.text == "/")
    ):
        return False
    street = nodes.derived.from_entity
    if not (first.place and second.place and street in first.place.kinds and street in second.place.kinds):
        return False
    alone = first.place.bare or first.place.meets
    if state.pending.link not in ("at", "near", "of", *(("", "to", "from", "for") if alone else ())):
        return False
    spot = Spot(nodes.name, [first.place.text, second.place.text])
    own = state.current
    before = state.item(place - 1)
    beside = before is not None and any(sense.entity == nodes.name for sense in before.of_kind("entity"))
    if own is not None and own.entity == nodes.name and (state.pending.link == "of" or beside):
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
